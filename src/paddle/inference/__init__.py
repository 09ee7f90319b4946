"""Paddle Inference's interface: Config, create_predictor, handles. Deployment code written for it runs here, on the CPU."""

from ..core.addresses import lookup as _lookup
from .config import Config, XpuConfig  # noqa: F401
from .predictor import (  # noqa: F401
    Predictor,
    PredictorPool,
    Tensor,
    create_predictor,
)
from .types import (  # noqa: F401
    DataType,
    PlaceType,
    PrecisionType,
    _get_phi_kernel_name,
    convert_to_mixed_precision,
    get_num_bytes_of_data_type,
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)

__getattr__ = _lookup(__name__)
