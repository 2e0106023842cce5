// Kernel identifiers, kernel bundles, kernel queries and specialisation constants.
#include "tests/sycl/common.hpp"

using prism_test::error_of;

namespace {

class named_kernel;
class bundle_member;
class never_launched;
class behind_a_condition;
class takes_groups_of_16;

constexpr sycl::specialization_id<int> factor(3);
inline constexpr sycl::specialization_id<float> scale(0.5f);
struct pair_value {
  int first;
  double second;
  constexpr pair_value(int a, double b) : first(a), second(b) {}
};
constexpr sycl::specialization_id<pair_value> pair_constant(1, 2.0);

/// Launches every named kernel of this file, so that the compiler emits them.
void launch_named(sycl::queue& q) {
  q.single_task<named_kernel>([] {});
  q.submit([&](sycl::handler& h) {
    h.parallel_for<takes_groups_of_16>(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1>) {});
  });
  q.wait();
}

TEST(kernel_bundle, has_kernels_whose_launch_is_never_reached) {
  sycl::queue q;
  if (false) q.single_task<behind_a_condition>([] {});
  const auto bundle =
      sycl::get_kernel_bundle<behind_a_condition, sycl::bundle_state::executable>(q.get_context());
  EXPECT_TRUE(bundle.has_kernel(sycl::get_kernel_id<behind_a_condition>(), q.get_device()));
}

TEST(kernel_id, is_found_by_name) {
  const sycl::kernel_id id = sycl::get_kernel_id<named_kernel>();
  EXPECT_NE(std::string(id.get_name()).find("named_kernel"), std::string::npos);
  EXPECT_EQ(id, sycl::get_kernel_id<named_kernel>());
  EXPECT_NE(id, sycl::get_kernel_id<takes_groups_of_16>());
  const std::vector<sycl::kernel_id> all = sycl::get_kernel_ids();
  EXPECT_NE(std::find(all.begin(), all.end(), id), all.end());
  EXPECT_EQ(error_of([] { (void)sycl::get_kernel_id<never_launched>(); }), sycl::errc::invalid);
}

TEST(kernel_bundle, holds_what_the_devices_can_run) {
  sycl::queue q;
  const sycl::context context = q.get_context();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(context, {q.get_device()});
  EXPECT_FALSE(bundle.empty());
  EXPECT_EQ(bundle.get_context(), context);
  EXPECT_EQ(bundle.get_devices(), std::vector<sycl::device>{q.get_device()});
  EXPECT_TRUE(bundle.has_kernel<named_kernel>());
  EXPECT_TRUE(bundle.has_kernel<named_kernel>(q.get_device()));
  EXPECT_TRUE(sycl::has_kernel_bundle<sycl::bundle_state::executable>(context));
  EXPECT_TRUE((sycl::has_kernel_bundle<named_kernel, sycl::bundle_state::input>(context)));
  EXPECT_TRUE(sycl::is_compatible<named_kernel>(q.get_device()));
  const auto one = sycl::get_kernel_bundle<named_kernel, sycl::bundle_state::executable>(context);
  EXPECT_EQ(one.get_kernel_ids(), std::vector<sycl::kernel_id>{sycl::get_kernel_id<named_kernel>()});
  EXPECT_FALSE(one.has_kernel<takes_groups_of_16>());
  std::size_t images = 0;
  for (const auto& image : one) {
    ++images;
    EXPECT_TRUE(image.has_kernel(sycl::get_kernel_id<named_kernel>()));
  }
  EXPECT_EQ(images, 1u);
  EXPECT_EQ(error_of([&] { (void)one.get_kernel<takes_groups_of_16>(); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] {
    (void)sycl::get_kernel_bundle<sycl::bundle_state::executable>(context, std::vector<sycl::device>{});
  }),
            sycl::errc::invalid);
}
TEST(kernel_bundle, is_chosen_by_a_selector) {
  sycl::queue q;
  const auto id = sycl::get_kernel_id<named_kernel>();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(
      q.get_context(),
      [&](const sycl::device_image<sycl::bundle_state::executable>& image) { return image.has_kernel(id); });
  EXPECT_EQ(bundle.get_kernel_ids(), std::vector<sycl::kernel_id>{id});
}
TEST(kernel_bundle, advances_through_its_states) {
  sycl::queue q;
  auto input = sycl::get_kernel_bundle<named_kernel, sycl::bundle_state::input>(q.get_context());
  const auto other = sycl::get_kernel_bundle<takes_groups_of_16, sycl::bundle_state::input>(q.get_context());
  const auto linked = sycl::link({sycl::compile(input), sycl::compile(other)});
  EXPECT_TRUE(linked.has_kernel<named_kernel>());
  EXPECT_TRUE(linked.has_kernel<takes_groups_of_16>());
  EXPECT_EQ(sycl::join(std::vector{input, other}).get_kernel_ids().size(), 2u);
  EXPECT_TRUE(sycl::join(std::vector<sycl::kernel_bundle<sycl::bundle_state::input>>()).empty());
  EXPECT_TRUE(sycl::build(input).has_kernel<named_kernel>());
}
TEST(kernel_bundle, only_its_kernels_may_run) {
  sycl::queue q;
  const auto bundle = sycl::get_kernel_bundle<bundle_member, sycl::bundle_state::executable>(q.get_context());
  q.submit([&](sycl::handler& h) {
    h.use_kernel_bundle(bundle);
    h.single_task<bundle_member>([] {});
  }).wait();
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      h.use_kernel_bundle(bundle);
      h.single_task<class another_kernel>([] {});
    });
  }),
            sycl::errc::kernel_not_supported);
}

