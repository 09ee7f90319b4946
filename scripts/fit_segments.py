"""Fit the polynomials of kernels/native/segments.h: functions on 32 equal segments, whose coefficients are looked up in registers.

    python scripts/fit_segments.py          # rewrite the header
    python scripts/fit_segments.py --check  # measure its errors

Segment k is the stretch of half a step to both sides of k * step; its polynomial is in the distance from there. Coefficients are
found by least squares at Chebyshev's points, weighted so that relative errors count, and rounded to float32 one after the other,
the lower ones fitted again with the upper ones fixed.
"""

import argparse
import math
import os

import numpy as np

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src/paddle/kernels/native/segments.h")
SEGMENTS = 32


def tail(u):
    """The standard normal distribution beyond u."""
    return 0.5 * math.erfc(u * math.sqrt(0.5))


def density(u):
    return math.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)


FUNCTIONS = {  # name: (function, step, degree, what it is)
    "tanh": (math.tanh, 19 / 64, 6, "tanh"),
    "erf": (math.erf, 1 / 8, 5, "error function"),
    "normal_tail": (tail, 1 / 8, 5, "standard normal distribution beyond u"),
    "gelu_low": (lambda u: tail(u) - u * density(u), 1 / 8, 5, "slope of gelu at -u"),
}


def fitted(function, centre, half, degree, first):
    """Coefficients, lowest first, on [centre - half, centre + half] (at the first segment from the centre on)."""
    nodes = np.cos((np.arange(64) + 0.5) * np.pi / 64)
    d = (nodes + 1) * half / 2 if first else nodes * half
    values = np.array([function(centre + v) for v in d])
    size = np.maximum(np.abs(values), 1e-3 * np.abs(values).max())
    found, free = np.zeros(degree + 1), list(range(degree + 1))
    if first and function(0.0) == 0.0:
        free.remove(0)  # 0 comes out as 0
    rest = values
    while free:
        powers = np.stack([d ** k for k in free], 1)
        scale = half ** np.array(free)
        solution = np.linalg.lstsq(powers / scale / size[:, None], rest / size, rcond=None)[0] / scale
        k = free.pop(0)
        found[k] = np.float32(solution[0])
        rest = rest - found[k] * d ** k
    return found


def table(name):
    function, step, degree, _ = FUNCTIONS[name]
    return np.stack([fitted(function, k * step, step / 2, degree, k == 0) for k in range(SEGMENTS)], 1)


def errors(name):
    """(largest error in units of the last place, absolute) of float32 arithmetic over the range."""
    function, step, degree, _ = FUNCTIONS[name]
    coefficients = table(name).astype(np.float32)
    u = np.linspace(0, (SEGMENTS - 0.51) * step, 200001).astype(np.float32)
    k = np.rint(u.astype(np.float64) / step).astype(int)
    d = (u - k * step).astype(np.float32).astype(np.float64)
    value = coefficients[degree][k].astype(np.float64)
    for row in coefficients[-2::-1]:
        value = (value * d + row[k]).astype(np.float32).astype(np.float64)  # a fused multiply-add rounds once
    exact = np.array([function(float(v)) for v in u])
    off = np.abs(value - exact)
    return (off / np.spacing(np.abs(exact).astype(np.float32))).max(), off.max()


def written():
    lines = ["/* Functions on 32 equal segments: row k has the coefficients of the k-th power of the distance from the nearest",
             " * multiple of the step, a column per multiple. Written by scripts/fit_segments.py. */", "#pragma once", ""]
    for name, (_, step, degree, what) in FUNCTIONS.items():
        lines += [f"/* {what} */", f"#define {name.upper()}_STEP {step!r}f", f"#define {name.upper()}_DEGREE {degree}",
                  f"static const float {name}_segments[{degree + 1}][{SEGMENTS}] = {{"]
        for row in table(name):
            texts = [f"{v:.9g}" for v in row]
            texts = [t + ("f" if "." in t or "e" in t else ".0f") for t in texts]
            lines.append("    {" + texts[0] + ",")
            line = "    "
            for text in texts[1:]:
                if len(line) + len(text) > 118:
                    lines.append(line)
                    line = "    "
                line += " " + text + ","
            lines.append(line.rstrip(",") + "},")
        lines[-1] = lines[-1].rstrip(",")
        lines += ["};", ""]
    return "\n".join(lines[:-1]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        for name in FUNCTIONS:
            ulp, off = errors(name)
            print(f"{name}: {ulp:.2f} ulp, {off:.2g} absolute")
        return
    with open(HEADER, "w") as file:
        file.write(written())


if __name__ == "__main__":
    main()
