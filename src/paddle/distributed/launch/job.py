"""One running job: mpiexec, what its ranks report, and how it is ended. Nothing outlives it."""

import codecs
import json
import re
import signal
import subprocess
import sys
import threading
import time

from .tether import tethered
from .worker import REPORT_MARK

# mpiexec's own notice of an unexpected death; the reports say more, and name the rank.
BANNER = b"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"
RULE = re.compile(rb"^=+(?:\n(=?(?: [^\n]*)?(?:\n.*)?))?\Z", re.M | re.S)
LEAVE_SECONDS = 10  # a killed mpiexec and its proxies are gone long before
NO_RANKS = "ranks are processes of Linux or macOS; this system has none"  # where there is no fork


class BannerFilter:
    """Takes mpiexec's notice out of a stream; everything else passes at once, unfinished lines too."""

    def __init__(self):
        self.held, self.over, self.fresh = b"", False, True  # fresh: what was shown so far ends with a whole line

    def __call__(self, chunk):
        if self.over:  # the notice is the last thing that mpiexec prints
            return b""
        text, self.held = self.held + chunk, b""
        rule = RULE.search(text, 0 if self.fresh else max(text.find(b"\n"), 0))
        if rule and BANNER.startswith(rule[1] or b""):
            text, self.held = text[:rule.start()], text[rule.start():]  # what follows decides
        elif rule and rule[1].startswith(BANNER):
            text, self.over = text[:rule.start()], True
        self.fresh = text.endswith(b"\n") if text else self.fresh
        return text


class _Characters:
    """A binary stream that writes to one of characters, as notebooks have for standard output; None swallows all."""

    def __init__(self, stream):
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data):
        """Write what is complete; a character that is cut waits for the rest."""
        if self._stream is not None:
            self._stream.write(self._decoder.decode(data))

    def flush(self):
        """Flush the stream."""
        if self._stream is not None:
            self._stream.flush()


class Job:
    """A started job. ``wait()`` returns its exit code; ``failures`` are the reports of ranks, the first one first.

    Args:
        command, env: what to run; see mpiexec.py.
        on_line: called with each line of mpiexec's standard error that is no report (default: print it there).
        stdout: binary stream for what the ranks print (default: this process's own).
        intercept: called with each chunk of mpiexec's standard output; returns what of it is to be shown.
    """

    def __init__(self, command, env, on_line=None, stdout=None, intercept=None):
        self.failures = []
        self._intercept = intercept
        self._on_line = on_line or self._print_line
        self._stdout = stdout or getattr(sys.stdout, "buffer", None) or _Characters(sys.stdout)
        self.process = subprocess.Popen(tethered(command), env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)  # a terminal's Ctrl-C comes once, through the launcher
        self._readers = [threading.Thread(target=target, daemon=True) for target in (self._read_out, self._read_err)]
        for reader in self._readers:
            reader.start()

    def _read_out(self):
        without_banner = BannerFilter()
        while chunk := self.process.stdout.read1(65536):
            if self._intercept is not None:
                chunk = self._intercept(chunk)
            self._show(without_banner(chunk))
        self._show(without_banner.held)

    def _show(self, text):
        if text:
            self._stdout.write(text)
            self._stdout.flush()

    def _read_err(self):
        for raw in self.process.stderr:
            line = raw.decode("utf-8", "replace")
            mark = line.find(REPORT_MARK)
            if mark < 0:
                if line.strip():
                    self._on_line(line)
                continue
            self.failures.append(json.loads(line[mark + len(REPORT_MARK):]))

    @staticmethod
    def _print_line(line):
        sys.stderr.write(line)
        sys.stderr.flush()

    def wait(self, timeout=None):
        """Exit code of the job, or None when it still runs after ``timeout`` seconds."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        for reader in self._readers:
            reader.join(LEAVE_SECONDS)
        if self.failures:
            code = self.failures[0]["code"]
        return code if code >= 0 else 128 - code

    def signal(self, signum):
        """Hand a signal to every rank on every machine (mpiexec forwards it)."""
        if self.process.poll() is None:
            self.process.send_signal(signum)

    def end(self, grace=0.0):
        """End the job: SIGTERM to the ranks, and after ``grace`` seconds SIGKILL to whatever is left."""
        if grace and self.wait(0) is None:
            self.signal(signal.SIGTERM)
            deadline = time.monotonic() + grace
            while time.monotonic() < deadline and self.wait(0.1) is None:
                pass
        if self.process.poll() is None:
            self.process.kill()  # its proxies notice the closed connection and kill the ranks
        return self.wait()


def describe_failure(report):
    """What a rank's failure report says, for people."""
    code = report["code"]
    if code < 0:
        try:
            how = f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            how = f"was killed by signal {-code}"
    else:
        how = f"ended with exit code {code}"
    lines = [f"rank {report['rank']} on {report['host']} (process {report['pid']}) {how}"]
    if report["log"]:
        lines.append(f"the end of its log {report['log']}:")
        lines += ["    " + line for line in report["tail"]] or ["    (empty)"]
    return "\n".join(lines)
