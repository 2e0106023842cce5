// sycl::bit_cast in kernels: between scalars, vectors, arrays, classes and half, in both directions, against
// memcpy.
#include "tests/sycl/common.hpp"

#include <array>
#include <cstring>

namespace {

struct pair_of_shorts {
  short low;
  unsigned short high;
};
struct packed {
  std::uint8_t tag;
  std::array<std::uint8_t, 3> rest;
  float value;
};
union either {
  float number;
  std::uint32_t bits;
};

template <typename T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The device converts patterns of A to B and of B to A; the results must equal those of memcpy bit by bit.
template <typename A, typename B>
void is_copied_both_ways(const std::vector<std::uint64_t>& patterns) {
  static_assert(sizeof(A) == sizeof(B));
  const std::size_t n = patterns.size();
  std::vector<A> a(n), from_b(n);
  std::vector<B> b(n), from_a(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t words[4] = {patterns[i], ~patterns[i], patterns[i] * 3, patterns[i] >> 7};
    std::memcpy(static_cast<void*>(&a[i]), words, sizeof(A));
    std::memcpy(static_cast<void*>(&b[i]), words, sizeof(B));
  }
  {
    sycl::queue q;
    sycl::buffer<A> a_in(a), a_out(from_b);
    sycl::buffer<B> b_in(b), b_out(from_a);
    q.submit([&](sycl::handler& h) {
      sycl::accessor as(a_in, h, sycl::read_only);
      sycl::accessor made_as(a_out, h, sycl::write_only, sycl::no_init);
      sycl::accessor bs(b_in, h, sycl::read_only);
      sycl::accessor made_bs(b_out, h, sycl::write_only, sycl::no_init);
      h.parallel_for(n, [=](sycl::id<1> i) {
        made_bs[i] = sycl::bit_cast<B>(as[i]);
        made_as[i] = sycl::bit_cast<A>(bs[i]);
      });
    });
  }
  EXPECT_EQ(bytes_of(from_a), bytes_of(a));
  EXPECT_EQ(bytes_of(from_b), bytes_of(b));
}

// None of these is a signalling NaN in any type: a copy through a register may make it quiet.
const std::vector<std::uint64_t> patterns = {0,
                                             0x8000'8000'8000'8000u,
                                             0x3ff0'0000'3f80'3c00u,
                                             0x0123'4567'89ab'4def,
                                             0x7ff8'0000'7fc0'7e00u,
                                             0x0000'0001'0001'0001u,
                                             0xc010'2030'4050'6070u};

TEST(bit_cast, between_scalars) {
  is_copied_both_ways<float, std::uint32_t>(patterns);
  is_copied_both_ways<float, std::int32_t>(patterns);
  is_copied_both_ways<std::int8_t, std::uint8_t>(patterns);
  is_copied_both_ways<std::int16_t, char16_t>(patterns);
  is_copied_both_ways<std::int64_t, std::uint64_t>(patterns);
}
TEST(bit_cast, between_half_and_integers) {
  is_copied_both_ways<sycl::half, std::uint16_t>(patterns);
  is_copied_both_ways<sycl::half, std::int16_t>(patterns);
}
TEST(bit_cast, between_double_and_integers) {
  SKIP_WITHOUT(sycl::queue(), fp64);
  is_copied_both_ways<double, std::uint64_t>(patterns);
  is_copied_both_ways<double, sycl::vec<float, 2>>(patterns);
}
TEST(bit_cast, of_vectors) {
  is_copied_both_ways<sycl::vec<float, 4>, sycl::vec<std::uint32_t, 4>>(patterns);
  is_copied_both_ways<sycl::vec<std::uint8_t, 4>, std::uint32_t>(patterns);
  is_copied_both_ways<sycl::vec<std::int16_t, 2>, float>(patterns);
  is_copied_both_ways<sycl::vec<sycl::half, 4>, std::uint64_t>(patterns);
  is_copied_both_ways<sycl::vec<std::int32_t, 3>, std::array<float, 4>>(
      patterns); // three elements have the size of four
}
TEST(bit_cast, of_arrays_and_marrays) {
  is_copied_both_ways<std::array<std::uint8_t, 8>, std::uint64_t>(patterns);
  is_copied_both_ways<std::array<float, 2>, std::uint64_t>(patterns);
  is_copied_both_ways<sycl::marray<std::uint16_t, 2>, std::uint32_t>(patterns);
  is_copied_both_ways<sycl::marray<float, 3>, std::array<std::int32_t, 3>>(patterns);
}
TEST(bit_cast, of_classes_and_unions) {
  is_copied_both_ways<pair_of_shorts, std::uint32_t>(patterns);
  is_copied_both_ways<packed, std::uint64_t>(patterns);
  is_copied_both_ways<either, float>(patterns);
}

} // namespace
