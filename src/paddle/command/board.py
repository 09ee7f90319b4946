"""Show the curves of event files (paddle.callbacks.VisualDL and others write them): in TensorBoard where that is installed, else on
a page of our own that renews itself while the files grow."""

import functools
import http.server
import importlib.util
import subprocess
import sys
import webbrowser

from ..utils.event_files import read_runs
from .curves import page

HELP = "show the curves of event files, in TensorBoard or on a local page"


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("folder", help="folder with event files, or with folders of them: one per run")
    parser.add_argument("--port", type=int, default=6006, help="port of this machine (6006; 0: any that is free)")
    parser.add_argument("--own", action="store_true", help="the page of our own, also where TensorBoard is installed")
    parser.add_argument("--no-browser", action="store_true", help="only say the address")
    parser.add_argument("-o", "--output", help="write the page to this file and end")


def run(given):
    """Serve until interrupted, or write the page."""
    runs = read_runs(given.folder)
    if given.output:
        with open(given.output, "w", encoding="utf-8") as file:
            file.write(page(runs, given.folder))
        print(f"{given.output}: {sum(len(curves) for curves in runs.values())} curves of {len(runs)} runs")
        return 0
    if not given.own and importlib.util.find_spec("tensorboard") is not None:
        return subprocess.run([sys.executable, "-m", "tensorboard.main", "--logdir", given.folder, "--port", str(given.port)],
                              check=False).returncode
    with make_server(given.folder, given.port) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print(f"curves of {given.folder} at {address} (Ctrl+C ends this)", flush=True)
        if not given.no_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def make_server(folder, port):
    """A server of the page on this machine alone."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Handler, folder))


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the page of the folder as it is now; there is nothing else."""

    def __init__(self, folder, *args):
        self.folder = folder
        super().__init__(*args)

    def do_GET(self):
        """Send the page."""
        if self.path.partition("?")[0] != "/":
            self.send_error(404)
            return
        try:
            body = page(read_runs(self.folder), self.folder, refresh=10).encode()
        except (OSError, ValueError) as error:
            self.send_error(500, str(error).splitlines()[0])
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Say nothing of requests."""
