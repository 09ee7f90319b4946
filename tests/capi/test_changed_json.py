"""Programs of Paddle 3: each part of a good one changed in turn, and small ones written by hand, with what must be said of them."""

import copy
import ctypes
import json
import pathlib

import numpy as np
import pytest
from capi.library import LIBRARY, POINTER, Failed, Model
from capi.test_api import Info
from capi.test_models import cases

FOLDER = pathlib.Path(__file__).parents[1] / "fixtures" / "paddle33"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json") if path.with_suffix(".npz").exists())
OTHERS = (None, 0, -1, 7, 2.5, "", "x", [], [{}], {}, {"%": 0}, {"%": 3}, {"D": []}, {"#": "0.t_vec", "D": [{}]})


def places(value, path=()):
    """(the members' names, the way there) of everything inside a tree; items of lists have no name of their own."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))
        yield (*path, key)


def kind_of(tree, path):
    """What tells places apart: the operation they belong to, the members above, and the number of an operand or result."""
    names = []
    for key in path:
        tree = tree[key]
        names.append(key if isinstance(key, str) or names[-1] in ("I", "O", "OA") else "item")
        if isinstance(tree, dict) and isinstance(tree.get("#"), str) and tree["#"][0] in "12p":
            names = [tree["#"]]
    return tuple(names)


def changed(tree, seen, most):
    """A program with one place taken away, doubled or replaced (by ``most`` others), and put back; one place of each kind."""
    for path in list(places(tree)):
        kind = kind_of(tree, path)
        if kind in seen:
            continue
        seen.add(kind)
        owner, key = tree, path[-1]
        for step in path[:-1]:
            owner = owner[step]
        before = copy.copy(owner)
        others = (*OTHERS, before[key] * 2 if isinstance(before[key], list) else True)
        for number in range(most):
            owner[key] = others[(len(seen) + number) % len(others)]
            yield tree
        del owner[key]
        yield tree
        owner.clear()
        owner.update(before) if isinstance(owner, dict) else owner.extend(before)


def outcome(program, parameters, inputs, optimize):
    try:
        model = Model(json.dumps(program).encode(), parameters, optimize=optimize, threads=1)
        return model(*inputs) if len(inputs) == len(model.inputs) else None
    except Failed as refused:
        assert str(refused)
        return None


@pytest.mark.parametrize("most", [1, pytest.param(len(OTHERS) + 1, marks=pytest.mark.slow)])
def test_every_part_changed(most):
    """A message, or the result of the same program without passes. Loops, which may not end, are only loaded."""
    seen, tried, refused = set(), 0, 0
    for name in NAMES:
        text_, parameters = (FOLDER / f"{name}.json").read_text(), FOLDER / f"{name}.pdiparams"
        parameters = parameters.read_bytes() if parameters.exists() else b""
        inputs = next(cases(np.load(FOLDER / f"{name}.npz")))[0] if "1.while" not in text_ else ["none"] * 99
        for program in changed(json.loads(text_), seen, most):
            plain, passed = (outcome(program, parameters, inputs, optimize) for optimize in (False, True))
            tried += 1
            refused += plain is None
            assert plain is not None or passed is None
            for one, other in zip(passed or (), plain or ()):
                assert (one.shape, one.dtype) == (other.shape, other.dtype)
                if np.abs(other[np.isfinite(other)]).max(initial=0) < 1e6:
                    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
    assert len(seen) > 300 and 0.1 * tried < refused < 0.9 * tried


# ---- written by hand ----
def dense(*dims, type_="f32"):
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{type_}"}, list(dims), "NCHW", [], 0]}


def attr(name, value, kind="0.a_i32"):
    return {"N": name, "AT": {"#": kind, "D": value}}


def op(name, ins=(), outs=(), attrs=(), **more):
    """An operation; results are numbers, or (number, type)."""
    results = [{"%": out, "TT": dense(2, 3)} if isinstance(out, int) else {"%": out[0], "TT": out[1]} for out in outs]
    return {"#": name, "A": list(attrs), "I": [{"%": i} for i in ins], "O": results, **more}


DATA = op("1.data", outs=[1], attrs=[attr("name", "x", "0.a_str")])


def fetch(number):
    return op("1.fetch", [number], [(99, dense(2, 3))], [attr("name", "y", "0.a_str"), attr("col", 0)])


def region(*ops, args=()):
    return {"blocks": [{"args": [{"#": number} for number in args], "ops": list(ops)}]}


def text(*ops):
    return json.dumps({"program": {"regions": [region(*ops)]}})


def full(number, value, *dims):
    return op("1.full", outs=[(number, dense(*dims))],
              attrs=[attr("shape", list(dims), "1.a_intarray"), attr("value", value), attr("dtype", "float32", "1.a_dtype")])


TRUE = [full(5, 1, 1), op("1.cast", [5], [(6, dense(1, type_="bool"))], [attr("dtype", "bool", "1.a_dtype")])]
ARRAY = op("1.create_array", outs=[(7, {"#": "1.t_dense_tensor_array", "D": []})])


def if_(*regions, outs=(8,), ins=(6,)):
    return op("1.if", ins, outs, regions=list(regions))


def yield_(*numbers):
    return op("2.yield", numbers)


VECTOR = {"#": "0.t_vec", "D": [dense(2, 3), dense(2, 3)]}
REFUSED = [
    ("{", "a list has no end"), ('{"a": [1 2]}', "a comma is missing"), ("{1: 2}", "a member has no name"),
    ('{"a":', "a value is missing"),
    ('{"a" 1}', "a colon is missing"), ('{"a"', "a colon is missing"), ('{"a": "b', "a text has no end"),
    ('{"a": x}', "a value is none"),
    ('{"a": "\\q"}', "unknown escape"), ('{"a": "\\u12"}', "unknown escape"), ('{"a": "\\u12g4"}', "unknown escape"),
    ('{"a": -}', "a value is none"), ('{"a": ' + "9" * 70 + "}", "a comma is missing|a value is none"),
    ("{} {}", "something follows"),
    ('{"a": ' * 300, "nested too deeply"), ('{"a": nul}', "a value is none"), ("{}", "it has no operations"),
    ('{"a": 1, }', "has no name"),
    (text(op("p", attrs=[0, 1, 1, "w"])), "a parameter has no name"), (text(op("1.data", outs=[1])), "an input has no name"),
    (text({**DATA, "O": []}), "an input has no name"), (text(DATA, {**fetch(1), "A": []}), "an output has no name"),
    (text(DATA, {**fetch(1), "I": []}), "a value is missing"),
    (text(DATA, {k: v for k, v in op("0.combine", [1], [2]).items() if k != "I"}), "a list has no values"),
    (text(DATA, op("0.combine", [1, 0], [2])), "a value is missing"), (text(DATA, op("0.split", [3], [2])), "a list is too short"),
    (text(DATA, op("0.combine", [1], [2]), op("0.split", [2], [3, 4])), "a list is too short"),
    (text({**full(2, 1), "A": []}), "a constant has no value"), (text({**full(2, 1), "O": []}), "a constant has no value"),
    (text({**ARRAY, "O": []}), "a value is missing"), (text(DATA, op("1.array_write_", [1, 1, 1], [2])), "no array"),
    (text(DATA, ARRAY, op("1.array_write_", [7, 1], [2])), "a value is missing"),
    (text(DATA, *TRUE, if_()), "a region has no operations"), (text(DATA, *TRUE, if_(region(), region())), "yields nothing"),
    (text(DATA, *TRUE, if_(region(yield_()), region())), "a value is missing"),
    (text(DATA, *TRUE, if_(region(yield_(1)), region(yield_(1)), ins=())), "a value is missing"),
    (text(DATA, *TRUE, if_(region(yield_(1)), region(yield_(1)), outs=range(100, 400))), "more than 256 results"),
    (text(DATA, *TRUE, ARRAY, if_(region(yield_(7)), region(yield_(1)))), "replaces an array"),
    (text(DATA, *TRUE, ARRAY, if_(region(yield_(7)), region(yield_(1)), outs=[(8, {"#": "1.t_dense_tensor_array"})])),
     "replaces an array"),
    (text(DATA, *TRUE, op("1.while", [6, *[1] * 300], [9], regions=[region(yield_(6, 1), args=[8])])), "more than 255 values"),
    (text(DATA, *TRUE, op("1.while", [6, 1], [9], regions=[region(yield_(6, 1), args=[8, 9])])), "a loop's values don't fit"),
    (text(DATA, *TRUE, op("1.while", [6, 1], [9, 10], regions=[region(yield_(6, 1), args=[8])])), "a loop's values don't fit"),
    (text(DATA, *TRUE, op("1.while", [6, 1], [9], regions=[{"blocks": [{"args": [{}], "ops": []}]}])), "a loop's values don't fit"),
    (text(DATA, *TRUE, op("1.while", [], [9], regions=[region(yield_())])), "a loop has no condition"),
    (text(DATA, op("1.no_such", [1], [2])), "no counterpart"), (text(DATA, op("0.no_such", [1], [2])), "not supported in .json"),
    (text(DATA, op("1.relu", [1], [2], regions=[])), "not supported in .json"), (text(DATA, op("1.", [1], [2])), "no counterpart"),
    (text(DATA, op("1.cumprod", [1], [2], [attr("dim", 1), attr("exclusive", True, "0.a_bool")])), "exclusive: only false"),
    (text(DATA, op("1.round", [1], [2], [attr("decimals", 2)])), "decimals: only 0"),
    (text(DATA, op("1.nanmedian", [1], [2, 3], [attr("axis", [1]), attr("keepdim", False), attr("mode", "min", "0.a_str")])),
     "mode: only \"avg\""),
    (text(DATA, op("1.scale", [1, 5], [2], [{"N": "bias", "AT": {"#": "0.a_f32"}}])), "attribute bias has no value"),
    (text(DATA, op("1.transpose", [1], [2], [attr("perm", [{"#": "0.a_i32"}], "0.a_array")])), "an attribute has no value"),
    (text(DATA, op("1.split_with_num", [1, 5], [(2, {"#": "0.t_vec"})], [attr("num", 2)])),
     "a list has no types|must be a constant"),
    (text(DATA, op("1.unbind", [1], [(2, {"#": "0.t_vec"})], [attr("axis", 0)])), "a list has no types"),
]


@pytest.mark.parametrize("program, message", REFUSED)
def test_refused_programs(program, message):
    with pytest.raises(Failed, match=message):
        Model(program.encode())


X = np.array([[-1.5, 2, -3], [4, 0.4, 6]], "float32")
IDENTITY = lambda x: x
COMPUTED = [
    ([op("1.relu_", [1], [2])], 2, lambda x: np.maximum(x, 0)),  # in place by its name
    ([op("1.round", [1], [2], [attr("decimals", 0)])], 2, np.round),
    ([op("1.cumprod", [1], [2], [attr("dim", 1), attr("exclusive", False), attr("reverse", False)])], 2, lambda x: x.cumprod(1)),
    ([op("1.tril", [1], [2], [attr("diagonal", 0)])], 2, np.tril),
    ([op("1.triu", [1], [2], [attr("diagonal", 1)])], 2, lambda x: np.triu(x, 1)),
    ([op("0.combine", [1], [2]), op("0.split", [2], [3]), op("1.relu", [3], [4])], 4, lambda x: np.maximum(x, 0)),
    ([op("0.combine", [1, 1], [2]), full(3, 0), op("1.concat", [2, 3], [(4, dense(4, 3))])], 4, lambda x: np.concatenate([x, x])),
    ([op("1.unbind", [1], [(2, VECTOR)], [attr("axis", 0)]), op("0.split", [2], [3, 4]), op("1.relu", [4], [5])], 5,
     lambda x: np.maximum(x[1], 0)),
    ([full(2, 2.5, 2, 3), op("1.add", [1, 2], [3])], 3, lambda x: x + 2.5),
    ([{**full(2, 0, 2, 3), "A": [attr("shape", [2, 3], "1.a_intarray"), {"N": "value", "AT": {"#": "0.a_f64", "VD": "inf"}}]},
      op("1.minimum", [1, 2], [3])], 3, IDENTITY),
    ([*TRUE, if_(region(op("1.relu", [1], [9]), yield_(9)), region(yield_(1)))], 8, lambda x: np.maximum(x, 0)),
    ([*TRUE, ARRAY, full(4, 0, 1), op("1.cast", [4], [(3, dense(1, type_="i64"))], [attr("dtype", "int64", "1.a_dtype")]),
      op("1.array_write_", [7, 1, 3], []), if_(region(yield_(7)), region(yield_(7)), outs=[(8, {"#": "1.t_dense_tensor_array"})]),
      op("1.array_read", [8, 3], [10])], 10, IDENTITY),
    ([*TRUE, op("1.while", [6, 1], [9], regions=[
        region(op("1.scale", [8, 5], [11], [attr("bias", 1.0), attr("bias_after_scale", True)]),
               op("1.logical_not", [6], [(12, dense(1, type_="bool"))]), yield_(12, 11), args=[8])])], 9, lambda x: x + 1),
]


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("number", range(len(COMPUTED)))
def test_computed_programs(number, optimize):
    ops, result, wanted = COMPUTED[number]
    got, = Model(text(DATA, *ops, fetch(result)).encode(), optimize=optimize)(X)
    np.testing.assert_allclose(got, wanted(X), rtol=1e-6)


def test_a_variable_whose_type_is_given_twice():
    """An output that has the name of the input: sizes were written behind those of the first time, beyond their end."""
    again = op("1.fetch", [1], [(99, dense(2, 3))], [attr("name", "x", "0.a_str"), attr("col", 0)])
    model = Model(text(DATA, again).encode())
    LIBRARY.PD_PredictorGetInputInfos.restype = ctypes.POINTER(ctypes.c_size_t * 2)
    LIBRARY.PD_PredictorGetInputInfos.argtypes = LIBRARY.PD_IOInfosDestroy.argtypes = [POINTER]
    infos = LIBRARY.PD_PredictorGetInputInfos(model.predictor)
    info = ctypes.cast(ctypes.cast(infos[0][1], ctypes.POINTER(POINTER))[0], ctypes.POINTER(Info))
    count, place = info[0].shape[0]
    assert ctypes.cast(place, ctypes.POINTER(ctypes.c_int64))[:count] == [2, 3]
    LIBRARY.PD_IOInfosDestroy(ctypes.cast(infos, POINTER))
    np.testing.assert_array_equal(model(X)[0], X)


@pytest.mark.parametrize("written, read", [("a\\u00e9\\u4e2d", "aé中"), ("\\ud83d\\ude00!", "😀!"), ("\\u0041\\t\\\"\\/", "A\t\"/"),
                                           ("\\uD83D\\uDE00", "😀")])
def test_escapes_in_names(written, read):
    program = text(DATA, fetch(1)).replace('"x"', f'"{written}"').replace(" ", "\r\n\t ")
    assert Model(program.encode()).inputs == [read]
