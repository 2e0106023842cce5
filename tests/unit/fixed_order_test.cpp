// Which kernels can sum in an order that does not depend on the device, and the copies of their records.
#include <gtest/gtest.h>

#include "runtime/images/fixed_order.hpp"

namespace {

using namespace prism;
using images::why_no_fixed_order;

image::kernel_record record_of(std::uint32_t flags) {
  image::kernel_record made{};
  made.flags = flags;
  made.content_hash = 42;
  return made;
}

TEST(fixed_order, is_refused_with_the_reason) {
  constexpr std::uint32_t known = image::has_fixed_order;
  const struct {
    std::uint32_t flags;
    bool on_host;
    const char* reason; // a part; empty: none
  } rows[] = {
      {known, true, ""},
      {known | image::uses_barrier | image::uses_sub_group, false, ""},
      {image::uses_barrier, true, "prism++ did not compile it"},
      {known | image::sums_atomically, false, "atomically, in any order"},
      {known | image::sums_by_sub_group, false, "over sub-groups"},
      {known | image::is_reassociated, false, "-ffast-math"},
      {known | image::contracts_on_host, true, "fused multiply-add"},
      {known | image::contracts_on_host, false, ""}, // other devices have their own images
  };
  for (const auto& row : rows) {
    const image::kernel_record record = record_of(row.flags);
    const std::string why = why_no_fixed_order(&record, row.on_host);
    if (*row.reason == '\0') EXPECT_EQ(why, "") << row.flags;
    else EXPECT_NE(why.find(row.reason), std::string::npos) << row.flags << ": " << why;
  }
  EXPECT_NE(why_no_fixed_order(nullptr, true), "");
}

TEST(fixed_order, a_record_has_one_copy_that_caches_do_not_confuse_with_it) {
  const image::kernel_record two[] = {record_of(image::has_fixed_order), record_of(image::has_fixed_order)};
  EXPECT_EQ(images::known_fixed_order_of(two[0]), nullptr);
  const image::kernel_record& copy = images::fixed_order_of(two[0]);
  EXPECT_EQ(copy.flags, image::has_fixed_order | image::asks_fixed_order);
  EXPECT_NE(copy.content_hash, two[0].content_hash);
  EXPECT_EQ(&images::fixed_order_of(two[0]), &copy);
  EXPECT_EQ(images::known_fixed_order_of(two[0]), &copy);
  EXPECT_NE(&images::fixed_order_of(two[1]), &copy);
  images::forget_fixed_orders(two, 2);
  EXPECT_EQ(images::known_fixed_order_of(two[0]), nullptr);
  EXPECT_EQ(images::known_fixed_order_of(two[1]), nullptr);
}

} // namespace
