"""Programs through paddle.save, in a process that has used nothing else of paddle.static."""

import subprocess
import sys


def test_a_program_is_saved_before_anything_else_of_static_was_used(tmp_path):
    code = ("import paddle; paddle.enable_static(); x = paddle.static.data('x', [None, 4]); y = paddle.static.nn.fc(x, 2); "
            f"paddle.save(paddle.static.default_main_program(), {str(tmp_path / 'p.pdmodel')!r}); "
            f"print([op.type for op in paddle.load({str(tmp_path / 'p.pdmodel')!r}).global_block().ops])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "mul" in done.stdout and "elementwise_add" in done.stdout, done.stderr
