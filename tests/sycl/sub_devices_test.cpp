// Sub-devices: their properties, right results, and what they share with the parent.
#include "tests/sycl/common.hpp"
#include "tests/sycl/running.hpp"

#include <prism/devices.hpp>

#include <algorithm>
#include <numeric>
#include <set>

using prism_test::counted;
using prism_test::error_of;

namespace {

using sycl::info::partition_affinity_domain;
using sycl::info::partition_property;
namespace d = sycl::info::device;

bool divides(const sycl::device& device, partition_property how) {
  const auto all = device.get_info<d::partition_properties>();
  return std::find(all.begin(), all.end(), how) != all.end();
}

#define SKIP_UNDIVIDED(device, how)                                                                          \
  if (!divides(device, how))                                                                                 \
  GTEST_SKIP() << "the driver, or a machine with one processor, does not partition "                         \
               << (device).get_info<d::name>()

std::vector<int> squares_on(sycl::queue& q, int count) {
  std::vector<int> out(std::size_t(count), -1);
  sycl::buffer<int> b(out);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(sycl::nd_range<1>(std::size_t(count), 16), [=](sycl::nd_item<1> it) {
      const int i = int(it.get_global_linear_id());
      sycl::group_barrier(it.get_group());
      a[i] = i * i;
    });
  });
  const sycl::host_accessor seen(b, sycl::read_only);
  return {seen.begin(), seen.end()};
}

} // namespace

TEST(sub_devices, unsupported_partitions_are_refused_by_name) {
  const sycl::device device;
  const std::uint32_t most = device.get_info<d::partition_max_sub_devices>();
  EXPECT_EQ(most == 0, device.get_info<d::partition_properties>().empty());
  if (!divides(device, partition_property::partition_equally)) {
    EXPECT_EQ(error_of([&] { device.create_sub_devices<partition_property::partition_equally>(1); }),
              sycl::errc::feature_not_supported);
  }
  if (!divides(device, partition_property::partition_by_counts)) {
    EXPECT_EQ(error_of([&] { device.create_sub_devices<partition_property::partition_by_counts>({1}); }),
              sycl::errc::feature_not_supported);
  }
  const auto domains = device.get_info<d::partition_affinity_domains>();
  for (const auto domain : {partition_affinity_domain::numa, partition_affinity_domain::L1_cache,
                            partition_affinity_domain::next_partitionable}) {
    const auto cut = [&] {
      device.create_sub_devices<partition_property::partition_by_affinity_domain>(domain);
    };
    const bool can = std::find(domains.begin(), domains.end(), domain) != domains.end();
    EXPECT_EQ(error_of(cut), can ? sycl::errc::success : sycl::errc::feature_not_supported);
  }
  EXPECT_EQ(device.get_info<d::partition_type_property>(), partition_property::no_partition);
  EXPECT_EQ(device.get_info<d::partition_type_affinity_domain>(), partition_affinity_domain::not_applicable);
  EXPECT_EQ(error_of([&] { device.get_info<d::parent_device>(); }), sycl::errc::invalid);
}

TEST(sub_devices, more_units_than_the_device_has_are_invalid) {
  const sycl::device device;
  const std::size_t units = device.get_info<d::max_compute_units>();
  if (divides(device, partition_property::partition_equally)) {
    EXPECT_EQ(error_of([&] { device.create_sub_devices<partition_property::partition_equally>(units + 1); }),
              sycl::errc::invalid);
    EXPECT_EQ(error_of([&] { device.create_sub_devices<partition_property::partition_equally>(0); }),
              sycl::errc::invalid);
  }
  SKIP_UNDIVIDED(device, partition_property::partition_by_counts);
  EXPECT_EQ(error_of([&] { device.create_sub_devices<partition_property::partition_by_counts>({units, 1}); }),
            sycl::errc::invalid);
  EXPECT_TRUE(device.create_sub_devices<partition_property::partition_by_counts>({0, 0}).empty());
  EXPECT_EQ(error_of([&] {
    device.create_sub_devices<partition_property::partition_by_counts>({std::size_t(-1), 1});
  }),
            sycl::errc::invalid);
}

TEST(sub_devices, of_equal_size_report_their_parent_and_compute) {
  const sycl::device device;
  SKIP_UNDIVIDED(device, partition_property::partition_equally);
  const auto parts = device.create_sub_devices<partition_property::partition_equally>(1);
  EXPECT_EQ(parts.size(), device.get_info<d::max_compute_units>());
  std::set<std::size_t> different;
  for (const sycl::device& part : parts) {
    different.insert(std::hash<sycl::device>()(part));
    EXPECT_EQ(part.get_info<d::max_compute_units>(), 1u);
    EXPECT_EQ(part.get_info<d::parent_device>(), device);
    EXPECT_EQ(prism::describe(part).physical_id, "")
        << "sub-devices share no hardware: dividing work between them may be faster";
    EXPECT_EQ(part.get_info<d::partition_type_property>(), partition_property::partition_equally);
    EXPECT_EQ(part.get_platform(), device.get_platform());
    sycl::queue q(part);
    EXPECT_EQ(q.get_device(), part);
    const std::vector<int> squares = squares_on(q, 1024);
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(squares[std::size_t(i)], i * i);
  }
  EXPECT_EQ(different.size(), parts.size());
  EXPECT_EQ(device.create_sub_devices<partition_property::partition_equally>(1), parts);
}

