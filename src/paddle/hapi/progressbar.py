"""A line that shows how far a loop has come."""

import shutil
import sys
import time

_WIDTH = 30


def _rewrites(file):
    """Can a line in this file be written over? In terminals and in the output of notebooks."""
    return getattr(file, "isatty", lambda: False)() or _in_notebook(file)


def _in_notebook(file):
    return type(file).__module__.partition(".")[0] == "ipykernel"


def make_bar(total, verbose):
    """A bar for standard output: in notebooks tqdm's where that is installed."""
    if verbose == 1 and _in_notebook(sys.stdout):
        try:
            from tqdm.auto import tqdm  # only notebooks need it, and it need not be there
        except ImportError:
            return ProgressBar(total, verbose=verbose)
        return TqdmBar(total, tqdm)
    return ProgressBar(total, verbose=verbose)


class TqdmBar:
    """The same for a notebook: a bar of tqdm with the values behind it."""

    verbose, rewrites = 1, True

    def __init__(self, total, tqdm):
        self.total, self.bar = total, tqdm(total=total, unit="step")

    def update(self, step, values):
        """Show the state after ``step`` steps."""
        self.bar.set_postfix_str(", ".join(f"{name}: {_values_text(value)}" for name, value in values), refresh=False)
        self.bar.update(step - self.bar.n)

    def finish(self):
        """Leave the bar as it is."""
        self.bar.close()


class ProgressBar:
    """Writes ``step 3/10 [===>....] - loss: 0.5 - 12ms/step``; rewrites the line where it can (verbose 1), else adds lines."""

    def __init__(self, num=None, width=_WIDTH, verbose=1, start=True, file=None, name="step"):
        if num is not None and num <= 0:
            raise TypeError(f"ProgressBar(): num must be None or a positive int, got {num}")
        self.total, self.width, self.verbose, self.file, self.name = num, width, verbose, file or sys.stdout, name
        self.rewrites = verbose == 1 and _rewrites(self.file)
        self.begun, self.length, self.open = time.perf_counter() if start else None, 0, False
        # A line that wraps can't be written over, so in a terminal it must be shorter than that.
        self.columns = shutil.get_terminal_size().columns - 1 if self.rewrites and self.file.isatty() else 10 ** 6

    def start(self):
        """Begin to count time."""
        self.begun = time.perf_counter()

    def update(self, current_num, values=()):
        """Show the state after so many steps; values are pairs (name, number, text or list of numbers)."""
        step, values = current_num, values.items() if isinstance(values, dict) else values or ()
        if not self.verbose:
            return
        if self.begun is None:
            self.start()
        head = f"{self.name} {step:>{len(str(self.total))}}/{self.total}" if self.total else f"{self.name} {step}"
        text = ""
        for name, value in values:
            text += f" - {name}: {_values_text(value)}"
        per_step = (time.perf_counter() - self.begun) / max(step, 1)
        if self.rewrites and self.total and step < self.total:
            text += f" - ETA: {_clock(per_step * (self.total - step))}"
        text += f" - {_duration(per_step)}/{self.name}"
        if self.verbose == 1 and self.total:
            head += self._bar(step, self.columns - len(head + text) - 3)
        text = (head + text)[:self.columns]
        if self.rewrites:
            self.file.write("\r" + text.ljust(self.length))
            self.length, self.open = len(text), True
            if self.total is not None and step >= self.total:
                self.finish()
        else:
            self.file.write(text + "\n")
        self.file.flush()

    def _bar(self, step, room):
        width = min(self.width, room)
        if width < 3:
            return ""
        done = int(width * min(step / self.total, 1.0))
        return " [" + ("=" * done + ">" * (done < width)).ljust(width, ".") + "]"

    def finish(self):
        """End the line, if one is being rewritten."""
        if self.open:
            self.file.write("\n")
            self.file.flush()
            self.length, self.open = 0, False


def _values_text(value):
    return " ".join(_text(v) for v in (value if isinstance(value, (list, tuple)) else [value]))


def _text(value):
    if isinstance(value, str):
        return value
    value = float(value)
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.4e}"


def _duration(seconds):
    if seconds >= 1:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"


def _clock(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}" if minutes else f"{seconds}s"
