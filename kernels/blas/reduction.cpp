// Reductions of vectors to one number: dot, nrm2, asum, iamax. Some thousand work-items each combine elements
// at a fixed distance; a second kernel of one group combines their results. The number of work-items depends
// only on the size, so a result does not depend on the number of threads. nrm2: Anderson 2017, "Algorithm
// 978: Safe Scaling in the Level 1 BLAS" (three sums of squares: of large numbers scaled down, of small ones
// scaled up, and of all others).
#include "kernels/blas/product.hpp"

#include <algorithm>
#include <limits>

namespace prism::blas {
namespace {

constexpr std::size_t joining = 64;        // work-items of the second kernel
constexpr std::size_t group = 256;         // work-items of a group of the first kernel
constexpr std::size_t least_run = 1 << 12; // elements of a group
constexpr std::size_t usual_groups = 32;   // if their ranges are not longer than most_run
constexpr std::size_t most_run = 1 << 21;  // software drivers limit the loop iterations of a work-item

template <typename T>
struct dot_sum {
  static constexpr bool in_runs = true;
  using real = real_of<T>;
  struct partial {
    real sum[parts_of<T>] = {};
  };
  real sign; // -1: negates the imaginary parts of one of x and y
  real sign_y;
  void add(partial& to, const real* x, const real* y, std::size_t) const {
    if constexpr (parts_of<T> == 1) {
      to.sum[0] += x[0] * y[0];
    } else {
      const real im_x = sign * x[1], im_y = sign_y * y[1];
      to.sum[0] += x[0] * y[0] - im_x * im_y;
      to.sum[1] += x[0] * im_y + im_x * y[0];
    }
  }
  static void join(partial& to, const partial& other) {
    for (int p = 0; p < parts_of<T>; ++p) to.sum[p] += other.sum[p];
  }
  static void finish(const partial& from, real* to) {
    for (int p = 0; p < parts_of<T>; ++p) to[p] = from.sum[p];
  }
};

template <typename T>
struct asum_sum {
  static constexpr bool in_runs = true;
  using real = real_of<T>;
  struct partial {
    real sum = 0;
  };
  static void add(partial& to, const real* x, const real*, std::size_t) {
    for (int p = 0; p < parts_of<T>; ++p) to.sum += sycl::fabs(x[p]);
  }
  static void join(partial& to, const partial& other) { to.sum += other.sum; }
  static void finish(const partial& from, real* to) { to[0] = from.sum; }
};

/// Bounds and factors of Algorithm 978, from the type's exponents.
template <typename R>
struct scaling {
  using limits = std::numeric_limits<R>;
  static constexpr R power(int exponent) {
    R out = 1;
    for (int i = 0; i < exponent; ++i) out *= 2;
    for (int i = 0; i > exponent; --i) out /= 2;
    return out;
  }
  static constexpr int half_up(int e) { return e >= 0 ? (e + 1) / 2 : -(-e / 2); }
  static constexpr int half_down(int e) { return e >= 0 ? e / 2 : -((-e + 1) / 2); }
  static constexpr R small = power(half_up(limits::min_exponent - 1));
  static constexpr R large = power(half_down(limits::max_exponent - limits::digits + 1));
  static constexpr R up = power(-half_down(limits::min_exponent - limits::digits));
  static constexpr R down = power(-half_up(limits::max_exponent + limits::digits - 1));
};

template <typename T>
struct norm_sum {
  static constexpr bool in_runs = false; // three sums per element do not vectorise
  using real = real_of<T>;
  using by = scaling<real>;
  struct partial {
    real large = 0, middle = 0, small = 0;
  };
  static void add(partial& to, const real* x, const real*, std::size_t) {
    for (int p = 0; p < parts_of<T>; ++p) {
      const real size = sycl::fabs(x[p]);
      const bool is_large = size > by::large, is_small = size < by::small; // NaN is neither
      const real large = is_large ? size * by::down : real(0), small = is_small ? size * by::up : real(0),
                 middle = is_large || is_small ? real(0) : size;
      to.large += large * large, to.small += small * small, to.middle += middle * middle;
    }
  }
  static void join(partial& to, const partial& other) {
    to.large += other.large, to.middle += other.middle, to.small += other.small;
  }
  static void finish(const partial& from, real* to) {
    const bool has_middle = from.middle > real(0) || from.middle != from.middle;
    if (from.large > real(0)) {
      const real sum = from.large + (has_middle ? from.middle * by::down * by::down : real(0));
      to[0] = sycl::sqrt(sum) / by::down;
    } else if (from.small > real(0) && has_middle) {
      const real middle = sycl::sqrt(from.middle), small = sycl::sqrt(from.small) / by::up;
      const real high = sycl::fmax(middle, small), low = sycl::fmin(middle, small), ratio = low / high;
      to[0] = middle != middle ? middle : high * sycl::sqrt(real(1) + ratio * ratio);
    } else {
      to[0] = from.small > real(0) ? sycl::sqrt(from.small) / by::up : sycl::sqrt(from.middle);
    }
  }
};

template <typename T>
struct largest {
  static constexpr bool in_runs = true;
  using real = real_of<T>;
  struct partial {
    real size = -1;
    std::int64_t index = -1;
  };
  static void add(partial& to, const real* x, const real*, std::size_t i) {
    real size = sycl::fabs(x[0]);
    if constexpr (parts_of<T> == 2) size += sycl::fabs(x[1]);
    const bool first = to.index < 0;
    if (first || size > to.size) to.size = size, to.index = static_cast<std::int64_t>(i);
  }
  static void join(partial& to, const partial& other) {
    if (other.index < 0) return;
    const bool earlier = other.size == to.size && other.index < to.index;
    if (to.index < 0 || other.size > to.size || earlier) to = other;
  }
  static void finish(const partial& from, std::int64_t* to) { to[0] = from.index; }
};

/// Elements of a group: a multiple of its work-items.
std::size_t run_for(std::size_t n) {
  const std::size_t run = std::clamp((n + usual_groups - 1) / usual_groups, least_run, most_run);
  return (run + group - 1) / group * group;
}

/// Each group adds a range of elements; each of its work-items adds elements at a fixed distance.
template <typename T, typename Sum, bool Contiguous, typename Partials>
void submit_sums(sycl::handler& h, const Sum& how, const elements<const real_of<T>>& x,
                 const elements<const real_of<T>>& y, std::size_t run, const Partials& to) {
  const std::size_t groups = std::max<std::size_t>(1, (x.size + run - 1) / run);
  h.parallel_for(sycl::nd_range<1>(groups * group, group), [=](sycl::nd_item<1> item) {
    typename Sum::partial sum;
    const std::size_t first = item.get_group(0) * run, own = item.get_local_id(0),
                      count = first < x.size ? sycl::min(run, x.size - first) : 0;
    for (std::size_t i = own; i < count; i += group) {
      if constexpr (Contiguous)
        how.add(sum, x.data + (x.offset + static_cast<std::ptrdiff_t>((first + i) * parts_of<T>)),
                y.data + (y.offset + static_cast<std::ptrdiff_t>((first + i) * parts_of<T>)), first + i);
      else how.add(sum, x.at(first + i), y.at(first + i), first + i);
    }
    to[item.get_global_id(0)] = sum;
  });
}

/// The same for processors: each work-item adds a range of elements, in as many sums as fill some vectors, so
/// that an addition does not wait for the previous one.
template <typename T, typename Sum, typename Partials>
void submit_runs(sycl::handler& h, const Sum& how, const elements<const real_of<T>>& x,
                 const elements<const real_of<T>>& y, std::size_t run, const Partials& to) {
  constexpr std::size_t width = 256 / sizeof(T), parts = parts_of<T>;
  const std::size_t runs = std::max<std::size_t>(1, (x.size + run - 1) / run);
  h.parallel_for(sycl::range<1>(runs), [=](sycl::id<1> item) {
    typename Sum::partial sums[width];
    const std::size_t first = item[0] * run, last = sycl::min(first + run, x.size);
    const real_of<T>* from = x.data + (x.offset + static_cast<std::ptrdiff_t>(first * parts));
    const real_of<T>* other = y.data + (y.offset + static_cast<std::ptrdiff_t>(first * parts));
    std::size_t i = first;
    for (; i + width <= last; i += width, from += width * parts, other += width * parts)
#pragma unroll
      for (std::size_t w = 0; w < width; ++w) how.add(sums[w], from + w * parts, other + w * parts, i + w);
#pragma unroll 1
    for (; i < last; ++i, from += parts, other += parts) how.add(sums[0], from, other, i);
#pragma unroll
    for (std::size_t w = 1; w < width; ++w) Sum::join(sums[0], sums[w]);
    to[item[0]] = sums[0];
  });
}

template <typename T, typename Sum, typename Result>
sycl::event reduce(sycl::queue& queue, const Sum& how, const vector<T>& x, const vector<T>& y,
                   const place<Result>& result, const events& depends) {
  using partial = typename Sum::partial;
  const sycl::device device = queue.get_device();
  const bool contiguous = x.is_contiguous() && y.is_contiguous(),
             in_runs = Sum::in_runs && contiguous && device.is_cpu() &&
                       device.get_backend() != sycl::backend::ext_prism_vulkan;
  const std::size_t run = run_for(x.size),
                    items = std::max<std::size_t>(1, (x.size + run - 1) / run) * (in_runs ? 1 : group);
  sycl::buffer<partial> sums{sycl::range<1>(items)};
  queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto from = x.read(h), other = y.read(h);
    sycl::accessor to(sums, h, sycl::write_only, sycl::no_init);
    if constexpr (Sum::in_runs)
      if (in_runs) return submit_runs<T>(h, how, from, other, run, to);
    if (contiguous) submit_sums<T, Sum, true>(h, how, from, other, run, to);
    else submit_sums<T, Sum, false>(h, how, from, other, run, to);
  });
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor from(sums, h, sycl::read_only);
    sycl::local_accessor<partial> shared(joining, h);
    Result* const to = result.read_write(h);
    const std::ptrdiff_t offset = result.offset;
    h.parallel_for(sycl::nd_range<1>(joining, joining), [=](sycl::nd_item<1> item) {
      const std::size_t own = item.get_local_id(0);
      partial sum;
      for (std::size_t i = own; i < items; i += joining) Sum::join(sum, from[i]);
      shared[own] = sum;
      sycl::group_barrier(item.get_group());
      if (own != 0) return;
      for (std::size_t i = 1; i < joining; ++i) Sum::join(sum, shared[i]);
      Sum::finish(sum, to + offset);
    });
  });
}

} // namespace

template <typename T>
sycl::event reduction(sycl::queue& queue, const detail::request& what, const events& depends) {
  using real = real_of<T>;
  const vector<T> x(what, 0);
  const int last = what.what.operand_count - 1;
  switch (what.what.operation) {
    case PRISM_DOT: {
      const vector<T> y(what, 1);
      const dot_sum<T> how{x.conjugate ? real(-1) : real(1), y.conjugate ? real(-1) : real(1)};
      return reduce<T>(queue, how, x, y, place<real>(what.operands[last], parts_of<T>), depends);
    }
    case PRISM_NRM2:
      return reduce<T>(queue, norm_sum<T>{}, x, x, place<real>(what.operands[last], 1), depends);
    case PRISM_ASUM:
      return reduce<T>(queue, asum_sum<T>{}, x, x, place<real>(what.operands[last], 1), depends);
    default:
      return reduce<T>(queue, largest<T>{}, x, x, place<std::int64_t>(what.operands[last], 1), depends);
  }
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event reduction<T>(sycl::queue&, const detail::request&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::blas
