// Kernels of quantum_field.hpp. The formula is written once, for float on devices and double in the
// reference.
#include "samples/quantum_field.hpp"

#include <cmath>
#include <complex>
#include <map>
#include <stdexcept>

namespace samples {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double phi = 1.61803398874989484820;

template <typename Real>
struct wave {
  Real kx, ky, phase, amplitude;
};

template <typename Real>
struct wave_table {
  wave<Real> waves[field_waves];
};

template <typename Real>
wave_table<Real> make_waves(double hertz, double time) {
  wave_table<Real> table;
  for (int k = 0; k < field_waves; ++k) {
    const double angle = k * pi * (3.0 - std::sqrt(5.0)),
                 number = 4.0 * pi * std::pow(phi, k / 3.0) * hertz / 432.0;
    table.waves[k] = {Real(number * std::cos(angle)), Real(number * std::sin(angle)),
                      Real(std::fmod(2.0 * pi * hertz / 432.0 * time * std::pow(phi, k / 2.0), 2.0 * pi)),
                      Real(std::pow(phi, -k))};
  }
  return table;
}

template <typename Real>
Real field_at(const wave_table<Real>& table, Real x, Real y) {
  Real sum = 0;
  for (int k = 0; k < field_waves; ++k) {
    const wave<Real>& w = table.waves[k];
    sum += w.amplitude * std::sin(w.kx * x + w.ky * y - w.phase);
  }
  return sum * std::exp(Real(-0.5) * (x * x + y * y));
}

template <typename Real>
Real coordinate(std::size_t index, std::size_t count) {
  return Real(4) * (Real(index) + Real(0.5)) / Real(count) - Real(2);
}

} // namespace

double field_frequency(const std::string& name) {
  static const std::map<std::string, double> named = {{"ground", 432}, {"love", 528},  {"create", 528},
                                                      {"heart", 594},  {"voice", 672}, {"vision", 720},
                                                      {"unity", 768}};
  if (auto found = named.find(name); found != named.end()) return found->second;
  std::string known;
  for (const auto& [n, hertz] : named) known += " " + n;
  throw std::invalid_argument("there is no frequency named '" + name + "'; there are:" + known);
}

quantum_field generate_quantum_field(sycl::queue& queue, std::size_t width, std::size_t height,
                                     const std::string& frequency, float time) {
  const auto table = make_waves<float>(field_frequency(frequency), time);
  quantum_field result;
  result.values.resize(width * height);
  {
    sycl::buffer<float, 2> field(result.values.data(), sycl::range<2>(height, width));
    result.time = timed(3, [&] {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(field, handler, sycl::write_only, sycl::no_init);
        handler.parallel_for(sycl::range<2>(height, width), [=](sycl::id<2> i) {
          out[i] = field_at<float>(table, coordinate<float>(i[1], width), coordinate<float>(i[0], height));
        });
      });
      queue.wait_and_throw();
    });
    sycl::buffer<float> real(sycl::range<1>(1)), imaginary(sycl::range<1>(1));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(field, handler, sycl::read_only);
      const auto zero = sycl::property::reduction::initialize_to_identity{};
      handler.parallel_for(sycl::range<2>(height, width),
                           sycl::reduction(real, handler, sycl::plus<float>(), zero),
                           sycl::reduction(imaginary, handler, sycl::plus<float>(), zero),
                           [=](sycl::id<2> i, auto& re, auto& im) {
        re += std::cos(float(pi) * in[i]);
        im += std::sin(float(pi) * in[i]);
      });
    });
    const float re = sycl::host_accessor(real, sycl::read_only)[0],
                im = sycl::host_accessor(imaginary, sycl::read_only)[0];
    result.coherence = std::hypot(re, im) / float(width * height);
  }
  return result;
}

std::vector<double> reference_quantum_field(std::size_t width, std::size_t height,
                                            const std::string& frequency, double time, double& coherence) {
  const auto table = make_waves<double>(field_frequency(frequency), time);
  std::vector<double> values(width * height);
  std::complex<double> sum = 0;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const double v = field_at<double>(table, coordinate<double>(x, width), coordinate<double>(y, height));
      values[y * width + x] = v;
      sum += std::polar(1.0, pi * v);
    }
  coherence = std::abs(sum) / double(width * height);
  return values;
}

} // namespace samples
