"""paddle.audio: the mel scale, features of signals and their gradients."""

from oracle_table import f, pos, table

table("""
A.hz_to_mel(x * 900)
A.hz_to_mel(x * 900, True)
A.mel_to_hz(x * 9)
A.mel_to_hz(x * 900, True)
A.power_to_db(x)
A.power_to_db(x, 2.0, 0.5, 3.0)
A.power_to_db(x, top_db=None)
""".replace("A.", "paddle.audio.functional."), x=pos(7), rtol=2e-5)
table("""
A.mel_frequencies(5, 20.0, 4000.0, True)
A.compute_fbank_matrix(8000, 32, 6, 50.0, 3000.0)
A.compute_fbank_matrix(8000, 32, 6, htk=True, norm=None, dtype='float64')
A.compute_fbank_matrix(8000, 32, 6, norm=2.0)
A.create_dct(4, 6, None)
A.create_dct(6, 6, dtype='float64')
A.fft_frequencies(22050, 10, 'float64')
A.get_window(('tukey', 0.3), 9)
A.hz_to_mel(3000)
A.mel_to_hz(40.0, htk=True)
""".replace("A.", "paddle.audio.functional."), rtol=2e-5)
table("""
F.Spectrogram(n_fft=32, hop_length=8)(x)
F.Spectrogram(n_fft=32, hop_length=None, win_length=24, window='hamming', power=2.0)(x)
F.Spectrogram(n_fft=32, hop_length=8, center=False)(x)
F.Spectrogram(n_fft=32, hop_length=8, pad_mode='constant')(x)
F.Spectrogram(n_fft=16, hop_length=8, window=('gaussian', 4.0), power=0.5)(x)
F.MelSpectrogram(8000, 32, 8, n_mels=6)(x)
F.MelSpectrogram(8000, 32, None, n_mels=6, f_min=0.0, f_max=3000.0, htk=True, norm=1.0)(x)
F.LogMelSpectrogram(8000, 32, 8, n_mels=6)(x)
F.LogMelSpectrogram(8000, 32, 8, n_mels=6, ref_value=0.5, amin=1e-3, top_db=20.0)(x)
F.MFCC(8000, 4, 32, 8, n_mels=6)(x)
list(F.MFCC(8000, 4, 32, 8, n_mels=6).state_dict())
""".replace("F.", "paddle.audio.features."), x=f(2, 96), rtol=2e-4, atol=2e-4)
