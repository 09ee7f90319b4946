"""Every function of the C headers: what the setters set, what handles hold, and NULL in every place, which is told and no crash."""

import ctypes
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from capi.library import LIBRARY, PATH

import paddle

HEADERS = pathlib.Path(paddle.sysconfig.get_include())
FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures"
NUMBERS = {"PD_Bool": ctypes.c_int8, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
           "size_t": ctypes.c_size_t, "PD_PrecisionType": ctypes.c_int32, "PD_PlaceType": ctypes.c_int32,
           "PD_DataType": ctypes.c_int32, "float": ctypes.c_float, "void": None}


def kind(text):
    """The ctypes of a declared type."""
    text = re.sub(r"\b(const|__pd_\w+|extern|PADDLE_CAPI_EXPORT)\b", "", text).strip()
    if "*" in text:
        return ctypes.c_char_p if re.fullmatch(r"char *\*", text) else ctypes.c_void_p
    return NUMBERS[text.split()[0]]


def declarations():
    """{name: (type of the result, types of the arguments, the first argument's handle or None)} of all functions in the headers."""
    found = {}
    for header in HEADERS.glob("pd_*.h"):
        for result, name, inside in re.findall(r"PADDLE_CAPI_EXPORT extern ([^;(]*?)(PD_\w+)\(([^)]*)\);", header.read_text()):
            parts = [] if inside.strip() == "void" else [re.sub(r"\w+$", "", part.strip()) for part in inside.split(",")]
            handle = re.search(r"PD_(Config|Predictor|Tensor) \*", parts[0]) if parts else None
            found[name] = kind(result), [kind(part) for part in parts], handle and handle[1]
    return found


DECLARED = declarations()


def call(name, *arguments):
    result, types, _ = DECLARED[name]
    function = ctypes.CFUNCTYPE(result, *types)((name, LIBRARY))
    return function(*arguments)


def error():
    return LIBRARY.PD_GetLastError().decode()


def model(name="paddle26/mlp"):
    config = call("PD_ConfigCreate")
    path = FIXTURES / name
    call("PD_ConfigSetModel", config, f"{path}.pdmodel".encode(), f"{path}.pdiparams".encode())
    return config


def nothing(types):
    """Arguments of these types that say nothing."""
    return [None if one in (ctypes.c_void_p, ctypes.c_char_p) else 0 for one in types]


def names(array):
    fields = ctypes.cast(array, ctypes.POINTER(ctypes.c_size_t * 2)).contents
    texts = ctypes.cast(fields[1], ctypes.POINTER(ctypes.c_char_p))
    found = [texts[k].decode() for k in range(fields[0])]
    call("PD_OneDimArrayCstrDestroy", array)
    return found


def call_all_with_nothing():
    """NULL for every pointer, then live handles and NULL for the rest. A process of its own runs this."""
    for name, (_, types, handle) in DECLARED.items():
        call(name, *nothing(types))
        if handle and not name.endswith("Destroy"):
            assert name.replace("PD_", "") in error().replace("PD_", "") or "NULL" in error(), (name, error())
    predictor = call("PD_PredictorCreate", model())
    live = {"Predictor": predictor, "Config": model(), "Tensor": handles(predictor)[0]}
    assert all(live.values()), error()
    for name, (_, types, handle) in DECLARED.items():
        if handle and not name.endswith("Destroy") and name != "PD_PredictorCreate":
            call(name, live[handle], *nothing(types[1:]))
    print(len(DECLARED), "functions")


def test_null_everywhere():
    done = subprocess.run([sys.executable, "-c", "from capi.test_api import call_all_with_nothing as run; run()"],
                          cwd=pathlib.Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[0]) > 120


def test_the_library_has_what_the_headers_declare():
    assert not [name for name in DECLARED if not hasattr(LIBRARY, name)]
    assert PATH.exists() and b"version: " in call("PD_GetVersion")


