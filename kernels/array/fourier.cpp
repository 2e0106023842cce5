// Transforms of arrays (<prism/array/fft.hpp>), by the descriptions of <prism/fft.hpp>.
#include "kernels/array/node.hpp"

#include <prism/array/fft.hpp>
#include <prism/fft.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>

namespace prism::fft {

using array_detail::device_state;
using array_detail::one_axis;
using array_detail::refuse;

namespace {

enum class form : std::uint8_t { complex, real_to_complex, complex_to_real };

dtype complex_type(dtype type) {
  return is_complex(type) ? type : type == dtype::float32 ? dtype::complex64 : dtype::complex128;
}
dtype real_type(dtype type) {
  return type == dtype::complex64 || type == dtype::float32 ? dtype::float32 : dtype::float64;
}

std::int64_t length(const any_array& x, std::optional<std::int64_t> n, int axis, const char* what) {
  const std::int64_t out = n.value_or(x.shape()[axis]);
  if (out < 1) refuse(std::string(what) + " of " + std::to_string(out) + " elements");
  return out;
}

/// The axis cut or filled with zeros to n elements.
any_array resized(const any_array& x, int axis, std::int64_t n) {
  const std::int64_t have = x.shape()[axis];
  if (n == have) return x;
  std::vector<index_item> front(std::size_t(axis), every);
  front.push_back(slice{0, std::min(n, have)});
  if (n < have) return x.view(front);
  extents shape = x.shape();
  shape[axis] = n;
  any_array out = zeros(shape, x.type(), x.device()).copy();
  out.view(front).assign(x);
  return out;
}

/// The dimensions with the axes last, in their order; and back.
std::vector<std::int64_t> order_of(int rank, const std::vector<int>& last) {
  std::vector<std::int64_t> order;
  for (int d = 0; d < rank; ++d)
    if (std::find(last.begin(), last.end(), d) == last.end()) order.push_back(d);
  order.insert(order.end(), last.begin(), last.end());
  return order;
}
std::vector<std::int64_t> inverse_of(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> out(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) out[std::size_t(order[d])] = std::int64_t(d);
  return out;
}

detail::shape shape_of(const any_array& x, int dimensions) {
  detail::shape out;
  out.rank = dimensions, out.parts = is_complex(x.type()) ? 2 : 1;
  const extents &shape = x.shape(), &strides = x.strides();
  for (int d = 0; d < dimensions; ++d)
    out.extent[std::size_t(d)] = std::size_t(shape[d + 1]), out.stride[std::size_t(d)] = strides[d + 1];
  out.count = std::size_t(shape[0]), out.between = strides[0];
  return out;
}

/// One transform of up to three axes. `n`: of a result that is real, the extent of the last one.
any_array transformed(const any_array& given, const std::vector<int>& along, form of, bool inverse,
                      scaling norm, std::int64_t n) {
  const dtype from = of == form::real_to_complex
                         ? (given.type() == dtype::float32 ? dtype::float32 : dtype::float64)
                         : complex_type(given.type()),
              to = of == form::complex_to_real ? real_type(from) : complex_type(from);
  const std::vector<std::int64_t> order = order_of(given.ndim(), along);
  const any_array moved = given.astype(from).transpose(order);
  const int dimensions = int(along.size()), rows = given.ndim() - dimensions;
  extents flat{1}, shape = moved.shape();
  for (int d = 0; d < rows; ++d) flat[0] *= shape[d];
  for (int d = rows; d < shape.size(); ++d) flat.push_back(shape[d]);
  const any_array in = moved.reshape(flat);
  std::int64_t& last = shape[shape.size() - 1];
  last = of == form::complex ? last : of == form::real_to_complex ? last / 2 + 1 : n;
  flat[dimensions] = last;
  const any_array out = empty(flat, to, given.device());
  if (out.size() > 0) {
    in.evaluate();
    device_state& device = in.node().device;
    const std::lock_guard guard(device.lock);
    detail::description what;
    what.bits = real_type(from) == dtype::float32 ? 32 : 64;
    what.backward = inverse;
    what.normalisation = int(norm == scaling::ortho                   ? fft::norm::orthonormal
                             : (norm == scaling::backward) == inverse ? fft::norm::by_size
                                                                      : fft::norm::none);
    what.in = shape_of(in, dimensions), what.out = shape_of(out, dimensions);
    detail::require_fit(what);
    device.busy = true;
    detail::run(device.queue, detail::remembered(device.queue, what), what,
                detail::memory_at(static_cast<char*>(in.data())),
                detail::memory_at(static_cast<char*>(out.data())), {});
  }
  return out.reshape(shape).transpose(inverse_of(order));
}

/// An axis of a transform, with the extent that was asked for.
struct pass {
  int axis;
  std::optional<std::int64_t> n;
};
std::vector<pass> passes_of(const any_array& x, const lengths& s, const axes& axis, const char* what) {
  const int rank = x.ndim();
  std::vector<pass> out;
  if (axis) {
    for (const std::int64_t each : *axis) out.push_back({one_axis(each, rank, what), {}});
  } else {
    const int first = s ? rank - int(s->size()) : 0;
    if (first < 0) refuse(std::string(what) + ": more extents than dimensions");
    for (int d = first; d < rank; ++d) out.push_back({d, {}});
  }
  if (out.empty()) refuse(std::string(what) + " needs at least one axis");
  if (s && s->size() != out.size())
    refuse(std::string(what) + ": " + std::to_string(s->size()) + " extents for " +
           std::to_string(out.size()) + " axes");
  for (std::size_t i = 0; s && i < out.size(); ++i) out[i].n = (*s)[i];
  return out;
}

/// Complex transforms along the axes, up to three different ones at a time, the last ones first.
any_array along_all(any_array x, std::vector<pass> rest, bool inverse, scaling norm, const char* what) {
  while (!rest.empty()) {
    std::vector<int> now;
    while (!rest.empty() && now.size() < 3 &&
           std::find(now.begin(), now.end(), rest.back().axis) == now.end()) {
      const pass one = rest.back();
      rest.pop_back();
      x = resized(x, one.axis, length(x, one.n, one.axis, what));
      now.insert(now.begin(), one.axis);
    }
    x = transformed(x, now, form::complex, inverse, norm, 0);
  }
  return x;
}

any_array to_half(const any_array& given, std::vector<pass> all, scaling norm, const char* what) {
  if (is_complex(given.type())) refuse(std::string(what) + " of complex numbers");
  const pass last = all.back();
  all.pop_back();
  const any_array x = resized(given, last.axis, length(given, last.n, last.axis, what));
  return along_all(transformed(x, {last.axis}, form::real_to_complex, false, norm, 0), all, false, norm,
                   what);
}

any_array from_half(const any_array& given, std::vector<pass> all, scaling norm, const char* what) {
  const pass last = all.back();
  all.pop_back();
  const any_array x = along_all(given, all, true, norm, what);
  const std::int64_t n = last.n.value_or(2 * (x.shape()[last.axis] - 1));
  if (n < 1) refuse(std::string(what) + " of " + std::to_string(n) + " elements");
  return transformed(resized(x, last.axis, n / 2 + 1), {last.axis}, form::complex_to_real, true, norm, n);
}

std::vector<pass> one_pass(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis,
                           const char* what) {
  return {{one_axis(axis, x.ndim(), what), n}};
}

scaling opposite(scaling norm) {
  return norm == scaling::ortho ? norm : norm == scaling::backward ? scaling::forward : scaling::backward;
}

any_array shifted(any_array x, const axes& axis, bool back) {
  for (const int d : array_detail::all_axes(axis, x.ndim(), back ? "ifftshift" : "fftshift"))
    x = roll(x, back ? -(x.shape()[d] / 2) : x.shape()[d] / 2, d);
  return x;
}

/// 0, 1, ... of rfft; of fft the later half are negative.
any_array frequencies(std::int64_t n, double d, bool is_half, dtype type, const array_device& on,
                      const char* what) {
  if (n < 1) refuse(std::string(what) + " of " + std::to_string(n) + " elements");
  std::vector<double> out;
  for (std::int64_t k = 0; k < (is_half ? n / 2 + 1 : n); ++k)
    out.push_back(double(is_half || k <= (n - 1) / 2 ? k : k - n) / (double(n) * d));
  if (type == dtype::float32) return asarray(std::vector<float>(out.begin(), out.end()), on);
  return asarray(out, on).astype(type);
}

} // namespace

any_array fft(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis, scaling norm) {
  return along_all(x, one_pass(x, n, axis, "fft"), false, norm, "fft");
}
any_array ifft(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis, scaling norm) {
  return along_all(x, one_pass(x, n, axis, "ifft"), true, norm, "ifft");
}
any_array rfft(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis, scaling norm) {
  return to_half(x, one_pass(x, n, axis, "rfft"), norm, "rfft");
}
any_array irfft(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis, scaling norm) {
  return from_half(x, one_pass(x, n, axis, "irfft"), norm, "irfft");
}
any_array hfft(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis, scaling norm) {
  return from_half(conj(x), one_pass(x, n, axis, "hfft"), opposite(norm), "hfft");
}
any_array ihfft(const any_array& x, std::optional<std::int64_t> n, std::int64_t axis, scaling norm) {
  return conj(to_half(x, one_pass(x, n, axis, "ihfft"), opposite(norm), "ihfft"));
}

any_array fftn(const any_array& x, const lengths& s, const axes& axis, scaling norm) {
  return along_all(x, passes_of(x, s, axis, "fftn"), false, norm, "fftn");
}
any_array ifftn(const any_array& x, const lengths& s, const axes& axis, scaling norm) {
  return along_all(x, passes_of(x, s, axis, "ifftn"), true, norm, "ifftn");
}
any_array rfftn(const any_array& x, const lengths& s, const axes& axis, scaling norm) {
  return to_half(x, passes_of(x, s, axis, "rfftn"), norm, "rfftn");
}
any_array irfftn(const any_array& x, const lengths& s, const axes& axis, scaling norm) {
  return from_half(x, passes_of(x, s, axis, "irfftn"), norm, "irfftn");
}

any_array fftfreq(std::int64_t n, double d, dtype type, const array_device& on) {
  return frequencies(n, d, false, type, on, "fftfreq");
}
any_array rfftfreq(std::int64_t n, double d, dtype type, const array_device& on) {
  return frequencies(n, d, true, type, on, "rfftfreq");
}
any_array fftshift(const any_array& x, const axes& axis) { return shifted(x, axis, false); }
any_array ifftshift(const any_array& x, const axes& axis) { return shifted(x, axis, true); }

} // namespace prism::fft
