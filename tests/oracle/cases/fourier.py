"""Complex numbers, Fourier transforms, short-time transforms."""

from oracle_table import c, d, f, i, table

table("""
paddle.real(z)
paddle.imag(z)
paddle.conj(z)
paddle.angle(z)
paddle.abs(z)
paddle.as_real(z)
z.real()
z.imag()
z.conj()
z + z * 2
z * (1 + 2j)
z - 1.5
z / (z + 5)
-z
paddle.exp(z)
paddle.sin(z)
paddle.cos(z)
paddle.tanh(z)
paddle.sgn(z)
paddle.matmul(z, z.t())
paddle.is_complex(z)
paddle.multiply(z, z)
paddle.divide(z, z + 3)
paddle.concat([z, z])
""", z=c(2, 3), rtol=3e-5)
table("""
paddle.conj(x)
paddle.angle(x)
paddle.as_complex(x)
paddle.complex(x, x + 1)
paddle.sgn(x)
paddle.complex(x, x[0]).abs()
x.astype('complex64') * 1j
""", x=f(3, 2), rtol=3e-5)

for name in ["fft", "ifft", "rfft", "ihfft"]:
    table(f"""
    fft.{name}(x)
    fft.{name}(x, n=6)
    fft.{name}(x, n=3, axis=0)
    fft.{name}(x, axis=-2, norm='ortho')
    fft.{name}(x, norm='forward')
    """, x=f(4, 5), rtol=3e-5)
for name in ["fft", "ifft", "irfft", "hfft"]:
    table(f"""
    fft.{name}(z)
    fft.{name}(z, n=6)
    fft.{name}(z, axis=0, norm='ortho')
    """, z=c(4, 5), rtol=3e-5)
for name in ["fft2", "ifft2", "rfft2", "ihfft2", "fftn", "ifftn", "rfftn", "ihfftn"]:
    table(f"""
    fft.{name}(x)
    fft.{name}(x, s=[3, 4], axes=[0, 1])
    fft.{name}(x, norm='ortho')
    """, x=f(2, 3, 4), rtol=3e-5)
for name in ["fft2", "ifft2", "irfft2", "hfft2", "fftn", "ifftn", "irfftn", "hfftn"]:
    table(f"""
    fft.{name}(z)
    fft.{name}(z, s=[3, 4], axes=[1, 2])
    """, z=c(2, 3, 4), rtol=3e-5)
table("""
fft.fftfreq(5)
fft.fftfreq(6, d=0.5)
fft.rfftfreq(5)
fft.rfftfreq(6, 0.5)
""")
table("""
fft.fftshift(x)
fft.fftshift(x, axes=0)
fft.ifftshift(x)
fft.ifftshift(x, axes=[0, 1])
fft.fft(h)
fft.rfft(h)
fft.irfft(fft.rfft(h), n=5)
fft.ifft(fft.fft(h)).real()
fft.fft(k)
fft.rfft(k)
""", x=f(4, 5), h=d(3, 5), k=i(4), rtol=3e-5)

WINDOW = "w = paddle.to_tensor([0.2, 0.7, 1.0, 0.6]); "
table(f"""
signal.stft(x, 4)
signal.stft(x, n_fft=4, hop_length=2)
signal.stft(x, 4, 2, 3)
{WINDOW}signal.stft(x, 4, 1, window=w)
signal.stft(x, 4, 2, center=False)
signal.stft(x, 4, 2, pad_mode='constant')
signal.stft(x, 4, 2, normalized=True)
signal.stft(x, 4, 2, onesided=False)
signal.stft(y, 4, 2)
signal.istft(signal.stft(x, 4, 2), 4, 2)
{WINDOW}signal.istft(signal.stft(x, 4, 2, window=w), 4, 2, window=w)
signal.istft(signal.stft(x, 4, 2, normalized=True), 4, 2, normalized=True)
signal.istft(signal.stft(x, 4, 2), 4, 2, length=10)
x.stft(4, 2)
""", x=f(2, 12), y=f(12), rtol=3e-5)
