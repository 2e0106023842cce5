// Primitives of more than 2^31 elements, where an index of 32 bits overflows. On request: PRISM_SOAK=1
// (./prism test --soak 1 -R primitives_huge). A test needs up to 10 GiB; a device or a machine with less is
// skipped by name.
#include "tests/kernels/huge.hpp"
#include "tests/kernels/primitives_common.hpp"

#include <prism/primitives.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace {

namespace primitives = prism::primitives;

using prism_test::available_bytes;
using prism_test::beyond;

/// `count` bytes of the device, or a null pointer, with the reason.
class bytes {
public:
  bytes(sycl::queue& queue, std::size_t count) : m_queue(queue) {
    if (queue.get_device().get_info<sycl::info::device::max_mem_alloc_size>() >= count)
      m_data = sycl::malloc_device<std::int8_t>(count, queue);
  }
  ~bytes() {
    if (m_data) sycl::free(m_data, m_queue);
  }
  bytes(const bytes&) = delete;
  std::int8_t* data() const { return m_data; }
  prism::vector_view<std::int8_t> view(std::size_t count = beyond) const { return {m_data, count}; }

private:
  sycl::queue m_queue;
  std::int8_t* m_data = nullptr;
};

/// The element of the arrays: -64 to 63, with the last numbers unlike all others.
constexpr std::int8_t element(std::size_t i) {
  return std::int8_t(std::int64_t(i * 2654435761u >> 13 & 127) - 64);
}

class primitives_huge : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::getenv("PRISM_SOAK") == nullptr)
      GTEST_SKIP() << "PRISM_SOAK is unset: ./prism test --soak 1 sets it";
    if (!queue.get_device().has(sycl::aspect::usm_device_allocations))
      GTEST_SKIP() << "no USM on " << queue.get_device().get_info<sycl::info::device::name>();
    constexpr std::size_t needed = 5 * beyond; // copy_if has two arrays, and memory of its own
    if (available_bytes() < needed)
      GTEST_SKIP() << "the machine has " << available_bytes() << " bytes left, the test needs " << needed;
  }
  /// Whether the device has the memory; else the test is skipped.
  bool has(const bytes& memory) const { return memory.data() != nullptr; }
  void fill(const bytes& memory) {
    std::int8_t* const to = memory.data();
    queue.parallel_for(sycl::range<1>(beyond), [=](sycl::id<1> i) { to[i] = element(i[0]); }).wait();
  }
  std::int8_t read(const std::int8_t* from) {
    std::int8_t out = 0;
    queue.copy(from, &out, 1).wait();
    return out;
  }
  sycl::queue queue{sycl::property::queue::in_order()};
};
#define SKIP_WITHOUT_ROOM(memory)                                                                            \
  if (!has(memory))                                                                                          \
  GTEST_SKIP() << queue.get_device().get_info<sycl::info::device::name>() << " allocates "                   \
               << queue.get_device().get_info<sycl::info::device::max_mem_alloc_size>() << " bytes at most"

TEST_F(primitives_huge, a_sum_has_every_element) {
  const bytes in(queue, beyond);
  SKIP_WITHOUT_ROOM(in);
  fill(in);
  std::int64_t* const sum = sycl::malloc_device<std::int64_t>(1, queue);
  primitives::reduce(queue, in.view(), prism::vector_view<std::int64_t>(sum, 1)).wait();
  std::int64_t found = 0, expected = 0;
  queue.copy(sum, &found, 1).wait();
  sycl::free(sum, queue);
  for (std::size_t i = 0; i < beyond; ++i) expected += element(i);
  EXPECT_EQ(found, expected);
}

TEST_F(primitives_huge, a_scan_in_place_is_that_of_all_elements_before) {
  const bytes in(queue, beyond);
  SKIP_WITHOUT_ROOM(in);
  fill(in);
  primitives::inclusive_scan(queue, in.view(), in.view()).wait(); // modulo 256
  std::vector<std::int8_t> part(std::size_t(1) << 20);
  std::uint8_t sum = 0;
  for (std::size_t first = 0; first < beyond; first += part.size()) {
    const std::size_t count = std::min(part.size(), beyond - first);
    queue.copy(in.data() + first, part.data(), count).wait();
    for (std::size_t i = 0; i < count; ++i) {
      sum = std::uint8_t(sum + std::uint8_t(element(first + i)));
      ASSERT_EQ(std::uint8_t(part[i]), sum) << "element " << first + i;
    }
  }
}

TEST_F(primitives_huge, sorted_elements_are_those_that_were_there) {
  const bytes in(queue, beyond);
  SKIP_WITHOUT_ROOM(in);
  fill(in);
  primitives::sort(queue, in.view()).wait();
  std::vector<std::size_t> expected(256), found(256);
  for (std::size_t i = 0; i < beyond; ++i) ++expected[std::uint8_t(element(i))];
  std::vector<std::int8_t> part(std::size_t(1) << 20);
  std::int8_t last = -128;
  for (std::size_t first = 0; first < beyond; first += part.size()) {
    const std::size_t count = std::min(part.size(), beyond - first);
    queue.copy(in.data() + first, part.data(), count).wait();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_LE(last, part[i]) << "element " << first + i;
      last = part[i];
      ++found[std::uint8_t(last)];
    }
  }
  EXPECT_EQ(found, expected);
}

TEST_F(primitives_huge, chosen_elements_are_copied_in_their_order) {
  const bytes in(queue, beyond), out(queue, beyond);
  SKIP_WITHOUT_ROOM(in);
  SKIP_WITHOUT_ROOM(out);
  fill(in);
  std::uint64_t* const count = sycl::malloc_device<std::uint64_t>(1, queue);
  const auto is_chosen = [](std::int8_t each) { return each != 5; }; // more than 2^31 are
  primitives::copy_if(queue, in.view(), out.view(), prism::vector_view<std::uint64_t>(count, 1), is_chosen)
      .wait();
  std::uint64_t found = 0;
  queue.copy(count, &found, 1).wait();
  sycl::free(count, queue);
  std::vector<std::int8_t> part(std::size_t(1) << 20);
  std::size_t next = 0; // of the input
  for (std::size_t first = 0; first < found; first += part.size()) {
    const std::size_t some = std::min<std::size_t>(part.size(), found - first);
    queue.copy(out.data() + first, part.data(), some).wait();
    for (std::size_t i = 0; i < some; ++i) {
      while (next < beyond && !is_chosen(element(next))) ++next;
      ASSERT_LT(next, beyond);
      ASSERT_EQ(part[i], element(next)) << "element " << first + i;
      ++next;
    }
  }
  while (next < beyond && !is_chosen(element(next))) ++next;
  EXPECT_EQ(next, beyond) << "elements are missing";
}

} // namespace
