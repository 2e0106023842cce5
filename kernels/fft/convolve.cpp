// Convolutions: directly, or by Fourier transforms of both operands (Stockham 1966, "High-speed convolution
// and correlation"). A correlation is the convolution with the second operand reversed and conjugated.
// Transforms wrap around, so they are only as large as what is asked for needs.
#include "kernels/blas/aliases.hpp"
#include "kernels/blas/operand.hpp"

#include <prism/convolve.hpp>
#include <prism/fft.hpp>

#include <algorithm>
#include <cmath>

namespace prism::convolve {
namespace {

using blas::place;
using detail::description;
using fft::detail::shape;

[[noreturn]] void refuse(const std::string& what) { prism::detail::refuse_view("convolve: " + what); }

struct extents {
  std::size_t at[3] = {1, 1, 1};
  std::size_t operator[](int d) const { return at[d]; }
  std::size_t size() const { return at[0] * at[1] * at[2]; }
};

/// Points of an operand as kernels see them; strides and offset count reals, dimensions are the last ones of
/// three.
template <typename Real>
struct points {
  Real* data = nullptr;
  std::ptrdiff_t offset = 0, stride[3] = {}, between = 0;

  Real* at(std::size_t batch, std::size_t i, std::size_t j, std::size_t k) const {
    return data + (offset + std::ptrdiff_t(batch) * between + std::ptrdiff_t(i) * stride[0] +
                   std::ptrdiff_t(j) * stride[1] + std::ptrdiff_t(k) * stride[2]);
  }
};

extents extents_of(const shape& s) {
  extents out;
  for (int d = 0; d < s.rank; ++d) out.at[3 - s.rank + d] = s.extent[std::size_t(d)];
  return out;
}

/// One operand: where it is and its shape. `turned`: last point to first.
template <typename Real>
struct operand {
  place<Real> where;
  points<Real> how;
  extents of;

  operand(const fft::detail::memory& memory, const shape& s, bool turned = false)
      : where(memory, s.parts), of(extents_of(s)) {
    for (int d = 0; d < s.rank; ++d) {
      const std::ptrdiff_t stride = s.stride[std::size_t(d)] * s.parts;
      how.stride[3 - s.rank + d] = turned ? -stride : stride;
      if (turned) how.offset += stride * std::ptrdiff_t(s.extent[std::size_t(d)] - 1);
    }
    how.between = s.count == 1 ? 0 : s.between * s.parts;
    how.offset += where.offset;
  }
  points<const Real> read(sycl::handler& h) const {
    points<const Real> out;
    out.data = where.read_only(h), out.offset = how.offset, out.between = how.between;
    std::copy(std::begin(how.stride), std::end(how.stride), std::begin(out.stride));
    return out;
  }
  points<Real> write(sycl::handler& h) const {
    points<Real> out = how;
    out.data = where.read_write(h);
    return out;
  }
};

/// Point number i of a batch of `of`.
struct position {
  std::size_t batch, i, j, k;
  position(std::size_t number, const extents& of) {
    k = number % of[2], number /= of[2];
    j = number % of[1], number /= of[1];
    i = number % of[0], batch = number / of[0];
  }
};

// ---- directly

/// A work-item sums `together` neighbours of the result, so that it reads each point of b once for all.
template <typename Real, int Parts>
struct direct_sum {
  static constexpr std::size_t together = 8;
  points<const Real> a, b;
  points<Real> out;
  extents n, m, size;
  std::size_t first[3];
  Real sign; // -1: b is conjugated

