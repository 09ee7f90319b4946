import hashlib
import http.client
import http.server
import io
import threading
import urllib.error
import urllib.parse
import urllib.request
import zipfile

import pytest

import paddle
from paddle.utils import download
from paddle.vision.models import blocks

URL = "https://example.org/folder/file.bin"


class Response(io.BytesIO):
    def __init__(self, data, length=None):
        super().__init__(data)
        self.headers = {} if length is None else {"Content-Length": str(length)}


@pytest.fixture
def serve(monkeypatch):
    """serve(*answers): what successive requests get; an exception is raised."""
    def prepare(*answers):
        queue = list(answers)
        asked = []

        def answer(url, start=0):
            asked.append(url)
            reply = queue.pop(0)
            if isinstance(reply, Exception):
                raise reply
            return reply if isinstance(reply, Response) else Response(reply, len(reply))

        monkeypatch.setattr(download, "_open", answer)
        return asked

    return prepare


def md5(data):
    return hashlib.md5(data).hexdigest()


def test_fetch(tmp_path, serve):
    serve(b"hello")
    path = tmp_path / "a" / "b.bin"
    assert download.fetch(URL, path, md5(b"hello")) == str(path)
    assert path.read_bytes() == b"hello"


@pytest.mark.parametrize("url", ["http://example.org/a", "file:///etc/passwd", "ftp://example.org/a", None])
def test_https_only(tmp_path, url):
    with pytest.raises(ValueError, match="https"):
        download.fetch(url, tmp_path / "a")


def test_redirect_to_http_is_refused():
    with pytest.raises(urllib.error.URLError, match="isn't https"):
        download._HttpsOnly().redirect_request(None, None, 302, "", {}, "http://example.org/")


