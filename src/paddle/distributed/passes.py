"""Passes over programs: what a program itself registers is run; fusing is the executor's business and needs no pass."""

from abc import ABC, abstractmethod

from ..core.addresses import lookup as _lookup

# Passes of Paddle that change how a program is computed, not what. The executor fuses by itself, so they leave it as it is.
FUSIONS = ("build_cinn", "fuse_adamw", "fuse_bn_act", "fuse_bn_add_act", "fuse_elewise_add_act", "fuse_gemm_epilogue",
           "fuse_optimizer", "fuse_relu_depthwise_conv", "fuse_resunit", "fused_attention", "fused_feedforward", "inplace_addto_op")
_registered = {}


class PassType:
    """Kinds of passes."""

    UNKNOWN, COMM_OPT, CALC_OPT, PARALLEL_OPT, FUSION_OPT = range(5)


class PassContext:
    """What passes tell each other, and which were applied."""

    def __init__(self):
        self._attrs, self._applied = {}, []

    def set_attr(self, key, value):
        """Keep a value for later passes."""
        self._attrs[key] = value

    def get_attr(self, key, default=None):
        """A value that was kept."""
        return self._attrs.get(key, default)

    @property
    def passes(self):
        """The passes that were applied, in order."""
        return self._applied


class PassBase(ABC):
    """A rewriting of programs. A subclass says with ``_check_self`` and ``_check_conflict(other)`` whether it can be applied, and
    rewrites in ``_apply_single_impl(main, startup, context)``; ``register_pass`` gives it a name."""

    name = None

    def __init__(self):
        self._attrs = {}

    def set_attr(self, key, value):
        """Set an option; returns the pass."""
        self._attrs[key] = value
        return self

    def get_attr(self, key, default=None):
        """An option."""
        return self._attrs.get(key, default)

    @abstractmethod
    def _check_self(self):
        """Are the options complete?"""

    @abstractmethod
    def _check_conflict(self, other_pass):
        """May it be applied after another one?"""

    def _type(self):
        return PassType.UNKNOWN

    def fits(self, others):
        """May it be applied after others? Each kind once, fusions last."""
        return all(self._check_conflict(p) and type(p) is not type(self)
                   and not (p._type() == PassType.FUSION_OPT != self._type()) for p in others)

    def apply(self, main_programs, startup_programs, context=None):
        """Rewrite programs in place where the pass fits behind those of the context; returns the context."""
        context = PassContext() if context is None else context
        for name, programs in (("main_programs", main_programs), ("startup_programs", startup_programs)):
            if not isinstance(programs, list):
                raise TypeError(f"{self.name}.apply(): {name} must be a list of Programs, got {type(programs).__name__}")
        if len(main_programs) != len(startup_programs):
            raise ValueError(f"{self.name}.apply(): {len(main_programs)} main programs, {len(startup_programs)} startup programs")
        if self._check_self() and self.fits(context.passes):
            self._apply_impl(main_programs, startup_programs, context)
            context.passes.append(self)
        return context

    def _apply_impl(self, main_programs, startup_programs, context):
        for main, startup in zip(main_programs, startup_programs):
            self._apply_single_impl(main, startup, context)

    @abstractmethod
    def _apply_single_impl(self, main_program, startup_program, context):
        """Rewrite one program."""


class _Fusion(PassBase):
    """A pass that only says how to compute."""

    def _check_self(self):
        return True

    def _check_conflict(self, other_pass):
        return True

    def _type(self):
        return PassType.FUSION_OPT

    def _apply_single_impl(self, main_program, startup_program, context):
        """Nothing: the executor has its own ways of fusing."""


def register_pass(name):
    """Decorator: make a subclass of PassBase known to ``new_pass`` under a name."""
    def register(cls):
        if not (isinstance(cls, type) and issubclass(cls, PassBase)):
            raise TypeError(f"register_pass(): {cls!r} is no subclass of PassBase")
        cls.name, _registered[name] = name, cls
        return cls
    return register


for _name in FUSIONS:
    register_pass(_name)(type(_name, (_Fusion,), {"__doc__": _Fusion.__doc__, "__module__": __name__}))


def new_pass(name, pass_attrs=None):
    """A pass by its name, with options.

    >>> paddle.distributed.passes.new_pass("fuse_bn_act").name
    'fuse_bn_act'
    """
    if name not in _registered:
        raise NotImplementedError(f"new_pass(): {name!r} is not supported; there are {', '.join(sorted(_registered))}. "
                                  "Parallelism is fleet's (distributed_optimizer) and dist.shard_tensor's")
    made = _registered[name]()
    for key, value in (pass_attrs or {}).items():
        made.set_attr(key, value)
    return made


class PassManager:
    """Passes that are applied one after the other.

    Args:
        passes: what ``new_pass`` gave.
        context: of passes that were applied before.
        auto_solve_conflict: leave out a pass that does not fit behind those before it.
    """

    def __init__(self, passes, context=None, auto_solve_conflict=True):
        self._context, self._passes = PassContext() if context is None else context, []
        for p in passes:
            if not auto_solve_conflict or p._check_self() and p.fits([*self._context.passes, *self._passes]):
                self._passes.append(p)

    def apply(self, main_programs, startup_programs):
        """Rewrite programs in place; returns the context."""
        for p in self._passes:
            self._context = p.apply(main_programs, startup_programs, self._context)
        return self._context

    @property
    def context(self):
        """What the passes told each other."""
        return self._context

    @property
    def names(self):
        """Names of the passes."""
        return [p.name for p in self._passes]

    @property
    def passes(self):
        """The passes."""
        return tuple(self._passes)


__path__ = []  # a package in Paddle: the paths below it are addresses
__getattr__ = _lookup(__name__)
