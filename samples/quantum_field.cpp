// Kernels of quantum_field.hpp. Each formula is written once, for float on devices and double in the
// references.
#include "samples/quantum_field.hpp"

#include "samples/quantum_field_formula.hpp"

#include <cmath>
#include <complex>
#include <map>
#include <stdexcept>

namespace samples {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double phi = golden_ratio,
                 ln_phi = 0.48121182505960344750; // a call would compute in double on the device

void require_points(std::size_t width, std::size_t height) {
  if (width == 0 || height == 0) throw std::invalid_argument("a field needs at least one point in x and y");
}

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
Real waves_at(const wave_table<Real>& table, std::size_t x, std::size_t y, std::size_t width,
              std::size_t height) {
  const auto coordinate = [](std::size_t index, std::size_t count) {
    return Real(4) * (Real(index) + Real(0.5)) / Real(count) - Real(2);
  };
  return field_at(table, coordinate(x, width), coordinate(y, height));
}

template <typename Real>
Real pattern_at(Real x, Real y) {
  const Real distance = std::sqrt(x * x + y * y), r = distance < Real(1e-3) ? Real(1e-3) : distance;
  const Real turns = std::log(r) * Real(1 / ln_phi) - Real(2 / pi) * std::atan2(y, x);
  return std::cos(Real(2 * pi) * turns) * (Real(1) - std::exp(Real(-64) * distance * distance));
}

/// Calls formula(x, y) for each point and stores the results.
template <typename Formula>
void fill_field(sycl::queue& queue, sycl::buffer<float, 2>& field, const Formula& formula) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(field, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for(field.get_range(), [=](sycl::id<2> i) { out[i] = formula(i[1], i[0]); });
  });
  queue.wait_and_throw();
}

float coherence_of(sycl::queue& queue, sycl::buffer<float>& values) {
  sycl::buffer<float> real(sycl::range<1>(1)), imaginary(sycl::range<1>(1));
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(values, handler, sycl::read_only);
    const auto zero = sycl::property::reduction::initialize_to_identity{};
    handler.parallel_for(values.get_range(), sycl::reduction(real, handler, sycl::plus<float>(), zero),
                         sycl::reduction(imaginary, handler, sycl::plus<float>(), zero),
                         [=](sycl::id<1> i, auto& re, auto& im) {
      re += std::cos(float(pi) * in[i]);
      im += std::sin(float(pi) * in[i]);
    });
  });
  const float re = sycl::host_accessor(real, sycl::read_only)[0],
              im = sycl::host_accessor(imaginary, sycl::read_only)[0];
  return std::hypot(re, im) / float(values.size());
}

const std::map<std::string, double>& frequencies() {
  static const std::map<std::string, double> named = {{"ground", 432}, {"love", 528},  {"create", 528},
                                                      {"heart", 594},  {"voice", 672}, {"vision", 720},
                                                      {"unity", 768}};
  return named;
}

} // namespace

double field_frequency(const std::string& name) {
  if (auto found = frequencies().find(name); found != frequencies().end()) return found->second;
  std::string known;
  for (const auto& [n, hertz] : frequencies()) known += " " + n;
  throw std::invalid_argument("there is no frequency named '" + name + "'; there are:" + known);
}

const std::vector<std::string>& field_frequency_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, hertz] : frequencies()) all.push_back(name);
    return all;
  }();
  return names;
}

quantum_field generate_quantum_field(sycl::queue& queue, std::size_t width, std::size_t height,
                                     const std::string& frequency, double time, field_formula formula) {
  require_points(width, height);
  const double hertz = field_frequency(frequency);
  quantum_field result;
  result.values.resize(width * height);
  {
    sycl::buffer<float, 2> field(result.values.data(), sycl::range<2>(height, width));
    if (formula == field_formula::waves) {
      const auto table = make_waves<float>(hertz, time);
      result.time = timed(3, [&] {
        fill_field(queue, field,
                   [=](std::size_t x, std::size_t y) { return waves_at<float>(table, x, y, width, height); });
      });
    } else {
      const auto s = make_spiral<float>(hertz, time);
      result.time = timed(3, [&] {
        fill_field(queue, field, [=](std::size_t x, std::size_t y) {
          return spiral_at<float>(s, centred<float>(x, width), centred<float>(y, height));
        });
      });
    }
    auto flat = field.reinterpret<float, 1>(sycl::range<1>(width * height));
    result.coherence = coherence_of(queue, flat);
  }
  return result;
}

float calculate_field_coherence(sycl::queue& queue, const std::vector<float>& values) {
  if (values.empty()) throw std::invalid_argument("the coherence of no values is not defined");
  sycl::buffer<float> field(values.data(), sycl::range<1>(values.size()));
  return coherence_of(queue, field);
}

std::vector<float> generate_phi_pattern(sycl::queue& queue, std::size_t width, std::size_t height) {
  require_points(width, height);
  std::vector<float> values(width * height);
  sycl::buffer<float, 2> pattern(values.data(), sycl::range<2>(height, width));
  fill_field(queue, pattern, [=](std::size_t x, std::size_t y) {
    return pattern_at<float>(centred<float>(x, width), centred<float>(y, height));
  });
  const sycl::host_accessor seen(pattern, sycl::read_only); // writes the values back when the buffer ends
  return {seen.begin(), seen.end()};
}

double reference_coherence(const std::vector<float>& values) {
  std::complex<double> sum = 0;
  for (const float v : values) sum += std::polar(1.0, pi * double(v));
  return std::abs(sum) / double(values.size());
}

std::vector<double> reference_phi_pattern(std::size_t width, std::size_t height) {
  std::vector<double> values(width * height);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = pattern_at<double>(centred<double>(i % width, width), centred<double>(i / width, height));
  return values;
}

std::vector<double> reference_quantum_field(std::size_t width, std::size_t height,
                                            const std::string& frequency, double time, double& coherence,
                                            field_formula formula) {
  const double hertz = field_frequency(frequency);
  const auto table = make_waves<double>(hertz, time);
  const auto s = make_spiral<double>(hertz, time);
  std::vector<double> values(width * height);
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t x = i % width, y = i / width;
    values[i] = formula == field_formula::waves
                    ? waves_at<double>(table, x, y, width, height)
                    : spiral_at<double>(s, centred<double>(x, width), centred<double>(y, height));
    sum += std::polar(1.0, pi * values[i]);
  }
  coherence = std::abs(sum) / double(width * height);
  return values;
}

} // namespace samples
