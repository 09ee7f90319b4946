"""Passes over programs: those of the program itself run, fusions leave it as it is, others are refused by name."""

import pytest

import paddle
from paddle.distributed.passes import PassBase, PassContext, PassManager, PassType, new_pass, register_pass


@register_pass("test_scale_by")
class ScaleBy(PassBase):
    """Let every scale operator multiply by another number."""

    def _check_self(self):
        return self.get_attr("factor") is not None

    def _check_conflict(self, other_pass):
        return other_pass.name != "fuse_bn_act"

    def _apply_single_impl(self, main_program, startup_program, context):
        for op in main_program.global_block().ops:
            if op.type == "scale":
                op._set_attr("scale", self.get_attr("factor"))
        context.set_attr("done", True)


def run(*passes):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            y = paddle.scale(paddle.full([1], 3.0), 2.0)
        manager = PassManager(passes)
        context = manager.apply([main], [startup])
        return manager.names, context, float(paddle.static.Executor().run(main, fetch_list=[y])[0][0])
    finally:
        paddle.disable_static()


def test_a_pass_of_the_program_rewrites():
    names, context, value = run(new_pass("test_scale_by", {"factor": 5.0}), new_pass("fuse_gemm_epilogue"))
    assert names == ["test_scale_by", "fuse_gemm_epilogue"] and value == 15.0 and context.get_attr("done")
    assert [p.name for p in context.passes] == names


def test_passes_that_do_not_fit_are_left_out():
    assert run(new_pass("test_scale_by"))[::2] == ([], 6.0)  # no factor
    assert run(new_pass("fuse_bn_act"), new_pass("test_scale_by", {"factor": 5.0}))[::2] == (["fuse_bn_act"], 6.0)
    assert run(new_pass("fuse_bn_act"), new_pass("fuse_bn_act"))[0] == ["fuse_bn_act"]
    assert PassManager([new_pass("test_scale_by")], auto_solve_conflict=False).names == ["test_scale_by"]


def test_what_is_wrong_is_named():
    with pytest.raises(NotImplementedError, match="auto_parallel_sharding"):
        new_pass("auto_parallel_sharding")
    with pytest.raises(TypeError, match="main_programs must be a list"):
        new_pass("fuse_bn_act").apply(paddle.static.Program(), [])
    with pytest.raises(TypeError, match="no subclass"):
        register_pass("x")(int)
    assert new_pass("fuse_bn_act")._type() == PassType.FUSION_OPT and PassContext().get_attr("x", 1) == 1