TEST(kernel, reports_its_device_properties) {
  sycl::queue q;
  launch_named(q);
  const sycl::device device = q.get_device();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  const sycl::kernel kernel = bundle.get_kernel<takes_groups_of_16>();
  EXPECT_EQ(kernel.get_context(), q.get_context());
  EXPECT_EQ(kernel.get_backend(), q.get_backend());
  EXPECT_EQ(error_of([&] { (void)kernel.get_info<sycl::info::kernel::num_args>(); }), sycl::errc::invalid);
  const auto group = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(device);
  EXPECT_GE(group, 16u);
  EXPECT_LE(group, device.get_info<sycl::info::device::max_work_group_size>());
  EXPECT_GE(kernel.get_info<sycl::info::kernel_device_specific::preferred_work_group_size_multiple>(device),
            1u);
  EXPECT_EQ(kernel.get_info<sycl::info::kernel_device_specific::compile_work_group_size>(device),
            sycl::range<3>(0, 0, 0));
  EXPECT_GE(kernel.get_info<sycl::info::kernel_device_specific::max_sub_group_size>(device), 1u);
  EXPECT_EQ(kernel.get_info<sycl::info::kernel_device_specific::compile_sub_group_size>(device), 0u);
}

class keeps_much_across_barriers;
class keeps_much_without_sub_groups;

/// Twenty values of each work-item live across barriers, and each uses an element of local memory.
template <typename Name, typename Exchange>
void launch_with_the_largest_group(Exchange exchange) {
  sycl::queue q;
  const auto id = sycl::get_kernel_id<Name>();
  const auto bundle =
      sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), std::vector{id});
  const auto most =
      bundle.get_kernel(id).template get_info<sycl::info::kernel_device_specific::work_group_size>(
          q.get_device());
  ASSERT_GE(most, 1u);
  std::vector<std::uint64_t> values(most * 20, 1);
  {
    sycl::buffer<std::uint64_t> b(values);
    q.submit([&](sycl::handler& h) {
      sycl::accessor d(b, h, sycl::read_write);
      sycl::local_accessor<std::uint64_t> shared(most, h);
      h.parallel_for<Name>(sycl::nd_range<1>(most, most), [=](sycl::nd_item<1> it) {
        const std::size_t l = it.get_local_id(0);
        std::uint64_t v[20];
        for (std::size_t i = 0; i < 20; ++i) v[i] = d[l * 20 + i];
        for (int r = 0; r < 3; ++r) {
          shared[l] = v[r];
          sycl::group_barrier(it.get_group());
          for (std::size_t i = 0; i < 20; ++i)
            v[i] += exchange(it, v[i]) * shared[(l + i) % it.get_local_range(0)];
          sycl::group_barrier(it.get_group());
        }
        for (std::size_t i = 0; i < 20; ++i) d[l * 20 + i] = v[i];
      });
    });
    q.wait_and_throw();
  }
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], values[0]) << i;
}

TEST(kernel, runs_with_the_work_group_size_that_it_reports) {
  // 1, then 1 + 1 * 1, then 2 + 2 * 2, then 6 + 6 * 6
  launch_with_the_largest_group<keeps_much_across_barriers>(
      [](sycl::nd_item<1> it, std::uint64_t x) { return sycl::group_broadcast(it.get_sub_group(), x, 0); });
  launch_with_the_largest_group<keeps_much_without_sub_groups>(
      [](sycl::nd_item<1>, std::uint64_t x) { return x; });
}

