"""paddle.utils.flops: operations of one operator. Expected numbers are Paddle 2.6.2's."""

import pytest

from paddle.utils.flops import flops, register_flops

CONV = {"paddings": [1, 1], "strides": [2, 2], "dilations": [1, 1], "groups": 1}
CASES = [
    ("conv2d", {"Input": [[2, 3, 9, 9]], "Filter": [[4, 3, 3, 3]], "Bias": []}, CONV, 10800),
    ("conv2d", {"Input": [[2, 4, 9, 8]], "Filter": [[4, 2, 3, 3]], "Bias": [[4]]},
     {"paddings": 1, "strides": 1, "dilations": 2, "groups": 2}, 12432),
    ("elementwise_add", {"X": [[2, 3, 4]], "Y": [[3, 1]]}, {}, 24),
    ("gelu", {"X": [[2, 3]]}, {}, 30),
    ("layer_norm", {"X": [[2, 3]]}, {"epsilon": 1e-5}, 48),
    ("layer_norm", {"X": [[2, 3]]}, {}, 42),
    ("matmul", {"X": [[5, 2, 3]], "Y": [[4, 3]]}, {"transpose_Y": True}, 240),
    ("matmul", {"x": [[2, 3]], "y": [[3, 4]]}, {}, 48),
    ("matmul_v2", {"X": [[3, 2]], "Y": [[7, 3, 4]]}, {"trans_x": True}, 336),
    ("softmax", {"X": [[2, 3]]}, {}, 18),
    ("relu", {"X": [[2, 3]]}, {}, 6),
    ("relu", {}, {}, 0),
    ("of_nobody", {}, {}, 0),
]


@pytest.mark.parametrize("op_type, shapes, attrs, number", CASES)
def test_numbers(op_type, shapes, attrs, number):
    assert flops(op_type, shapes, attrs) == number


def test_a_rule_of_a_programs_own():
    register_flops("of_this_test")(lambda shapes, attrs: attrs["n"])
    assert flops("of_this_test", {}, {"n": 5}) == 5
