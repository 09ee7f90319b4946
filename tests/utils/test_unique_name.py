"""Sets of counters for names: replaced and put back, by one value or by two."""

import pytest

from paddle.utils import unique_name


def test_two_values_as_in_2x():
    with unique_name.guard():
        assert unique_name.generate("fc") == "fc_0"
        before, checker = unique_name.switch()
        assert unique_name.generate("fc") == "fc_0"
        unique_name.switch(before, checker)
        assert unique_name.generate("fc") == "fc_1"


def test_one_value_as_in_1x():
    with unique_name.guard("outer/"):
        before = unique_name.switch()
        assert unique_name.generate("fc") == "fc_0"
        unique_name.switch(before)
        assert unique_name.generate("fc") == "outer/fc_0"


def test_there_are_no_checks_to_be_replaced():
    with pytest.raises(TypeError, match="new_para_name_checker must be None"):
        unique_name.switch(None, "checker")
