"""A curve as a picture in SVG: axes from 0 with round numbers, without any other package."""
import html
import math

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _EDGE = 640, 400, 60, 50, 15


def _marks(largest):
    """Round numbers from 0 to at most `largest`, 3 to 8 of them."""
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(power * part for part in (0.2, 0.5, 1, 2) if largest / (power * part) < 7.5)
    return [k * step for k in range(int(largest / step * (1 + 1e-9)) + 1)]


def curve(xs, ys, x_title, y_title):
    """The text of the picture of a curve through points that are not negative."""
    right, top = max(xs) or 1.0, 1.05 * max(ys) or 1.0
    across, up = _WIDTH - _LEFT - _EDGE, _HEIGHT - _BOTTOM - _EDGE

    def x_of(x):
        return _LEFT + across * x / right

    def y_of(y):
        return _HEIGHT - _BOTTOM - up * y / top
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>']
    for x in _marks(right):
        out.append(f'<path d="M{x_of(x):.1f} {y_of(0):.1f}V{_EDGE}" stroke="#ddd"/>'
                   f'<text x="{x_of(x):.1f}" y="{y_of(0) + 18:.1f}" text-anchor="middle">{x:g}</text>')
    for y in _marks(top):
        out.append(f'<path d="M{_LEFT} {y_of(y):.1f}H{_WIDTH - _EDGE}" stroke="#ddd"/>'
                   f'<text x="{_LEFT - 6}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    points = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in zip(xs, ys))
    out += [f'<polyline points="{points}" fill="none" stroke="#3b4cc0" stroke-width="2"/>',
            f'<text x="{_LEFT + across / 2}" y="{_HEIGHT - 12}" text-anchor="middle">{html.escape(x_title)}</text>',
            f'<text transform="translate(16 {_EDGE + up / 2}) rotate(-90)" text-anchor="middle">{html.escape(y_title)}</text>']
    return "\n".join(out + ["</svg>", ""])
