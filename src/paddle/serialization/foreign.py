"""Files of other programs, told by how they begin, so that a message can say what was found."""

_SIGNATURES = (
    (b"version https://git-lfs", "it is a pointer of Git LFS, not the file itself: git lfs pull fetches that"),
    (b"\x93NUMPY", "it is a NumPy array, which numpy.load reads"),
    (b"\x89HDF\r\n", "it is an HDF5 file, as Keras writes them, which is not read"),
    (b"\x1f\x8b", "it is compressed by gzip; unpack it first"),
    (b"BZh", "it is compressed by bzip2; unpack it first"),
    (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
     "it is a file of torch.save before PyTorch 1.6, which is not read; PyTorch writes it anew: torch.save(torch.load(f), f)"),
)


def what_it_is(head):
    """A clause that says what a file with these first bytes is, or None where it may be one of Paddle's."""
    if not head:
        return "it is empty"
    for begin, clause in _SIGNATURES:
        if head.startswith(begin):
            return clause
    if head[:1] == b"\x08" and head[2:3] in (b"\x12", b"\x1a", b"\x3a"):  # ir_version, then the producer or the graph
        return "it is an ONNX model: paddle.load reads parameters, paddle show prints it, onnxruntime runs it"
    if head.lstrip()[:9].lower() == b"<!doctype" or head.lstrip()[:5].lower() == b"<html":
        return "it is a web page, perhaps what a server answered instead of the file"
    return None


def is_text(head):
    """Do the first bytes look like text? Pickles of protocol 0 do too, so this explains a failure and does not decide."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # a character that is cut off at the end is none
            return False
        text = head[:error.start].decode("utf-8")
    return bool(text) and all(c.isprintable() or c in "\n\r\t" for c in text)
