// Positions of engines: skips and strides in arithmetic of 192 bits, powers of a matrix.
#include <prism/random/engines.hpp>

#include <sycl/sycl.hpp>

#include <string>

namespace prism::random {
namespace {

void require_stride(std::uint64_t stride) {
  if (stride == 0)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "leapfrog: the stride is 0");
}

/// A number of 192 bits, the lowest first.
struct wide {
  std::uint64_t part[3] = {};
  void add(std::uint64_t value, int at) {
    for (; at < 3 && value != 0; ++at) {
      part[at] += value;
      value = part[at] < value ? 1 : 0;
    }
  }
  /// + a b 2^(64 at)
  void add_product(std::uint64_t a, std::uint64_t b, int at) {
    add(a * b, at);
    add(upper_half(a, b), at + 1);
  }
};

} // namespace

void philox_engine::skip(const std::uint64_t* parts, std::size_t count) {
  wide words; // what is beyond 2^130 words changes nothing: the counter has 128 bits
  for (std::size_t i = 0; i < count && i < 3; ++i) words.add_product(parts[i], m_stride, static_cast<int>(i));
  words.add(m_lane, 0);
  m_lane = static_cast<std::uint32_t>(words.part[0] & 3);
  const std::uint64_t low = words.part[0] >> 2 | words.part[1] << 62,
                      high = words.part[1] >> 2 | words.part[2] << 62;
  m_low += low;
  m_high += high + (m_low < low ? 1 : 0);
}

void philox_engine::leap(std::uint64_t first, std::uint64_t stride) {
  require_stride(stride);
  if (upper_half(m_stride, stride) != 0)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "leapfrog: a stride of " + std::to_string(m_stride) + " times " +
                              std::to_string(stride) + " is beyond 2^64");
  skip(first);
  m_stride *= stride;
}

std::uint32_t philox_engine::next() {
  const std::uint32_t out = philox(m_low, m_high, m_key).word[m_lane];
  skip(1);
  return out;
}

mrg32k3a_engine::mrg32k3a_engine(const std::uint32_t* seeds, std::size_t count) {
  for (std::size_t i = 0; i < count && i < 6; ++i) {
    if (i < 3) m_state.x[i] = seeds[i] % mrg32k3a::modulus_x;
    else m_state.y[i - 3] = seeds[i] % mrg32k3a::modulus_y;
  }
  for (std::uint32_t* const each : {m_state.x, m_state.y})
    if (each[0] == 0 && each[1] == 0 && each[2] == 0) each[0] = 1;
}

void mrg32k3a_engine::skip(const std::uint64_t* parts, std::size_t count) {
  mrg32k3a::jump by = m_step; // over 2^(64 i) words
  for (std::size_t i = 0; i < count; ++i) {
    m_state = mrg32k3a::jumped(mrg32k3a::power(by, parts[i]).data(), m_state);
    if (i + 1 < count)
      for (int bit = 0; bit < 64; ++bit) by = mrg32k3a::product(by, by);
  }
}

void mrg32k3a_engine::leap(std::uint64_t first, std::uint64_t stride) {
  require_stride(stride);
  skip(first);
  m_step = mrg32k3a::power(m_step, stride);
  m_leaps = m_leaps || stride != 1;
}

std::uint32_t mrg32k3a_engine::next() {
  mrg32k3a::state at = m_state;
  const std::uint32_t out = mrg32k3a::next(at);
  m_state = mrg32k3a::jumped(m_step.data(), m_state);
  return out;
}

} // namespace prism::random