  void operator()(sycl::id<1> id) const {
    const std::size_t blocks = (size[2] + together - 1) / together;
    const position at(id[0], extents{{size[0], size[1], blocks}});
    const std::size_t start = at.k * together, row = at.j + first[1], plane = at.i + first[0];
    Real sum[together * Parts] = {};
    for (std::size_t p = 0; p < m[0]; ++p) {
      if (plane < p || plane - p >= n[0]) continue;
      for (std::size_t q = 0; q < m[1]; ++q) {
        if (row < q || row - q >= n[1]) continue;
        add_row(a.at(at.batch, plane - p, row - q, 0), b.at(at.batch, p, q, 0), start + first[2], sum);
      }
    }
    Real* const to = out.at(at.batch, at.i, at.j, start);
    for (std::size_t x = 0; x < together; ++x)
      if (start + x < size[2])
        for (int part = 0; part < Parts; ++part)
          to[std::ptrdiff_t(x) * out.stride[2] + part] = sum[x * Parts + std::size_t(part)];
  }

private:
  /// Results `start`, `start + 1`, ... of full.
  void add_row(const Real* from, const Real* by, std::size_t start, Real (&sum)[together * Parts]) const {
    // Points r of b for which all of a's are inside: start - r >= 0, start + together - 1 - r < n.
    const std::size_t end = start + together, low = end > n[2] ? end - n[2] : 0,
                      high = std::min(m[2], start + 1);
    for (std::size_t r = 0; r < std::min(low, m[2]); ++r) add_some(from, by, start, r, sum);
    for (std::size_t r = low; r < high; ++r) {
      const Real* const w = by + std::ptrdiff_t(r) * b.stride[2];
      const Real* const x = from + std::ptrdiff_t(start - r) * a.stride[2];
      if (a.stride[2] == Parts) {
#pragma unroll
        for (std::size_t i = 0; i < together; ++i) add_product(x + i * Parts, w, sum + i * Parts);
      } else {
#pragma unroll
        for (std::size_t i = 0; i < together; ++i)
          add_product(x + std::ptrdiff_t(i) * a.stride[2], w, sum + i * Parts);
      }
    }
    for (std::size_t r = std::max(low, high); r < m[2]; ++r) add_some(from, by, start, r, sum);
  }
  void add_some(const Real* from, const Real* by, std::size_t start, std::size_t r,
                Real (&sum)[together * Parts]) const {
#pragma unroll
    for (std::size_t i = 0; i < together; ++i)
      if (start + i >= r && start + i - r < n[2])
        add_product(from + std::ptrdiff_t(start + i - r) * a.stride[2], by + std::ptrdiff_t(r) * b.stride[2],
                    sum + i * Parts);
  }
  void add_product(const Real* x, const Real* w, Real* to) const {
    if constexpr (Parts == 1) to[0] += x[0] * w[0];
    else {
      const Real im = sign * w[1];
      to[0] += x[0] * w[0] - x[1] * im;
      to[1] += x[0] * im + x[1] * w[0];
    }
  }
};

// ---- by transforms

template <typename Real, int Parts>
struct pad {
  points<const Real> from;
  Real* to;
  extents n, size;
  Real sign;

  void operator()(sycl::id<1> id) const {
    const position at(id[0], size);
    const bool inside = at.i < n[0] && at.j < n[1] && at.k < n[2];
    const Real* const x = inside ? from.at(at.batch, at.i, at.j, at.k) : nullptr;
    to[id[0] * Parts] = inside ? x[0] : Real(0);
    if constexpr (Parts == 2) to[id[0] * Parts + 1] = inside ? sign * x[1] : Real(0);
  }
};

template <typename Real>
struct multiply {
  Real* a;
  const Real* b;
  std::size_t of_b; // complex numbers; 1 batch of b for all of a's

  void operator()(sycl::id<1> id) const {
    Real* const x = a + 2 * id[0];
    const Real* const y = b + 2 * (id[0] % of_b);
    const Real re = x[0] * y[0] - x[1] * y[1], im = x[0] * y[1] + x[1] * y[0];
    x[0] = re, x[1] = im;
  }
};

template <typename Real, int Parts>
struct crop {
  const Real* from;
  points<Real> to;
  extents size, out;
  std::size_t first[3];

  void operator()(sycl::id<1> id) const {
    const position at(id[0], out);
    const std::size_t i = at.i + first[0], j = at.j + first[1], k = at.k + first[2];
    const Real* const x = from + (((at.batch * size[0] + i) * size[1] + j) * size[2] + k) * Parts;
    Real* const y = to.at(at.batch, at.i, at.j, at.k);
    for (int part = 0; part < Parts; ++part) y[part] = x[part];
  }
};

/// The result's extents, and where it begins in `full`.
struct geometry {
  extents n, m, out;
  std::size_t first[3] = {};
  std::size_t count;

