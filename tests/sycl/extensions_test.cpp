// Extensions of DPC++ whose macros PRISM defines and that no other suite tests: property lists, and the
// members of sub_group_mask.
#include "tests/sycl/common.hpp"

namespace own {
struct colour_key;
template <int Value>
inline constexpr sycl::ext::oneapi::experimental::property_value<colour_key,
                                                                 std::integral_constant<int, Value>>
    colour;
struct shiny_key;
inline constexpr sycl::ext::oneapi::experimental::property_value<shiny_key> shiny;
struct types_key;
template <typename... Ts>
inline constexpr sycl::ext::oneapi::experimental::property_value<types_key, Ts...> types;
struct size { // known at run time
  explicit size(int v) : value(v) {}
  int value;
  friend bool operator==(size a, size b) { return a.value == b.value; }
};
struct names {
  std::vector<std::string> all;
};
} // namespace own

template <typename Object>
struct sycl::ext::oneapi::experimental::is_property_key_of<own::colour_key, Object> : std::true_type {};

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using syclex::properties;

TEST(properties, given_in_any_order_are_of_one_type) {
  const properties one{own::colour<1>, own::shiny, own::size(3)},
      other{own::size(4), own::colour<1>, own::shiny};
  EXPECT_TRUE((std::is_same_v<decltype(one), decltype(other)>));
  EXPECT_FALSE((std::is_same_v<decltype(properties{own::colour<1>}), decltype(properties{own::colour<2>})>));
  EXPECT_FALSE((std::is_same_v<decltype(properties{own::colour<1>}),
                               decltype(properties{own::colour<1>, own::shiny})>));
  EXPECT_TRUE((std::is_same_v<syclex::empty_properties_t, decltype(properties{})>));
}

TEST(properties, are_found_by_their_keys) {
  const properties list{own::shiny, own::size(7), own::colour<5>};
  using type = decltype(list);
  EXPECT_TRUE(type::has_property<own::colour_key>() && type::has_property<own::size>() &&
              type::has_property<own::shiny_key>());
  EXPECT_FALSE(type::has_property<own::types_key>());
  static_assert(type::get_property<own::colour_key>().value == 5);
  static_assert(type::get_property<own::colour_key>() == own::colour<5>);
  static_assert(type::get_property<own::colour_key>() != own::colour<6>);
  EXPECT_EQ(list.get_property<own::size>(), own::size(7));
  const properties copy = list;
  EXPECT_EQ(copy.get_property<own::size>().value, 7);
}

TEST(properties, have_a_value_where_there_is_one_parameter) {
  static_assert(std::is_same_v<std::decay_t<decltype(own::types<float>)>::value_t, float>);
  static_assert(
      std::is_same_v<std::decay_t<decltype(own::colour<2>)>::value_t, std::integral_constant<int, 2>>);
  EXPECT_EQ(own::colour<2>.value, 2);
  EXPECT_TRUE(syclex::is_property_list_v<decltype(properties{own::shiny})>);
  EXPECT_FALSE(syclex::is_property_list_v<int>);
  EXPECT_TRUE((syclex::is_property_value_of<std::decay_t<decltype(own::colour<2>)>, sycl::queue>::value));
  EXPECT_FALSE((syclex::is_property_value_of<own::size, sycl::queue>::value));
}

TEST(properties, are_device_copyable_if_their_values_are) {
  EXPECT_TRUE(sycl::is_device_copyable_v<decltype(properties{own::shiny})>);
  EXPECT_TRUE(sycl::is_device_copyable_v<decltype(properties{own::shiny, own::size(1)})>);
  EXPECT_FALSE(sycl::is_device_copyable_v<decltype(properties{own::names{}})>);
  const properties list{own::colour<40>, own::size(2)};
  int got = 0;
  {
    sycl::queue q;
    sycl::buffer<int> b(&got, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.single_task([=] {
        out[0] = list.get_property<own::colour_key>().value + list.get_property<own::size>().value;
      });
    });
  }
  EXPECT_EQ(got, 42);
}

/// The result of `use(mask, sub_group)` on a device for the mask of every third work-item. `size`: the size
/// of its first sub-group.
template <typename Use>
std::uint64_t of_every_third(const Use& use, std::uint32_t& size) {
  sycl::queue q;
  sycl::buffer<std::uint64_t> result{sycl::range<1>(2)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> it) {
      const sycl::sub_group group = it.get_sub_group();
      auto mask = sycl::ext::oneapi::group_ballot(group, group.get_local_linear_id() % 3 == 0);
      const std::uint64_t value = use(mask);
      if (it.get_global_linear_id() != 0) return;
      out[0] = value;
      out[1] = mask.size();
    });
  });
  sycl::host_accessor got(result, sycl::read_only);
  size = static_cast<std::uint32_t>(got[1]);
  return got[0];
}
constexpr std::uint64_t every_third = 0x9249'2492'4924'9249u;

template <typename T>
void writes_only_its_own_bits(T bits, std::uint64_t expected_bits, int width) {
  for (int at : {0, 1, 5}) {
    std::uint32_t size = 0;
    const std::uint64_t got = of_every_third([=](sycl::ext::oneapi::sub_group_mask& mask) {
      mask.insert_bits(bits, sycl::id<1>(at));
      std::uint64_t all = 0;
      mask.extract_bits(all);
      return all;
    }, size);
    const std::uint64_t whole = ~std::uint64_t{0} >> (64 - size),
                        field = (width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0}) << at;
    std::uint64_t expected = every_third & whole;
    if (at < int(size)) expected = ((expected & ~field) | (expected_bits << at & field)) & whole;
    EXPECT_EQ(got, expected) << width << " bits at " << at << " of " << size;
  }
}

TEST(sub_group_mask, insert_bits_writes_as_many_bits_as_its_type_has) {
  writes_only_its_own_bits<signed char>(-86, 0xaa, 8);
  writes_only_its_own_bits<unsigned char>(0x55, 0x55, 8);
  writes_only_its_own_bits<short>(0x1234, 0x1234, 16);
  writes_only_its_own_bits<unsigned>(0xdeadbeefu, 0xdeadbeefu, 32);
  writes_only_its_own_bits<long long>(-2, ~std::uint64_t{1}, 64);
  writes_only_its_own_bits(sycl::marray<std::uint8_t, 2>(0x0f, 0xf0), 0xf00f, 16);
}

TEST(sub_group_mask, extract_bits_gives_as_many_bits_as_its_type_has) {
  for (int at : {0, 2, 7}) {
    std::uint32_t size = 0;
    const std::uint64_t got = of_every_third([=](const sycl::ext::oneapi::sub_group_mask& mask) {
      unsigned char narrow = 0;
      sycl::marray<std::uint16_t, 2> wide;
      mask.extract_bits(narrow, sycl::id<1>(at));
      mask.extract_bits(wide, sycl::id<1>(at));
      return std::uint64_t(narrow) | std::uint64_t(wide[0]) << 8 | std::uint64_t(wide[1]) << 24;
    }, size);
    const std::uint64_t bits = (every_third & ~std::uint64_t{0} >> (64 - size)) >> at;
    EXPECT_EQ(got, (bits & 0xff) | (bits & 0xffff'ffffu) << 8) << at << " of " << size;
  }
}

} // namespace
