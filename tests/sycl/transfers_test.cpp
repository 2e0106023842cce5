// prism::ledger: which copies a queue's commands needed, and why.
#include "tests/sycl/common.hpp"

#include <prism/prism.hpp>

#include <algorithm>

class adds_one;
class only_looks;

namespace {

constexpr std::size_t n = 1000;

void add_one(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<adds_one>(n, [=](sycl::id<1> i) { a[i] += 1; });
  });
}

bool is_host(const sycl::queue& q) { return q.get_device().get_backend() == sycl::backend::ext_prism_host; }

TEST(ledger, has_each_copy_that_a_command_needed_with_its_reason) {
  sycl::queue q;
  const prism::ledger ledger(q);
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    sycl::host_accessor a(b, sycl::write_only);
    for (std::size_t i = 0; i < n; ++i) a[i] = int(i);
  }
  add_one(q, b);
  add_one(q, b); // the bytes are there already
  q.wait();
  const auto copies = ledger.copies();
  if (is_host(q) || copies.empty()) { // the device uses the host's memory in place
    EXPECT_EQ(ledger.bytes(), 0u);
  } else {
    ASSERT_EQ(copies.size(), 1u) << ledger.text();
    EXPECT_EQ(copies[0].bytes, n * sizeof(int));
    EXPECT_EQ(copies[0].from, "host");
    EXPECT_EQ(copies[0].reason, "first use on device");
    EXPECT_EQ(copies[0].command, "adds_one");
    EXPECT_NE(ledger.text().find("4000 bytes were copied"), std::string::npos) << ledger.text();
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[5], 7);
}

TEST(ledger, of_a_queue_does_not_hear_another_ones_copies) {
  sycl::queue q, other;
  SKIP_WITHOUT(q, usm_device_allocations);
  const prism::ledger of_q(q), of_all;
  std::vector<int> data(n, 3);
  int* const p = sycl::malloc_device<int>(n, q);
  other.memcpy(p, data.data(), n * sizeof(int)).wait();
  q.memcpy(data.data(), p, 8 * sizeof(int)).wait();
  ASSERT_EQ(of_q.copies().size(), 1u) << of_q.text();
  EXPECT_EQ(of_q.copies()[0].reason, "explicit copy");
  EXPECT_EQ(of_q.bytes(), 8 * sizeof(int));
  EXPECT_EQ(of_all.bytes(), (n + 8) * sizeof(int));
  sycl::free(p, q);
}

TEST(ledger, hears_nothing_of_before_and_after) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    const sycl::host_accessor a(b, sycl::write_only);
    for (std::size_t i = 0; i < n; ++i) a[i] = 0;
  }
  add_one(q, b);
  const prism::ledger ledger(q);
  add_one(q, b);
  q.wait();
  EXPECT_TRUE(ledger.copies().empty()) << ledger.text();
  EXPECT_NE(ledger.text().find("0 bytes were copied"), std::string::npos);
}

} // namespace
