"""Written by scripts/stubs.py; change the functions, not this file."""

from . import datasets as datasets
from paddle.vision.image import get_image_backend as get_image_backend
from paddle.vision.image import image_load as image_load
from . import models as models
from . import ops as ops
from paddle.vision.image import set_image_backend as set_image_backend
from . import transforms as transforms
