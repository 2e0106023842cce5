// Real devices under policies, on every device
// of this machine.
#include "devices/host_limits.hpp"
#include "tests/policy/fleet.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#if __has_include(<vulkan/vulkan.h>)
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>
#endif
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <thread>
#include <unistd.h>

using prism::execution_policy;

namespace {

const sycl::device* other_than(const sycl::device& one) {
  static const std::vector<sycl::device> all = sycl::device::get_devices();
  for (const sycl::device& d : all)
    if (d != one) return &d;
  return nullptr;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const sycl::exception& e) {
    return e.what();
  }
  return "(no error)";
}

} // namespace

TEST(backend_registry, lists_backends_and_finds_them_by_name_and_by_type) {
  const auto all = prism::backends();
  ASSERT_FALSE(all.empty());
  for (const prism::backend_info& b : all) {
    EXPECT_FALSE(b.name.empty());
    if (!b.available) {
      EXPECT_FALSE(b.reason.empty()) << b.name;
    }
  }
  ASSERT_EQ(prism::find_backends("host").size(), 1u);
  ASSERT_EQ(prism::find_backends("native").size(), 1u) << "by type";
  EXPECT_EQ(prism::find_backends("native")[0].name, "host");
  EXPECT_TRUE(prism::is_available("host"));
  EXPECT_FALSE(prism::is_available("no such backend"));
}

TEST(backend_metadata, lists_what_a_backend_requires) {
  for (const prism::backend_info& b : prism::backends()) {
    if (b.name == "opencl") {
      EXPECT_EQ(b.required_libraries, std::vector<std::string>{"libOpenCL.so.1"});
    }
    EXPECT_FALSE(b.needs_gpu) << "every backend of PRISM also runs on processors";
    EXPECT_FALSE(b.display_name.empty());
    if (!b.available) continue;
    EXPECT_FALSE(b.type.empty()) << b.name;
    EXPECT_FALSE(b.version.empty()) << b.name;
    EXPECT_EQ(prism::find_backends(b.type).empty(), false) << b.type;
  }
  const prism::backend_info host = prism::find_backends("host").at(0);
  EXPECT_TRUE(host.required_libraries.empty()) << "it needs no driver";
}

TEST(backend_priority, orders_backends_and_can_be_set) {
  const auto sorted = [](const auto& list) {
    return std::is_sorted(list.begin(), list.end(),
                          [](const auto& a, const auto& b) { return a.priority > b.priority; });
  };
  EXPECT_TRUE(sorted(prism::backends()));
  const int before = prism::find_backends("host")[0].priority;
  prism::set_backend_priority("host", -1000);
  EXPECT_EQ(prism::backends().back().name, "host");
  EXPECT_TRUE(sorted(prism::backends()));
  prism::set_backend_priority("host", before);
  EXPECT_NE(error_of([] { prism::set_backend_priority("hots", 1); }).find("there are: "), std::string::npos);
}

TEST(device_queries, agree_with_opencl) {
  EXPECT_TRUE(prism::is_available("host"));
  EXPECT_FALSE(prism::is_available("hots"));
  std::size_t compared = 0;
  void* loader = dlopen("libOpenCL.so.1", RTLD_LAZY);
  using info_call = int (*)(void*, unsigned, std::size_t, void*, std::size_t*);
  const auto info =
      loader != nullptr ? reinterpret_cast<info_call>(dlsym(loader, "clGetDeviceInfo")) : nullptr;
  for (const sycl::device& d : sycl::device::get_devices()) {
    const prism::capabilities c(d);
    EXPECT_TRUE(c.supports("fp32"));
    EXPECT_EQ(c.supports("fp64"), d.has(sycl::aspect::fp64));
    if (d.get_backend() != sycl::backend::opencl || info == nullptr || std::getenv("PRISM_WRAP") != nullptr)
      continue;
    void* const native = sycl::get_native<sycl::backend::opencl>(d);
    const auto asked = [&](unsigned what, auto value) {
      EXPECT_EQ(info(native, what, sizeof value, &value, nullptr), 0);
      return double(value);
    };
    EXPECT_EQ(c.limit("compute_units"), asked(0x1002, std::uint32_t(0))); // CL_DEVICE_MAX_COMPUTE_UNITS
    EXPECT_EQ(c.limit("memory"), asked(0x101F, std::uint64_t(0)));        // CL_DEVICE_GLOBAL_MEM_SIZE
    EXPECT_EQ(double(d.get_info<sycl::info::device::global_mem_size>()), asked(0x101F, std::uint64_t(0)));
    EXPECT_EQ(double(d.get_info<sycl::info::device::max_compute_units>()), asked(0x1002, std::uint32_t(0)));
    EXPECT_EQ(c.limit("max_allocation"), asked(0x1010, std::uint64_t(0))); // CL_DEVICE_MAX_MEM_ALLOC_SIZE
    EXPECT_EQ(c.limit("max_clock_mhz"), asked(0x100C, std::uint32_t(0)));  // CL_DEVICE_MAX_CLOCK_FREQUENCY
    ++compared;
  }
  if (compared == 0)
    GTEST_SKIP() << "the drivers' own answers need an OpenCL device: pocl-opencl-icd is not installed";
}