@pytest.mark.parametrize("ask, set_, before, after", [
    ("MkldnnEnabled", "EnableMKLDNN", 0, 1), ("MkldnnQuantizerEnabled", "EnableMkldnnQuantizer", 0, 1),
    ("MkldnnBfloat16Enabled", "EnableMkldnnBfloat16", 0, 1), ("MkldnnInt8Enabled", "EnableMkldnnInt8", 0, 1),
    ("ProfileEnabled", "EnableProfile", 0, 1), ("GlogInfoDisabled", "DisableGlogInfo", 0, 1), ("IsValid", "SetInvalid", 1, 0),
    ("UseFcPadding", "DisableFCPadding", 1, 0), ("UseGpu", "DisableGpu", 0, 0), ("ONNXRuntimeEnabled", "DisableONNXRuntime", 0, 0),
])
def test_switches(ask, set_, before, after):
    config = call("PD_ConfigCreate")
    assert call(f"PD_Config{ask}", config) == before
    call(f"PD_Config{set_}", config)
    assert call(f"PD_Config{ask}", config) == after
    call("PD_ConfigDestroy", config)


def test_values_of_a_configuration():
    config = call("PD_ConfigCreate")
    for set_, ask, text in (("SetModelDir", "GetModelDir", b"/a/folder"), ("SetProgFile", "GetProgFile", b"/a/p"),
                            ("SetParamsFile", "GetParamsFile", b"/a/q")):
        call(f"PD_Config{set_}", config, b"replaced")
        call(f"PD_Config{set_}", config, text)
        assert call(f"PD_Config{ask}", config) == text
    for value in (3, 1):
        call("PD_ConfigSetCpuMathLibraryNumThreads", config, value)
        assert call("PD_ConfigGetCpuMathLibraryNumThreads", config) == value
    for set_, ask in (("SwitchIrOptim", "IrOptim"), ("EnableMemoryOptim", "MemoryOptimEnabled")):
        for value in (0, 1):
            call(f"PD_Config{set_}", config, value)
            assert call(f"PD_Config{ask}", config) == value
    call("PD_ConfigSetModelBuffer", config, b"abc", 3, b"", 0)
    assert call("PD_ConfigModelFromMemory", config) == 1
    call("PD_ConfigPartiallyRelease", config)
    assert call("PD_ConfigModelFromMemory", config) == 0
    call("PD_ConfigDestroy", config)


def test_passes_are_left_out_and_put_back():
    config = call("PD_ConfigCreate")
    every = names(call("PD_ConfigAllPasses", config))
    assert every
    call("PD_ConfigDeletePass", config, every[0].encode())
    call("PD_ConfigDeletePass", config, b"no such pass")
    assert names(call("PD_ConfigAllPasses", config)) == every[1:]
    call("PD_ConfigInsertPass", config, 0, every[0].encode())
    assert names(call("PD_ConfigAllPasses", config)) == every
    call("PD_ConfigAppendPass", config, b"conv_dream_pass")
    assert "conv_dream_pass" in error()
    summary = call("PD_ConfigSummary", config)
    size, address = ctypes.cast(summary, ctypes.POINTER(ctypes.c_size_t * 2)).contents
    assert len(ctypes.string_at(address)) == size - 1 and b"cpu threads   1" in ctypes.string_at(address)
    call("PD_CstrDestroy", summary)
    call("PD_ConfigDestroy", config)


def test_options_without_meaning_are_told_once(capfd):
    config = model()
    for name, (_, types, handle) in DECLARED.items():
        if handle == "Config" and re.match(r"PD_Config(Enable|Collect|SetExec|SetTrt)", name) and len(types) != 2:
            call(name, config, *nothing(types[1:]))
    call("PD_ConfigSwitchIrDebug", config, 1)
    predictor = call("PD_PredictorCreate", config)
    told = capfd.readouterr().err
    assert all(told.count(word) == 1 for word in ("a GPU", "TensorRT", "ONNX Runtime", "an XPU", "Paddle Lite", "pictures")), told
    call("PD_PredictorDestroy", predictor)


