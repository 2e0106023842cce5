// atomic_ref, multi_ptr, function objects; group algorithms outside of kernels, where the group has one
// work-item.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the pointers of SYCL 1.2.1 are tested as well
#include <gtest/gtest.h>

#include <sycl/atomic_ref.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>

namespace {

using namespace sycl;
using access::address_space;
using access::decorated;

bool is_any(bool other, global_ptr<int> p) { return other || p; }
void* untyped(local_ptr<char> p) { return p + 1; }
const int* read_only(global_ptr<int> p) { return p; }
std::size_t overloaded(void*, int) { return 1; }

TEST(legacy_pointer, converts_like_a_plain_pointer) {
  int values[4] = {1, 2, 3, 4};
  char text[2] = {};
  const global_ptr<int> p(values);
  EXPECT_TRUE(is_any(false, p));
  EXPECT_FALSE(is_any(false, global_ptr<int>()));
  EXPECT_TRUE(!global_ptr<int>() && p);
  EXPECT_EQ(untyped(local_ptr<char>(text)), text + 1);
  EXPECT_EQ(read_only(p), values);
  EXPECT_EQ(overloaded(p, 0), 1u);
  EXPECT_EQ(*(p + 1), 2);
  EXPECT_EQ(p[3u], 4);
  EXPECT_TRUE(p == values && values == p && p != nullptr && p + 1 > p && p <= values);
  EXPECT_EQ((p + 3) - p, 3);
  static_assert(!std::is_convertible_v<global_ptr<int, decorated::no>, int*> &&
                !std::is_convertible_v<global_ptr<int, decorated::no>, bool>);
  EXPECT_EQ(static_cast<int*>(global_ptr<int, decorated::no>(values)), values);
}

template <typename T>
class atomic_reference : public testing::Test {};
using atomic_types =
    testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;
TYPED_TEST_SUITE(atomic_reference, atomic_types);

TYPED_TEST(atomic_reference, has_all_operations) {
  using T = TypeParam;
  T value = 5;
  const atomic_ref<T, memory_order::acq_rel, memory_scope::device> r(value);
  EXPECT_EQ(r.fetch_add(2), T(5));
  EXPECT_EQ(r += 1, T(8));
  EXPECT_EQ(r.fetch_min(3), T(8));
  EXPECT_EQ(r.fetch_max(9), T(3));
  T expected = 1;
  EXPECT_FALSE(r.compare_exchange_strong(expected, 4));
  EXPECT_EQ(expected, T(9));
  EXPECT_TRUE(r.compare_exchange_strong(expected, 4, memory_order::acq_rel, memory_order::acquire));
  EXPECT_EQ(r.exchange(6), T(4));
  EXPECT_EQ(r = 7, T(7));
  if constexpr (std::is_integral_v<T>) {
    EXPECT_EQ(r++, T(7));
    EXPECT_EQ(--r, T(7));
    EXPECT_EQ(r &= 6, T(6));
    EXPECT_EQ(r ^= 3, T(5));
  }
}

TEST(atomic_pointer, steps_by_elements) {
  int data[4];
  int* p = data;
  const atomic_ref<int*, memory_order::relaxed, memory_scope::system> r(p);
  EXPECT_EQ(r += 3, data + 3);
  EXPECT_EQ(r--, data + 3);
  EXPECT_EQ(r.load(), data + 2);
}

template <typename From, typename To>
constexpr bool implicit = std::is_convertible_v<From, To>;
template <typename From, typename To>
constexpr bool only_explicit = !std::is_convertible_v<From, To> && std::is_constructible_v<To, From>;
using global = raw_global_ptr<int>;
static_assert(implicit<global, raw_generic_ptr<int>> && only_explicit<raw_generic_ptr<int>, global>);
static_assert(implicit<global, raw_global_ptr<const int>> &&
              !std::is_constructible_v<global, raw_global_ptr<const int>>);
static_assert(implicit<global, raw_global_ptr<void>> && only_explicit<raw_global_ptr<void>, global>);
static_assert(implicit<global, decorated_global_ptr<int>> && implicit<decorated_global_ptr<int>, global>);
static_assert(!std::is_constructible_v<raw_local_ptr<int>, global>);

TEST(multi_pointer, behaves_as_a_pointer) {
  int data[4] = {0, 1, 2, 3};
  auto p = address_space_cast<address_space::global_space, decorated::no>(data);
  EXPECT_EQ(*(p + 1), 1);
  ++p;
  p += 2;
  EXPECT_EQ(p[-1], 2);
  EXPECT_EQ((p - address_space_cast<address_space::global_space, decorated::no>(data)), 3);
  EXPECT_TRUE(p != nullptr && nullptr < p);
  int* raw = global_ptr<int>(p);
  EXPECT_EQ(raw, data + 3);
}

TEST(function_objects, know_their_identities) {
  static_assert(known_identity_v<plus<>, float> == 0 && known_identity_v<multiplies<int>, int> == 1);
  static_assert(known_identity_v<bit_and<>, unsigned> == ~0u &&
                known_identity_v<minimum<>, int> == 2147483647);
  static_assert(has_known_identity_v<logical_or<>, bool> && known_identity_v<bit_and<>, bool>);
  static_assert(!has_known_identity_v<plus<>, void*> && has_known_identity_v<maximum<half>, half>);
  EXPECT_EQ((known_identity_v<maximum<>, double>), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(minimum<>()(3, 2), 2);
}

TEST(group_algorithms, of_one_work_item) {
  const auto g = sycl::detail::make_nd_item<2>().get_group();
  EXPECT_EQ(group_broadcast(g, 3), 3);
  EXPECT_EQ(reduce_over_group(g, 4, 2.5, plus<>()), 6.5);
  EXPECT_EQ(exclusive_scan_over_group(g, 4, 1, plus<>()), 1);
  EXPECT_TRUE(
      (any_of_group(g, true) && all_of_group(g, 3, [](int x) { return x == 3; }) && none_of_group(g, false)));
  int data[5] = {1, 2, 3, 4, 5};
  EXPECT_EQ(joint_reduce(g, data, data + 5, plus<>()), 15);
  EXPECT_EQ(joint_inclusive_scan(g, data, data + 5, data, plus<>()), data + 5);
  EXPECT_EQ(data[4], 15);
  EXPECT_FALSE((joint_any_of(g, data, data, [](int) { return true; })));
}

} // namespace