#if __has_include(<vulkan/vulkan.h>)
/// The properties that a Vulkan instance of the test itself reports, by device name. Drivers that report the
/// same name must agree.
std::map<std::string, VkPhysicalDeviceProperties> vulkan_answers() {
  std::map<std::string, VkPhysicalDeviceProperties> out;
  void* const loader = dlopen("libvulkan.so.1", RTLD_LAZY);
  if (loader == nullptr) return out;
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  const VkInstanceCreateInfo plain{
      VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, nullptr, 0, nullptr, 0, nullptr};
  VkInstance instance = nullptr;
  if (create(&plain, nullptr, &instance) != VK_SUCCESS) return out;
  const auto list =
      reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(get(instance, "vkEnumeratePhysicalDevices"));
  const auto ask =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(get(instance, "vkGetPhysicalDeviceProperties"));
  std::uint32_t count = 0;
  list(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  list(instance, &count, devices.data());
  for (VkPhysicalDevice each : devices) {
    VkPhysicalDeviceProperties answer;
    ask(each, &answer);
    out[answer.deviceName] = answer;
  }
  reinterpret_cast<PFN_vkDestroyInstance>(get(instance, "vkDestroyInstance"))(instance, nullptr);
  return out;
}

TEST(device_queries, agree_with_vulkan) {
  const auto answers = vulkan_answers();
  std::size_t compared = 0;
  for (const sycl::device& d : sycl::device::get_devices()) {
    if (d.get_backend() != sycl::backend::ext_prism_vulkan || std::getenv("PRISM_WRAP") != nullptr) continue;
    const auto found = answers.find(d.get_info<sycl::info::device::name>());
    ASSERT_NE(found, answers.end()) << d.get_info<sycl::info::device::name>();
    const VkPhysicalDeviceLimits& limits = found->second.limits;
    const prism::capabilities c(d);
    EXPECT_EQ(c.limit("max_group_size"), double(limits.maxComputeWorkGroupInvocations));
    EXPECT_EQ(c.limit("local_memory"), double(limits.maxComputeSharedMemorySize));
    const auto items =
        d.get_info<sycl::info::device::max_work_item_sizes<3>>(); // SYCL's first dimension is Vulkan's z
    for (int k = 0; k < 3; ++k) EXPECT_EQ(items[2 - k], limits.maxComputeWorkGroupSize[k]) << k;
    EXPECT_EQ(d.is_cpu(), found->second.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU);
    ++compared;
  }
  if (compared == 0)
    GTEST_SKIP() << "the drivers' own answers need a Vulkan device: mesa-vulkan-drivers is not installed";
}
#endif

TEST(explicit_selection, a_wrong_name_lists_the_present_devices) {
  const auto all = prism::describe(sycl::device::get_devices());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const sycl::queue q{prism::by_name(all[i].executes_on)}; // "opencl:0"
    EXPECT_EQ(q.get_device(), sycl::device::get_devices()[i]) << all[i].executes_on;
  }
  EXPECT_EQ(prism::by_name("host").device().get_backend(), sycl::backend::ext_prism_host);
  const std::string message = error_of([] { prism::by_name("nvidia.h100"); });
  for (const prism::device_description& d : all)
    EXPECT_NE(message.find(d.name), std::string::npos) << message;
}

