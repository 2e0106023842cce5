#include "runtime/support/hash.hpp"

#include <bit>
#include <cstring>

namespace prism::support {

namespace {

constexpr std::uint64_t p1 = 0x9E3779B185EBCA87, p2 = 0xC2B2AE3D27D4EB4F, p3 = 0x165667B19E3779F9,
                        p4 = 0x85EBCA77C2B2AE63, p5 = 0x27D4EB2F165667C5;

template <typename T>
T read(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

std::uint64_t round(std::uint64_t sum, std::uint64_t input) { return std::rotl(sum + input * p2, 31) * p1; }
std::uint64_t merge(std::uint64_t h, std::uint64_t sum) { return (h ^ round(0, sum)) * p1 + p4; }

} // namespace

std::uint64_t hash64(std::span<const std::byte> data, std::uint64_t seed) noexcept {
  const std::byte* p = data.data();
  const std::byte* const end = p + data.size();
  std::uint64_t h;
  if (data.size() >= 32) {
    std::uint64_t a = seed + p1 + p2, b = seed + p2, c = seed, d = seed - p1;
    for (; end - p >= 32; p += 32) {
      a = round(a, read<std::uint64_t>(p));
      b = round(b, read<std::uint64_t>(p + 8));
      c = round(c, read<std::uint64_t>(p + 16));
      d = round(d, read<std::uint64_t>(p + 24));
    }
    h = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    h = merge(merge(merge(merge(h, a), b), c), d);
  } else {
    h = seed + p5;
  }
  h += data.size();
  for (; end - p >= 8; p += 8) h = std::rotl(h ^ round(0, read<std::uint64_t>(p)), 27) * p1 + p4;
  if (end - p >= 4) {
    h = std::rotl(h ^ read<std::uint32_t>(p) * p1, 23) * p2 + p3;
    p += 4;
  }
  for (; p != end; ++p) h = std::rotl(h ^ static_cast<std::uint64_t>(*p) * p5, 11) * p1;
  h = (h ^ (h >> 33)) * p2;
  h = (h ^ (h >> 29)) * p3;
  return h ^ (h >> 32);
}

} // namespace prism::support