def test_wrong_checksum_leaves_the_old_file(tmp_path, serve):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    serve(b"tampered")
    with pytest.raises(RuntimeError, match=f"md5 {md5(b'tampered')}.*put the file with md5 {md5(b'right')} at"):
        download.fetch(URL, path, md5(b"right"))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_network(tmp_path, serve):
    serve(urllib.error.URLError("Name or service not known"))
    with pytest.raises(RuntimeError, match="Name or service not known.*Without a network, put the file at"):
        download.fetch(URL, tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_http_error(tmp_path, serve):
    with urllib.error.HTTPError(URL, 404, "Not Found", {}, io.BytesIO()) as error:
        serve(error)
        with pytest.raises(RuntimeError, match="Not Found"):
            download.fetch(URL, tmp_path / "a")


def test_broken_connection_is_tried_again(tmp_path, serve):
    asked = serve(Response(b"he", 5), ConnectionResetError(), b"hello")
    download.fetch(URL, tmp_path / "a", md5(b"hello"))
    assert len(asked) == 3
    serve(*[http.client.IncompleteRead(b"")] * 3)
    with pytest.raises(RuntimeError, match="broke 3 times"):
        download.fetch(URL, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_size_is_bounded(tmp_path, serve):
    serve(b"x" * 100)
    with pytest.raises(RuntimeError, match="larger than 50 bytes"):
        download.fetch(URL, tmp_path / "a", max_bytes=50)


def test_path_from_url_downloads_once(tmp_path, serve):
    asked = serve(b"hello", b"hello")
    for _ in range(2):
        path = download.get_path_from_url(URL + "?token=1", str(tmp_path), md5(b"hello"))
        assert path == str(tmp_path / "file.bin")
    assert len(asked) == 1
    download.get_path_from_url(URL, str(tmp_path), check_exist=False)
    assert len(asked) == 2


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return buffer.getvalue()


@pytest.mark.parametrize(("names", "result"), [
    (["model/a", "model/b"], "model"), (["only"], "only"), (["a", "b/c"], "pack"),
])
def test_path_from_url_unpacks(tmp_path, serve, names, result):
    serve(zipped(*names))
    assert download.get_path_from_url("https://example.org/pack.zip", str(tmp_path)) == str(tmp_path / result)
    assert all((tmp_path / ("pack" if result == "pack" else "") / name).read_text() == name for name in names)


def test_path_from_url_keeps_the_archive(tmp_path, serve):
    serve(zipped("a"))
    path = download.get_path_from_url("https://example.org/pack.zip", str(tmp_path), decompress=False)
    assert path == str(tmp_path / "pack.zip")
    assert [p.name for p in tmp_path.iterdir()] == ["pack.zip"]


def test_weights(tmp_path, serve, monkeypatch):
    monkeypatch.setattr(download, "WEIGHTS_HOME", str(tmp_path))
    serve(b"weights")
    assert download.get_weights_path_from_url("https://example.org/r.pdparams") == str(tmp_path / "r.pdparams")


def test_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match="method"):
        download.get_path_from_url(URL, str(tmp_path), method="wget")
    with pytest.raises(ValueError, match="url"):
        download.get_path_from_url("models/a", str(tmp_path))
    with pytest.raises(ValueError, match="names no file"):
        download.get_path_from_url("https://example.org/..", str(tmp_path))


# ---- a server of our own ----
class Files(http.server.BaseHTTPRequestHandler):
    """Serves ``files``; a path in ``broken`` breaks off after that many bytes, once."""

    files, broken, asked = {}, {}, []

    def do_GET(self):
        name, start = self.path.rpartition("/")[2], int((self.headers.get("Range") or "bytes=0-")[6:-1])
        self.asked.append((name, start))
        if name not in self.files:
            self.send_error(404)
            return
        rest = self.files[name][start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[:self.broken.pop(name, len(rest))])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    """Every https address leads to a server here, by the requests that the package makes."""
    handler = type("Handler", (Files,), {"files": {}, "broken": {}, "asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()

        def local(url, start=0):
            request = download._request(f"http://127.0.0.1:{found.server_port}{urllib.parse.urlsplit(url).path}", start)
            return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)

        monkeypatch.setattr(download, "_open", local)
        yield handler
        found.shutdown()


def test_a_download_that_broke_off_goes_on(server, tmp_path):
    data = bytes(range(256)) * 40
    server.files["a.bin"], server.broken["a.bin"] = data, 1000
    path = download.fetch("https://example.org/a.bin", tmp_path / "a.bin", md5(data))
    assert (tmp_path / "a.bin").read_bytes() == data and server.asked == [("a.bin", 0), ("a.bin", 1000)]
    assert path == str(tmp_path / "a.bin") and list(tmp_path.iterdir()) == [tmp_path / "a.bin"]


def test_what_an_earlier_process_left(server, tmp_path):
    data = bytes(range(256)) * 4
    server.files["a.bin"] = data
    (tmp_path / "a.bin.part").write_bytes(data[:500])
    download.fetch("https://example.org/a.bin", tmp_path / "a.bin", md5(data))
    (tmp_path / "b.bin.part").write_bytes(b"of another file")
    server.files["b.bin"] = data
    download.fetch("https://example.org/b.bin", tmp_path / "b.bin", md5(data))
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes() == data
    assert server.asked == [("a.bin", 500), ("b.bin", 15), ("b.bin", 0)]


def test_pretrained_weights(server, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "WEIGHTS_HOME", str(tmp_path / "weights"))
    original = paddle.vision.models.squeezenet1_1(num_classes=5)
    file = io.BytesIO()
    paddle.save(original.state_dict(), file)
    address = blocks.weights()["squeezenet1_1"][0]
    server.files[address.rpartition("/")[2]] = file.getvalue()
    monkeypatch.setitem(blocks.weights(), "squeezenet1_1", [address, md5(file.getvalue())])
    for _ in range(2):
        model = paddle.vision.models.squeezenet1_1(pretrained=True, num_classes=5)
        for key, value in original.state_dict().items():
            assert (model.state_dict()[key].numpy() == value.numpy()).all()
    assert len(server.asked) == 1  # the second time from the cache folder
    with pytest.raises(RuntimeError, match=f"Not Found.*put the file with md5 {blocks.weights()['alexnet'][1]} at"):
        paddle.vision.models.alexnet(pretrained=True)
    with pytest.raises(ValueError, match="no pretrained weights for vgg11"):
        paddle.vision.models.vgg11(pretrained=True)
    with pytest.raises(ValueError, match="scale=0.5"):
        paddle.vision.models.mobilenet_v1(pretrained=True, scale=0.5)