TEST(explicit_selection, a_whole_name_with_spaces_commas_and_numbers_selects) {
  for (const sycl::device& each : sycl::device::get_devices()) {
    const std::string name =
        prism::describe(each).backend + ":name=" + each.get_info<sycl::info::device::name>();
    EXPECT_EQ(prism::by_name(name).device().get_info<sycl::info::device::name>(),
              each.get_info<sycl::info::device::name>());
  }
  prism::device_description card;
  card.name = "NVIDIA GeForce RTX 4090, 24 GB (LLVM 15.0.6)", card.backend = "opencl",
  card.device_type = "gpu";
  const prism::capabilities of(card);
  EXPECT_TRUE(of.meets("opencl:name=NVIDIA GeForce RTX 4090, 24 GB (LLVM 15.0.6)"));
  EXPECT_TRUE(of.meets("gpu:name=rtx 4090"));
  EXPECT_FALSE(of.meets("vulkan:name=rtx 4090")) << "another backend";
  EXPECT_FALSE(of.meets("opencl:name=rtx 4080"));
}

TEST(explicit_selection, takes_the_grammar_of_the_device_selector) {
  prism::device_description processor;
  processor.name = "pthread-skylake", processor.backend = "opencl";
  processor.platform = "Portable Computing Language, OpenCL 3.0 PoCL 3.1";
  processor.limits["index"] = 1;
  const prism::capabilities of(processor);
  for (const char* fits :
       {"opencl:name=Portable", "opencl:name=pocl", "name=skylake:1", "opencl:cpu:name=PoCL:name=pthread:1",
        "*", "opencl:*", "opencl:name=Portable Computing"})
    EXPECT_TRUE(of.meets(fits)) << fits;
  for (const char* other : {"opencl:name=rusticl", "name=skylake:0", "opencl:name=PoCL:gpu", "vulkan:*",
                            "opencl:name=PoCL:name=llvmpipe"})
    EXPECT_FALSE(of.meets(other)) << other;
}

TEST(explicit_selection, the_selector_that_made_the_devices_visible_selects_one) {
  const char* const expression = std::getenv("PRISM_DEVICE_SELECTOR");
  if (!expression || !*expression) GTEST_SKIP() << "PRISM_DEVICE_SELECTOR is not set";
  EXPECT_NO_THROW(prism::by_name(expression));
}

TEST(explicit_selection, terms_are_in_order_of_preference_and_may_exclude) {
  for (const sycl::device& each : sycl::device::get_devices()) {
    const std::string backend = prism::describe(each).backend;
    EXPECT_EQ(prism::describe(prism::by_name("custom; " + backend + "; *").device()).backend, backend);
    EXPECT_NE(error_of([&] { prism::by_name(backend + ";!" + backend); }), "");
    EXPECT_NE(error_of([&] { prism::by_name("*;!" + backend + "; !*"); }), "");
  }
  EXPECT_EQ(prism::by_name("!custom").device(), prism::by_name(" !custom ; ").device());
}

TEST(explicit_selection, the_process_default_can_be_set) {
  const sycl::device before;
  const sycl::device* other = other_than(before);
  if (other == nullptr)
    GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  prism::set_default(*other);
  EXPECT_EQ(sycl::device(), *other);
  EXPECT_EQ(sycl::queue().get_device(), *other);
  EXPECT_EQ(sycl::queue(sycl::default_selector_v).get_device(), *other) << "the default selector agrees";
  std::thread([&] { EXPECT_EQ(sycl::device(), *other) << "in every thread"; }).join();
  prism::clear_default();
  EXPECT_EQ(sycl::device(), before);
  prism::set_default("host");
  EXPECT_EQ(sycl::device().get_backend(), sycl::backend::ext_prism_host);
  prism::clear_default();
}

TEST(policies, are_sycl_device_selectors) {
  execution_policy p;
  p.require = {"host"};
  EXPECT_EQ(sycl::queue(p).get_device().get_backend(), sycl::backend::ext_prism_host);
  const prism::device_selector s = prism::selector(p, prism_test::heavy());
  EXPECT_EQ(sycl::queue(s).get_device(), s.device());
  EXPECT_NE(s.explain().find("=>"), std::string::npos);
  p.require = {"time_travel"};
  EXPECT_THROW(sycl::queue{p}, prism::no_candidate);
  EXPECT_THROW(sycl::queue{prism::selector(p)}, prism::no_candidate);
}

TEST(device_scopes, nest_and_restore_the_default) {
  const sycl::device before;
  const sycl::device* other = other_than(before);
  if (other == nullptr)
    GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  {
    const prism::scoped_device outer(*other);
    EXPECT_EQ(sycl::queue().get_device(), *other);
    {
      execution_policy host;
      host.require = {"host"};
      const prism::scoped_policy inner(host);
      EXPECT_EQ(sycl::queue().get_device().get_backend(), sycl::backend::ext_prism_host);
    }
    EXPECT_EQ(sycl::queue().get_device(), *other);
  }
  EXPECT_EQ(sycl::queue().get_device(), before);
}

