"""Boston house prices as readers. In 2.x: paddle.text.datasets.UCIHousing."""

import tempfile
from collections.abc import Callable, Iterator

import numpy as np

from ..utils.archive import extract
from .common import download

__all__ = ["fetch", "fluid_model", "load_data", "predict_reader", "test", "train"]

URL = "https://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
FLUID_URL_MODEL = "https://github.com/PaddlePaddle/book/raw/develop/01.fit_a_line/fluid/fit_a_line.fluid.tar"
FLUID_MD5_MODEL = "6e6dd637ccd5993961f68bfbde46090b"
feature_names = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"]


def train() -> Callable:
    """A reader of the first four fifths of the houses: (13 features, price), each feature centred and scaled."""
    return _reader(0)


def test() -> Callable:
    """A reader of the last fifth of the houses: (13 features, price), each feature centred and scaled."""
    return _reader(1)


def predict_reader() -> tuple[np.ndarray]:
    """The features of the first house of the test part, as a tuple of one."""
    return (load_data(download(URL, "uci_housing", MD5))[1][0][:-1],)


def fluid_model() -> str:
    """The folder of the fluid book's trained model for this dataset, unpacked anew."""
    archive = download(FLUID_URL_MODEL, "uci_housing", FLUID_MD5_MODEL, "fit_a_line.fluid.tar")
    folder = tempfile.mkdtemp()
    extract(archive, folder)
    return folder


def fetch() -> None:
    """Makes sure that the file is at hand."""
    download(URL, "uci_housing", MD5)


def load_data(filename: str, feature_num: int = 14, ratio: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the file in two parts, of which the first holds `ratio`.

    All columns but the last become (value - mean) / (largest - smallest), over both parts.
    """
    with open(filename, encoding="ascii") as file:
        try:
            numbers = np.array(file.read().split(), dtype=np.float64)
        except (ValueError, UnicodeDecodeError) as error:
            raise ValueError(f"{filename} is not a table of numbers: {error}") from error
    if numbers.size == 0 or numbers.size % feature_num:
        raise ValueError(f"{filename} has {numbers.size} numbers, which is not rows of {feature_num}")
    data = numbers.reshape(-1, feature_num)
    inputs = data[:, :-1]
    span = inputs.max(axis=0) - inputs.min(axis=0)
    if not span.all():
        raise ValueError(f"{filename}: column {int(np.argmin(span))} is constant and cannot be scaled")
    inputs[...] = (inputs - inputs.sum(axis=0) / len(data)) / span
    cut = int(len(data) * ratio)
    return data[:cut], data[cut:]


def _reader(part: int) -> Callable:
    data = load_data(download(URL, "uci_housing", MD5))[part]

    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for row in data:
            yield row[:-1], row[-1:]

    return reader
