"""Lists of operators that run in bfloat16 and in float32."""

from ....amp.auto_cast import black_list, white_list


class AutoMixedPrecisionListsBF16:
    """Which operators of a program run in bfloat16 and in float32.

    Args:
        custom_bf16_list, custom_fp32_list: types of operators to move to a list.
        custom_fp32_varnames: variables whose operators stay in float32.

    >>> lists = paddle.static.amp.bf16.AutoMixedPrecisionListsBF16(custom_fp32_list={'conv2d'})
    >>> 'conv2d' in lists.fp32_list, 'conv2d' in lists.bf16_list, 'matmul_v2' in lists.bf16_list
    (True, False, True)
    """

    def __init__(self, custom_bf16_list=None, custom_fp32_list=None, custom_fp32_varnames=None):
        self._custom_bf16_list, self._custom_fp32_list = custom_bf16_list, custom_fp32_list
        white, black = set(custom_bf16_list or ()), set(custom_fp32_list or ())
        if white & black:
            raise ValueError(f"AutoMixedPrecisionListsBF16(): {sorted(white & black)} are on both custom lists")
        self.bf16_list = (white_list()["bfloat16"]["O1"] | white) - black
        self.fp32_list = (black_list()["bfloat16"]["O1"] | black) - white
        self.fp32_varnames = custom_fp32_varnames

    black_varnames = property(lambda self: self.fp32_varnames)
    _custom_white_list = property(lambda self: self._custom_bf16_list)
    _custom_black_list = property(lambda self: self._custom_fp32_list)