TEST(device_scopes, apply_to_their_thread_only) {
  const sycl::device before;
  const sycl::device* other = other_than(before);
  if (other == nullptr)
    GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  const prism::scoped_device scope(*other);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(sycl::device(), before);
        const prism::scoped_device own(i % 2 != 0 ? *other : before);
        EXPECT_EQ(sycl::device(), i % 2 != 0 ? *other : before);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sycl::device(), *other);
}

TEST(device_scopes, an_unsatisfiable_one_leaves_the_default_unchanged) {
  const sycl::device before;
  execution_policy impossible;
  impossible.require = {"time_travel"};
  EXPECT_THROW(prism::scoped_policy{impossible}, prism::no_candidate);
  EXPECT_EQ(sycl::device(), before);
}

TEST(fallback_lists, take_the_first_present_device) {
  const auto all = prism::describe(sycl::device::get_devices());
  std::vector<std::string> chain;
  for (const prism::device_description& d : all) chain.push_back(d.executes_on);
  for (std::size_t masked = 0; masked < chain.size();
       ++masked) { // each prefix of the chain is masked in turn
    std::vector<std::string> list = chain;
    for (std::size_t i = 0; i < masked; ++i) list[i] = "absent:" + std::to_string(i);
    EXPECT_EQ(sycl::queue(prism::prefer(list)).get_device(), sycl::device::get_devices()[masked])
        << chain[masked];
  }
  EXPECT_THROW(prism::prefer({"absent", "nvidia.h100"}), prism::no_candidate) << "only devices of the list";
}

TEST(capabilities, agree_with_the_sycl_aspects) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    const prism::capabilities c(d);
    EXPECT_EQ(c.has_feature("fp64"), d.has(sycl::aspect::fp64)) << c.description().name;
    EXPECT_EQ(c.has_feature("half_precision"),
              d.get_info<sycl::info::device::native_vector_width_half>() != 0); // else by float
    EXPECT_EQ(c.supports("double"), d.has(sycl::aspect::fp64));
    EXPECT_EQ(c.has_feature("int64_atomics"), d.has(sycl::aspect::atomic64));
    EXPECT_EQ(c.has_feature("usm_shared"), d.has(sycl::aspect::usm_shared_allocations));
    EXPECT_EQ(c.limit("compute_units"), d.get_info<sycl::info::device::max_compute_units>());
    EXPECT_EQ(c.limit("local_memory"), d.get_info<sycl::info::device::local_mem_size>());
    EXPECT_EQ(c.limit("max_group_size"), d.get_info<sycl::info::device::max_work_group_size>());
    EXPECT_EQ(c.limit("memory"), d.get_info<sycl::info::device::global_mem_size>());
    EXPECT_TRUE(c.has_feature("async_execution"));
    EXPECT_TRUE(c.has_feature("multi_device"));
    EXPECT_FALSE(c.has_feature("thread_block_clusters"));
    if (d.is_cpu()) {
      EXPECT_FALSE(c.has_feature("tensor_cores"));
    }
    EXPECT_EQ(c.has_feature("simd_level"), d.is_cpu() || c.description().device_type == "cpu")
        << "vectors of the processor";
    EXPECT_EQ(c.limit("max_allocation"), d.get_info<sycl::info::device::max_mem_alloc_size>());
    EXPECT_EQ(c.data_types("gemm"), c.data_types()) << "an operation that it does not list has all its types";
    EXPECT_FALSE(c.has_feature("fp64", 99));
    EXPECT_TRUE(c.meets("max_group_size>=1"));
    EXPECT_FALSE(c.memory_hierarchy().empty());
    const auto sizes = d.get_info<sycl::info::device::sub_group_sizes>();
    if (*std::max_element(sizes.begin(), sizes.end()) > 1) {
      EXPECT_TRUE(c.has_feature("subgroups"));
    }
    if (c.description().backend == "host" && std::getenv("PRISM_WRAP") == nullptr) {
      EXPECT_TRUE(c.has_feature("subgroups", 2)) << "the device shuffles and votes";
      EXPECT_FALSE(c.has_feature("subgroups", 3));
    }
  }
}

