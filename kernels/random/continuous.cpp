// Distributions of real numbers by a function of each word: uniform, and the inverses of distribution
// functions (L. Devroye, "Non-Uniform Random Variate Generation", 1986, chapter II.2); pairs of normal
// numbers by G. Box and M. Muller, "A note on the generation of random normal deviates", 1958.
#include "kernels/random/normal_quantile.hpp"
#include "kernels/random/steps.hpp"
#include "kernels/random/word.hpp"

#include <cmath>

namespace prism::random {
namespace {

/// One number in place of a word: make(word), for each.
template <typename T, typename Make>
sycl::event each_word(sycl::queue& queue, const word_place& to, std::size_t n, const events& depends,
                      const Make& make) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    auto* const data = reinterpret_cast<word<T>*>(to.read_write(h));
    h.parallel_for(sycl::range<1>(n),
                   [=](sycl::id<1> i) { data[i[0]] = sycl::bit_cast<word<T>>(T(make(data[i[0]]))); });
  });
}

/// What happens to a standard normal number: mean + deviation x, or location + scale exp of that.
template <typename T>
struct normal_form {
  T mean, deviation, location, scale;
  bool is_logarithm;
  explicit normal_form(const law& of)
      : mean(T(of.parameters[0])), deviation(T(of.parameters[1])), location(T(of.parameters[2])),
        scale(T(of.parameters[3])), is_logarithm(of.is_logarithm) {}
  T operator()(T standard) const {
#pragma clang fp contract(off)
    const T product = deviation * standard, x = mean + product;
    return is_logarithm ? location + scale * sycl::exp(x) : x;
  }
};

template <typename T>
T inverse_of(kind what, const side<T>& u, T shape) {
  switch (what) {
    case kind::weibull: return sycl::pow(u.minus_log(), T(1) / shape);
    case kind::rayleigh: return sycl::sqrt(u.minus_log());
    case kind::gumbel: return sycl::log(u.minus_log());
    case kind::cauchy: {
      const T x = T(1) / sycl::tanpi(u.p);
      return u.is_upper ? x : -x;
    }
    case kind::laplace: {
      const T x = -sycl::log(T(2) * u.p);
      return u.is_upper ? x : -x;
    }
    default: return u.minus_log();
  }
}

} // namespace

template <typename T>
sycl::event make_uniform(sycl::queue& queue, const law& of, const word_place& to, std::size_t n,
                         const events& depends) {
  const T a = T(of.parameters[0]), b = T(of.parameters[1]);
  // b - a may be larger than a number can be: then a - a u + b u.
  const bool is_wide = !std::isfinite(b - a);
  const T less = is_wide ? a : T(0), more = is_wide ? b : b - a;
  const T last = of.parameters[2] != 0 ? std::nextafter(b, a) : b;
  return each_word<T>(queue, to, n, depends, [=](word<T> w) {
#pragma clang fp contract(off)
    const T u = fraction(w);
    const T x = (a - less * u) + more * u;
    return x > last ? last : x;
  });
}

template <typename T>
sycl::event make_by_inverse(sycl::queue& queue, const law& of, const word_place& to, std::size_t n,
                            const events& depends) {
  if (of.what == kind::gaussian) {
    const normal_form<T> form(of);
    return each_word<T>(queue, to, n, depends, [=](word<T> w) {
#pragma clang fp contract(off)
      const side<T> u(w);
      const T x = normal_quantile(u.p);
      return form(u.is_upper ? x : -x);
    });
  }
  const kind what = of.what;
  const T location = T(of.parameters[0]), scale = T(of.parameters[1]), shape = T(of.parameters[2]);
  return each_word<T>(queue, to, n, depends,
                      [=](word<T> w) { return location + scale * inverse_of(what, side<T>(w), shape); });
}

template <typename T>
sycl::event make_box_muller(sycl::queue& queue, const law& of, const word_place& to, std::size_t n,
                            std::uint64_t after, const events& depends) {
  const normal_form<T> form(of);
  const auto last = static_cast<word<T>>(after);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    auto* const data = reinterpret_cast<word<T>*>(to.read_write(h));
    h.parallel_for(sycl::range<1>((n + 1) / 2), [=](sycl::id<1> i) {
      const std::size_t first = 2 * i[0];
      const bool is_pair = first + 1 < n;
      const T radius = sycl::sqrt(T(2) * side<T>(data[first]).minus_log()),
              angle = T(2) * fraction(is_pair ? data[first + 1] : last);
      data[first] = sycl::bit_cast<word<T>>(form(radius * sycl::sinpi(angle)));
      if (is_pair) data[first + 1] = sycl::bit_cast<word<T>>(form(radius * sycl::cospi(angle)));
    });
  });
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event make_uniform<T>(sycl::queue&, const law&, const word_place&, std::size_t,             \
                                       const events&);                                                       \
  template sycl::event make_by_inverse<T>(sycl::queue&, const law&, const word_place&, std::size_t,          \
                                          const events&);                                                    \
  template sycl::event make_box_muller<T>(sycl::queue&, const law&, const word_place&, std::size_t,          \
                                          std::uint64_t, const events&)
PRISM_INSTANTIATE(float);
PRISM_INSTANTIATE(double);
#undef PRISM_INSTANTIATE

} // namespace prism::random
