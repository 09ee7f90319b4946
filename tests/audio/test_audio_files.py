"""WAV files, and data sets of them. Features are compared with real Paddle by tests/oracle/cases/audio.py."""

import io
import urllib.error
import wave
import zipfile

import numpy as np
import pytest

import paddle
from paddle import audio
from paddle.dataset import common


def written(samples, rate=8000, width=2):
    """The bytes of a WAV file with rows of samples."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return buffer.getvalue()


def test_what_others_wrote_is_read(tmp_path):
    samples = np.array([[0, 100], [-32768, 32767], [5, -5]], "<i2")
    (tmp_path / "a.wav").write_bytes(written(samples))
    assert audio.info(tmp_path / "a.wav") == (8000, 3, 2, 16, "PCM_S")
    found, rate = audio.load(tmp_path / "a.wav")
    assert rate == 8000 and found.dtype == paddle.float32
    np.testing.assert_array_equal(found.numpy(), samples.T.astype("float32") / 32768)
    np.testing.assert_array_equal(audio.load(str(tmp_path / "a.wav"), normalize=False, channels_first=False)[0].numpy(), samples)
    np.testing.assert_array_equal(audio.load(io.BytesIO(written(samples)), 1, 1)[0].numpy(), samples[1:2].T / 32768)
    assert audio.load(tmp_path / "a.wav", frame_offset=2)[0].shape == [2, 1]


@pytest.mark.parametrize(("values", "dtype", "expected"), [
    ([[0.0, 0.5, -1.0, 1.0, 3.0]], "float32", [0, 16384, -32768, 32767, 32767]),
    ([[0.25, -0.25]], "float64", [8192, -8192]), ([[1, -2]], "int16", [1, -2])])
def test_what_is_written(tmp_path, values, dtype, expected):
    audio.save(str(tmp_path / "a.wav"), paddle.to_tensor(values, dtype=dtype), 16000)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16000)
        assert np.frombuffer(file.readframes(99), "<i2").tolist() == expected
    audio.save(str(tmp_path / "b.wav"), paddle.to_tensor(values, dtype=dtype).T, 16000, channels_first=False)
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()


def test_what_cannot_be_done_is_said(tmp_path):
    (tmp_path / "a.mp3").write_bytes(b"ID3 not a wave file")
    (tmp_path / "empty").write_bytes(b"")
    for name in ("a.mp3", "empty"):
        for call in (audio.load, audio.info):
            with pytest.raises(NotImplementedError, match="is not a WAV file"):
                call(tmp_path / name)
    with pytest.raises(NotImplementedError, match=r"load\(\): .* samples of 8 bits"):
        audio.load(io.BytesIO(written(np.zeros((3, 1), "u1"), width=1)))
    with pytest.raises(ValueError, match=r"load\(\): frame_offset"):
        audio.load(io.BytesIO(written(np.zeros((3, 1), "<i2"))), -1)
    with pytest.raises(ValueError, match=r"save\(\): src must be a Tensor of two axes"):
        audio.save(str(tmp_path / "x"), paddle.zeros([3]), 8000)
    with pytest.raises(ValueError, match="only 16 bits"):
        audio.save(str(tmp_path / "x"), paddle.zeros([1, 3]), 8000, bits_per_sample=24)
    with pytest.raises(TypeError, match="float or int16"):
        audio.save(str(tmp_path / "x"), paddle.zeros([1, 3], "int64"), 8000)


def test_a_truncated_file_gives_what_is_there():
    content = written(np.arange(6, dtype="<i2").reshape(3, 2))
    assert audio.load(io.BytesIO(content[:-3]))[0].shape == [2, 2]


def test_backends():
    assert audio.backends.list_available_backends() == [audio.backends.get_current_backend()] == ["wave_backend"]
    audio.backends.set_backend("wave_backend")
    with pytest.raises(NotImplementedError, match="got 'soundfile'"):
        audio.backends.set_backend("soundfile")


def test_features_refuse():
    with pytest.raises(ValueError, match=r"MFCC\(\): n_mfcc 9"):
        audio.features.MFCC(n_mfcc=9, n_mels=8)
    with pytest.raises(ValueError, match=r"Spectrogram\(\): power"):
        audio.features.Spectrogram(power=0)
    for options, name in [({"amin": 0}, "amin"), ({"ref_value": -1}, "ref_value"), ({"top_db": -1.0}, "top_db")]:
        with pytest.raises(ValueError, match=rf"power_to_db\(\): {name}"):
            audio.functional.power_to_db(paddle.ones([2]), **options)
    with pytest.raises(ValueError, match=r"compute_fbank_matrix\(\): norm"):
        audio.functional.compute_fbank_matrix(8000, 16, 4, norm="area")


def test_a_feature_layer_learns():
    """Gradients pass from features to what made the signal."""
    frequency = paddle.to_tensor(0.3, stop_gradient=False)
    signal = paddle.sin(paddle.arange(128, dtype="float32") * frequency).unsqueeze(0)
    audio.features.LogMelSpectrogram(8000, 32, 8, n_mels=6)(signal).mean().backward()
    assert np.isfinite(frequency.grad.item()) and frequency.grad.item() != 0


# ---- data sets -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def home(tmp_path, monkeypatch):
    def refuse(url):
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    monkeypatch.setattr("paddle.utils.download._open", refuse)
    return tmp_path


def tone(k):
    return written((np.sin(np.arange(400) * 0.1 * (k + 1)) * 9000).astype("<i2")[:, None])


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return {"url": f"https://example.org/{path.name}", "md5": common.md5file(path)}


def test_esc50(home):
    rows = [f"{k}.wav,{1 + k % 5},{k * 7},x,True,1,A\n" for k in range(7)]
    table = "filename,fold,target,category,esc10,src_file,take\n" + "".join(rows)
    archive = zipped(home / "ESC-50-master.zip", {"ESC-50-master/meta/esc50.csv": table,
                                                  **{f"ESC-50-master/audio/{k}.wav": tone(k) for k in range(7)}})
    train, dev = audio.datasets.ESC50(archive=archive), audio.datasets.ESC50("dev", archive=archive)
    assert (train.labels, dev.labels) == ([7, 14, 21, 28, 42], [0, 35])
    signal, label = dev[1]
    assert signal.shape == [400] and label == 35
    np.testing.assert_array_equal(signal.numpy(), audio.load(io.BytesIO(tone(5)))[0].numpy()[0])
    (home / "ESC-50-master.zip").unlink()  # what is unpacked is enough
    features, _ = audio.datasets.ESC50("dev", 2, "mfcc", n_mfcc=3, n_fft=64, n_mels=8)[0]
    expected = audio.features.MFCC(8000, 3, n_fft=64, n_mels=8)(audio.load(io.BytesIO(tone(1)))[0])[0]
    np.testing.assert_array_equal(features.numpy(), expected.numpy())
    assert audio.datasets.ESC50("dev", feat_type="spectrogram", n_fft=64)[0][0].shape[0] == 33
    assert len(audio.datasets.ESC50.label_list) == 50


def test_tess(home):
    names = [f"{speaker}_{word}_{emotion}.wav" for speaker in ("OAF", "YAF") for word, emotion in
             (("back", "angry"), ("bar", "ps"), ("bite", "sad"))]
    archive = zipped(home / "tess.zip", {f"TESS_Toronto_emotional_speech_set/{name[:3]}/{name}": tone(k)
                                         for k, name in enumerate(names)})
    train, dev = audio.datasets.TESS(n_folds=3, archive=archive), audio.datasets.TESS("dev", 3, 2)
    assert (train.labels, dev.labels) == ([5, 6, 5, 6], [5, 5])
    assert paddle.io.DataLoader(dev, batch_size=2).__iter__().__next__()[0].shape == [2, 400]


def test_without_files_or_network(home):
    for kind in (audio.datasets.ESC50, audio.datasets.TESS):
        with pytest.raises(RuntimeError, match=r"failed: no network. Without a network, put the file with md5"):
            kind()
        for options in ({"split": 0}, {"split": 6}):
            with pytest.raises(ValueError, match=rf"{kind.__name__}\(\): .*split"):
                kind(**options)


def test_damaged_data(home):
    archive = zipped(home / "x.zip", {"ESC-50-master/readme": b""})
    with pytest.raises(ValueError, match=r"ESC50\(\): the archive .* has no ESC-50-master.audio"):
        audio.datasets.ESC50(archive=archive)
    archive = zipped(home / "y.zip", {"TESS_Toronto_emotional_speech_set/OAF_a_bored.wav": tone(0)})
    with pytest.raises(ValueError, match="must end with one of"):
        audio.datasets.TESS(split=2, archive=archive)
    stereo = home / "s.wav"
    stereo.write_bytes(written(np.zeros((4, 2), "<i2")))
    data = audio.datasets.AudioClassificationDataset
    with pytest.raises(ValueError, match="has 2 channels"):
        data([str(stereo)], [0])[0]
    with pytest.raises(ValueError, match="feat_type must be one of"):
        data([], [], "cepstrum")
