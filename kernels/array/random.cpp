// The generator of prism/random.hpp: checks, types and positions; the kernels are random_kernels.hpp.
#include <prism/random.hpp>

#include "kernels/array/node.hpp"
#include "kernels/array/random_kernels.hpp"

#include <cmath>

namespace prism {
namespace {

[[noreturn]] void refuse_random(const std::string& why) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "random_generator: " + why);
}

/// An array of `type` that `fill` writes: fill(queue, memory, count).
template <typename T, typename Fill>
any_array filled(const extents& shape, dtype type, const array_device& on, std::uint64_t& position,
                 const Fill& fill) {
  const any_array a = empty(shape, type, on);
  const auto n = static_cast<std::size_t>(a.size());
  if (n != 0) {
    sycl::queue queue = a.queue();
    fill(queue, static_cast<T*>(a.data()), n);
    a.node().device.busy = true; // so that a reader on the host waits
    position += n;
  }
  return a;
}

void require_finite(double a, double b, const char* names) {
  if (!std::isfinite(a) || !std::isfinite(b)) refuse_random(std::string(names) + " must be finite");
}
void require_floating(dtype type) {
  if (!is_floating(type))
    refuse_random(std::string("uniform and normal numbers have type float32 or float64, not ") +
                  name_of(type));
}

} // namespace

random_generator::random_generator(std::uint64_t seed, const array_device& on) : m_seed(seed), m_on(on) {}

any_array random_generator::words(const extents& shape) {
  return filled<std::uint64_t>(
      shape, dtype::uint64, m_on, m_position,
      [&](sycl::queue& q, std::uint64_t* to, std::size_t n) { random::words(q, to, n, m_seed, m_position); });
}

any_array random_generator::uniform(const extents& shape, double low, double high, dtype type) {
  require_floating(type);
  require_finite(low, high, "low and high");
  const double width = high - low;
  if (!std::isfinite(width)) refuse_random("high - low is larger than a number can be");
  if (type == dtype::float32) {
    if (!std::isfinite(float(low)) || !std::isfinite(float(width)))
      refuse_random("low and high must be finite as float32");
    return filled<float>(shape, type, m_on, m_position, [&](sycl::queue& q, float* to, std::size_t n) {
      random::uniform(q, to, n, m_seed, m_position, float(low), float(width));
    });
  }
  return filled<double>(shape, type, m_on, m_position, [&](sycl::queue& q, double* to, std::size_t n) {
    random::uniform(q, to, n, m_seed, m_position, low, width);
  });
}

any_array random_generator::normal(const extents& shape, double mean, double deviation, dtype type) {
  require_floating(type);
  require_finite(mean, deviation, "mean and deviation");
  if (deviation < 0) refuse_random("the deviation is negative");
  if (type == dtype::float32) {
    return filled<float>(shape, type, m_on, m_position, [&](sycl::queue& q, float* to, std::size_t n) {
      if (!q.get_device().has(sycl::aspect::fp64))
        throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                              "random_generator: normal numbers are computed in double, which " +
                                  q.get_device().get_info<sycl::info::device::name>() + " lacks");
      random::normal(q, to, n, m_seed, m_position, mean, deviation);
    });
  }
  return filled<double>(shape, type, m_on, m_position, [&](sycl::queue& q, double* to, std::size_t n) {
    random::normal(q, to, n, m_seed, m_position, mean, deviation);
  });
}

any_array random_generator::integers(std::int64_t low, std::int64_t high, const extents& shape) {
  if (low >= high)
    refuse_random("there is no integer in [" + std::to_string(low) + ", " + std::to_string(high) + ")");
  const std::uint64_t count = std::uint64_t(high) - std::uint64_t(low);
  return filled<std::int64_t>(shape, dtype::int64, m_on, m_position,
                              [&](sycl::queue& q, std::int64_t* to, std::size_t n) {
    random::integers(q, to, n, m_seed, m_position, low, count);
  });
}

} // namespace prism
