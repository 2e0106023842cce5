// Convolutions as products of matrices, and the choice between algorithms. The windows of some images are
// written as columns (im2col); 1 x 1 windows that skip nothing are the image itself.
#include "kernels/nn/convolution.hpp"

#include "kernels/nn/products.hpp"
#include "kernels/nn/steps.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

constexpr size_t most_columns = size_t(1) << 23; // elements of the windows of the images of one step

template <typename R>
sycl::event copy(sycl::queue& queue, const tensor4<R>& from, const tensor4<R>& to, const events& depends) {
  return scale<R>(queue, R(1), from, to, depends);
}

/// A tensor whose last dimensions, from `first` on, have one stride: itself or a copy.
template <typename R>
tensor4<R> joined(sycl::queue& queue, const tensor4<R>& t, int first, bool is_read, events& before) {
  if (t.joins(first, 3)) return t;
  const tensor4<R> out(t.extent[0], t.extent[1], t.extent[2], t.extent[3]);
  if (is_read) before.assign(1, copy(queue, t, out, before));
  return out;
}

/// The products of one call: images in steps, group by group.
template <typename R>
class by_products {
public:
  by_products(sycl::queue& queue, const convolution_of<R>& what, const events& depends)
      : m_queue(queue), m(what), m_before(depends) {
    m_of.how = m.how;
    for (int d = 0; d < 2; ++d) m_of.kernel[d] = m.w.extent[2 + d], m_of.out[d] = m.y.extent[2 + d];
    m_points = m.y.extent[2] * m.y.extent[3];
    m_terms = m.w.extent[1] * m.w.extent[2] * m.w.extent[3];
    m_outputs = m.y.extent[1] / m.groups, m_inputs = m.x.extent[1] / m.groups;
    m_plain = m_of.kernel[0] == 1 && m_of.kernel[1] == 1;
    for (int d = 0; d < 2; ++d) m_plain = m_plain && m.how.stride[d] == 1 && m.how.padding[d] == 0;
    m_step = std::clamp<size_t>(most_columns / std::max<size_t>(1, m_points * m_terms), 1, m.y.extent[0]);
  }

  sycl::event forward() {
    m_w = joined(m_queue, m.w, 1, true, m_before);
    const tensor4<R> y = joined(m_queue, m.y, 2, false, m_before);
    const tensor4<R> x = m_plain ? joined(m_queue, m.x, 2, true, m_before) : m.x;
    each([&](size_t first, size_t count, size_t g) {
      const matrices<R> columns = windows(x, first, count, g);
      then(multiply(m_queue, weights(g, count), columns, R(0), results(y, first, count, g), m_before));
    });
    if (!m.y.joins(2, 3)) then(copy(m_queue, y, m.y, m_before));
    return end();
  }
  sycl::event of_data() {
    m_w = joined(m_queue, m.w, 1, true, m_before);
    const tensor4<R> dy = joined(m_queue, m.y, 2, true, m_before);
    each([&](size_t first, size_t count, size_t g) {
      const tensor4<R> all(count, 1, m_terms, m_points);
      then(multiply(m_queue, weights(g, count).transposed(), results(dy, first, count, g), R(0), seen(all),
                    m_before));
      then(from_columns(m_queue, m_of, all, image(m.x, first, count, g), m_before));
    });
    return end();
  }
  sycl::event of_weights() {
    m_w = joined(m_queue, m.w, 1, false, m_before);
    const tensor4<R> dy = joined(m_queue, m.y, 2, true, m_before);
    const tensor4<R> x = m_plain ? joined(m_queue, m.x, 2, true, m_before) : m.x;
    each([&](size_t first, size_t count, size_t g) {
      const matrices<R> columns = windows(x, first, count, g).transposed(),
                        gradients = results(dy, first, count, g);
      for (size_t i = 0; i < count; ++i)
        then(multiply(m_queue, gradients.number(i), columns.number(i), R(first + i == 0 ? 0 : 1),
                      weights(g, 1), m_before));
    });
    if (!m.w.joins(1, 3)) then(copy(m_queue, m_w, m.w, m_before));
    return end();
  }

private:
  void then(const sycl::event& done) { m_before.assign(1, done); }
  sycl::event end() {
    return m_before.size() == 1 ? m_before.front() : m_queue.ext_oneapi_submit_barrier(m_before);
  }
  template <typename Work>
  void each(Work&& work) {
    for (size_t first = 0; first < m.y.extent[0]; first += m_step)
      for (size_t g = 0; g < m.groups; ++g) work(first, std::min(m_step, m.y.extent[0] - first), g);
  }
  tensor4<R> image(const tensor4<R>& x, size_t first, size_t count, size_t g) const {
    return x.part(0, first, count).part(1, g * m_inputs, m_inputs);
  }
  static matrices<R> seen(const tensor4<R>& t) {
    return {t.where, t.extent[0], t.extent[2], t.extent[3], t.stride[0], t.stride[2], t.stride[3]};
  }
  /// The columns of some images: terms x points.
  matrices<R> windows(const tensor4<R>& x, size_t first, size_t count, size_t g) {
    const tensor4<R> part = image(x, first, count, g);
    if (m_plain)
      return {part.where, count, m_terms, m_points, part.stride[0], part.stride[1], part.stride[3]};
    const tensor4<R> all(count, 1, m_terms, m_points);
    then(to_columns(m_queue, m_of, part, all, m_before));
    return seen(all);
  }
  matrices<R> weights(size_t g, size_t count) const {
    const tensor4<R> part = m_w.part(0, g * m_outputs, m_outputs);
    return {part.where, count, m_outputs, m_terms, 0, part.stride[0], part.stride[3]};
  }
  matrices<R> results(const tensor4<R>& y, size_t first, size_t count, size_t g) const {
    const tensor4<R> part = y.part(0, first, count).part(1, g * m_outputs, m_outputs);
    return {part.where, count, m_outputs, m_points, part.stride[0], part.stride[1], part.stride[3]};
  }

  sycl::queue& m_queue;
  const convolution_of<R>& m;
  events m_before;
  image_windows m_of;
  tensor4<R> m_w;
  size_t m_points, m_terms, m_outputs, m_inputs, m_step;
  bool m_plain;
};

} // namespace

method chosen(size_t outputs_of_group, size_t terms) {
  // Measured on the host (docs/operations-networks.md): columns are worth writing where two channels use
  // them.
  constexpr size_t least_outputs = 2, least_terms = 9;
  return outputs_of_group < least_outputs || terms < least_terms ? method::direct : method::gemm;
}

template <typename R>
sycl::event convolve_by_products(sycl::queue& queue, const convolution_of<R>& what, const events& depends) {
  return by_products<R>(queue, what, depends).forward();
}
template <typename R>
sycl::event gradient_of_data(sycl::queue& queue, const convolution_of<R>& what, const events& depends) {
  return by_products<R>(queue, what, depends).of_data();
}
template <typename R>
sycl::event gradient_of_weights(sycl::queue& queue, const convolution_of<R>& what, const events& depends) {
  return by_products<R>(queue, what, depends).of_weights();
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template sycl::event convolve_by_products<R>(sycl::queue&, const convolution_of<R>&, const events&);       \
  template sycl::event gradient_of_data<R>(sycl::queue&, const convolution_of<R>&, const events&);           \
  template sycl::event gradient_of_weights<R>(sycl::queue&, const convolution_of<R>&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::nn
