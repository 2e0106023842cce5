// What prism-hardware-report runs, in which order: its decisions over made devices and lists of programs.
#include "tools/prism-hardware-report/plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace {

using namespace prism::hardware;

const std::string the_list = "bench prism-bench\nbandwidth prism-figures\nconformance prism-conformance\n"
                             "sycl sycl_usm\nsycl sycl_buffers 7\noperations blas\nrandom random_0\n";

device h200(const char* backend, int index) {
  return {backend, index, "NVIDIA H200", backend == std::string("opencl") ? "NVIDIA CUDA" : "Vulkan (NVIDIA)",
          "580",   "gpu", false};
}
device host() { return {"host", 0, "host device", "PRISM host", "", "cpu", false}; }
device llvmpipe() {
  return {"vulkan", 1, "llvmpipe (LLVM 15, 256 bits)", "Vulkan (Mesa)", "22", "cpu", true};
}

TEST(hardware_plan, devices_of_one_kind_take_turns_so_that_each_has_its_share_of_the_time) {
  const std::vector<step> steps =
      plan({h200("opencl", 0), h200("vulkan", 0), h200("opencl", 1)}, read_list(the_list));
  ASSERT_EQ(steps.size(), 3u * 7u);
  std::map<std::string, int> started{{"opencl:0", 0}, {"vulkan:0", 0}, {"opencl:1", 0}};
  for (const step& each : steps) { // wherever the time is over
    ++started[each.device];
    int least = 100, most = 0;
    for (const auto& [device, number] : started)
      least = std::min(least, number), most = std::max(most, number);
    ASSERT_LE(most - least, 1) << each.name << " on " << each.device;
  }
}

TEST(hardware_plan, hardware_comes_before_the_host_device_and_that_before_other_software) {
  std::vector<std::string> order;
  for (const step& each : plan({host(), llvmpipe(), h200("opencl", 0)}, read_list(the_list)))
    if (order.empty() || order.back() != each.device) order.push_back(each.device);
  EXPECT_EQ(order, (std::vector<std::string>{"opencl:0", "host:0", "vulkan:1"}));
}

TEST(hardware_plan, what_measures_runs_alone_and_first) {
  std::vector<std::string> order;
  for (const step& each : plan({h200("opencl", 0)}, read_list(the_list))) {
    order.push_back(each.name);
    EXPECT_EQ(each.is_alone, each.what == subject::bandwidth || each.what == subject::bench) << each.name;
  }
  EXPECT_EQ(order, (std::vector<std::string>{"prism-figures", "prism-bench", "prism-conformance", "sycl_usm",
                                             "sycl_buffers", "blas", "random_0"}));
}

TEST(hardware_plan, each_device_runs_every_program_under_its_own_selector) {
  for (const device& d : {host(), llvmpipe(), h200("opencl", 0), h200("vulkan", 0)}) {
    std::set<std::string> names;
    for (const step& each : plan({d}, read_list(the_list))) {
      names.insert(each.name);
      EXPECT_EQ(each.device, d.id());
      const bool compares = each.what == subject::random && d.backend != "host";
      EXPECT_EQ(each.environment.at(0),
                std::make_pair(std::string("PRISM_DEVICE_SELECTOR"), compares ? d.id() + ";host" : d.id()));
    }
    EXPECT_EQ(names.size(), 7u) << d.id();
  }
}

TEST(hardware_plan, the_conformance_kit_gets_the_driver_by_its_own_name) {
  const auto driver_of = [](const device& d) {
    for (const step& each : plan({d}, read_list("conformance prism-conformance\n")))
      return each.arguments.at(0);
    return std::string();
  };
  EXPECT_EQ(driver_of(host()), "host");
  EXPECT_EQ(driver_of(llvmpipe()), "lavapipe");
  EXPECT_EQ(driver_of(h200("opencl", 1)), "opencl-gpu");
  EXPECT_EQ(driver_of(h200("vulkan", 0)), "vulkan-gpu");
  EXPECT_EQ(driver_of({"opencl", 0, "pthread", "Portable Computing Language", "3.1", "cpu", true}), "pocl");
  EXPECT_EQ(driver_of({"opencl", 2, "llvmpipe", "rusticl", "22", "cpu", true}), "rusticl");
  EXPECT_EQ(driver_of({"opencl", 3, "another", "another", "1", "cpu", true}), "") << "the kit cannot open it";
}

TEST(hardware_plan, devices_that_the_tests_do_not_drive_get_no_program) {
  EXPECT_TRUE(plan({{"null", 0, "null", "null", "", "custom", false}}, read_list(the_list)).empty());
}

TEST(hardware_plan, a_limit_is_the_programs_own_else_the_subjects_and_never_more_than_what_is_left) {
  const std::vector<step> steps = plan({host()}, read_list("sycl sycl_usm\nsycl sycl_buffers 7\n"));
  EXPECT_EQ(steps.at(0).limit_s, 60);
  EXPECT_EQ(steps.at(1).limit_s, 7);
  EXPECT_EQ(limit_of(steps[1], 100), 7);
  EXPECT_EQ(limit_of(steps[1], 5), 5);
  EXPECT_EQ(limit_of(steps[1], 0.5), 0) << "it does not start";
}

TEST(hardware_plan, a_line_that_is_not_understood_is_refused_with_its_text) {
  EXPECT_TRUE(read_list("# a comment\n\n").empty());
  for (const char* line : {"games chess", "sycl", "sycl ../sycl_usm", "sycl sycl_usm 7 more"}) try {
      read_list("sycl sycl_usm\n" + std::string(line) + "\n");
      ADD_FAILURE() << line;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(line), std::string::npos) << error.what();
    }
}

} // namespace
