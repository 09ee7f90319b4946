"""A page of HTML with curves: one picture per tag, one line per run, drawn as SVG without any script."""

import html
import math

_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 460, 260, 60, 28, 12, 12
_MOST_POINTS = 800  # of one line; more cannot be seen
_STYLE = """body{font:14px system-ui,sans-serif;margin:1.5em;color:#222;background:#fff}h1{font-size:1.2em}
figure{display:inline-block;margin:0 1.5em 1.5em 0}figcaption{font-weight:600;margin-bottom:.3em}
svg text{font:11px system-ui,sans-serif;fill:#555}.key span{margin-right:1.2em}"""


def page(runs, title, refresh=None):
    """The whole page for {run: {tag: [(step, value), ...]}}; with ``refresh`` a browser reads it anew after so many seconds."""
    colours = {run: _COLOURS[k % len(_COLOURS)] for k, run in enumerate(runs)}
    tags = sorted({tag for curves in runs.values() for tag in curves})
    key = "".join(f'<span style="color:{colour}">&#9632; {html.escape("all" if run == "." else run)}</span>'
                  for run, colour in colours.items())
    figures = "".join(_figure(tag, {run: curves[tag] for run, curves in runs.items() if tag in curves}, colours) for tag in tags)
    again = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{again}<title>{html.escape(title)}</title>'
            f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1><p class=\"key\">{key}</p>"
            f"{figures or '<p>No numbers yet.</p>'}</body></html>\n")


def picture(points, title, note=""):
    """One curve [(step, value), ...] as an SVG file of its own, with a title above and a note below."""
    font = 'font-family="system-ui,sans-serif" font-size="12"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT + 48}" {font}>'
            f'<rect width="100%" height="100%" fill="#fff"/><text x="12" y="17" font-weight="600">{html.escape(title)}</text>'
            f'<g transform="translate(0,24)">{_svg({"": _thinned(points)}, {"": _COLOURS[0]})}</g>'
            f'<text x="12" y="{_HEIGHT + 41}" fill="#555">{html.escape(note)}</text></svg>\n')


def _figure(tag, lines, colours):
    lines = {run: _thinned(points) for run, points in lines.items()}
    last = ", ".join(_number(points[-1][1]) for points in lines.values() if points)
    return (f"<figure><figcaption>{html.escape(tag)} <small>last: {last}</small></figcaption>{_svg(lines, colours)}</figure>")


def _thinned(points):
    if len(points) <= _MOST_POINTS:
        return points
    step = (len(points) - 1) / (_MOST_POINTS - 1)
    return [points[round(k * step)] for k in range(_MOST_POINTS)]


def _svg(lines, colours):
    finite = [(step, value) for points in lines.values() for step, value in points if math.isfinite(value)]
    if not finite:
        return "<p>no finite values</p>"
    across, up = _ticks(*_ends(step for step, _ in finite)), _ticks(*_ends(value for _, value in finite))
    x0, x1 = _ends(step for step, _ in finite)
    y0, y1 = min(up[0], min(v for _, v in finite)), max(up[-1], max(v for _, v in finite))

    def x(step):
        return _LEFT + (step - x0) / ((x1 - x0) or 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(value):
        return _HEIGHT - _BOTTOM - (value - y0) / ((y1 - y0) or 1) * (_HEIGHT - _BOTTOM - _TOP)
    parts = []
    for tick in up:
        parts.append(f'<path d="M{_LEFT},{y(tick):.1f}H{_WIDTH - _RIGHT}" stroke="#e5e5e5"/>'
                     f'<text x="{_LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{_number(tick)}</text>')
    for tick in across:
        if x0 <= tick <= x1:
            parts.append(f'<text x="{x(tick):.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{_number(tick)}</text>')
    for run, points in lines.items():
        parts.extend(_line(points, x, y, colours[run]))
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{"".join(parts)}</svg>'


def _line(points, x, y, colour):
    """Polylines between the values that are no numbers; a point that is alone is a dot."""
    pieces = [[]]
    for step, value in points:
        if math.isfinite(value):
            pieces[-1].append(f"{x(step):.1f},{y(value):.1f}")
        elif pieces[-1]:
            pieces.append([])
    for piece in filter(None, pieces):
        if len(piece) == 1:
            cx, cy = piece[0].split(",")
            yield f'<circle cx="{cx}" cy="{cy}" r="2.5" fill="{colour}"/>'
        else:
            yield f'<polyline points="{" ".join(piece)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def _ends(values):
    values = list(values)
    return min(values), max(values)


def _ticks(low, high):
    """Three to seven round numbers around an interval."""
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    size = 10.0 ** math.floor(math.log10((high - low) / 3))
    size *= next(k for k in (1, 2, 5, 10) if (high - low) / (size * k) <= 6)
    first, last = math.floor(low / size), math.ceil(high / size)
    return [k * size for k in range(first, last + 1)]


def _number(value):
    return f"{value:.4g}"
