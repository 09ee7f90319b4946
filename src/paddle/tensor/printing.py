"""How tensors print: as Paddle prints them, and as a table in notebooks."""

import numpy as np

from ..core import dtype as dtypes
from ..core.context import context
from ..core.errors import WrongKindError, describe
from ..core.generation import by_rule
from ..core.rows_tensor import RowsTensor
from ..core.tensor import Parameter, Tensor
from ..tensor import older

__all__ = ["set_printoptions"]

_options = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": False}


def set_printoptions(precision=None, threshold=None, edgeitems=None, sci_mode=None, linewidth=None):
    """Choose how tensors print; an argument that is None keeps its setting.

    Args:
        precision: digits after the decimal point.
        threshold: tensors of more elements are summarised.
        edgeitems: elements shown at either end of an axis when summarised.
        sci_mode: print floats in scientific notation?
        linewidth: characters per line.

    >>> paddle.set_printoptions(precision=2)
    >>> print(paddle.to_tensor([0.123]))
    Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
           [0.12])
    >>> paddle.set_printoptions(precision=8)
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for key, value in given.items():
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, int):
                raise WrongKindError(f"set_printoptions(): {key} must be an int, got {describe(value)}")
            _options[key] = value
    if sci_mode is not None:
        if not isinstance(sci_mode, bool):
            raise TypeError(f"set_printoptions(): sci_mode must be a bool, got {describe(sci_mode)}")
        _options["sci_mode"] = sci_mode


def _item(value):
    """One element as text."""
    if isinstance(value, (np.floating, float)):
        if _options["sci_mode"]:
            return f"{value:.{_options['precision']}e}"
        if value == np.ceil(value):
            return f"{value:.0f}."
        return f"{value:.{_options['precision']}f}"
    if isinstance(value, np.complexfloating):
        return _fixed(value) if context.rules.fixed_complex else str(value.item())
    return str(value)


def _fixed(value):
    """A complex number with all decimals, as Paddle 3 writes it."""
    kind = f".{_options['precision']}{'e' if _options['sci_mode'] else 'f'}"
    sign, imaginary = ("-", -value.imag) if value.imag < 0 else ("+", value.imag)
    return f"({value.real:{kind}}{sign}{imaginary:{kind}}j)"


def _edges(array):
    """The elements that a summarised print shows."""
    n = _options["edgeitems"]
    for axis, size in enumerate(array.shape):
        if size > 2 * n:
            array = np.concatenate([array.take(range(n), axis), array.take(range(size - n, size), axis)], axis)
    return array


class _Printer:
    """Text of one array: every element padded to the widest, rows wrapped at the line width."""

    def __init__(self, array):
        self.summarise = array.size > _options["threshold"]
        shown = _edges(array) if self.summarise else array
        self.signed = bool(shown.dtype.kind in "fic" and (shown < 0).any())
        self.width = max((len(_item(v)) for v in shown.ravel()), default=0)

    def item(self, value):
        text = _item(value)
        if self.signed and not value < 0 and len(text) < self.width:  # -0 and a negative imaginary part count as positive
            text = " " + text
        return text.ljust(self.width)

    def text(self, array, indent):
        if array.ndim == 0:
            return _item(array[()])
        n = _options["edgeitems"]
        cut = self.summarise and array.shape[0] > 2 * n
        parts = list(array[:n]) + list(array[-n:]) if cut else list(array)
        if array.ndim == 1:
            items = [self.item(v) for v in parts]
            if cut:
                items.insert(n, "...")
            per_line = max(1, (_options["linewidth"] - indent) // (self.width + 2))
            lines = [", ".join(items[i:i + per_line]) for i in range(0, len(items), per_line)]
            return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
        rows = [self.text(p, indent + 1) for p in parts]
        if cut:
            rows.insert(n, "...")
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def data_text(array, indent=7):
    """The elements of an array as they print after ``indent`` blanks."""
    if dtypes.of(array).name == "bfloat16":
        array = array.astype(np.float32)
    with np.errstate(invalid="ignore"):  # complex NaN are compared with 0
        return _Printer(array).text(array, indent)


def to_text(tensor):
    """What ``print(tensor)`` shows."""
    head = "Parameter containing:\n" if isinstance(tensor, Parameter) else ""
    rows = f"rows={tensor.rows()}, height={tensor.extent}, " if tensor.__class__ is RowsTensor else ""
    return (f"{head}Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype.name}, place={tensor.place}, {rows}"
            f"stop_gradient={tensor.stop_gradient},\n       {data_text(tensor._data)})")


def to_html(tensor):
    """A notebook's view: a table for small vectors and matrices, else the printed text."""
    array = tensor._data
    import html  # its table of entities takes a millisecond to load
    caption = html.escape(f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype.name}, stop_gradient={tensor.stop_gradient})")
    if array.ndim not in (1, 2) or not array.size or max(array.shape) > 20:
        return f"<pre>{html.escape(to_text(tensor))}</pre>"
    rows = array.reshape(-1, array.shape[-1])
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_item(v))}</td>" for v in row) + "</tr>" for row in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"


Tensor.__repr__ = to_text
Tensor.__str__ = by_rule("old_text", older.text)(to_text)
Tensor._repr_html_ = to_html
