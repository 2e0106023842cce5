// What a device is: its architecture, its place on the bus, its sensors, its peers
// (sycl_ext_oneapi_device_architecture, sycl_ext_intel_device_info, sycl_ext_oneapi_peer_access).
#include "tests/sycl/common.hpp"

#include <prism/readings.hpp>

#include <set>

namespace {

using namespace sycl;
using prism_test::error_of;
namespace info_of = ext::intel::info::device;
using ext::oneapi::experimental::arch_category;
using ext::oneapi::experimental::architecture;

device the_device() { return queue().get_device(); }

TEST(device_facts, a_driver_on_the_processor_has_the_architecture_of_the_processor) {
  const device d = the_device();
  const auto found = d.get_info<ext::oneapi::experimental::info::device::architecture>();
  EXPECT_TRUE(d.ext_oneapi_architecture_is(found));
  if (!d.is_cpu()) GTEST_SKIP() << "not a processor: " << d.get_info<info::device::name>();
#if defined(__x86_64__)
  EXPECT_EQ(found, architecture::x86_64);
#else
  EXPECT_EQ(found, architecture::unknown);
#endif
  for (const arch_category gpu :
       {arch_category::intel_gpu, arch_category::nvidia_gpu, arch_category::amd_gpu})
    EXPECT_FALSE(d.ext_oneapi_architecture_is(gpu));
}

TEST(device_facts, names_of_architectures_are_those_of_versions_and_grow_with_them) {
  static_assert(architecture::intel_gpu_pvc == architecture::intel_gpu_12_60_7);
  static_assert(architecture::intel_gpu_bmg_g21 == architecture::intel_gpu_20_1_4);
  static_assert(architecture::nvidia_gpu_sm_80 < architecture::nvidia_gpu_sm_90);
  static_assert(architecture::nvidia_gpu_sm_90 < architecture::nvidia_gpu_sm_90a);
  static_assert(architecture::nvidia_gpu_sm_90a < architecture::nvidia_gpu_sm_100);
  static_assert(architecture::amd_gpu_gfx90a < architecture::amd_gpu_gfx90c);
  static_assert(architecture::intel_gpu_skl < architecture::intel_gpu_pvc);
}

template <typename Call>
void fails(Call&& call, errc code, const char* with) {
  std::string text;
  EXPECT_EQ(error_of(call, &text), code);
  EXPECT_NE(text.find(with), std::string::npos) << text;
}

/// A query that the aspect promises answers; any other throws.
template <typename Query, typename Check>
void answers_if(const device& d, aspect promised, const Check& is_right) {
  if (d.has(promised)) EXPECT_TRUE(is_right(d.get_info<Query>()));
  else fails([&] { d.get_info<Query>(); }, errc::feature_not_supported, "ask for aspect::ext_intel_");
}

TEST(device_facts, queries_of_the_bus_and_the_sensors_answer_where_the_aspect_promises_it) {
  const device d = the_device();
  const auto positive = [](auto value) { return value > 0; };
  answers_if<info_of::device_id>(d, aspect::ext_intel_device_id, positive);
  answers_if<info_of::pci_address>(d, aspect::ext_intel_pci_address,
                                   [](const std::string& address) { return address.size() == 12; });
  answers_if<info_of::uuid>(d, aspect::ext_intel_device_info_uuid,
                            [](const auto& id) { return id != std::array<unsigned char, 16>{}; });
  answers_if<info_of::free_memory>(d, aspect::ext_intel_free_memory, positive);
  answers_if<info_of::memory_clock_rate>(d, aspect::ext_intel_memory_clock_rate, positive);
  answers_if<info_of::memory_bus_width>(d, aspect::ext_intel_memory_bus_width, positive);
  answers_if<info_of::fan_speed>(d, aspect::ext_intel_fan_speed, [](int value) { return value >= 0; });
  answers_if<info_of::max_power_limit>(d, aspect::ext_intel_power_limits, positive);
  answers_if<info_of::min_power_limit>(d, aspect::ext_intel_power_limits,
                                       [](int value) { return value >= 0; });
  answers_if<info_of::current_clock_throttle_reasons>(d, aspect::ext_intel_current_clock_throttle_reasons,
                                                      [](const auto& reasons) { return reasons.size() < 8; });
}

TEST(device_facts, queries_of_the_units_of_an_intel_gpu_throw_because_no_device_reports_them) {
  const device d = the_device();
  const auto any = [](auto) { return true; };
  EXPECT_FALSE(d.has(aspect::ext_intel_gpu_slices) || d.has(aspect::ext_intel_gpu_hw_threads_per_eu));
  EXPECT_FALSE(any_device_has_v<aspect::ext_intel_gpu_eu_count>);
  answers_if<info_of::gpu_eu_count>(d, aspect::ext_intel_gpu_eu_count, any);
  answers_if<info_of::gpu_eu_simd_width>(d, aspect::ext_intel_gpu_eu_simd_width, any);
  answers_if<info_of::gpu_slices>(d, aspect::ext_intel_gpu_slices, any);
  answers_if<info_of::gpu_subslices_per_slice>(d, aspect::ext_intel_gpu_subslices_per_slice, any);
  answers_if<info_of::gpu_eu_count_per_subslice>(d, aspect::ext_intel_gpu_eu_count_per_subslice, any);
  answers_if<info_of::gpu_hw_threads_per_eu>(d, aspect::ext_intel_gpu_hw_threads_per_eu, any);
  answers_if<info_of::max_mem_bandwidth>(d, aspect::ext_intel_max_mem_bandwidth, any);
}

TEST(device_facts, a_device_on_the_processor_has_the_free_memory_of_the_machine) {
  const device d = the_device();
  if (!d.is_cpu()) GTEST_SKIP() << "not a processor: " << d.get_info<info::device::name>();
  ASSERT_TRUE(d.has(aspect::ext_intel_free_memory));
  const auto bytes = d.get_info<info_of::free_memory>();
  EXPECT_GT(bytes, 1u << 20);
  EXPECT_TRUE(prism::readings(d).free_bytes.has_value());
}

TEST(device_facts, the_list_of_aspects_has_each_name_once_and_agrees_with_the_device) {
  const device d = the_device();
  const auto listed = d.get_info<info::device::aspects>();
  std::set<std::string> names;
#define __SYCL_ASPECT(name, number)                                                                          \
  EXPECT_EQ(static_cast<int>(aspect::name), number);                                                         \
  EXPECT_TRUE(names.insert(#name).second) << #name;                                                          \
  EXPECT_EQ(d.has(aspect::name), std::count(listed.begin(), listed.end(), aspect::name) == 1) << #name;
#include <sycl/info/aspects.def>
#undef __SYCL_ASPECT
  EXPECT_GT(names.size(), 30u);
  EXPECT_TRUE(any_device_has_v<aspect::ext_intel_matrix>);
  EXPECT_FALSE(d.has(aspect::ext_intel_matrix)) << "PRISM_JOINT_MATRIX did not ask for it";
}

TEST(device_facts, a_device_is_its_own_peer_and_no_other_devices) {
  device d = the_device();
  EXPECT_TRUE(d.ext_oneapi_can_access_peer(d));
  d.ext_oneapi_enable_peer_access(d);
  fails([&] { d.ext_oneapi_enable_peer_access(d); }, errc::invalid, "already");
  d.ext_oneapi_disable_peer_access(d);
  fails([&] { d.ext_oneapi_disable_peer_access(d); }, errc::invalid, "is not enabled");
  for (const device& other : device::get_devices()) {
    if (other == d) continue;
    EXPECT_FALSE(d.ext_oneapi_can_access_peer(other, ext::oneapi::peer_access::access_supported));
    EXPECT_FALSE(d.ext_oneapi_can_access_peer(other, ext::oneapi::peer_access::atomics_supported));
    fails([&] { d.ext_oneapi_enable_peer_access(other); }, errc::feature_not_supported, "copy it");
  }
}

TEST(device_facts, a_sub_device_is_a_peer_of_the_whole_device) {
  device d = the_device();
  if (d.get_info<info::device::partition_max_sub_devices>() < 2)
    GTEST_SKIP() << "it cannot be divided: " << d.get_info<info::device::name>();
  const device part = d.create_sub_devices<info::partition_property::partition_equally>(1).front();
  EXPECT_TRUE(d.ext_oneapi_can_access_peer(part));
  EXPECT_TRUE(part.ext_oneapi_can_access_peer(d, ext::oneapi::peer_access::atomics_supported));
  queue on_part(part);
  if (!part.has(aspect::usm_device_allocations))
    GTEST_SKIP() << "no device USM: " << part.get_info<info::device::name>();
  queue on_whole(d);
  int* const memory = malloc_device<int>(1, on_whole);
  on_part.single_task([=] { *memory = 7; }).wait();
  int seen = 0;
  on_whole.copy(memory, &seen, 1).wait();
  EXPECT_EQ(seen, 7);
  free(memory, on_whole);
}

TEST(device_facts, halves_can_be_in_unions_and_launches_can_be_chosen_later) {
  union scale {
    half value;
    std::uint16_t bits;
  };
  scale s;
  s.value = half(1.5f);
  EXPECT_EQ(s.bits, 0x3e00);
  static_assert(std::is_trivially_default_constructible_v<half>);
  static_assert(std::is_trivially_default_constructible_v<ext::oneapi::bfloat16>);
  static_assert(std::is_trivially_default_constructible_v<float3>);
  union quad {
    float4 whole;
    float parts[4];
  } q;
  q.whole = float4(1, 2, 3, 4);
  EXPECT_EQ(q.parts[2], 3);
  EXPECT_EQ(float4{}.w(), 0);
  EXPECT_EQ(half{}, half(0.f));
  nd_range<3> later;
  EXPECT_EQ(later.get_global_range(), range<3>(0, 0, 0));
  later = nd_range<3>({1, 1, 8}, {1, 1, 4});
  EXPECT_EQ(later.get_group_range(), range<3>(1, 1, 2));
}

} // namespace
