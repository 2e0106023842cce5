// Gamma distributed numbers by G. Marsaglia and W. Tsang, "A simple method for generating gamma variables",
// ACM Transactions on Mathematical Software 26(3), 2000, also for shapes below 1 (their section 6), and beta
// distributed ones as x / (x + y) of two of them. Rejection needs an unknown number of words: each number's
// own word is the key of a Philox sequence, from which its attempts draw. So the engine goes on by one word a
// number, as for other distributions.
#include "kernels/random/steps.hpp"
#include "kernels/random/word.hpp"

namespace prism::random {
namespace {

inline void from_words(std::uint32_t low, std::uint32_t, std::uint32_t& out) { out = low; }
inline void from_words(std::uint32_t low, std::uint32_t high, std::uint64_t& out) {
  out = std::uint64_t(high) << 32 | low;
}

/// A gamma distributed number of scale 1 is value * exp(log_factor). The factor would be 0 as a number where
/// the shape is small.
template <typename T>
struct gamma_number {
  T value, log_factor;
};

template <typename T>
gamma_number<T> gamma_of(T shape, std::uint64_t key, std::uint64_t sequence) {
  // Those of a program's own engine start with 0.
  const std::uint64_t high = 0x67616d6d61000000u + sequence;
  word<T> w;
  T log_factor = 0;
  T larger = shape;
  if (shape < T(1)) {
    const block b = philox(~std::uint64_t(0), high, key);
    from_words(b.word[0], b.word[1], w);
    log_factor = -side<T>(w).minus_log() / shape;
    larger = shape + T(1);
  }
  const T d = larger - T(1) / T(3), c = T(1) / sycl::sqrt(T(9) * d);
  T v = 1;
  for (std::uint64_t attempt = 0;; attempt += 2) {
    const block normal = philox(attempt, high, key), uniform = philox(attempt + 1, high, key);
    from_words(normal.word[0], normal.word[1], w);
    const T radius = sycl::sqrt(T(2) * side<T>(w).minus_log());
    from_words(normal.word[2], normal.word[3], w);
    const T x = radius * sycl::cospi(T(2) * fraction(w)), root = T(1) + c * x;
    if (root <= T(0)) continue;
    v = root * root * root;
    from_words(uniform.word[0], uniform.word[1], w);
    if (-side<T>(w).minus_log() < T(0.5) * x * x + d * (T(1) - v + sycl::log(v))) break;
  }
  return {d * v, log_factor};
}

} // namespace

template <typename T>
sycl::event make_by_rejection(sycl::queue& queue, const law& of, const word_place& to, std::size_t n,
                              const events& depends) {
  const T location = T(of.parameters[0]), scale = T(of.parameters[1]), shape = T(of.parameters[2]),
          second_shape = T(of.parameters[3]);
  const bool is_beta = of.what == kind::beta;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    auto* const data = reinterpret_cast<word<T>*>(to.read_write(h));
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
      const std::uint64_t key = data[i[0]];
      const gamma_number<T> x = gamma_of(shape, key, 0);
      T number = x.value * sycl::exp(x.log_factor);
      if (is_beta) {
        const gamma_number<T> y = gamma_of(second_shape, key, 1);
        number = T(1) / (T(1) + y.value / x.value * sycl::exp(y.log_factor - x.log_factor));
      }
      data[i[0]] = sycl::bit_cast<word<T>>(T(location + scale * number));
    });
  });
}

template sycl::event make_by_rejection<float>(sycl::queue&, const law&, const word_place&, std::size_t,
                                              const events&);
template sycl::event make_by_rejection<double>(sycl::queue&, const law&, const word_place&, std::size_t,
                                               const events&);

} // namespace prism::random
