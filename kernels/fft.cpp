// Fourier transforms by SYCL kernels, for every device.
#include "kernels/checks.hpp"

#include <prism/kernels/fft.hpp>

namespace prism::kernels {

namespace {

using values = sycl::buffer<std::complex<float>>;
constexpr float two_pi = 6.28318530717958647692f;
constexpr int largest_radix = 13;

struct complex_value {
  float re, im;
};
complex_value root(std::size_t k, std::size_t n, float sign) { // exp(sign 2 pi i k / n), k < n
  const float angle = sign * two_pi * (float(k) / float(n));
  return {sycl::cos(angle), sycl::sin(angle)};
}

/// One pass: transforms of `radix` values that are `stride` apart in the result. `rest`: the remaining size,
/// including this factor.
void step(sycl::queue& queue, values& from, values& to, std::size_t radix, std::size_t rest,
          std::size_t stride, float sign, float scale) {
  queue.submit([&](sycl::handler& h) {
    sycl::accessor in(from, h, sycl::read_only);
    sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    const std::size_t after = rest / radix;
    h.parallel_for(sycl::range<1>(after * stride), [=](sycl::id<1> id) {
      const std::size_t p = id[0] / stride, q = id[0] % stride;
      float re[largest_radix], im[largest_radix];
      for (std::size_t i = 0; i < radix; ++i) {
        const std::complex<float> x = in[q + stride * (p + i * after)];
        re[i] = x.real(), im[i] = x.imag();
      }
      for (std::size_t k = 0; k < radix; ++k) {
        float sum_re = 0, sum_im = 0;
        for (std::size_t i = 0; i < radix; ++i) {
          const complex_value w = root(i * k % radix, radix, sign);
          sum_re += re[i] * w.re - im[i] * w.im;
          sum_im += re[i] * w.im + im[i] * w.re;
        }
        const complex_value turn = root(p * k % rest, rest, sign);
        out[q + stride * (radix * p + k)] = {scale * (sum_re * turn.re - sum_im * turn.im),
                                             scale * (sum_re * turn.im + sum_im * turn.re)};
      }
    });
  });
}

/// The factors of n, fours first; empty if n has a prime factor above 13.
std::vector<std::size_t> radices_of(std::size_t n) {
  std::vector<std::size_t> out;
  for (const std::size_t radix : {4, 2, 3, 5, 7, 11, 13})
    while (n != 0 && n % radix == 0) out.push_back(radix), n /= radix;
  return n == 1 ? out : std::vector<std::size_t>{};
}

} // namespace

sycl::event fft_stockham(sycl::queue& queue, values& data, fft_direction direction) {
  require_whole(data, "fft", "data");
  const std::size_t n = data.size();
  const std::vector<std::size_t> radices = radices_of(n);
  require(n == 1 || !radices.empty(),
          "fft: " + std::to_string(n) + " elements; the size must be a product of 2, 3, 5, 7, 11 and 13");
  const float sign = direction == fft_direction::forward ? -1.0f : 1.0f;
  values other{sycl::range<1>(n)};
  values *from = &data, *to = &other;
  std::size_t rest = n, stride = 1;
  for (const std::size_t radix : radices) {
    const bool last = rest == radix;
    step(queue, *from, *to, radix, rest, stride, sign, last && sign > 0 ? 1.0f / float(n) : 1.0f);
    rest /= radix, stride *= radix;
    std::swap(from, to);
  }
  return queue.submit([&](sycl::handler& h) { // copies the result to `to`, unless it is there already
    sycl::accessor out(data, h, sycl::read_write);
    if (from == &data) return h.single_task([=] { out[0] = out[0]; });
    sycl::accessor in(other, h, sycl::read_only);
    h.copy(in, out);
  });
}

sycl::event fft_direct(sycl::queue& queue, values& data, fft_direction direction) {
  require_whole(data, "fft", "data");
  const std::size_t n = data.size();
  const float sign = direction == fft_direction::forward ? -1.0f : 1.0f,
              scale = sign > 0 ? 1.0f / float(n) : 1.0f;
  values other{sycl::range<1>(n)};
  queue.submit([&](sycl::handler& h) {
    sycl::accessor in(data, h, sycl::read_only);
    sycl::accessor out(other, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> k) {
      float re = 0, im = 0;
      std::size_t turn = 0; // j k mod n without the product, which may overflow
      for (std::size_t j = 0; j < n; ++j) {
        const std::complex<float> x = in[j];
        const complex_value w = root(turn, n, sign);
        re += x.real() * w.re - x.imag() * w.im;
        im += x.real() * w.im + x.imag() * w.re;
        turn = turn + k[0] < n ? turn + k[0] : turn + k[0] - n;
      }
      out[k] = {scale * re, scale * im};
    });
  });
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor in(other, h, sycl::read_only);
    sycl::accessor out(data, h, sycl::write_only, sycl::no_init);
    h.copy(in, out);
  });
}

} // namespace prism::kernels
