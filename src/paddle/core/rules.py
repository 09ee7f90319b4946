"""What a generation of Paddle means by names and actions that several of them share: one plain object each.

Every object is its neighbour's with the differences named, so that the table below reads as a history. Code asks
``context.rules.<fact>`` where the generations disagree, and nowhere else; a function whose arguments differ is declared with
``generation`` (see generation.py). Who chooses: ``paddle.set_generation("1.5")`` or ``PADDLE_GENERATION=1.5`` for the process,
a guard of an older generation for its thread.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any


class Rules:
    """The facts of one generation, all of them given by name; they do not change."""

    name: str
    number: int  # its place in history

    # ---- gradients ----
    accumulates: str  # what backward() adds to, rather than overwrites: "all" gradients, those of "newer" layers, or "none"
    lenient_backward: bool  # is backward() without a gradient, or a second one through a freed graph, no error?
    backward_strategy: bool  # is that the first argument of backward()?
    used_graph: str  # what backward() does where it comes to a part that an earlier one used up: it "ends" there, or "raises"
    # gradient() of a tensor that has none: "raises"; "none"; "zeros" for parameters and what was cut off; zeros for the "cut" only
    missing_gradient: str
    sparse_gradients: bool  # has a table with is_sparse=True gradients of the rows that were looked up in dynamic code of 1.x?
    array_gradients: bool  # is grad of a tensor an array, as gradient() gives it?
    retains_all: bool  # does every intermediate result keep its gradient?

    # ---- tensors ----
    element_ndim: int  # dimensions of a single element x[0]
    indices_keep_axes: bool  # has x[i] the axis that i indexes, with one element?
    lenient_arrays: bool  # does numpy() give arrays whose single elements convert to numbers?
    old_text: bool  # do tensors and element types print as in 1.x?
    coded_types: bool  # is the text of an element type VarType.FP32, rather than paddle.float32?
    plain_places: bool  # is the text of a place its class, CPUPlace, rather than Place(cpu)?
    truth: str  # bool() of a tensor: "any" one is true, or one "positive" element is; "lenient" is "positive" for one element and
    # "any" for several
    detach_shares: bool  # does detach() give a tensor in the same memory, rather than a copy?
    astype_keeps: bool  # is astype() of the own type the tensor itself, and to() of it a copy, rather than the other way round?
    data_detaches: bool  # is x.data what detach() gives, rather than x itself?
    same_shape_keeps: bool  # is reshape() to the own shape the tensor itself?
    free_attributes: bool  # do tensors take attributes of any name?
    data_stops: bool  # is stop_gradient of what to_variable() makes of floats True?
    stops_spread: bool  # has what a program computes from stopped variables only stop_gradient too?
    whole_quotients: bool  # is a static Variable of integers divided by an integer one of integers?
    complex_pairs: bool  # are complex tensors pairs of real ones, with a name each?
    sets_persistable: bool  # can persistable of a dynamic tensor that is no parameter be set?
    generated_names: bool  # are tensors without a name called generated_var_N, counted by unique_name?

    drawn_weights: bool  # does a Categorical draw in proportion to its logits, and has its entropy() an axis of one element behind?

    # ---- results that Paddle 3 changed ----
    version: str  # what paddle.__version__ says
    model_format: str  # what jit.save and save_inference_model write: "pdmodel" or "json"
    sizes: bool  # is the shape of a tensor a paddle.Size, rather than a list?
    long_shapes: bool  # are paddle.shape() and matrix_rank() int64, rather than int32?
    uniform_low: float  # where uniform() starts by default
    even_rounding: bool  # does round() take halves to the even neighbour, rather than away from zero?
    wide_sums: bool  # is cumsum() of short integers int64?
    own_quantiles: bool  # have quantiles the float type of the data, rather than float64?
    flat_positions: bool  # does nonzero(as_tuple=True) give [N], rather than [N, 1]?
    float_lists: bool  # is Tensor([1, 2]) of floats, and Tensor(2, 3) one of that shape?
    typed_constants: bool  # does full(True) make bools, and where() of two numbers the default float type?
    whole_truths: bool  # is a quotient of truth values one too, rather than a float?
    kinds_promote: bool  # do Python ints widen bool tensors, floats the bounds of clip(), and 0-d tensors count by kind only?
    even_ties: bool  # do ties in max, min, maximum, minimum, median share the gradient, and bounds of clip() pass it?
    fixed_complex: bool  # do complex elements print with all decimals?
    split_indices: bool  # are the numbers in a list for vsplit() indices, rather than sizes?
    inplace_second: bool  # is inplace the 2nd argument of Dropout and the 5th of F.dropout, and max_norm the 4th of Embedding?
    typed_layers: bool  # have Conv2D, Embedding, LayerNorm, GroupNorm the argument dtype of Paddle 3?
    matrix_norms: bool  # is norm() of two axes by a number the norm of matrices, and lu()'s information on one matrix 0-d?
    mul_of_elements: bool  # is paddle.mul() multiply(), rather than the product of matrices?

    # ---- layers, optimizers, programs ----
    names_in_state: bool  # are the keys of the state dict of a layer with a name_scope the tensors' own names?
    none_for_missing: bool  # is an attribute that a layer lacks None, rather than an AttributeError?
    sublayers_alone: bool  # is the first argument of sublayers() include_sublayers, and the layer itself never among them?
    dropout_first: bool  # stands dropout before time_major among the arguments of LSTM and GRU, and activation before both?
    reset_candidates: bool  # is the candidate of a BasicGRUUnit made of the state that its gate has reset?
    raw_moments: bool  # does Adam add epsilon to the root of the second moment as it is, and Lamb correct neither moment?
    decay_gives_tensor: bool  # do learning-rate decays of fluid.dygraph give tensors when called?
    persistables_pair: bool  # does load_persistables(dirname) give (parameters, optimizers)?
    whole_guard: bool  # does an optimizer without a parameter list update all parameters of its guard?
    strict_loading: bool  # does set_dict() raise for a value that is missing?
    evaluation_is_no_grad: bool  # does eval() of a layer turn the recording of gradients off too?
    static_first: bool  # do functions of paddle.* build programs until dynamic mode is turned on?
    fluid_eager: bool  # does paddle.fluid run at once outside guards too, as paddle.* does?
    program_seeds: bool  # does the seed of a default program seed dynamic code too?
    loops_write: bool  # do the whole numbers given to while_loop hold the last values behind it?
    named_results: str  # of which functions of fluid is name= the name of the result itself: "more", "clip" alone, or "none"
    startup_reversed: bool  # do initializers put their operators before those that are there, and compute float16 as float32?
    named_batches: bool  # are the batches of a DataLoader in a program {name: value}, unless it is told otherwise?
    listed_fields: bool  # does a DataLoader give a list of one field where samples are single arrays, rather than the field?
    feed_checks: bool  # are shape and dtype checked of what is fed to a variable that fluid.data or static.data made?
    checks: str  # the column of tensor/argument_checks.json by which functions refuse arguments in programs: "1.8", "2.6" or ""
    meanings: str  # which meaning of a function that is declared with several: "alpha" or "modern"

    def __init__(self, **facts: Any) -> None:
        if facts.keys() != Rules.__annotations__.keys():
            raise TypeError(f"Rules(): unknown or missing facts {sorted(facts.keys() ^ Rules.__annotations__.keys())}")
        vars(self).update(facts)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"the rules of a generation do not change, {name} was to be {value!r}")

    def replaced(self, **changes: Any) -> Rules:
        """These rules, with other values for some facts."""
        return Rules(**{**vars(self), **changes})

    def but(self, name: str, **changes: Any) -> Rules:
        """The rules of the next generation: these, with the differences."""
        return self.replaced(name=name, number=self.number + 1, **changes)

    def unchecked(self) -> Rules:
        """These rules, without the refusals in programs."""
        return _unchecked(self)

    @property
    def is_fluid(self) -> bool:
        """Is it one of 1.4 to 1.8?"""
        return self.name.startswith("1.")


@functools.cache
def _unchecked(rules: Rules) -> Rules:
    return rules.replaced(checks="")


V1_4 = Rules(name="1.4", number=0, accumulates="all", lenient_backward=True, backward_strategy=True, used_graph="ends",
             missing_gradient="raises", truth="any", free_attributes=True, data_stops=False, none_for_missing=True,
             stops_spread=False, sublayers_alone=True, dropout_first=False, reset_candidates=False,
             raw_moments=True, decay_gives_tensor=True, persistables_pair=False,
             detach_shares=False, astype_keeps=False, data_detaches=False, same_shape_keeps=False,
             sparse_gradients=False, array_gradients=False, drawn_weights=False, retains_all=True, element_ndim=1,
             indices_keep_axes=True, whole_quotients=True, startup_reversed=True, named_results="more", complex_pairs=False,
             sets_persistable=False, listed_fields=True,
             lenient_arrays=True, old_text=True, plain_places=True, coded_types=True, generated_names=True, names_in_state=False,
             whole_guard=True, strict_loading=False, evaluation_is_no_grad=False, program_seeds=True, fluid_eager=False,
             static_first=False, feed_checks=False, named_batches=True, loops_write=True, checks="", meanings="modern",
             version="2.6.2", model_format="pdmodel", sizes=False, long_shapes=False, uniform_low=-1.0, even_rounding=False,
             wide_sums=False, own_quantiles=False, flat_positions=False, float_lists=False, typed_constants=False,
             whole_truths=False, kinds_promote=False, even_ties=False, fixed_complex=False, split_indices=False,
             inplace_second=False, typed_layers=False, matrix_norms=False, mul_of_elements=False)
V1_5 = V1_4.but("1.5", accumulates="newer", indices_keep_axes=False, names_in_state=True, none_for_missing=False,
                persistables_pair=True)
V1_6 = V1_5.but("1.6", reset_candidates=True, missing_gradient="zeros", feed_checks=True, data_stops=True)
V1_7 = V1_6.but("1.7", free_attributes=False, sets_persistable=True, sparse_gradients=True)
V1_8 = V1_7.but("1.8", missing_gradient="none", used_graph="raises", truth="positive", checks="1.8",
                named_results="clip", complex_pairs=True)
ALPHA = V1_8.but("2.0-alpha", accumulates="none", missing_gradient="cut", whole_guard=False, strict_loading=True,
                 evaluation_is_no_grad=True, static_first=True, meanings="alpha")
BETA = ALPHA.but("2.0-beta", backward_strategy=False, missing_gradient="none", strict_loading=False,
                 generated_names=False, array_gradients=True, drawn_weights=True, fluid_eager=True, dropout_first=True, checks="",
                 meanings="modern")
V2_0 = BETA.but("2.0", dropout_first=False, accumulates="all", lenient_backward=False, sparse_gradients=False, raw_moments=False,
                decay_gives_tensor=False, detach_shares=True, whole_quotients=False, startup_reversed=False, named_results="none",
                complex_pairs=False, old_text=False, evaluation_is_no_grad=False, program_seeds=False, named_batches=False,
                loops_write=False, static_first=False)
V2_1 = V2_0.but("2.1", array_gradients=False, listed_fields=False, coded_types=False, sublayers_alone=False)
V2_2 = V2_1.but("2.2")
V2_3 = V2_2.but("2.3", plain_places=False, drawn_weights=False)
V2_4 = V2_3.but("2.4", retains_all=False)
V2_5 = V2_4.but("2.5", fluid_eager=False, element_ndim=0, lenient_arrays=False, same_shape_keeps=True,
                stops_spread=True)
V2_6 = V2_5.but("2.6", checks="2.6")
V3 = V2_6.but("3", checks="", version="3.3.1", model_format="json", sizes=True,
              long_shapes=True, uniform_low=0.0, even_rounding=True,
              wide_sums=True, own_quantiles=True, flat_positions=True, float_lists=True,
              typed_constants=True, whole_truths=True, kinds_promote=True, even_ties=True,
              fixed_complex=True, split_indices=True, inplace_second=True, mul_of_elements=True,
              typed_layers=True, matrix_norms=True, astype_keeps=True, data_detaches=True)

LENIENT: dict[str, Any] = {"used_graph": "ends", "free_attributes": True, "data_stops": False, "feed_checks": False,
                           "missing_gradient": "zeros", "truth": "lenient", "checks": ""}


def common(likely: Sequence[Rules]) -> Rules:
    """The rules for a program of one of these generations, the likeliest first: where they disagree on what is refused, it is
    not."""
    return likely[0].replaced(**{fact: value for fact, value in LENIENT.items()
                                 if len({getattr(rules, fact) for rules in likely}) > 1})


FLUID = common((V1_8, V1_7, V1_6, V1_5, V1_4))  # of a program of fluid that nothing tells more about
MODERN = V2_6  # what applies unless something else was chosen
BY_NAME = {rules.name: rules for rules in (V1_4, V1_5, V1_6, V1_7, V1_8, ALPHA, BETA, V2_0, V2_1, V2_2, V2_3, V2_4, V2_5, V2_6, V3)}


def find(name: str, function: str = "set_generation") -> Rules:
    """The rules of a generation by name; ValueError with the names there are for any other."""
    if name not in BY_NAME:
        raise ValueError(f"{function}(): the generation must be one of {', '.join(BY_NAME)}; got {name!r}")
    return BY_NAME[name]