TEST(sub_devices, by_counts_have_the_requested_units) {
  const sycl::device device;
  SKIP_UNDIVIDED(device, partition_property::partition_by_counts);
  const std::size_t units = device.get_info<d::max_compute_units>();
  const auto parts = device.create_sub_devices<partition_property::partition_by_counts>({1, units - 1, 0});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].get_info<d::max_compute_units>(), 1u);
  EXPECT_EQ(parts[1].get_info<d::max_compute_units>(), units - 1);
  EXPECT_EQ(parts[1].get_info<d::partition_type_property>(), partition_property::partition_by_counts);
}

TEST(sub_devices, by_numa_nodes_are_one_for_each_node) {
  const sycl::device device;
  SKIP_UNDIVIDED(device, partition_property::partition_by_affinity_domain);
  const auto domains = device.get_info<d::partition_affinity_domains>();
  if (std::find(domains.begin(), domains.end(), partition_affinity_domain::numa) == domains.end())
    GTEST_SKIP() << "the driver partitions " << device.get_info<d::name>() << " by caches only";
  const auto parts = device.create_sub_devices<partition_property::partition_by_affinity_domain>(
      partition_affinity_domain::numa);
  ASSERT_GE(parts.size(), 1u);
  for (const sycl::device& part : parts) {
    EXPECT_EQ(part.get_info<d::partition_type_property>(), partition_property::partition_by_affinity_domain);
    EXPECT_EQ(part.get_info<d::partition_type_affinity_domain>(), partition_affinity_domain::numa);
    EXPECT_LE(part.get_info<d::max_compute_units>(), device.get_info<d::max_compute_units>());
    sycl::queue q(part);
    const std::vector<int> squares = squares_on(q, 1 << 15);
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(squares[std::size_t(i * 7)], i * 7 * i * 7);
  }
}

TEST(sub_devices, share_contexts_buffers_and_memory_with_the_parent) {
  const sycl::device device;
  SKIP_UNDIVIDED(device, partition_property::partition_equally);
  const auto parts = device.create_sub_devices<partition_property::partition_equally>(1);
  const sycl::context all(device);
  sycl::queue whole(all, device), first(all, parts[0]), second(all, parts[1]);
  EXPECT_EQ(error_of([&] { sycl::queue(sycl::context(parts[0]), parts[1]); }), sycl::errc::invalid);
  auto data = counted(1000);
  {
    sycl::buffer<int> b(data);
    for (sycl::queue* q : {&first, &whole, &second}) {
      q->submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for(1000, [=](sycl::id<1> i) { a[i] = a[i] * 2 + 1; });
      });
    }
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(data[std::size_t(i)], i * 8 + 7);
  SKIP_WITHOUT(whole, usm_device_allocations);
  int* of_whole = sycl::malloc_device<int>(1000, whole);
  int* of_part = sycl::malloc_device<int>(1000, first);
  EXPECT_EQ(sycl::get_pointer_device(of_part, all), parts[0]);
  whole.fill(of_whole, 5, 1000).wait();
  first.parallel_for(1000, [=](sycl::id<1> i) { of_part[i] = of_whole[i] + int(i[0]); }).wait();
  second.parallel_for(1000, [=](sycl::id<1> i) { of_whole[i] = of_part[i] * 2; }).wait();
  whole.copy(of_whole, data.data(), 1000).wait();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(data[std::size_t(i)], (i + 5) * 2);
  sycl::free(of_whole, all);
  sycl::free(of_part, all);
}

TEST(sub_devices, run_the_kernels_of_a_bundle_of_the_parent) {
  const sycl::device device;
  SKIP_UNDIVIDED(device, partition_property::partition_equally);
  const auto parts = device.create_sub_devices<partition_property::partition_equally>(1);
  const sycl::context all(device);
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(all, {device});
  sycl::queue q(all, parts[0]);
  std::vector<int> data(10, 0);
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      h.use_kernel_bundle(bundle);
      sycl::accessor a(b, h, sycl::write_only);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = int(i[0]) + 3; });
    });
  }
  EXPECT_EQ(data[9], 12);
}

// A kernel can count the host device's threads that run it.
TEST(sub_devices, of_the_host_use_no_more_threads_than_they_have) {
  const sycl::device device;
  if (device.get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << "other drivers choose their threads themselves";
  SKIP_UNDIVIDED(device, partition_property::partition_equally);
  const auto parts = device.create_sub_devices<partition_property::partition_equally>(1);
  sycl::queue one(parts[0]), another(parts[0]);
  int* counters = sycl::malloc_shared<int>(2, one); // running now; maximum
  counters[0] = counters[1] = 0;
  const auto kernel = [=](sycl::nd_item<1>) { prism_test::count_running(counters); };
  auto a = one.parallel_for(sycl::nd_range<1>(200, 1), kernel),
       b = another.parallel_for(sycl::nd_range<1>(200, 1), kernel);
  a.wait();
  b.wait();
  EXPECT_EQ(counters[1], 1);
  sycl::free(counters, one);
}
