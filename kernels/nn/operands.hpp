// Operands of the kernels of <prism/nn.hpp>: tensors of four dimensions, and the activations.
#pragma once

#include "kernels/blas/operand.hpp"

#include <prism/nn/request.hpp>

namespace prism::nn {

using std::ptrdiff_t;
using std::size_t;

/// A tensor in a kernel.
template <typename R>
struct planes {
  R* data = nullptr;
  ptrdiff_t offset = 0, stride[4] = {};
  R* at(size_t n, size_t c, size_t i, size_t j) const {
    return data + (offset + ptrdiff_t(n) * stride[0] + ptrdiff_t(c) * stride[1] + ptrdiff_t(i) * stride[2] +
                   ptrdiff_t(j) * stride[3]);
  }
};

template <typename R>
struct tensor4 {
  blas::place<R> where;
  size_t extent[4] = {1, 1, 1, 1};
  ptrdiff_t stride[4] = {};

  tensor4() = default;
  /// Contiguous temporary memory.
  tensor4(size_t n, size_t c, size_t h, size_t w) : extent{n, c, h, w} {
    ptrdiff_t apart = 1;
    for (int d = 4; d-- > 0;) stride[d] = apart, apart *= ptrdiff_t(extent[d]);
    where = blas::place<R>(sycl::buffer<R, 1>{sycl::range<1>(apart == 0 ? 1 : size_t(apart))});
  }
  /// Of up to four dimensions, which become the last ones.
  explicit tensor4(const prism::detail::tensor_operand& of) : where(of.where) {
    for (size_t d = 0; d < of.rank; ++d)
      extent[4 - of.rank + d] = of.extent[d], stride[4 - of.rank + d] = of.stride[d];
  }
  size_t size() const { return extent[0] * extent[1] * extent[2] * extent[3]; }
  planes<const R> read(sycl::handler& h) const {
    return {where.read_only(h), where.offset, {stride[0], stride[1], stride[2], stride[3]}};
  }
  planes<R> write(sycl::handler& h) const {
    return {where.read_write(h), where.offset, {stride[0], stride[1], stride[2], stride[3]}};
  }
  /// Whether dimensions `first` to `last` have one stride, that of the last.
  bool joins(int first, int last) const {
    for (int d = first; d < last; ++d)
      if (extent[d] > 1 && stride[d] != stride[d + 1] * ptrdiff_t(extent[d + 1])) return false;
    return true;
  }
  tensor4 part(int d, size_t first, size_t count) const {
    tensor4 out = *this;
    out.where = where.moved(ptrdiff_t(first) * stride[d]), out.extent[d] = count;
    return out;
  }
};

/// A position of four, the last one fastest.
struct position4 {
  size_t n, c, i, j;
  position4(size_t number, size_t channels, size_t height, size_t width) {
    j = number % width, number /= width;
    i = number % height, number /= height;
    c = number % channels, n = number / channels;
  }
};

template <typename R>
R logistic(R x) {
  return R(1) / (R(1) + sycl::exp(-x));
}
template <typename R>
R activated(activation f, R x) {
  switch (f) {
    case activation::relu: return x < R(0) ? R(0) : x;
    case activation::leaky_relu: return x < R(0) ? R(0.01) * x : x;
    case activation::gelu: return R(0.5) * x * (R(1) + sycl::erf(x * R(0.70710678118654752440)));
    case activation::gelu_tanh:
      return R(0.5) * x * (R(1) + sycl::tanh(R(0.79788456080286535588) * (x + R(0.044715) * x * x * x)));
    case activation::silu: return x * logistic(x);
    case activation::tanh: return sycl::tanh(x);
    case activation::sigmoid: return logistic(x);
    case activation::softplus: return sycl::fmax(x, R(0)) + sycl::log1p(sycl::exp(-sycl::fabs(x)));
    case activation::elu: return x < R(0) ? sycl::expm1(x) : x;
    default: return x;
  }
}
template <typename R>
R derivative(activation f, R x) {
  switch (f) {
    case activation::relu: return x > R(0) ? R(1) : R(0);
    case activation::leaky_relu: return x > R(0) ? R(1) : R(0.01);
    case activation::gelu:
      return R(0.5) * (R(1) + sycl::erf(x * R(0.70710678118654752440))) +
             x * R(0.39894228040143267794) * sycl::exp(R(-0.5) * x * x);
    case activation::gelu_tanh: {
      constexpr R k = R(0.79788456080286535588);
      const R t = sycl::tanh(k * (x + R(0.044715) * x * x * x));
      return R(0.5) * (R(1) + t) + R(0.5) * x * (R(1) - t * t) * k * (R(1) + R(0.134145) * x * x);
    }
    case activation::silu: {
      const R s = logistic(x);
      return s * (R(1) + x * (R(1) - s));
    }
    case activation::tanh: {
      const R t = sycl::tanh(x);
      return R(1) - t * t;
    }
    case activation::sigmoid: {
      const R s = logistic(x);
      return s * (R(1) - s);
    }
    case activation::softplus: return logistic(x);
    case activation::elu: return x < R(0) ? sycl::exp(x) : R(1);
    default: return R(1);
  }
}

} // namespace prism::nn