def test_a_configuration_of_no_model():
    for config in (call("PD_ConfigCreate"), model("paddle26/nowhere")):
        assert call("PD_PredictorCreate", config) is None and error()
    config = call("PD_ConfigCreate")
    call("PD_ConfigSetModelBuffer", config, None, 4, None, 0)
    assert "NULL" in error()
    call("PD_ConfigDestroy", config)
    config = model()
    call("PD_ConfigSetInvalid", config)
    assert call("PD_PredictorCreate", config) is None and "invalid" in error()


class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.POINTER(ctypes.c_size_t * 2)), ("shape", ctypes.POINTER(ctypes.c_size_t * 2)),
                ("dtype", ctypes.c_int32)]


def test_what_a_predictor_tells_of_itself(capfd):
    config = model()
    call("PD_ConfigEnableProfile", config)
    predictor = call("PD_PredictorCreate", config)
    assert (call("PD_PredictorGetInputNum", predictor), call("PD_PredictorGetOutputNum", predictor)) == (1, 1)
    for way in ("Input", "Output"):
        (name,) = names(call(f"PD_PredictorGet{way}Names", predictor))
        infos = call(f"PD_PredictorGet{way}Infos", predictor)
        count, address = ctypes.cast(infos, ctypes.POINTER(ctypes.c_size_t * 2)).contents
        info = ctypes.cast(address, ctypes.POINTER(ctypes.POINTER(Info)))[0].contents
        sizes = ctypes.cast(info.shape.contents[1], ctypes.POINTER(ctypes.c_int64))
        assert count == 1 and ctypes.string_at(info.name.contents[1]).decode() == name and info.dtype == 0
        assert info.shape.contents[0] == 2 and sizes[0] == -1
        call("PD_IOInfosDestroy", infos)
    assert call("PD_PredictorGetInputHandle", predictor, b"nobody") is None and "nobody" in error()
    x, y = handles(predictor)
    first = run(predictor, x, y)
    assert "ms" in capfd.readouterr().err  # the profile
    call("PD_PredictorClearIntermediateTensor", predictor)
    call("PD_PredictorTryShrinkMemory", predictor)
    np.testing.assert_array_equal(run(predictor, x, y), first)
    for handle in (x, y):
        call("PD_TensorDestroy", handle)
    call("PD_PredictorDestroy", predictor)


def handles(predictor):
    (a,), (b,) = (names(call(f"PD_PredictorGet{way}Names", predictor)) for way in ("Input", "Output"))
    return call("PD_PredictorGetInputHandle", predictor, a.encode()), call("PD_PredictorGetOutputHandle", predictor, b.encode())


def run(predictor, x, y):
    array = np.linspace(-1, 1, 16, dtype="float32").reshape(2, 8)
    call("PD_TensorReshape", x, 2, (ctypes.c_int32 * 2)(2, 8))
    call("PD_TensorCopyFromCpuFloat", x, array.ctypes.data)
    assert call("PD_PredictorRun", predictor) == 1
    place, size = ctypes.c_int32(7), ctypes.c_int32()
    data = call("PD_TensorDataFloat", y, ctypes.addressof(place), ctypes.addressof(size))
    assert place.value == 0
    return np.ctypeslib.as_array(ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), (size.value,)).copy()