TEST(capabilities, of_a_description_have_its_values) {
  const prism::capabilities tensor(prism_test::fleet()[3]);
  EXPECT_TRUE(tensor.has_feature("tensor-cores", 3));
  EXPECT_FALSE(tensor.has_feature("tensor_cores", 4));
  EXPECT_FALSE(tensor.supports("fp64"));
  EXPECT_EQ(tensor.data_types("gemm"), (std::vector<std::string>{"bf16", "int8"}));
}

TEST(device_descriptions, of_every_device_survive_the_file_and_select_the_same) {
  const auto here = prism::describe(sycl::device::get_devices());
  for (std::size_t i = 0; i < here.size() && std::getenv("PRISM_WRAP") == nullptr; ++i) {
    EXPECT_EQ(here[i].driver, sycl::device::get_devices()[i].get_info<sycl::info::device::driver_version>());
    EXPECT_FALSE(here[i].physical_id.empty()) << here[i].name;
  }
  const auto back = prism::parse_devices(prism::to_yaml(here));
  EXPECT_EQ(prism::to_json(back), prism::to_json(here));
  for (const auto& work : {prism_test::heavy(), prism_test::tiny()})
    EXPECT_EQ(prism_test::chosen({}, work, back), prism_test::chosen({}, work, here));
}

TEST(host_facts, are_those_of_the_system) {
  const prism::host_facts facts = prism::host_info();
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_GE(facts.cores, 1u);
  EXPECT_LE(facts.cores, unsigned(CPU_COUNT(&set)));
  std::ifstream meminfo("/proc/meminfo");
  std::string word;
  std::uint64_t kilobytes = 0;
  meminfo >> word >> kilobytes;
  EXPECT_GT(facts.memory_bytes, 0u);
  EXPECT_LE(facts.memory_bytes, kilobytes << 10);
  EXPECT_EQ(facts.device_names.size(), sycl::device::get_devices().size());
#if defined(__x86_64__)
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string text((std::istreambuf_iterator<char>(cpuinfo)), {});
  EXPECT_EQ(facts.avx2, text.find(" avx2") != std::string::npos);
  EXPECT_EQ(facts.avx512, text.find(" avx512f") != std::string::npos);
#endif
}

TEST(host_facts, respect_the_limits_of_a_container) {
  namespace fs = std::filesystem;
  const auto limits = [](const std::string& groups,
                         const std::vector<std::pair<std::string, std::string>>& files) {
    const fs::path root = testing::TempDir() + "prism_container_" + std::to_string(getpid());
    const auto write = [&](const fs::path& name, const std::string& text) {
      fs::create_directories((root / name).parent_path());
      std::ofstream(root / name) << text << '\n';
    };
    write("proc/self/cgroup", groups);
    for (const auto& [name, text] : files) write(fs::path("sys/fs/cgroup") / name, text);
    const prism::devices::host_limits found = prism::devices::limits_of_this_process(root);
    fs::remove_all(root);
    return found;
  };
  const auto whole = limits("0::/", {});
  EXPECT_EQ(
      limits("0::/a/b", {{"a/b/memory.max", "max"}, {"a/memory.max", "50000000"}, {"memory.max", "90000000"}})
          .memory_bytes,
      50000000u)
      << "the parent's";
  EXPECT_EQ(limits("0::/", {{"memory.max", "70000000"}}).memory_bytes, 70000000u);
  EXPECT_EQ(limits("0::/", {{"memory.max", "max"}, {"cpu.max", "max 100000"}}).memory_bytes,
            whole.memory_bytes);
  EXPECT_EQ(limits("0::/a", {{"a/cpu.max", "50000 100000"}}).cores, 1u) << "half a core";
  EXPECT_EQ(limits("3:cpu,cpuacct:/box\n7:memory:/box/inner",
                   {{"memory/box/memory.limit_in_bytes", "60000000"},
                    {"memory/box/inner/memory.limit_in_bytes", "9223372036854771712"},
                    {"cpu/box/cpu.cfs_quota_us", "20000"},
                    {"cpu/box/cpu.cfs_period_us", "100000"}})
                .memory_bytes,
            60000000u)
      << "version 1";
  EXPECT_EQ(limits("3:cpu,cpuacct:/box",
                   {{"cpu/box/cpu.cfs_quota_us", "20000"}, {"cpu/box/cpu.cfs_period_us", "100000"}})
                .cores,
            1u);
  EXPECT_EQ(
      limits("3:cpu:/box", {{"cpu/box/cpu.cfs_quota_us", "-1"}, {"cpu/box/cpu.cfs_period_us", "100000"}})
          .cores,
      whole.cores)
      << "no limit";
}

