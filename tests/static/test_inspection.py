"""Values, operators and programs asked as programs of Paddle 3 ask them; names as 3.3.1 gives them."""

import numpy as np
import pytest

import paddle


@pytest.fixture
def made():
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 3])
        w = paddle.create_parameter([2, 3], "float32")
        y = paddle.matmul(x, w, transpose_y=True)
        z = paddle.nn.functional.softmax(paddle.nn.functional.relu(y), axis=-1)
    yield main, x, w, y, z
    paddle.disable_static()


def test_operators(made):
    main, x, w, y, z = made
    assert [op.name() for op in main.global_block().ops] == ["pd_op.matmul", "pd_op.relu", "pd_op.softmax"]
    product = y.get_defining_op()
    assert product.operands_source() == [x, w] or all(a.is_same(b) for a, b in zip(product.operands_source(), [x, w]))
    assert product.result(0).is_same(y) and (product.num_operands(), product.num_results()) == (2, 1)
    assert product.get_input_names() == ["x", "y"] and product.get_output_names() == ["out"]
    assert product.get_attr_names() == ["transpose_x", "transpose_y"]
    assert product.attrs()["transpose_y"] is True and product.attrs["trans_y"] is True
    assert product.operand(1).owner() is product and product.operand(1).index() == 1 and product.operand_source(1).is_same(w)
    assert product.blocks() == [] and product.get_parent_block() is main.global_block()
    assert x.get_defining_op() is None and w.get_defining_op() is None


def test_values(made):
    _, x, _, y, z = made
    assert z.use_empty() and not y.use_empty() and y.has_one_use() and y.has_name() and not y.is_same(x)
    assert [op.name() for op in y.all_used_ops()] == [op.name() for op in y.all_used_ops_in_same_block()] == ["pd_op.relu"]
    assert y.first_use().source().is_same(y) and y.first_use().owner().name() == "pd_op.relu" and z.first_use() is None


def test_programs(made):
    main, x, w, _, z = made
    assert main.num_ops() == 3 and main.parameters_num() == 1 and main.get_all_parameter_values() == {w.name: w}
    assert main.get_output_value_by_name("x").is_same(x)
    with pytest.raises(ValueError, match="no value called 'nothing'"):
        main.get_output_value_by_name("nothing")
    with pytest.raises(ValueError, match="still used"):
        main.global_block().ops[0].erase()
    z.get_defining_op().erase()
    assert main.num_ops() == 2


def test_evaluation(made):
    main, x, *_ = made
    with paddle.static.program_guard(main):
        out = paddle.nn.functional.dropout(x, 0.9)
    main.set_is_test_attr()
    assert out.get_defining_op().attrs["is_test"] is True
    fed = np.ones([2, 3], "float32")
    startup = paddle.static.Executor()
    assert (startup.run(main, {"x": fed}, [out])[0] == fed).all()


def test_bodies():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [1])
            paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)
            bodies = [op.blocks() for op in paddle.static.default_main_program().global_block().ops if op.blocks()]
        assert bodies and all(block.ops for found in bodies for block in found)
    finally:
        paddle.disable_static()