def test_handles_refuse_what_does_not_fit():
    predictor = call("PD_PredictorCreate", model())
    x, y = handles(predictor)
    assert call("PD_TensorDataFloat", y, None, None) is None and "no value yet" in error()
    assert call("PD_TensorMutableDataFloat", x, 0) is None and "PD_TensorReshape" in error()
    call("PD_TensorReshape", y, 1, (ctypes.c_int32 * 1)(2))
    assert "output" in error()
    call("PD_TensorReshape", x, 1000, (ctypes.c_int32 * 1000)())
    assert "up to 10" in error()
    call("PD_TensorReshape", x, 2, None)
    assert "NULL" in error()
    call("PD_TensorReshape", x, 2, (ctypes.c_int32 * 2)(2, -3))
    assert call("PD_TensorMutableDataFloat", x, 0) is None and error()
    run(predictor, x, y)
    for type_, number in (("Int64", "int64"), ("Int32", "int32"), ("Uint8", "uint8"), ("Int8", "int8")):
        room = np.zeros(64, number)
        call(f"PD_TensorCopyToCpu{type_}", y, room.ctypes.data)
        assert "holds float32" in error() and not room.any()
        assert call(f"PD_TensorData{type_}", y, None, None) is None
        assert call(f"PD_TensorMutableData{type_}", y, 0) is None and "output" in error()
    call("PD_TensorCopyFromCpuFloat", x, None)
    assert "NULL" in error()
    assert call("PD_TensorGetDataType", y) == 0 and call("PD_TensorGetName", y)
    for handle in (x, y):
        call("PD_TensorDestroy", handle)
    call("PD_PredictorDestroy", predictor)


@pytest.mark.parametrize("type_, number, code", [("Int32", "int32", 1), ("Int64", "int64", 2), ("Uint8", "uint8", 3),
                                                 ("Int8", "int8", 4)])
def test_elements_of_every_type(type_, number, code):
    """An input keeps what was put there: by copy, and through the pointer."""
    predictor = call("PD_PredictorCreate", model())
    x, y = handles(predictor)
    array, back = np.arange(6).astype(number), np.zeros(6, number)
    call("PD_TensorReshape", x, 2, (ctypes.c_int32 * 2)(2, 3))
    call(f"PD_TensorCopyFromCpu{type_}", x, array.ctypes.data)
    assert call("PD_TensorGetDataType", x) == code
    call(f"PD_TensorCopyToCpu{type_}", x, back.ctypes.data)
    np.testing.assert_array_equal(back, array)
    room = call(f"PD_TensorMutableData{type_}", x, 0)
    ctypes.memset(room, 1, array.itemsize)
    call(f"PD_TensorCopyToCpu{type_}", x, back.ctypes.data)
    assert back[0] == int.from_bytes(b"\1" * array.itemsize, "little")
    assert call("PD_PredictorRun", predictor) == 0 and error()  # the network wants float32
    for handle in (x, y):
        call("PD_TensorDestroy", handle)
    call("PD_PredictorDestroy", predictor)


def test_offsets_of_sequences_are_kept():
    predictor = call("PD_PredictorCreate", model())
    x, y = handles(predictor)
    level = (ctypes.c_size_t * 2)(3, ctypes.addressof(offsets := (ctypes.c_size_t * 3)(0, 2, 5)))
    levels = (ctypes.c_size_t * 1)(ctypes.addressof(level))
    lod = (ctypes.c_size_t * 2)(1, ctypes.addressof(levels))
    for _ in range(2):
        call("PD_TensorSetLod", x, ctypes.addressof(lod))
    kept = call("PD_TensorGetLod", x)
    count, address = ctypes.cast(kept, ctypes.POINTER(ctypes.c_size_t * 2)).contents
    size, data = ctypes.cast(ctypes.cast(address, ctypes.POINTER(ctypes.c_size_t))[0], ctypes.POINTER(ctypes.c_size_t * 2)).contents
    assert (count, size) == (1, 3) and ctypes.cast(data, ctypes.POINTER(ctypes.c_size_t))[:3] == list(offsets)
    call("PD_TwoDimArraySizeDestroy", kept)
    call("PD_TensorSetLod", y, ctypes.addressof(lod))
    assert "output" in error()
    for handle in (x, y):
        call("PD_TensorDestroy", handle)
    call("PD_PredictorDestroy", predictor)