TEST(host_facts, respect_the_affinity_of_the_process) {
  cpu_set_t all;
  CPU_ZERO(&all);
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) {
      CPU_SET(cpu, &one);
      break;
    }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(prism::host_info().cores, 1u);
  sched_setaffinity(0, sizeof all, &all);
}

namespace {

const sycl::exception unsupported(sycl::make_error_code(sycl::errc::kernel_not_supported), "planted");

} // namespace

TEST(priority_chain, an_unsupported_operation_falls_through_the_chain) {
  const auto all = sycl::device::get_devices();
  const auto before = prism::fallback_count();
  std::size_t calls = 0;
  const auto report = prism::run_with_fallback(all, [&](sycl::queue& q) {
    if (++calls < all.size()) throw unsupported;
    EXPECT_EQ(q.get_device(), all.back());
  });
  EXPECT_EQ(calls, all.size());
  EXPECT_EQ(report.steps.size(), all.size() - 1);
  EXPECT_EQ(report.device, prism::describe(all.back()).executes_on);
  EXPECT_EQ(prism::fallback_count() - before, all.size() - 1) << "each step is counted";
  for (const auto& step : report.steps) EXPECT_EQ(step.why, prism::failure_class::unsupported);
}

TEST(recovery, memory_that_a_device_lacks_is_allocated_on_the_next) {
  const auto all = sycl::device::get_devices();
  if (all.size() < 2)
    GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  bool failed = false;
  const auto report = prism::run_with_fallback(all, [&](sycl::queue& q) {
    if (q.get_device() != all.front()) return;
    failed = true;
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation), "planted");
  });
  EXPECT_TRUE(failed);
  ASSERT_EQ(report.steps.size(), 1u);
  EXPECT_EQ(report.steps[0].why, prism::failure_class::out_of_memory);
  EXPECT_EQ(report.steps[0].device, prism::describe(all.front()).executes_on);
}

TEST(recovery, device_errors_cause_fallback_and_program_errors_do_not) {
  const auto all = sycl::device::get_devices();
  int calls = 0;
  const auto host_task_throws = [&](auto error) {
    return [&calls, error](sycl::queue& q) {
      ++calls;
      q.submit([&](sycl::handler& h) { h.host_task([error] { throw error; }); });
    };
  };
  EXPECT_THROW(prism::run_with_fallback(all, host_task_throws(std::runtime_error("a bug"))),
               std::runtime_error);
  EXPECT_EQ(calls, 1) << "another device would have the same error";
  calls = 0;
  EXPECT_THROW(prism::run_with_fallback(all, host_task_throws(unsupported)), sycl::exception)
      << "all devices fail: the last error";
  EXPECT_EQ(calls, int(all.size()));
  EXPECT_THROW(prism::run_with_fallback(std::vector<sycl::device>(), [](sycl::queue&) {}), sycl::exception);
}

TEST(recovery, failures_have_classes) {
  const auto made = [](sycl::errc code, const char* text) {
    return prism::classify(sycl::exception(sycl::make_error_code(code), text));
  };
  EXPECT_EQ(made(sycl::errc::runtime, "submit: failed (VK_ERROR_DEVICE_LOST)"),
            prism::failure_class::device_lost);
  EXPECT_EQ(made(sycl::errc::runtime, "something else"), prism::failure_class::other);
  EXPECT_EQ(made(sycl::errc::invalid, "VK_ERROR_DEVICE_LOST"), prism::failure_class::other);
  EXPECT_EQ(made(sycl::errc::memory_allocation, ""), prism::failure_class::out_of_memory);
  EXPECT_EQ(made(sycl::errc::build, ""), prism::failure_class::unsupported);
  EXPECT_EQ(prism::classify(std::bad_alloc()), prism::failure_class::out_of_memory);
}

TEST(fallback_lists, absent_names_are_skipped) {
  const auto report =
      prism::run_with_fallback(std::vector<std::string>{"absent", "host"}, [](sycl::queue& q) {
    EXPECT_EQ(q.get_device().get_backend(), sycl::backend::ext_prism_host);
  });
  EXPECT_EQ(report.device, "host:0");
  EXPECT_THROW(prism::run_with_fallback(std::vector<std::string>{"absent"}, [](sycl::queue&) {}),
               prism::no_candidate);
}
