"""Data sets of recordings with labels: environmental sounds (ESC-50) and emotions in speech (TESS)."""

import csv
import os

from ..dataset import common
from ..io import Dataset
from ..utils.download import get_path_from_url
from .backends import load
from .features import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram

__all__ = ["ESC50", "TESS"]

_FEATURES = {"raw": None, "melspectrogram": MelSpectrogram, "mfcc": MFCC, "logmelspectrogram": LogMelSpectrogram,
             "spectrogram": Spectrogram}


class AudioClassificationDataset(Dataset):
    """Recordings with labels: sample i is (signal or features, label).

    Args:
        files: WAV files of one channel.
        labels: their labels.
        feat_type: 'raw' for the signal, or 'spectrogram', 'melspectrogram', 'logmelspectrogram', 'mfcc'.
        sample_rate: samples per second that files must have; None for any.
        kwargs: options of the layer of ``paddle.audio.features``.
    """

    def __init__(self, files, labels, feat_type="raw", sample_rate=None, **kwargs):
        if feat_type not in _FEATURES:
            raise ValueError(f"{type(self).__name__}(): feat_type must be one of {list(_FEATURES)}, got {feat_type!r}")
        if len(files) != len(labels):
            raise ValueError(f"{type(self).__name__}(): there are {len(files)} files and {len(labels)} labels")
        self.files, self.labels, self.feat_type, self.sample_rate, self.feat_config = files, labels, feat_type, sample_rate, kwargs
        self._layers = {}  # by samples per second

    def _features(self, rate):
        if rate not in self._layers:
            own = {} if self.feat_type == "spectrogram" else {"sr": rate}
            self._layers[rate] = _FEATURES[self.feat_type](**own, **self.feat_config)
        return self._layers[rate]

    def __getitem__(self, idx):
        signal, rate = load(self.files[idx])
        if signal.shape[0] != 1 or self.sample_rate not in (None, rate):
            raise ValueError(f"{self.files[idx]} has {signal.shape[0]} channels and {rate} samples per second, expected 1 and "
                             f"{self.sample_rate or 'any'}")
        return (signal if self.feat_type == "raw" else self._features(rate)(signal))[0], self.labels[idx]

    def __len__(self):
        return len(self.files)


def _folder(name, needed, archive):
    """The folder of a data set below the cache folder, its archive downloaded and unpacked there if need be."""
    if not all(os.path.exists(os.path.join(common.DATA_HOME, path)) for path in needed):
        get_path_from_url(archive["url"], common.DATA_HOME, archive["md5"])
    missing = [path for path in needed if not os.path.exists(os.path.join(common.DATA_HOME, path))]
    if missing:
        raise ValueError(f"{name}(): the archive {archive['url']} has no {missing[0]}")
    return os.path.join(common.DATA_HOME, needed[0])


def _in_split(mode, name, fold, split):
    """Does a recording of this fold belong to the wanted part?"""
    common.checked_mode(mode, ("train", "dev"), name)
    return (fold != split) == (mode.lower() == "train")


class ESC50(AudioClassificationDataset):
    """2000 recordings of 5 seconds of 50 kinds of environmental sounds, in five folds.

    Args:
        mode: 'train' or 'dev'.
        split: the fold, 1 … 5, that is for 'dev'.
        feat_type, kwargs: see AudioClassificationDataset.
        archive: {'url': ..., 'md5': ...} of another archive to download. Nothing is downloaded if the cache folder
            ``paddle.dataset.common.DATA_HOME`` has ESC-50-master or its archive.
    """

    archive = {"url": "https://paddleaudio.bj.bcebos.com/datasets/ESC-50-master.zip", "md5": "7771e4b9d86d0945acce719c7a59305a"}
    label_list = [
        "Dog", "Rooster", "Pig", "Cow", "Frog", "Cat", "Hen", "Insects (flying)", "Sheep", "Crow",
        "Rain", "Sea waves", "Crackling fire", "Crickets", "Chirping birds", "Water drops", "Wind", "Pouring water",
        "Toilet flush", "Thunderstorm",
        "Crying baby", "Sneezing", "Clapping", "Breathing", "Coughing", "Footsteps", "Laughing", "Brushing teeth", "Snoring",
        "Drinking, sipping",
        "Door knock", "Mouse click", "Keyboard typing", "Door, wood creaks", "Can opening", "Washing machine", "Vacuum cleaner",
        "Clock alarm", "Clock tick", "Glass breaking",
        "Helicopter", "Chainsaw", "Siren", "Car horn", "Engine", "Train", "Church bells", "Airplane", "Fireworks", "Hand saw"]

    def __init__(self, mode="train", split=1, feat_type="raw", archive=None, **kwargs):
        if split not in range(1, 6):
            raise ValueError(f"ESC50(): split must be from 1 to 5, got {split!r}")
        table = os.path.join("ESC-50-master", "meta", "esc50.csv")
        folder = _folder("ESC50", [os.path.join("ESC-50-master", "audio"), table], archive or self.archive)
        with open(os.path.join(common.DATA_HOME, table), encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if _in_split(mode, "ESC50", int(row["fold"]), split)]
        super().__init__([os.path.join(folder, os.path.basename(row["filename"])) for row in rows],
                         [int(row["target"]) for row in rows], feat_type, **kwargs)


class TESS(AudioClassificationDataset):
    """2800 recordings of words spoken with seven emotions.

    Files are taken in alphabetical order and dealt out to the folds in turn.

    Args:
        mode: 'train' or 'dev'.
        n_folds: number of folds.
        split: the fold, 1 … n_folds, that is for 'dev'.
        feat_type, kwargs: see AudioClassificationDataset.
        archive: {'url': ..., 'md5': ...} of another archive to download. Nothing is downloaded if the cache folder
            ``paddle.dataset.common.DATA_HOME`` has TESS_Toronto_emotional_speech_set or its archive.
    """

    archive = {"url": "https://bj.bcebos.com/paddleaudio/datasets/TESS_Toronto_emotional_speech_set.zip",
               "md5": "1465311b24d1de704c4c63e4ccc470c7"}
    label_list = ["angry", "disgust", "fear", "happy", "neutral", "ps", "sad"]  # ps: a pleasant surprise

    def __init__(self, mode="train", n_folds=5, split=1, feat_type="raw", archive=None, **kwargs):
        if not isinstance(n_folds, int) or n_folds < 1 or split not in range(1, n_folds + 1):
            raise ValueError(f"TESS(): n_folds must be at least 1 and split from 1 to n_folds, got {n_folds!r} and {split!r}")
        folder = _folder("TESS", ["TESS_Toronto_emotional_speech_set"], archive or self.archive)
        found = sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if name.endswith(".wav"))
        files = [path for k, path in enumerate(found) if _in_split(mode, "TESS", k % n_folds + 1, split)]
        super().__init__(files, [self._label(path) for path in files], feat_type, **kwargs)

    def _label(self, path):
        """The number of the emotion that the last part of a file's name says."""
        emotion = os.path.basename(path)[:-4].split("_")[-1]
        if emotion not in self.label_list:
            raise ValueError(f"TESS(): {path} must end with one of {self.label_list}")
        return self.label_list.index(emotion)


__path__ = []  # a package in Paddle: the paths below it are addresses
