"""Line charts as SVG, without any library."""

import math

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 52
COLOURS = ("#1f6fb4", "#d1622b", "#3b8f4e", "#8450a8", "#777777")
UNITS = {-9: "1 ns", -8: "10 ns", -7: "100 ns", -6: "1 µs", -5: "10 µs", -4: "100 µs", -3: "1 ms", -2: "10 ms", -1: "100 ms",
         0: "1 s", 1: "10 s", 2: "100 s"}


def _decades(values):
    """The whole powers of ten that enclose the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _text(x, y, text, anchor="middle", size=12, extra=""):
    safe = str(text).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{extra}>{safe}</text>'


def _count(power):
    """10 to the power, as people write it."""
    return str(10 ** power) if power < 3 else f"{10 ** (power - 3)}k" if power < 6 else f"{10 ** (power - 6)}M"


def line_chart(title, x_title, series):
    """SVG text of a chart; ``series`` is {name: [(count, seconds), ...]}."""
    points = [p for line in series.values() for p in line]
    x_low, x_high = _decades([x for x, _ in points])
    y_low, y_high = _decades([y for _, y in points])

    def across(x):
        return LEFT + (math.log10(x) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def up(y):
        return HEIGHT - BOTTOM - (math.log10(y) - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    parts = _opening(title)
    for power in range(x_low, x_high + 1):
        x = across(10.0 ** power)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 18, _count(power)))
    for power in range(y_low, y_high + 1):
        y = up(10.0 ** power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 8, y + 4, UNITS.get(power, f"1e{power} s"), "end"))
    return _with_lines(parts, x_title, series, across, up)


def rate_chart(title, x_title, series):
    """The same with sizes, powers of two, across and rates, from 0 on, upwards; ``series`` is {name: [(size, rate), ...]}."""
    points = [p for line in series.values() for p in line]
    low, high = min(math.log2(x) for x, _ in points), max(math.log2(x) for x, _ in points)
    step = 10 ** math.floor(math.log10(max(y for _, y in points)))
    step = step if max(y for _, y in points) >= 4 * step else step / 2
    top = math.ceil(max(y for _, y in points) / step) * step

    def across(x):
        return LEFT + (math.log2(x) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def up(y):
        return HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    parts = _opening(title)
    for power in range(math.ceil(low), math.floor(high) + 1):
        x = across(2.0 ** power)
        parts += [f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>', _text(x, HEIGHT - BOTTOM + 18, 2 ** power)]
    for k in range(round(top / step) + 1):
        y = up(k * step)
        parts += [f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>', _text(LEFT - 8, y + 4, f"{k * step:g}", "end")]
    return _with_lines(parts, x_title, series, across, up, legend=HEIGHT - BOTTOM - 18 * len(series) - 20)


def _opening(title):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" fill="#222">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', _text(LEFT, 22, title, "start", 15)]


def _with_lines(parts, x_title, series, across, up, legend=TOP):
    """The text of a chart whose axes are drawn: its lines and their names, from the height ``legend`` on."""
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_title))
    for k, (name, line) in enumerate(series.items()):
        colour = COLOURS[k % len(COLOURS)]
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
        parts.append(f'<path d="M{LEFT + 14} {legend + 16 + 18 * k}h22" stroke="{colour}" stroke-width="3"/>')
        parts.append(_text(LEFT + 42, legend + 20 + 18 * k, name, "start", 13))
    return "\n".join([*parts, "</svg>", ""])
