// A device is lost in the middle of a program (PRISM_WRAP=fault(lost=3): its third submission and all later
// ones). Buffers that are current elsewhere continue on the next device; those that were only on the lost
// device are named.
#include "tests/sycl/common.hpp"

#include <prism/recovery.hpp>

using prism_test::counted;
using prism_test::error_log;
using prism_test::error_of;

namespace {

constexpr int n = 1000;

void add_one(sycl::queue& q, sycl::buffer<int>& from, sycl::buffer<int>& to) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(from, h, sycl::read_only);
    const sycl::accessor b(to, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
  });
}

void add_both(sycl::queue& q, sycl::buffer<int>& from, sycl::buffer<int>& to, sycl::buffer<int>& other) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(from, h, sycl::read_only);
    const sycl::accessor b(to, h, sycl::write_only, sycl::no_init),
        c(other, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { b[i] = c[i] = a[i] + 1; });
  });
}

TEST(lost_device, reports_lost_buffers_and_keeps_the_others) {
  if (!std::getenv("PRISM_WRAP")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "one device only";
  error_log errors;
  const std::vector<int> data = counted(n);
  sycl::buffer<int> x(data), only_there{sycl::range<1>(n)}, on_both{sycl::range<1>(n)}, z{sycl::range<1>(n)};
  sycl::queue first(devices[0], errors.handler()), next(devices[1], errors.handler());
  add_both(first, x, only_there, on_both);
  first.wait_and_throw();
  add_one(next, on_both, z); // copies it there as well
  next.wait_and_throw();
  ASSERT_TRUE(errors.texts.empty()) << errors.texts[0];
  for (int submission = 2; submission <= 3; ++submission)
    add_one(first, x, z); // the copy above may have been one of its submissions
  first.wait_and_throw();
  ASSERT_FALSE(errors.texts.empty());
  EXPECT_NE(errors.texts[0].find("recovery_test.cpp:"), std::string::npos) << errors.texts[0];
  errors.texts.clear();

  for (const sycl::device& other : devices) // on the host, and on the second next device if there is one
    if (other != devices[0]) {
      sycl::queue q(other, errors.handler());
      add_one(q, on_both, z);
      q.wait_and_throw();
      EXPECT_TRUE(errors.texts.empty()) << prism_test::name_of(other) << ": " << errors.texts[0];
      EXPECT_EQ(sycl::host_accessor(z, sycl::read_only)[n - 1], n + 1);
    }
  add_one(next, x, z);
  next.wait_and_throw();
  EXPECT_TRUE(errors.texts.empty()) << errors.texts[0];
  EXPECT_EQ(sycl::host_accessor(z, sycl::read_only)[n - 1], n);

  const std::string lost = "4000 bytes of a buffer of 4000 bytes are lost: they existed only on ";
  std::string text;
  EXPECT_EQ(error_of([&] { const sycl::host_accessor a(only_there, sycl::read_only); }, &text),
            sycl::errc::runtime);
  EXPECT_NE(text.find(lost), std::string::npos) << text;
  EXPECT_NE(text.find(prism_test::name_of(devices[0])), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { add_one(next, only_there, z); }, &text), sycl::errc::runtime);
  EXPECT_NE(text.find(lost), std::string::npos) << text;
}

TEST(lost_device, is_an_error_and_causes_no_fallback_in_plain_sycl) {
  if (!std::getenv("PRISM_WRAP")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "one device only";
  const std::uint64_t fallbacks = prism::fallback_count();
  error_log errors;
  const std::vector<int> data = counted(n);
  sycl::buffer<int> x(data), z{sycl::range<1>(n)};
  z.set_final_data(nullptr);
  sycl::queue q(devices[0], errors.handler());
  constexpr int launches = 8, before_the_loss = 3; // at most
  int refused = 0;
  for (int i = 0; i < launches; ++i) {
    refused += error_of([&] { add_one(q, x, z); }) != sycl::errc::success;
    q.wait_and_throw();
  }
  EXPECT_GE(errors.texts.size() + std::size_t(refused), std::size_t(launches - before_the_loss));
  for (const std::string& text : errors.texts) EXPECT_NE(text.find("lost"), std::string::npos) << text;
  EXPECT_TRUE(q.get_device() == devices[0]);
  EXPECT_EQ(prism::fallback_count(), fallbacks);
  EXPECT_NE(error_of([&] { sycl::host_accessor found(z, sycl::read_only); }), sycl::errc::success)
      << "work of the lost device must not run on another one";
}

} // namespace
