"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.fluid.dygraph.base import BackwardStrategy as BackwardStrategy
from paddle.fluid.dygraph.learning_rate_scheduler import CosineDecay as CosineDecay
from paddle.distributed.parallel import LegacyDataParallel as DataParallel
from paddle.distributed.env import ParallelEnv as Env
from paddle.fluid.dygraph.learning_rate_scheduler import ExponentialDecay as ExponentialDecay
from paddle.fluid.dygraph.learning_rate_scheduler import InverseTimeDecay as InverseTimeDecay
from paddle.fluid.dygraph.learning_rate_scheduler import LearningRateDecay as LearningRateDecay
from paddle.fluid.dygraph.learning_rate_scheduler import NaturalExpDecay as NaturalExpDecay
from paddle.fluid.dygraph.learning_rate_scheduler import NoamDecay as NoamDecay
from paddle.distributed.env import ParallelEnv as ParallelEnv
from paddle.fluid.dygraph.learning_rate_scheduler import PiecewiseDecay as PiecewiseDecay
from paddle.fluid.dygraph.learning_rate_scheduler import PolynomialDecay as PolynomialDecay
from paddle.jit.dy2static.program_translator import ProgramTranslator as ProgramTranslator
from paddle.jit.traced_layer import FolderTracedLayer as TracedLayer
from paddle.jit.static_function import to_static as declarative
from paddle.imperative.era import disable_imperative as disable_imperative
from paddle.jit.static_function import to_static as dygraph_to_static_output
from paddle.imperative.era import enable_imperative as enable_imperative
from paddle.imperative.era import enabled as enabled
from paddle.fluid.dygraph.base import grad as grad
from paddle.imperative.era import guard as guard
import paddle.fluid.dygraph.jit as jit
from paddle.imperative.basics import load as load
from paddle.core.autograd import no_grad as no_grad
from paddle.distributed.parallel import prepare_context as prepare_context
from paddle.imperative.basics import save as save
from paddle.imperative.basics import to_variable as to_variable
