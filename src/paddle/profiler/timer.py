"""How long steps take, and how much of that is waiting for data."""

from .recorder import now

WARM_UP = 10  # steps that the summary leaves out


class _Numbers:
    """Count, sum, least and most of some numbers."""

    def __init__(self):
        self.count, self.total, self.least, self.most = 0, 0.0, float("inf"), 0.0

    def add(self, value):
        self.count, self.total = self.count + 1, self.total + value
        self.least, self.most = min(self.least, value), max(self.most, value)

    mean = property(lambda self: self.total / self.count if self.count else 0.0)


class StepTimer:
    """Seconds per step and per batch read, since the last question and over all."""

    def __init__(self):
        self.steps = 0
        self.samples, self.unit = 0, "steps/s"
        self.batch, self.reader, self.speed = _Numbers(), _Numbers(), _Numbers()  # after the warm-up
        self._start_over()
        self._begun = now()

    def _start_over(self):
        self._recent_batch, self._recent_reader, self._recent_samples = _Numbers(), _Numbers(), 0

    def heard(self, name, kind, start, end):
        """A phase ended; only the loading of data matters here."""
        if kind == "Dataloader":
            spent = (end - start) / 1e9
            self._recent_reader.add(spent)
            if self.steps >= WARM_UP:
                self.reader.add(spent)

    def step(self, num_samples=None):
        """A step ended."""
        end = now()
        spent, self._begun = (end - self._begun) / 1e9, end
        self._recent_batch.add(spent)
        self._recent_samples += num_samples or 0
        self.unit = "steps/s" if num_samples is None else "samples/s"
        self.steps += 1
        if self.steps > WARM_UP:
            self.batch.add(spent)
            self.samples += num_samples or 0
            self.speed.add((1 if num_samples is None else num_samples) / max(spent, 1e-9))

    def info(self, unit=None):
        """The means since the last question, as text."""
        batch, reader = self._recent_batch, self._recent_reader
        if self.unit != "steps/s":
            self.unit = f"{unit or 'samples'}/s"
        count = batch.count if self.unit == "steps/s" else self._recent_samples
        parts = [f"reader_cost: {reader.mean:.5f} s"] if reader.count else []
        if batch.count:
            parts += [f"batch_cost: {batch.mean:.5f} s", f"ips: {count / max(batch.total, 1e-9):.3f} {self.unit}"]
        self._start_over()
        return "".join(" " + part for part in parts)

    def summary(self):
        """A table of all steps after the warm-up; empty if there are none."""
        if not self.batch.count:
            return ""
        count = self.batch.count if self.unit == "steps/s" else self.samples
        rows = [("reader_cost", self.reader.mean, self.reader)] if self.reader.count else []
        rows += [("batch_cost", self.batch.mean, self.batch), ("ips", count / max(self.batch.total, 1e-9), self.speed)]
        lines = [" Perf Summary ".center(72, "=")]
        if self.reader.count:
            lines.append(f"Reader Ratio: {100 * self.reader.total / max(self.batch.total, 1e-9):.3f}%")
        lines += [f"Time Unit: s, IPS Unit: {self.unit}", f"|{'':^16}|{'avg':^16}|{'max':^16}|{'min':^16}|"]
        lines += [f"|{name:^16}|{mean:^16.5f}|{numbers.most:^16.5f}|{numbers.least:^16.5f}|" for name, mean, numbers in rows]
        return "\n".join(lines)
