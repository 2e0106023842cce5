// Numbers, an exact reference and FFTW's error for the tests of transforms. The reference is computed in long
// double by definition, split by the prime factors of the size.
#pragma once

#include "tests/sycl/common.hpp"

#include <prism/fft.hpp>

#if PRISM_TEST_HAS_FFTW
#include <fftw3.h>
#endif

#include <algorithm>
#include <complex>
#include <deque>
#include <map>
#include <numbers>
#include <random>

namespace fourier_test {

using wide = std::complex<long double>;

template <typename T>
using real_of = typename prism::fft::detail::element<T>::real;
template <typename Real>
inline constexpr double roundoff = std::is_same_v<Real, double>  ? 0x1p-53
                                   : std::is_same_v<Real, float> ? 0x1p-24
                                                                 : 0x1p-11;

template <typename T>
std::vector<T> noise(std::size_t n, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  using real = real_of<T>;
  std::vector<T> out(n);
  for (T& x : out) {
    if constexpr (prism::fft::detail::element<T>::parts == 2) {
      const float re = between(engine);
      x = T(real(re), real(between(engine)));
    } else x = T(between(engine));
  }
  return out;
}

template <typename T>
wide widened(const T& x) {
  if constexpr (prism::fft::detail::element<T>::parts == 2)
    return {static_cast<long double>(static_cast<double>(x.real())),
            static_cast<long double>(static_cast<double>(x.imag()))};
  else return static_cast<long double>(static_cast<double>(x));
}
template <typename T>
std::vector<wide> widened(const std::vector<T>& from) {
  std::vector<wide> out;
  for (const T& x : from) out.push_back(widened(x));
  return out;
}

/// exp(2 pi i k / n).
inline const std::vector<wide>& roots_of_unity(std::size_t n) {
  static std::map<std::size_t, std::vector<wide>> all;
  std::vector<wide>& roots = all[n];
  for (std::size_t k = roots.size(); k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}
/// One dimension by definition; `sign` of the exponent.
inline std::vector<wide> sums_of_roots(const std::vector<wide>& x, int sign) {
  const std::size_t n = x.size();
  if (n < 2) return x;
  std::size_t p = 2;
  while (n % p != 0) ++p;
  const std::vector<wide>& roots = roots_of_unity(n);
  const std::size_t m = n / p;
  std::vector<std::vector<wide>> parts(p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t t = 0; t < m; ++t) parts[j].push_back(x[j + p * t]);
    parts[j] = sums_of_roots(parts[j], sign);
  }
  // Sums of real numbers are conjugate in pairs.
  const bool is_real = std::all_of(x.begin(), x.end(), [](const wide& each) { return each.imag() == 0; });
  const std::size_t computed = is_real ? n / 2 + 1 : n;
  std::vector<wide> out(n);
  for (std::size_t k = 0; k < computed; ++k) {
    long double re = 0, im = 0; // of the sum; products of std::complex look for infinities
    const std::size_t step = sign > 0 || k == 0 ? k : n - k, row = k % m;
    const auto next = [&](std::size_t at) { return at + step < n ? at + step : at + step - n; };
    if (is_real && m == 1)
      for (std::size_t j = 0, at = 0; j < p; ++j, at = next(at)) {
        re += roots[at].real() * parts[j][0].real();
        im += roots[at].imag() * parts[j][0].real();
      }
    else
      for (std::size_t j = 0, at = 0; j < p; ++j, at = next(at)) {
        const wide &root = roots[at], &part = parts[j][row];
        re += root.real() * part.real() - root.imag() * part.imag();
        im += root.real() * part.imag() + root.imag() * part.real();
      }
    out[k] = {re, im};
  }
  for (std::size_t k = computed; k < n; ++k) out[k] = std::conj(out[n - k]);
  return out;
}
/// The same, computed once for the same numbers: those of float and double are the same (`noise`), and this
/// is most of what these tests compute.
inline const std::vector<wide>& transformed(const std::vector<wide>& x, int sign) {
  struct result {
    std::vector<wide> of, is;
  };
  static std::map<std::pair<std::size_t, int>, std::deque<result>> all;
  std::deque<result>& same_size = all[{x.size(), sign}];
  for (const result& each : same_size)
    if (each.of == x) return each.is;
  return same_size.emplace_back(result{x, sums_of_roots(x, sign)}).is;
}
/// Rows of a contiguous grid, in every dimension.
inline std::vector<wide> transformed(std::vector<wide> x, const std::vector<std::size_t>& extents, int sign) {
  std::size_t apart = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    const std::size_t n = extents[d];
    for (std::size_t first = 0; first < x.size(); ++first) {
      if (first / apart % n != 0) continue;
      std::vector<wide> line(n);
      for (std::size_t k = 0; k < n; ++k) line[k] = x[first + k * apart];
      line = transformed(line, sign);
      for (std::size_t k = 0; k < n; ++k) x[first + k * apart] = line[k];
    }
    apart *= n;
  }
  return x;
}
/// The points that a transform of real numbers keeps.
inline std::vector<wide> half_of(const std::vector<wide>& all, std::size_t n) {
  std::vector<wide> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % n <= n / 2) out.push_back(all[i]);
  return out;
}