  explicit geometry(const description& what)
      : n(extents_of(what.a)), m(extents_of(what.b)), count(what.out.count) {
    for (int d = 0; d < 3; ++d) {
      out.at[d] = what.which == mode::full   ? n[d] + m[d] - 1
                  : what.which == mode::same ? n[d]
                                             : n[d] - m[d] + 1;
      first[d] = what.which == mode::full ? 0 : what.which == mode::same ? (m[d] - 1) / 2 : m[d] - 1;
    }
  }
  /// What wraps around reaches points before `first` only.
  extents transformed() const {
    extents size;
    for (int d = 0; d < 3; ++d) {
      const std::size_t least = std::max({n[d], m[d], first[d] + out[d], n[d] + m[d] - 1 - first[d]});
      std::size_t best = std::size_t(-1);
      for (const std::size_t odd : {1, 3, 5, 9, 15})
        for (std::size_t p = odd; p < best; p *= 2)
          if (p >= least) best = std::min(best, p);
      size.at[d] = best;
    }
    return size;
  }
};

shape dense(const description& what, const extents& size, std::size_t count, int parts) {
  shape out;
  out.rank = what.a.rank, out.parts = parts, out.count = count;
  std::ptrdiff_t apart = 1;
  for (int d = out.rank; d-- > 0;) {
    const std::size_t n = size[3 - out.rank + d];
    out.extent[std::size_t(d)] = n, out.stride[std::size_t(d)] = apart;
    apart *= std::ptrdiff_t(n);
  }
  out.between = apart;
  return out;
}

template <typename Real>
fft::detail::memory memory_of(const sycl::buffer<Real, 1>& all) {
  return fft::detail::memory_at(buffer_place<Real>(all));
}

template <typename Real, int Parts>
class by_transforms {
public:
  by_transforms(sycl::queue& queue, const description& what, const events& depends)
      : m_queue(queue), m_what(what), m_shape(what), m_size(m_shape.transformed()), m_before(depends) {
    m_half = m_size;
    if (Parts == 1) m_half.at[2] = m_size[2] / 2 + 1;
  }
  sycl::event run(const operand<Real>& a, const operand<Real>& b, const operand<Real>& out) {
    const std::size_t of_b = m_what.b.count;
    sycl::buffer<Real> points_a = fresh(m_size, m_shape.count, Parts), points_b = fresh(m_size, of_b, Parts),
                       freq_a = fresh(m_half, m_shape.count, 2), freq_b = fresh(m_half, of_b, 2);
    padded(a, points_a, m_shape.count, Real(1));
    padded(b, points_b, of_b, m_what.correlates ? Real(-1) : Real(1));
    transform(points_a, freq_a, m_shape.count, false);
    transform(points_b, freq_b, of_b, false);
    submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(m_half.size() * m_shape.count),
                     multiply<Real>{place<Real>(freq_a).read_write(h), place<Real>(freq_b).read_only(h),
                                    m_half.size() * (of_b == 1 ? 1 : m_shape.count)});
    });
    transform(freq_a, points_a, m_shape.count, true);
    submit([&](sycl::handler& h) {
      crop<Real, Parts> all{place<Real>(points_a).read_only(h), out.write(h), m_size, m_shape.out, {}};
      std::copy(std::begin(m_shape.first), std::end(m_shape.first), std::begin(all.first));
      h.parallel_for(sycl::range<1>(m_shape.out.size() * m_shape.count), all);
    });
    return m_before.front();
  }

private:
  static sycl::buffer<Real> fresh(const extents& size, std::size_t count, int parts) {
    return sycl::buffer<Real>(sycl::range<1>(size.size() * count * std::size_t(parts)));
  }
  template <typename Group>
  void submit(Group group) {
    const sycl::event done = m_queue.submit([&](sycl::handler& h) {
      h.depends_on(m_before);
      group(h);
    });
    m_before.assign(1, done);
  }
  void padded(const operand<Real>& from, sycl::buffer<Real>& to, std::size_t count, Real sign) {
    submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(m_size.size() * count),
                     pad<Real, Parts>{from.read(h), place<Real>(to).read_write(h), from.of, m_size, sign});
    });
  }
  void transform(const sycl::buffer<Real>& from, const sycl::buffer<Real>& to, std::size_t count, bool back) {
    fft::detail::description what;
    what.bits = m_what.bits, what.backward = back, what.normalisation = back ? 1 : 0;
    const shape one = dense(m_what, m_size, count, Parts), other = dense(m_what, m_half, count, 2);
    what.in = back ? other : one, what.out = back ? one : other;
    const sycl::event done = fft::detail::run(m_queue, fft::detail::remembered(m_queue, what), what,
                                              memory_of(from), memory_of(to), m_before);
    m_before.assign(1, done);
  }

  sycl::queue& m_queue;
  const description& m_what;
  geometry m_shape;
  extents m_size, m_half;
  events m_before;
};

