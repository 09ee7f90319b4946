"""How large a tensor is, seen over some batches: the scale beyond which values are cut."""

import numpy as np

BINS = 2048
_SHARES = 0.3 + 0.02 * np.arange(35)  # of the largest magnitude, that are tried as scales


class AbsMax:
    """The largest magnitude of all batches."""

    rounds = 1  # how often the data is gone through

    def __init__(self, bits, onnx_format, percent):
        self.bits, self.onnx_format, self.percent, self.limit, self.found = bits, onnx_format, percent, 2 ** (bits - 1) - 1, None

    def see(self, x, round):
        """Look at a batch."""
        self.found = max(self.found or 0.0, float(np.abs(x).max()))

    def scale(self):
        """The scale found; None if nothing was seen."""
        return self.found


class Average(AbsMax):
    """The mean of the rows' largest magnitudes."""

    def see(self, x, round):
        self.found = [*(self.found or []), float(np.abs(x.reshape(x.shape[0] if x.ndim else 1, -1)).max(axis=1).mean())]

    def scale(self):
        return None if self.found is None else float(np.mean(self.found))


class SquaredError(AbsMax):
    """The scale with the smallest squared error of rounding in any batch."""

    best = np.inf

    def see(self, x, round):
        x = x.reshape(-1)
        for share in _SHARES:
            scale = share * (float(np.abs(x).max()) or 1e-8)
            loss = self.loss(x, self._rounded(x, scale))
            if loss <= self.best:
                self.best, self.found = loss, float(scale)

    def _rounded(self, x, scale):
        if self.onnx_format:
            return np.clip(np.round(x / scale * self.limit), -self.limit - 1, self.limit) / self.limit * scale
        return np.round(np.clip(x, 0.0, scale) / scale * self.limit) / self.limit * scale

    def loss(self, x, rounded):
        """What is to be small."""
        return ((x - rounded) ** 2).mean()


class MovedEarth(SquaredError):
    """The scale with which rounding changes mean and spread least."""

    def loss(self, x, rounded):
        return np.abs(x.mean() - rounded.mean()) + np.abs(x.std() - rounded.std())


class PowersOfTwo(AbsMax):
    """The largest magnitude of the last batch, or 1/2, 1/4, 1/8 of it, whichever rounds best."""

    def see(self, x, round):
        whole = float(np.abs(x).max()) / self.limit or 1e-8
        steps = [whole / 8, whole / 4, whole / 2, whole]
        losses = [((x - np.clip(np.round(x / s), 0, self.limit) * s) ** 2).mean() for s in steps]
        self.found = self.limit * steps[int(np.argmin(losses))]


class Divergence(AbsMax):
    """The scale that keeps the distribution of magnitudes best, by the Kullback-Leibler divergence."""

    rounds = 2
    low = high = counts = edges = None

    def see(self, x, round):
        x = np.abs(x)
        if round == 0:
            self.low = float(x.min()) if self.low is None else min(self.low, float(x.min()))
            self.high = float(x.max()) if self.high is None else max(self.high, float(x.max()))
            return
        if self.counts is None:
            self.counts, self.edges = np.histogram([], bins=BINS, range=(self.low, self.high))
        self.counts = self.counts + np.histogram(x, bins=self.edges)[0]

    def scale(self):
        return None if self.counts is None else self._chosen(self.edges[1] - self.edges[0])

    def _chosen(self, width):
        return float(cal_kl_threshold(self.counts, width, self.bits))


class Percentile(Divergence):
    """The scale that a share of all magnitudes does not pass."""

    def _chosen(self, width):
        shares = np.cumsum(self.counts) / self.counts.sum()
        reached = np.nonzero(shares >= self.percent)[0]
        return float(((reached[0] + 1 if len(reached) else 0) - 0.5) * width)


WAYS = {"abs_max": AbsMax, "avg": Average, "mse": SquaredError, "emd": MovedEarth, "ptf": PowersOfTwo, "KL": Divergence,
        "hist": Percentile}


def cal_kl_threshold(hist, bin_width, bits):
    """The magnitude at which to cut, so that the counts of a histogram and of its steps differ least in the sense of Kullback and
    Leibler."""
    hist = np.asarray(hist, np.float64)
    if hist.ndim != 1:
        raise ValueError(f"cal_kl_threshold(): hist must have one axis, got shape {list(hist.shape)}")
    parts, total, start = 2 ** (bits - 1) - 1, hist.sum(), (len(hist) - 1) // 2
    best, cut = None, 0
    for i in range(start, len(hist)):
        if hist[i - 1] == 0:
            continue
        divergence = _divergence(hist[:i], hist[i:].sum(), parts, total)
        if best is None or divergence < best:
            best, cut = divergence, i
    if cut == 0:
        filled = np.nonzero(hist[:start + 1])[0]
        cut = filled[-1] if len(filled) else 0
    return (cut + 0.5) * bin_width


def _divergence(counts, beyond, parts, total):
    """Of counts, with those beyond the cut added to the last, from the same counts merged into so many parts."""
    whole = counts.copy()
    whole[-1] += beyond
    starts = np.arange(parts) * (len(counts) // parts)
    sizes = np.diff(np.append(starts, len(counts)))
    filled = whole != 0
    merged = np.add.reduceat(counts, starts) / np.maximum(np.add.reduceat(filled.astype(float), starts), 1)
    spread = np.where(filled, np.repeat(merged, sizes), 0)
    p, q = whole[filled], spread[filled]
    return (p * (np.log(spread.sum() * p) - np.log(total * q))).sum() / total


def merged_histogram(x, high, counts, bins, upsample):
    """(upper end, counts) of a histogram of magnitudes from 0 on, with those of x added.

    Where x goes beyond the end, the old counts are spread over a grid that is finer by ``upsample`` and gathered in wider bins.
    """
    x = np.abs(x)
    top = float(x.max()) if x.size else 0.0
    if top == 0.0 and counts is not None or x.size == 0:
        return high, counts
    if counts is None or high == 0.0:
        return top, None if top == 0.0 else np.histogram(x, bins=bins, range=(0.0, top))[0].astype(np.float32)
    if top > high:
        fine = high / (bins * upsample)
        factor = int(np.ceil(top / (bins * fine)))
        spread = np.zeros(bins * factor)
        spread[:bins * upsample] = np.repeat(counts, upsample)
        high, counts = bins * fine * factor, (spread.reshape(bins, factor).sum(axis=1) / upsample).astype(np.float32)
    return high, counts + np.histogram(x, bins=bins, range=(0.0, high))[0].astype(np.float32)


def share_of_histogram(counts, high, percent):
    """The magnitude that a share of all does not pass, in the middle of the bin before."""
    reached = int(np.argmax(np.cumsum(counts.astype(np.float64) / counts.sum(dtype=np.float64)) >= percent))
    return float((reached - 0.5) * (high / len(counts)))
