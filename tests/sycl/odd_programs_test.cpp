// What ordinary programs have in kernels though it is unusual: large objects, unions, bit fields, bytes copied about.
#include "tests/sycl/common.hpp"

#include <cstring>

namespace {

template <class Name, class T, class Body>
std::vector<T> results(std::size_t count, const Body& body) {
  std::vector<T> found(count);
  sycl::queue q;
  {
    sycl::buffer<T> out(found.data(), count);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::write_only);
      h.parallel_for<Name>(sycl::range<1>(count), [=](sycl::id<1> i) { r[i] = body(static_cast<int>(i[0])); });
    });
  }
  q.wait_and_throw();
  return found;
}

union real_or_word {
  float real;
  unsigned word;
};

struct packed_numbers {
  unsigned a : 3, b : 7, c : 22;
  signed d : 5;
};

int through_bytes(int i) {
  real_or_word both;
  both.real = static_cast<float>(i);
  packed_numbers first{};
  first.a = static_cast<unsigned>(i) & 7;
  first.b = static_cast<unsigned>(i * 9) & 127;
  first.c = both.word >> 10;
  first.d = -i;
  char bytes[16];
  std::memcpy(bytes + 1, &first, sizeof first); // not aligned
  packed_numbers second;
  std::memcpy(&second, bytes + 1, sizeof second);
  return static_cast<int>(second.a + second.b * 8 + (second.c & 0xffff)) + second.d * 1000;
}

} // namespace

TEST(odd_programs, unions_bit_fields_and_memcpy) {
  const auto found = results<class bytes, int>(16, [](int i) { return through_bytes(i); });
  for (int i = 0; i < 16; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], through_bytes(i)) << i;
}

TEST(odd_programs, private_arrays_of_64_KiB) {
  constexpr int words = 16384;
  const auto sum_of = [](int i) {
    int all[words], sum = 0;
    for (int j = 0; j < words; ++j) all[j] = j * (i + 1);
    for (int j = 0; j < words; ++j) sum += all[(j * 7919) & (words - 1)] & 0xff;
    return sum;
  };
  const auto found = results<class large_array, int>(4, sum_of);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], sum_of(i)) << i;
}

TEST(odd_programs, captured_objects_of_8_KB) {
  struct table {
    int values[2000];
  } all;
  for (int i = 0; i < 2000; ++i) all.values[i] = i * 3;
  const auto found = results<class captured, int>(2000, [all](int i) { return all.values[1999 - i]; });
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], (1999 - i) * 3) << i;
}

TEST(odd_programs, all_the_local_memory_that_the_device_has) {
  sycl::queue q;
  const std::size_t words = q.get_device().get_info<sycl::info::device::local_mem_size>() / sizeof(int);
  int sum = 0;
  {
    sycl::buffer<int> out(&sum, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::write_only);
      sycl::local_accessor<int, 1> all(words, h);
      h.parallel_for<class whole_local>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> item) {
        for (std::size_t j = item.get_local_id(0); j < words; j += 16) all[j] = 1;
        sycl::group_barrier(item.get_group());
        if (item.get_local_id(0) != 0) return;
        int found = 0;
        for (std::size_t j = 0; j < words; ++j) found += all[j];
        r[0] = found;
      });
    });
  }
  EXPECT_EQ(static_cast<std::size_t>(sum), words);
}

TEST(odd_programs, loops_with_unroll_pragmas) {
  const auto found = results<class unrolled, float>(8, [](int i) {
    float sum = 0;
#pragma unroll 4
    for (int j = 0; j < 13; ++j) sum += static_cast<float>(j * i);
#pragma unroll
    for (int j = 0; j < 5; ++j) sum += 1;
    return sum;
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], static_cast<float>(78 * i + 5)) << i;
}

#define STEP(n) \
  if ((x ^ (n)) & 1) x = x * 5 + (n) % 97; \
  else x ^= x >> ((n) % 13 + 1);
#define STEPS_8(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
#define STEPS_64(n) STEPS_8(n) STEPS_8(n + 8) STEPS_8(n + 16) STEPS_8(n + 24) STEPS_8(n + 32) STEPS_8(n + 40) STEPS_8(n + 48) STEPS_8(n + 56)
#define STEPS_512(n) STEPS_64(n) STEPS_64(n + 64) STEPS_64(n + 128) STEPS_64(n + 192) STEPS_64(n + 256) STEPS_64(n + 320) STEPS_64(n + 384) STEPS_64(n + 448)

TEST(odd_programs, a_kernel_of_thousands_of_statements) {
  const sycl::device device = sycl::queue().get_device();
  if (device.get_platform().get_info<sycl::info::platform::name>() == "rusticl") GTEST_SKIP() << "Mesa's compiler of OpenCL C takes minutes";
  const auto long_way = [](int i) {
    unsigned x = static_cast<unsigned>(i) * 77777u + 1u;
    STEPS_512(0u)
    STEPS_512(512u)
    return static_cast<int>(x);
  };
  const auto found = results<class long_kernel, int>(64, long_way);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], long_way(i)) << i;
}
