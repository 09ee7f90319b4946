"""Flags: what programs set for other devices is known, mistakes are not."""

import subprocess
import sys

import pytest

import paddle


def test_flags_that_only_tune_are_kept():
    names = ["FLAGS_eager_delete_tensor_gb", "FLAGS_cudnn_deterministic", "FLAGS_allocator_strategy", "FLAGS_max_inplace_grad_add"]
    before = paddle.get_flags(names)
    assert before == dict(zip(names, [0.0, False, "auto_growth", 0]))
    try:
        paddle.set_flags({"FLAGS_eager_delete_tensor_gb": 1, "FLAGS_cudnn_deterministic": 1, "FLAGS_max_inplace_grad_add": 8})
        assert paddle.get_flags(names) == dict(zip(names, [1.0, True, "auto_growth", 8]))
    finally:
        paddle.set_flags(before)


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="unknown flag 'FLAGS_cudnn_determinist'; did you mean FLAGS_cudnn_deterministic"):
        paddle.set_flags({"FLAGS_cudnn_determinist": True})
    with pytest.raises(TypeError, match="FLAGS_max_inplace_grad_add takes a int, got 'many'"):
        paddle.set_flags({"FLAGS_max_inplace_grad_add": "many"})
    assert paddle.get_flags("FLAGS_max_inplace_grad_add") == {"FLAGS_max_inplace_grad_add": 0}


def test_the_environment_gives_the_first_value():
    code = "import paddle; print(paddle.get_flags(['FLAGS_benchmark', 'check_nan_inf']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={"FLAGS_benchmark": "1", "FLAGS_check_nan_inf": "on", "PATH": ""})
    assert done.stdout.strip() == "{'FLAGS_benchmark': True, 'check_nan_inf': True}"