template <typename Real, int Parts>
sycl::event run_with(sycl::queue& queue, const description& what, const fft::detail::memory& a,
                     const fft::detail::memory& b, const fft::detail::memory& out, const events& depends) {
  const operand<Real> left(a, what.a), right(b, what.b, what.correlates), to(out, what.out);
  if (detail::uses_fourier(queue, what))
    return by_transforms<Real, Parts>(queue, what, depends).run(left, right, to);
  const geometry shape(what);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    direct_sum<Real, Parts> all{
        left.read(h), right.read(h), to.write(h), shape.n,
        shape.m,      shape.out,     {},          what.correlates ? Real(-1) : Real(1)};
    std::copy(std::begin(shape.first), std::end(shape.first), std::begin(all.first));
    constexpr std::size_t together = direct_sum<Real, Parts>::together;
    h.parallel_for(sycl::range<1>(shape.out[0] * shape.out[1] * ((shape.out[2] + together - 1) / together) *
                                  shape.count),
                   all);
  });
}

void require_fit(const description& what) {
  const auto text = [](const shape& s) {
    std::string out;
    for (int d = 0; d < s.rank; ++d) out += (d ? " x " : "") + std::to_string(s.extent[std::size_t(d)]);
    return out;
  };
  if (what.a.rank != what.b.rank || what.a.rank != what.out.rank)
    refuse("operands of " + std::to_string(what.a.rank) + ", " + std::to_string(what.b.rank) + " and " +
           std::to_string(what.out.rank) + " dimensions");
  if (what.a.count != what.out.count || (what.b.count != 1 && what.b.count != what.out.count))
    refuse("batches of " + std::to_string(what.a.count) + " and " + std::to_string(what.b.count) +
           " to one of " + std::to_string(what.out.count));
  for (int d = 0; d < what.a.rank; ++d) {
    const std::size_t n = what.a.extent[std::size_t(d)], m = what.b.extent[std::size_t(d)],
                      k = what.out.extent[std::size_t(d)];
    if (n == 0 || m == 0) refuse("an operand without points: " + text(what.a) + " and " + text(what.b));
    if (what.which == mode::valid && n < m)
      refuse("valid of " + text(what.a) + " and " + text(what.b) + " has no points");
    const std::size_t expected = what.which == mode::full   ? n + m - 1
                                 : what.which == mode::same ? n
                                                            : n - m + 1;
    if (k != expected)
      refuse("extents disagree: " + text(what.a) + " and " + text(what.b) + " do not give " + text(what.out) +
             " (" + std::to_string(expected) + " in dimension " + std::to_string(d) + ")");
  }
}

/// Nanoseconds of a product and sum of the direct method, and of one of p log2(p) steps of a transform, with
/// all threads; and of the commands that only transforms need. Measured, docs/operations-fft.md.
struct speed {
  double product, step, commands;
};
speed speed_of(const sycl::device& device) {
  const bool is_vulkan = device.get_backend() == sycl::backend::ext_prism_vulkan;
  if (device.get_backend() == sycl::backend::ext_prism_host) return {0.19, 1.1, 30e3};
  if (device.is_cpu() && is_vulkan) return {2.0, 25, 800e3};
  if (device.is_cpu()) return {0.19, 3.0, 90e3};
  return {0.02, 0.2, 500e3}; // graphics processors: not measured, the ratio lies between those above
}

} // namespace

bool detail::uses_fourier(const sycl::queue& queue, const description& what) {
  require_fit(what);
  if (what.how != method::automatic) return what.how == method::fourier;
  const geometry shape(what);
  const speed of = speed_of(queue.get_device());
  const double parts = what.a.parts == 2 ? 4 : 1, batch = double(shape.count),
               direct = batch * double(shape.out.size()) * double(shape.m.size()) * parts * of.product;
  const double p = double(shape.transformed().size()), transforms = 2 * batch + double(what.b.count);
  const double fourier =
      of.commands + transforms * (what.a.parts == 2 ? 1 : 0.5) * p * std::log2(p + 1) * of.step;
  return fourier < direct;
}

sycl::event detail::run(sycl::queue& queue, const description& what, const fft::detail::memory& a,
                        const fft::detail::memory& b, const fft::detail::memory& out, const events& depends) {
  require_fit(what);
  if (fft::detail::overlaps(what.out)) refuse("out's elements overlap each other");
  for (const auto& [memory, name] : {std::pair{&a, "a"}, {&b, "b"}})
    if (blas::coincide(*memory, out)) refuse(std::string("out begins at the same element as ") + name);
  fft::detail::require_type(queue.get_device(), what.bits);
  if (what.out.count == 0) return queue.ext_oneapi_submit_barrier(depends);
  if (what.bits == 64)
    return what.a.parts == 2 ? run_with<double, 2>(queue, what, a, b, out, depends)
                             : run_with<double, 1>(queue, what, a, b, out, depends);
  return what.a.parts == 2 ? run_with<float, 2>(queue, what, a, b, out, depends)
                           : run_with<float, 1>(queue, what, a, b, out, depends);
}

} // namespace prism::convolve
