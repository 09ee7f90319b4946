"""A line that shows how far a loop has come."""

import sys
import time

_WIDTH = 30


class ProgressBar:
    """Writes ``step 3/10 [===>....] - loss: 0.5 - 12ms/step``; rewrites the line in a terminal, adds lines elsewhere."""

    def __init__(self, total=None, verbose=1, file=None):
        self.total, self.verbose, self.file = total, verbose, file or sys.stdout
        self.rewrites = verbose == 1 and getattr(self.file, "isatty", lambda: False)()
        self.start, self.length = time.perf_counter(), 0

    def update(self, step, values):
        """Show the state after ``step`` steps; values are pairs (name, number or list)."""
        if not self.verbose:
            return
        text = f"step {step:>{len(str(self.total))}}/{self.total}" if self.total else f"step {step}"
        if self.verbose == 1 and self.total:
            done = int(_WIDTH * step / self.total)
            text += " [" + ("=" * done + ">" * (done < _WIDTH)).ljust(_WIDTH, ".") + "]"
        for name, value in values:
            text += f" - {name}: " + " ".join(_number(v) for v in (value if isinstance(value, (list, tuple)) else [value]))
        per_step = (time.perf_counter() - self.start) / max(step, 1)
        text += f" - {per_step * 1000:.0f}ms/step" if per_step >= 1e-3 else f" - {per_step * 1e6:.0f}us/step"
        last = self.total is not None and step >= self.total
        if self.rewrites:
            self.file.write("\r" + text.ljust(self.length) + ("\n" if last else ""))
            self.length = len(text)
        else:
            self.file.write(text + "\n")
        self.file.flush()


def _number(value):
    value = float(value)
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.4e}"
