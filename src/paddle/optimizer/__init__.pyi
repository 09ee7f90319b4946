"""Written by scripts/stubs.py; change the functions, not this file."""

from paddle.optimizer.sign import ASGD as ASGD
from paddle.optimizer.adaptive import Adadelta as Adadelta
from paddle.optimizer.adaptive import Adagrad as Adagrad
from paddle.optimizer.adam import Adam as Adam
from paddle.optimizer.adam import AdamW as AdamW
from paddle.optimizer.adaptive import Adamax as Adamax
from paddle.optimizer.lbfgs import LBFGS as LBFGS
from paddle.optimizer.adaptive import Lamb as Lamb
from paddle.optimizer.sgd import Momentum as Momentum
from paddle.optimizer.adam_variants import NAdam as NAdam
from paddle.optimizer.optimizer import Optimizer as Optimizer
from paddle.optimizer.adam_variants import RAdam as RAdam
from paddle.optimizer.adaptive import RMSProp as RMSProp
from paddle.optimizer.sign import Rprop as Rprop
from paddle.optimizer.sgd import SGD as SGD
from . import lr as lr
