"""Runs the tests that a package brings."""

import os
import re
import subprocess
import sys


def run(package, *folders, **environment):
    """Run a package's own tests; print the summary, exit 1 if one fails."""
    module = __import__(package)
    root = os.path.dirname(module.__file__)
    places = [os.path.join(root, folder) for folder in folders]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, *places],
                          capture_output=True, text=True, check=False, env={**os.environ, **environment})
    summary = re.findall(r"\d+ (?:passed|failed|skipped|xfailed|errors?)", done.stdout.splitlines()[-1])
    if done.returncode:
        sys.exit(", ".join(summary) or done.stdout[-300:])
    print(", ".join(summary))
