"""prism.nn against its definitions in NumPy, on the device of PRISM_DEVICE_SELECTOR: python_networks_test.py PACKAGE_FOLDER."""
import itertools
import math
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

try:
    import numpy
except ImportError:
    print("skipped: needs NumPy")
    sys.exit(77)
TYPES = ("float32", "float64") if prism.Device().has("fp64") else ("float32",)
ACTIVATIONS = {"none": lambda x: x, "relu": lambda x: numpy.maximum(x, 0), "leaky_relu": lambda x: numpy.where(x > 0, x, 0.01 * x),
               "gelu": lambda x: x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))) / 2,
               "gelu_tanh": lambda x: x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2,
               "silu": lambda x: x / (1 + numpy.exp(-x)), "tanh": numpy.tanh, "sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
               "softplus": lambda x: numpy.log1p(numpy.exp(x)), "elu": lambda x: numpy.where(x > 0, x, numpy.expm1(x))}


def noise(*shape, seed=1):
    """Numbers that float32 has, as float64."""
    return numpy.random.default_rng(seed).uniform(-1, 1, shape).astype("f4").astype("f8")


def windows(x, size, stride, padding, dilation, outside):
    """(n, c, rows, columns, r, s): the points of each window of x."""
    n, c, h, w = x.shape
    wide = numpy.full((n, c, h + 2 * padding[0], w + 2 * padding[1]), outside)
    wide[:, :, padding[0]:padding[0] + h, padding[1]:padding[1] + w] = x
    rows, columns = ((wide.shape[2 + d] - dilation[d] * (size[d] - 1) - 1) // stride[d] + 1 for d in (0, 1))
    out = numpy.empty((n, c, rows, columns, *size))
    for i, j, r, s in itertools.product(range(rows), range(columns), range(size[0]), range(size[1])):
        out[:, :, i, j, r, s] = wide[:, :, i * stride[0] + r * dilation[0], j * stride[1] + s * dilation[1]]
    return out


def convolution(x, weights, stride, padding, dilation, groups):
    parts = windows(x, weights.shape[2:], stride, padding, dilation, 0.0)
    c, o = x.shape[1] // groups, weights.shape[0] // groups
    return numpy.concatenate([numpy.einsum("ncijrs,ocrs->noij", parts[:, g * c:(g + 1) * c], weights[g * o:(g + 1) * o]) for g in range(groups)], axis=1)


def softmax(x, axis=-1):
    e = numpy.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


class Networks(unittest.TestCase):
    def near(self, ours, theirs, kind, digits=1.0):
        ours = numpy.asarray(ours)
        self.assertEqual((ours.shape, ours.dtype.name), (theirs.shape, kind))
        numpy.testing.assert_allclose(ours, theirs, rtol=0, atol=digits * (2e-5 if kind == "float32" else 1e-13) * max(1.0, float(abs(theirs).max(initial=0))))

    def test_convolutions_and_their_gradients_are_the_sums_of_their_definition(self):
        for kind in TYPES:
            for stride, padding, dilation, groups in (((1, 1), (0, 0), (1, 1), 1), ((2, 1), (1, 2), (1, 2), 1), ((1, 3), (2, 0), (2, 1), 2), ((1, 1), (1, 1), (1, 1), 4)):
                x, weights, bias = noise(2, 4, 8, 9), noise(8, 4 // groups, 3, 2, seed=2), noise(8, seed=3)
                wanted = convolution(x, weights, stride, padding, dilation, groups)
                ours = {name: prism.asarray(each, dtype=kind) for name, each in {"x": x, "w": weights, "b": bias}.items()}
                how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
                self.near(prism.nn.conv2d(ours["x"], ours["w"], **how), wanted, kind)
                with_bias = prism.nn.conv2d(ours["x"], ours["w"], ours["b"], activation="relu", **how)
                self.near(with_bias, numpy.maximum(wanted + bias[:, None, None], 0), kind)
                # The gradients by definition: <dy, conv(x)> is linear in x and in the weights.
                dy = noise(*wanted.shape, seed=4)
                dx = prism.nn.conv2d_gradient_of_data(prism.asarray(dy, dtype=kind), ours["w"], (8, 9), **how)
                dw = prism.nn.conv2d_gradient_of_weights(ours["x"], prism.asarray(dy, dtype=kind), (3, 2), **how)
                other_x, other_w = noise(*x.shape, seed=5), noise(*weights.shape, seed=6)
                for gradient, change, result in ((dx, other_x, convolution(other_x, weights, stride, padding, dilation, groups)),
                                                 (dw, other_w, convolution(x, other_w, stride, padding, dilation, groups))):
                    self.assertEqual(gradient.shape, change.shape)
                    self.near(numpy.asarray((numpy.asarray(gradient).astype("f8") * change).sum()).astype(kind), numpy.asarray((dy * result).sum()), kind, 20)

    def test_winograds_and_other_methods_give_the_same_sums(self):
        x, weights = noise(1, 3, 10, 10), noise(4, 3, 3, 3, seed=2)
        wanted = convolution(x, weights, (1, 1), (1, 1), (1, 1), 1)
        for method in ("direct", "gemm", "winograd"):
            self.near(prism.nn.conv2d(prism.asarray(x, dtype="float32"), prism.asarray(weights, dtype="float32"), padding=1, method=method), wanted, "float32", 5)

    def test_pooling_and_its_gradient_are_those_of_the_windows(self):
        for kind in TYPES:
            x = noise(2, 3, 7, 6)
            ours = prism.asarray(x, dtype=kind)
            for size, stride, padding, dilation in (((2, 2), None, (0, 0), (1, 1)), ((3, 2), (1, 2), (1, 1), (1, 1)), ((2, 2), (2, 1), (0, 1), (2, 1))):
                how = {"size": size, "stride": stride, "padding": padding, "dilation": dilation}
                steps = (stride or size, padding, dilation)
                inside = windows(numpy.ones_like(x), size, *steps, 0.0).sum((-2, -1))
                sums = windows(x, size, *steps, 0.0).sum((-2, -1))
                for pooling, wanted in (("max", windows(x, size, *steps, -numpy.inf).max((-2, -1))), ("average", sums / inside), ("average_with_padding", sums / math.prod(size))):
                    self.near(prism.nn.pool2d(ours, pooling, **how), wanted, kind)
                    dy = noise(*wanted.shape, seed=2)
                    dx = numpy.asarray(prism.nn.pool2d_gradient(ours, prism.asarray(dy, dtype=kind), pooling, **how)).astype("f8")
                    total = dy * inside / math.prod(size) if pooling == "average_with_padding" else dy
                    self.assertEqual(dx.shape, x.shape)
                    self.near(numpy.asarray(dx.sum((2, 3))).astype(kind), total.sum((2, 3)), kind, 10)
                    if pooling == "max": # only the largest points have a gradient
                        largest = windows(x, size, *steps, -numpy.inf).max((-2, -1))
                        self.assertTrue(numpy.isin(x[dx != 0], largest).all())

    def test_activations_and_their_derivatives_are_those_of_their_formulas(self):
        for kind in TYPES:
            x = noise(3, 4, 5) * 4
            for name, function in ACTIVATIONS.items():
                self.near(prism.nn.activate(prism.asarray(x, dtype=kind), name), function(x), kind)
                step = 1e-5
                slope = (function(x + step) - function(x - step)) / (2 * step)
                found = prism.nn.activate_gradient(prism.asarray(x, dtype=kind), prism.asarray(numpy.full_like(x, 2), dtype=kind), name)
                self.near(numpy.asarray(found).astype("f4"), 2 * slope, "float32")
        self.near(prism.nn.activate(prism.asarray(noise(4, 6), dtype="float32").T[::2], "relu"), numpy.maximum(noise(4, 6).T[::2], 0), "float32")

    def test_normalisations_are_those_of_their_formulas(self):
        for kind in TYPES:
            x = noise(4, 3, 5, 2)
            ours = prism.asarray(x, dtype=kind)
            mean, variance = prism.nn.batch_statistics(ours)
            self.near(mean, x.mean((0, 2, 3)), kind)
            self.near(variance, x.var((0, 2, 3)), kind)
            gamma, beta = noise(3, seed=2), noise(3, seed=3)
            wanted = (x - x.mean((0, 2, 3), keepdims=True)) / numpy.sqrt(x.var((0, 2, 3), keepdims=True) + 1e-5) * gamma[:, None, None] + beta[:, None, None]
            self.near(prism.nn.batch_norm(ours, mean, variance, prism.asarray(gamma, dtype=kind), prism.asarray(beta, dtype=kind), activation="tanh"), numpy.tanh(wanted), kind)
            gamma, beta = noise(2, seed=2), noise(2, seed=3)
            wanted = (x - x.mean(-1, keepdims=True)) / numpy.sqrt(x.var(-1, keepdims=True) + 1e-3) * gamma + beta
            self.near(prism.nn.layer_norm(ours, prism.asarray(gamma, dtype=kind), prism.asarray(beta, dtype=kind), epsilon=1e-3), wanted, kind, 5)
            for axis in (-1, 0, 2):
                self.near(prism.nn.softmax(ours, axis), softmax(x, axis), kind)
                self.near(prism.nn.log_softmax(ours * 50, axis), numpy.log(softmax(x * 50, axis)), kind)

    def test_attention_is_a_product_of_softmax(self):
        for kind in TYPES:
            q, k, v = noise(2, 3, 5, 4), noise(2, 3, 7, 4, seed=2), noise(2, 3, 7, 6, seed=3)
            ours = [prism.asarray(each, dtype=kind) for each in (q, k, v)]
            scores = numpy.einsum("bhnd,bhmd->bhnm", q, k)
            self.near(prism.nn.attention(*ours), softmax(scores / 2) @ v, kind)
            self.near(prism.nn.attention(*ours, scale=3), softmax(scores * 3) @ v, kind)
            mask = numpy.where(noise(5, 7, seed=4) > 0.5, -numpy.inf, 0)
            self.near(prism.nn.attention(*ours, prism.asarray(mask, dtype=kind)), softmax(scores / 2 + mask) @ v, kind)
            hidden = numpy.where(numpy.arange(7) > numpy.arange(5)[:, None] + 2, -numpy.inf, 0)
            self.near(prism.nn.attention(*ours, causal=True), softmax(scores / 2 + hidden) @ v, kind)

    def test_products_with_bias_and_of_bytes_are_those_of_matrices(self):
        for kind in TYPES:
            x, weights, bias = noise(2, 3, 5), noise(4, 5, seed=2), noise(4, seed=3)
            ours = [prism.asarray(each, dtype=kind) for each in (x, weights, bias)]
            self.near(prism.nn.linear(*ours, activation="sigmoid"), 1 / (1 + numpy.exp(-(x @ weights.T + bias))), kind)
            self.near(prism.nn.linear(*ours[:2]), x @ weights.T, kind)
        a, b = (numpy.random.default_rng(i).integers(-128, 128, shape).astype("i1") for i, shape in enumerate(((5, 40), (3, 40))))
        found = prism.nn.quantised_matmul(prism.asarray(a), prism.asarray(b), zero_a=3, zero_b=-7, scale=0.5)
        self.assertEqual(numpy.asarray(found).tolist(), (0.5 * ((a.astype("i8") - 3) @ (b.astype("i8") + 7).T)).tolist())

        x, weights = (numpy.random.default_rng(i).integers(-128, 128, shape).astype("i1") for i, shape in enumerate(((2, 4, 6, 7), (6, 2, 3, 2))))
        found = prism.nn.quantised_conv2d(prism.asarray(x), prism.asarray(weights), zero_x=5, zero_w=-2, scale=0.25, stride=2, padding=1, groups=2)
        wanted = 0.25 * convolution(x.astype("f8") - 5, weights.astype("f8") + 2, (2, 2), (1, 1), (1, 1), 2)
        self.assertEqual(numpy.asarray(found).tolist(), wanted.tolist())

    def test_arrays_of_numpy_and_views_are_operands(self):
        x, weights = noise(1, 2, 6, 6).astype("f4"), noise(1, 2, 3, 3).astype("f4")
        wanted = convolution(x[:, :, ::2, ::-1], weights, (1, 1), (0, 0), (1, 1), 1)
        self.near(prism.nn.conv2d(prism.asarray(x)[:, :, ::2, ::-1], weights), wanted, "float32")
        last = prism.permute_dims(prism.asarray(numpy.ascontiguousarray(x.transpose(0, 2, 3, 1))), (0, 3, 1, 2))
        self.near(prism.nn.conv2d(last * 2, weights), convolution(2 * x, weights, (1, 1), (0, 0), (1, 1), 1), "float32")

    def test_wrong_calls_name_what_does_not_fit(self):
        x, w = prism.ones((1, 2, 4, 4), dtype="float32"), prism.ones((3, 2, 3, 3), dtype="float32")
        nn = prism.nn
        for error, words, call in (
                (ValueError, "does not fit", lambda: nn.conv2d(x, prism.ones((3, 2, 5, 5), dtype="float32"))), (ValueError, "4 dimensions", lambda: nn.conv2d(x[0], w)),
                (ValueError, "int32", lambda: nn.conv2d(x.astype("int32"), w.astype("int32"))), (ValueError, "weights", lambda: nn.conv2d(x, w[:, :1])),
                (ValueError, "bias", lambda: nn.conv2d(x, w, prism.ones(2, dtype="float32"))), (ValueError, "from 1", lambda: nn.conv2d(x, w, stride=0)),
                (ValueError, "groups", lambda: nn.conv2d(x, w, groups=3)), (ValueError, "activation is one of", lambda: nn.conv2d(x, w, activation="cube")),
                (TypeError, "bias is a prism.Array", lambda: nn.conv2d(x, w, 3)), (TypeError, "x is a prism.Array", lambda: nn.softmax([1])),
                (ValueError, "2 dimensions", lambda: nn.pool2d(x, size=(1, 2, 3))), (ValueError, "dy", lambda: nn.pool2d_gradient(x, x)),
                (ValueError, "axis|dimensions", lambda: nn.softmax(x, 4)), (ValueError, "k is", lambda: nn.attention(x, x[:, :1], x)),
                (ValueError, "256", lambda: nn.attention(*[prism.ones((1, 1, 2, 300), dtype="float32")] * 3)), (ValueError, "int8", lambda: nn.quantised_matmul(x, x)),
                (ValueError, "-128", lambda: nn.quantised_matmul(x, x, zero_a=200)), (ValueError, "shape", lambda: nn.activate_gradient(x, w, "relu"))):
            with self.assertRaisesRegex(error, words):
                call()


unittest.main()