/// The value that `read` returns in a kernel.
template <typename Name, typename Read, typename Prepare>
auto value_in_kernel(sycl::queue& q, Read read, Prepare prepare) {
  using value = decltype(read(std::declval<sycl::kernel_handler>()));
  sycl::buffer<value> result(sycl::range<1>(1));
  q.submit([&](sycl::handler& h) {
    prepare(h);
    sycl::accessor out(result, h, sycl::write_only);
    h.single_task<Name>([=](sycl::kernel_handler k) { out[0] = read(k); });
  });
  return sycl::host_accessor(result)[0];
}
const auto nothing = [](sycl::handler&) {};

TEST(specialization_constant, has_its_default) {
  sycl::queue q;
  EXPECT_EQ(value_in_kernel<class default_factor>(
                q, [](sycl::kernel_handler k) { return k.get_specialization_constant<factor>(); }, nothing),
            3);
  EXPECT_EQ(value_in_kernel<class default_scale>(
                q, [](sycl::kernel_handler k) { return k.get_specialization_constant<scale>(); }, nothing),
            0.5f);
}
TEST(specialization_constant, is_set_by_the_handler) {
  sycl::queue q;
  for (int value : {0, -5, 1 << 30}) {
    EXPECT_EQ(value_in_kernel<class set_factor>(
                  q, [](sycl::kernel_handler k) { return k.get_specialization_constant<factor>(); },
                  [&](sycl::handler& h) {
      EXPECT_EQ(h.get_specialization_constant<factor>(), 3);
      h.set_specialization_constant<factor>(value);
      EXPECT_EQ(h.get_specialization_constant<factor>(), value);
    }),
              value);
  }
}
TEST(specialization_constant, several_at_once_in_a_range_kernel) {
  sycl::queue q;
  std::vector<float> data(100);
  {
    sycl::buffer<float> b(data);
    q.submit([&](sycl::handler& h) {
      h.set_specialization_constant<scale>(2.0f);
      h.set_specialization_constant<pair_constant>(pair_value(10, 0.25));
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(data.size(), [=](sycl::id<1> i, sycl::kernel_handler k) {
        const pair_value p = k.get_specialization_constant<pair_constant>();
        out[i] = static_cast<float>(i[0]) * k.get_specialization_constant<scale>() +
                 static_cast<float>(p.first * k.get_specialization_constant<factor>());
      });
    });
  }
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], 2.0f * static_cast<float>(i) + 30.0f);
}
TEST(specialization_constant, comes_from_the_bundle) {
  sycl::queue q;
  auto input = sycl::get_kernel_bundle<class bundled_factor, sycl::bundle_state::input>(q.get_context());
  input.set_specialization_constant<factor>(99);
  EXPECT_EQ(input.get_specialization_constant<factor>(), 99);
  const auto built = sycl::build(input);
  EXPECT_EQ(built.get_specialization_constant<factor>(), 99);
  EXPECT_EQ(value_in_kernel<class bundled_factor>(
                q, [](sycl::kernel_handler k) { return k.get_specialization_constant<factor>(); },
                [&](sycl::handler& h) {
    h.use_kernel_bundle(built);
    EXPECT_EQ(error_of([&] { h.set_specialization_constant<factor>(1); }), sycl::errc::invalid);
    EXPECT_EQ(error_of([&] { h.get_specialization_constant<factor>(); }), sycl::errc::invalid);
  }),
            99);
}
TEST(specialization_constant, belongs_to_the_bundle_though_its_value_is_not_used) {
  class names_factor; // one name for the lambda and for the kernel that follows
  sycl::queue q;
  q.submit([&](sycl::handler& h) {
    h.single_task<names_factor>(
        [](sycl::kernel_handler k) { (void)k.get_specialization_constant<factor>(); });
  }).wait();
  auto input = sycl::get_kernel_bundle<names_factor, sycl::bundle_state::input>(q.get_context());
#ifdef PRISM_TEST_COMPILED // otherwise no tool reads the kernel's name
  EXPECT_TRUE(input.contains_specialization_constants());
  EXPECT_TRUE(input.has_specialization_constant<factor>());
  EXPECT_TRUE(sycl::build(input).has_specialization_constant<factor>());
#endif
  EXPECT_FALSE(input.has_specialization_constant<scale>());
}
TEST(specialization_constant, in_an_nd_range_kernel) {
  sycl::queue q;
  std::vector<int> data(64);
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      h.set_specialization_constant<factor>(5);
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> it, sycl::kernel_handler k) {
        out[it.get_global_id()] =
            static_cast<int>(it.get_local_id(0)) * k.get_specialization_constant<factor>();
      });
    });
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(data[static_cast<std::size_t>(i)], i % 8 * 5);
}

} // namespace
