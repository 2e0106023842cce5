"""Operations of neural networks on arrays: convolutions with their gradients, pooling, activations, normalisations, softmax, attention and
products with bias.

Arrays are of float32 or float64, all of one type and on one device; images have the dimensions batch, channel, height, width. A stride, padding,
dilation or size is one number or two, vertical and horizontal. Shapes and types that do not fit raise a ValueError with the numbers; other
things than arrays a TypeError. Each function makes its result, and starts without waiting. docs/operations-networks.md states the algorithms
and their accuracy.

    >>> import prism
    >>> x = prism.reshape(prism.arange(16.0), (1, 1, 4, 4))
    >>> print(prism.nn.pool2d(x)[0, 0])
    [[ 5.  7.]
     [13. 15.]]"""
from . import _given as given
from ._array import Array, call, call_all
from ._array import Shape as _Shape
from ._functions import _taken

ACTIVATIONS = ("none", "relu", "leaky_relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "softplus", "elu")
_METHODS = ("automatic", "direct", "gemm", "winograd")
_POOLING = ("max", "average", "average_with_padding")


def _arrays(function, named):
    """The arrays of {name: value}; those that may be missing have a name with "=" at the end."""
    out = list(_taken(list(named.values())))
    for name, each in zip(named, out):
        if not isinstance(each, Array) and not (each is None and name.endswith("=")):
            raise TypeError(f"nn.{function}: {name.rstrip('=')} is a prism.Array, not {given.shown(each)}; prism.asarray makes arrays of other data")
    return out


def _pair(value, what, least=0):
    return _Shape(given.shape(value, least))


def _window(function, stride, padding, dilation):
    return (None if stride is None else _pair(stride, f"nn.{function}: stride", 1), _pair(padding, f"nn.{function}: padding"),
            _pair(dilation, f"nn.{function}: dilation", 1))


def conv2d(x, weights, bias=None, *, stride=1, padding=0, dilation=1, groups=1, activation="none", method="automatic"):
    """The convolution of x, (n, c, h, w), with weights (o, c / groups, r, s): (n, o, ...) of sums of products, plus bias (o,), then the activation.
    The result has (h + 2 padding - dilation (r - 1) - 1) // stride + 1 rows. method: "automatic", "direct", "gemm" or "winograd"."""
    x, weights, bias = _arrays("conv2d", {"x": x, "weights": weights, "bias=": bias})
    return call("conv2d", x, weights, bias, *_window("conv2d", stride, padding, dilation), given.whole(groups, "nn.conv2d: groups", 1),
                given.one_of(activation, ACTIVATIONS, "nn.conv2d: activation"), given.one_of(method, _METHODS, "nn.conv2d: method"))


def conv2d_gradient_of_data(dy, weights, points, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv2d by x for the gradient dy by its result; points: the height and the width of x, which dy does not determine."""
    dy, weights = _arrays("conv2d_gradient_of_data", {"dy": dy, "weights": weights})
    return call("conv2d_gradient_of_data", dy, weights, _pair(points, "points", 1), *_window("conv2d_gradient_of_data", stride, padding, dilation),
                given.whole(groups, "nn.conv2d_gradient_of_data: groups", 1))


def conv2d_gradient_of_weights(x, dy, points, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv2d by the weights for the gradient dy by its result; points: the height and the width of the weights. That by the bias
    is the sum of dy over all axes but the second."""
    x, dy = _arrays("conv2d_gradient_of_weights", {"x": x, "dy": dy})
    return call("conv2d_gradient_of_weights", x, dy, _pair(points, "points", 1), *_window("conv2d_gradient_of_weights", stride, padding, dilation),
                given.whole(groups, "nn.conv2d_gradient_of_weights: groups", 1))


def pool2d(x, kind="max", size=2, *, stride=None, padding=0, dilation=1):
    """The largest value or the mean of each window of x, (n, c, h, w); stride: the size by default. kind: "max", "average", or
    "average_with_padding", which counts the padding. A window with NaN has the maximum NaN."""
    x, = _arrays("pool2d", {"x": x})
    return call("pool2d", x, given.one_of(kind, _POOLING, "nn.pool2d: kind"), _pair(size, "size", 1), *_window("pool2d", stride, padding, dilation))


def pool2d_gradient(x, dy, kind="max", size=2, *, stride=None, padding=0, dilation=1):
    """The gradient of pool2d by x for the gradient dy by its result, in the shape of x. Of equal largest values the first one has it."""
    x, dy = _arrays("pool2d_gradient", {"x": x, "dy": dy})
    return call("pool2d_gradient", x, dy, given.one_of(kind, _POOLING, "nn.pool2d_gradient: kind"), _pair(size, "size", 1),
                *_window("pool2d_gradient", stride, padding, dilation))


def activate(x, activation):
    """The activation of each element: "relu", "leaky_relu" (slope 0.01), "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "softplus" or "elu"."""
    x, = _arrays("activate", {"x": x})
    return call("activate", x, given.one_of(activation, ACTIVATIONS, "nn.activate: activation"))


def activate_gradient(x, dy, activation):
    """dy times the derivative of the activation at x, both of one shape; relu has the derivative 0 at 0."""
    x, dy = _arrays("activate_gradient", {"x": x, "dy": dy})
    return call("activate_gradient", x, dy, given.one_of(activation, ACTIVATIONS, "nn.activate_gradient: activation"))


def batch_norm(x, mean, variance, gamma, beta, *, epsilon=1e-5, activation="none"):
    """(x - mean) gamma / sqrt(variance + epsilon) + beta, then the activation; all but x are vectors with a number for each channel, the second axis
    of x. x has 2 to 4 dimensions."""
    values = _arrays("batch_norm", {"x": x, "mean": mean, "variance": variance, "gamma": gamma, "beta": beta})
    return call("batch_norm", *values, given.real(epsilon, "nn.batch_norm: epsilon"), given.one_of(activation, ACTIVATIONS, "nn.batch_norm: activation"))


def batch_statistics(x):
    """(mean, variance) of each channel, the second axis of x, which has 2 to 4 dimensions. The variance is divided by the count."""
    return tuple(call_all("batch_statistics", *_arrays("batch_statistics", {"x": x})))


def softmax(x, axis=-1):
    """exp(x - max) divided by its sum along an axis. An axis of -inf alone gives NaN."""
    return call("softmax", *_arrays("softmax", {"x": x}), given.whole(axis, "nn.softmax: axis", -8, 7))


def log_softmax(x, axis=-1):
    """The logarithm of softmax, x - max - log(sum of exp(x - max)), without overflow."""
    return call("log_softmax", *_arrays("log_softmax", {"x": x}), given.whole(axis, "nn.log_softmax: axis", -8, 7))


def layer_norm(x, gamma, beta, *, epsilon=1e-5):
    """Rows of the last axis minus their mean, divided by sqrt(variance + epsilon), times gamma, plus beta, which are vectors of its extent."""
    return call("layer_norm", *_arrays("layer_norm", {"x": x, "gamma": gamma, "beta": beta}), given.real(epsilon, "nn.layer_norm: epsilon"))


def attention(q, k, v, mask=None, *, causal=False, scale=None):
    """softmax(scale q k^T + mask) v for each batch and head: q (b, h, n, d), k (b, h, m, d), v (b, h, m, e) give (b, h, n, e); d and e are at most
    256. scale: 1 / sqrt(d) by default. mask: of (b, h, n, m) or broadcast to it; -inf excludes a key. causal: query i has the keys up to
    i + m - n. A query without a key gives zeros."""
    q, k, v, mask = _arrays("attention", {"q": q, "k": k, "v": v, "mask=": mask})
    if not isinstance(causal, bool):
        raise TypeError(f"nn.attention: causal is True or False, not {given.shown(causal)}")
    return call("attention", q, k, v, mask, causal, None if scale is None else given.real(scale, "nn.attention: scale"))


def linear(x, weights, bias=None, *, activation="none"):
    """x weights^T + bias, then the activation: x (..., k), weights (m, k) and bias (m,) give (..., m)."""
    x, weights, bias = _arrays("linear", {"x": x, "weights": weights, "bias=": bias})
    return call("linear", x, weights, bias, given.one_of(activation, ACTIVATIONS, "nn.linear: activation"))


def quantised_matmul(a, b, *, zero_a=0, zero_b=0, scale=1.0):
    """scale times the sum over k of (a - zero_a) (b - zero_b) for int8: a (n, k), b (m, k) give float32 (n, m). The sums are exact; k is at most
    32,768."""
    a, b = _arrays("quantised_matmul", {"a": a, "b": b})
    return call("quantised_matmul", a, given.whole(zero_a, "nn.quantised_matmul: zero_a", -128, 127), b,
                given.whole(zero_b, "nn.quantised_matmul: zero_b", -128, 127), given.real(scale, "nn.quantised_matmul: scale"))


def quantised_conv2d(x, weights, *, zero_x=0, zero_w=0, scale=1.0, stride=1, padding=0, dilation=1, groups=1):
    """conv2d of int8: scale times the sums of (x - zero_x) (weights - zero_w), with x = zero_x in the padding, as float32. The sums are exact; a sum
    has at most 32,768 products, and a window at most 258 points (1,024 with zero points of 0)."""
    x, weights = _arrays("quantised_conv2d", {"x": x, "weights": weights})
    return call("quantised_conv2d", x, given.whole(zero_x, "nn.quantised_conv2d: zero_x", -128, 127), weights,
                given.whole(zero_w, "nn.quantised_conv2d: zero_w", -128, 127), given.real(scale, "nn.quantised_conv2d: scale"),
                *_window("quantised_conv2d", stride, padding, dilation), given.whole(groups, "nn.quantised_conv2d: groups", 1))