template <typename T>
double relative_error(const std::vector<T>& found, const std::vector<wide>& expected) {
  long double norm = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    norm += std::norm(expected[i]), error += std::norm(widened(found[i]) - expected[i]);
  return norm == 0 ? static_cast<double>(std::sqrt(error)) : static_cast<double>(std::sqrt(error / norm));
}

#if PRISM_TEST_HAS_FFTW
/// FFTW's result of one contiguous transform of any dimensions.
inline std::vector<std::complex<float>> by_fftw(std::vector<std::complex<float>> data,
                                                const std::vector<int>& n, int sign) {
  auto* const raw = reinterpret_cast<fftwf_complex*>(data.data());
  const auto plan = fftwf_plan_dft(int(n.size()), n.data(), raw, raw, sign, FFTW_ESTIMATE);
  fftwf_execute(plan), fftwf_destroy_plan(plan);
  return data;
}
inline std::vector<std::complex<double>> by_fftw(std::vector<std::complex<double>> data,
                                                 const std::vector<int>& n, int sign) {
  auto* const raw = reinterpret_cast<fftw_complex*>(data.data());
  const auto plan = fftw_plan_dft(int(n.size()), n.data(), raw, raw, sign, FFTW_ESTIMATE);
  fftw_execute(plan), fftw_destroy_plan(plan);
  return data;
}
#endif

inline bool is_convolved(std::size_t n) {
  for (const std::size_t prime : {2, 3, 5, 7, 11, 13})
    while (n != 0 && n % prime == 0) n /= prime;
  return n != 1;
}
/// What a transform of n points may be wrong by: twice FFTW's typical error, where FFTW itself is not asked.
/// Sizes with a prime factor above 13 are computed as convolutions, two transforms of at least twice the
/// size.
template <typename Real>
double usual_error(std::size_t n) {
  const double of_one = roundoff<Real> * (0.6 + 0.35 * std::sqrt(std::log2(static_cast<double>(n) + 1)));
  return (is_convolved(n) ? 3 : 2.2) * of_one;
}

/// Runs `call(queue, in grid, out grid)` on buffers; the result's elements.
template <typename Out, typename In, typename Call>
std::vector<Out> on_buffers(const std::vector<In>& from, std::size_t size, Call&& call) {
  sycl::queue queue;
  sycl::buffer<In> in{sycl::range<1>(std::max<std::size_t>(1, from.size()))};
  sycl::buffer<Out> out{sycl::range<1>(std::max<std::size_t>(1, size))};
  {
    const sycl::host_accessor to(in, sycl::write_only);
    std::copy(from.begin(), from.end(), to.begin());
    const sycl::host_accessor old(out, sycl::write_only);
    std::fill(old.begin(), old.end(), Out{});
  }
  call(queue, in, out);
  queue.wait_and_throw();
  const sycl::host_accessor found(out, sycl::read_only);
  return {found.begin(), found.begin() + std::ptrdiff_t(size)};
}

template <typename Real>
bool has_type(const sycl::queue& queue) {
  const sycl::device device = queue.get_device();
  if (sizeof(Real) == 8) return device.has(sycl::aspect::fp64);
  return sizeof(Real) == 4 || device.has(sycl::aspect::fp16);
}

} // namespace fourier_test
