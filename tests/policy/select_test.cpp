// Selection as tables.
#include "tests/policy/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <random>
#include <sstream>

namespace {
thread_local bool counting = false;
thread_local unsigned long allocations = 0; // of this thread, those of the library too
} // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (counting) ++allocations;
  if (void* const made = std::malloc(bytes != 0 ? bytes : 1)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }

using namespace prism_test;
using prism::execution_policy;
using prism::priority;
using prism::workload;

namespace {

std::string reason_of(const std::vector<prism::candidate>& all, const std::string& name) {
  for (const prism::candidate& c : all)
    if (c.name == name) return c.reason;
  return "(no such candidate)";
}

std::string reason_for(const execution_policy& policy, const workload& work, const std::string& name) {
  try {
    return reason_of(prism::select(policy, work, fleet()).candidates(), name);
  } catch (const prism::no_candidate& none) {
    return reason_of(none.candidates(), name);
  }
}

} // namespace

TEST(automatic_selection, depends_on_the_workload) {
  EXPECT_EQ(chosen({}, heavy()), "cloud gpu");
  EXPECT_EQ(chosen({}, tiny()), "workstation") << "launch and transfer outweigh the faster device";
}

TEST(automatic_selection, the_prediction_is_the_documented_formula) {
  const auto devices = fleet();
  const workload w = heavy();
  const prism::prediction p = prism::predict(devices[1], w);
  EXPECT_DOUBLE_EQ(p.total.count(), 10e-6 + 1e8 / 20e9 + std::max(4.5e12 / 20000e9, 1e9 / 1500e9));
  workload small = w;
  small.bytes = 1e6; // fits in L2
  small.flops = 0;
  EXPECT_DOUBLE_EQ(prism::predict(devices[1], small).memory.count(), 1e6 / 4000e9);
  EXPECT_LE(p.lower, p.total);
  EXPECT_GE(p.upper, p.total);
}

TEST(automatic_selection, the_time_to_build_kernels_counts) {
  auto devices = fleet();
  devices.resize(2);
  devices[1].build_ms = 300; // the first device has built kernels in the program
  workload w = heavy();
  w.flops = 1e11, w.bytes = 1e6, w.bytes_to_move = 0;
  EXPECT_EQ(chosen({}, w, devices), "cloud gpu");
  const prism::seconds before = prism::predict(devices[1], w).total;
  w.builds = 2;
  EXPECT_DOUBLE_EQ(prism::predict(devices[1], w).building.count(), 0.6);
  EXPECT_DOUBLE_EQ((prism::predict(devices[1], w).total - before).count(), 0.6);
  EXPECT_EQ(chosen({}, w, devices), "workstation");
  EXPECT_NE(prism::explain({}, w, devices).find("building 600 ms"), std::string::npos)
      << prism::explain({}, w, devices);
  EXPECT_EQ(prism::explain({}, w, fleet()).find("building"), std::string::npos);
  w.builds = -1;
  EXPECT_THROW(prism::predict(devices[1], w), sycl::exception);
}

TEST(automatic_selection, data_already_on_a_device_costs_no_copy) {
  workload w = tiny();
  w.bytes_to_move = 1e9;
  w.bytes = 1e9;
  EXPECT_EQ(chosen({}, w), "workstation");
  w.data_on = "cloud gpu";
  EXPECT_EQ(chosen({}, w), "cloud gpu");
}

TEST(automatic_selection, access_and_divergence_cost_time) {
  const auto gpu = fleet()[1];
  workload w = heavy();
  const auto straight = prism::predict(gpu, w);
  w.access = prism::access_pattern::random;
  w.divergence = 1;
  EXPECT_DOUBLE_EQ(prism::predict(gpu, w).memory.count(), 8 * straight.memory.count());
  EXPECT_DOUBLE_EQ(prism::predict(gpu, w).computing.count(), 2 * straight.computing.count());
}

TEST(policies, each_priority_has_its_own_choice) {
  execution_policy p;
  EXPECT_EQ(chosen(p, heavy()), "cloud gpu");
  p.priority = priority::cost;
  EXPECT_EQ(chosen(p, heavy()), "workstation") << "the workstation is free of charge";
  p.priority = priority::energy;
  EXPECT_EQ(chosen(p, heavy()), "small gpu");
  p.priority = priority::throughput;
  EXPECT_EQ(chosen(p, heavy()), "cloud gpu");
  p.priority = priority::latency;
  EXPECT_EQ(chosen(p, tiny()), "workstation");
}

TEST(policies, throughput_overlaps_copies_and_speed_adds_them) {
  auto devices = fleet();
  workload w;
  w.flops = 1e12;           // workstation 1 s, cloud gpu 0.05 s
  w.bytes_to_move = 1.9e10; // cloud gpu 0.95 s
  w.items = 100;
  devices.resize(2);
  EXPECT_EQ(chosen({}, w, devices), "workstation") << "0.95 + 0.05 + launch is more than 1 s";
  execution_policy p;
  p.priority = priority::throughput;
  EXPECT_EQ(chosen(p, w, devices), "cloud gpu") << "one job every 0.95 s";
}

TEST(policies, max_latency_flips_the_choice) {
  execution_policy p;
  p.priority = priority::cost;
  EXPECT_EQ(chosen(p, heavy()), "workstation");
  p.max_latency = std::chrono::milliseconds(3000);
  EXPECT_EQ(chosen(p, heavy()), "cloud gpu")
      << "the workstation needs 4.5 s: the higher price per hour is the lower price per job";
  EXPECT_EQ(reason_for(p, heavy(), "workstation"), "max_latency 3 s: it would take 4.5 s");
}

TEST(policies, min_throughput_flips_the_choice) {
  execution_policy p;
  p.priority = priority::cost;
  p.min_throughput = 1e6;
  EXPECT_EQ(chosen(p, heavy()), "cloud gpu");
  EXPECT_EQ(reason_for(p, heavy(), "workstation"), "min_throughput 1e+06/s: it would do 2.22e+05/s");
}

TEST(policies, max_cost_per_hour_flips_the_choice) {
  execution_policy p;
  p.max_cost_per_hour = 3.0;
  EXPECT_EQ(chosen(p, heavy()), "tensor unit");
  EXPECT_EQ(reason_for(p, heavy(), "cloud gpu"), "max_cost_per_hour 3: it costs 4");
}

TEST(policies, max_cost_per_job_flips_the_choice) {
  execution_policy p;
  p.max_cost_per_job = 1e-4;
  EXPECT_EQ(chosen(p, heavy()), "workstation");
}

TEST(policies, max_power_flips_the_choice) {
  execution_policy p;
  p.max_power = 50;
  EXPECT_EQ(chosen(p, heavy()), "small gpu");
  EXPECT_EQ(reason_for(p, heavy(), "cloud gpu"), "max_power 50 W: it takes 400 W");
}

TEST(policies, max_temperature_flips_the_choice) {
  execution_policy p;
  p.max_temperature = 85;
  std::vector<prism::device_description> devices = fleet();
  const auto named = [&](const std::string& name) {
    return std::find_if(devices.begin(), devices.end(), [&](const auto& d) { return d.name == name; });
  };
  const std::string fastest = prism::select({}, heavy(), devices).device().name;
  for (prism::device_description& d : devices) d.celsius = 40;
  EXPECT_EQ(prism::select(p, heavy(), devices).device().name, fastest);
  named(fastest)->celsius = 91.5;
  const prism::selection cooler = prism::select(p, heavy(), devices);
  EXPECT_NE(cooler.device().name, fastest);
  EXPECT_EQ(reason_of(cooler.candidates(), fastest), "max_temperature 85 °C: it has 91.5 °C");
  named(fastest)->celsius.reset();
  EXPECT_EQ(reason_of(prism::select(p, heavy(), devices).candidates(), fastest),
            "max_temperature 85 °C: its temperature is unknown");
}

TEST(policies, leave_out_lost_devices) {
  std::vector<prism::device_description> devices = fleet();
  const std::string fastest = prism::select({}, heavy(), devices).device().name;
  for (prism::device_description& d : devices) d.is_lost = d.name == fastest;
  const prism::selection other = prism::select({}, heavy(), devices);
  EXPECT_NE(other.device().name, fastest);
  EXPECT_EQ(reason_of(other.candidates(), fastest),
            "it is lost: its driver reported a reset or an unplugged device, or PRISM_TIMEOUT has passed");
}

TEST(policies, require_prefer_and_forbid_flip_the_choice) {
  execution_policy p;
  p.priority = priority::energy;
  p.require = {"fp64"};
  EXPECT_EQ(chosen(p, heavy()), "cloud gpu");
  EXPECT_EQ(reason_for(p, heavy(), "small gpu"), "require \"fp64\": it has no fp64");
  p.require = {"fp64", "subgroups<2"};
  EXPECT_EQ(chosen(p, heavy()), "workstation");
  EXPECT_EQ(reason_for(p, heavy(), "cloud gpu"), "require \"subgroups<2\": subgroups is version 2");
  p.require = {"memory>=48GiB"};
  EXPECT_EQ(chosen(p, heavy()), "workstation");
  EXPECT_EQ(reason_for(p, heavy(), "cloud gpu"), "require \"memory>=48GiB\": memory is 40 GiB");
  p = {};
  p.prefer = {"accelerator", "cpu"};
  EXPECT_EQ(chosen(p, heavy()), "tensor unit");
  p.forbid = {"accelerator"};
  EXPECT_EQ(chosen(p, heavy()), "workstation");
  p.prefer.clear();
  p.forbid = {"nvidia.cloud"};
  EXPECT_EQ(chosen(p, heavy()), "tensor unit");
}

TEST(policies, a_type_that_no_device_supports_excludes_all) {
  workload w = heavy();
  w.data_type = "double";
  EXPECT_EQ(reason_for({}, w, "tensor unit"), "it does not compute in double");
  w.data_type = "fp32";
  w.operation = "gemm";
  EXPECT_EQ(reason_for({}, w, "tensor unit"), "it does not do \"gemm\" in fp32");
  w.data_type = "bf16";
  EXPECT_EQ(chosen({}, w), "tensor unit");
}

TEST(policies, impossible_values_are_rejected_by_name) {
  execution_policy p;
  p.max_power = -1;
  EXPECT_THROW(prism::select(p, heavy(), fleet()), sycl::exception);
  p = {};
  p.require = {"memory>=lots"};
  try {
    prism::select(p, heavy(), fleet());
    FAIL();
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::invalid);
    EXPECT_NE(std::string(e.what()).find("memory>=lots"), std::string::npos);
  }
  workload w;
  w.flops = -1;
  EXPECT_THROW(prism::select({}, w, fleet()), sycl::exception);
}

TEST(policies, descriptions_with_impossible_figures_are_rejected_by_name) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, nan, infinite}) {
    const std::pair<const char*, std::function<void(prism::device_description&)>> places[] = {
        {"watts", [&](auto& d) { d.watts = wrong; }},
        {"price_per_hour", [&](auto& d) { d.price_per_hour = wrong; }},
        {"launch_latency_us", [&](auto& d) { d.launch_latency_us = wrong; }},
        {"transfer_gbps", [&](auto& d) { d.transfer_gbps = wrong; }},
        {"peak_gflops", [&](auto& d) { d.peak_gflops["fp32"] = wrong; }},
        {"bandwidth_gbps", [&](auto& d) { d.memory_hierarchy.front().bandwidth_gbps = wrong; }},
    };
    for (const auto& [name, spoil] : places) {
      auto devices = fleet();
      spoil(devices[1]);
      try {
        prism::select({}, heavy(), devices);
        ADD_FAILURE() << name << " = " << wrong << " was accepted";
      } catch (const sycl::exception& e) {
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find(devices[1].name), std::string::npos) << e.what();
      }
    }
  }
}

TEST(policies, survive_their_text_form) {
  const std::string text =
      "priority=cost; max_latency=0.5s; min_throughput=10; max_cost_per_hour=10; max_cost_per_job=2; "
      "max_power=75; max_temperature=80; "
      "require=fp64,memory>=4GiB; prefer=gpu; forbid=vulkan; only_preferred=true";
  EXPECT_EQ(prism::to_text(prism::parse_policy(text)), text);
  EXPECT_EQ(prism::parse_policy("max_latency=500ms").max_latency->count(), 0.5);
  for (const auto& [wrong, part] : std::vector<std::pair<std::string, std::string>>{
           {"priority=sped", "Did you mean \"speed\"?"},
           {"require=fp64;max_powr=3", "Did you mean \"max_power\"?"},
           {"max_latency=soon", "500ms"},
           {"priority=cost; priority=speed", "\"priority\" is given twice"},
           {"require=fp64; require=fp16", "\"require\" is given twice"},
           {"priority", "key=value"}}) {
    try {
      prism::parse_policy(wrong);
      ADD_FAILURE() << wrong;
    } catch (const sycl::exception& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }
}

TEST(selection_explanation, equals_the_stored_table) {
  execution_policy p;
  p.priority = priority::cost;
  p.max_latency = std::chrono::milliseconds(3000);
  p.require = {"fp16"};
  std::ifstream file(PRISM_SOURCE "/tests/policy/golden/explain.txt");
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(prism::select(p, heavy(), fleet()).explain(), golden.str());
}

TEST(selection_explanation, is_thrown_when_nothing_fits) {
  execution_policy p;
  p.require = {"thread_block_clusters"};
  try {
    prism::select(p, heavy(), fleet());
    FAIL() << "a device was selected";
  } catch (const prism::no_candidate& none) {
    EXPECT_EQ(none.candidates().size(), 4u);
    for (const prism::device_description& d : fleet())
      EXPECT_NE(std::string(none.what()).find(d.name), std::string::npos) << none.what();
    EXPECT_EQ(prism::explain(p, heavy(), fleet()), none.what());
    const sycl::exception& base = none;
    EXPECT_EQ(base.code(), sycl::errc::runtime);
  }
  EXPECT_THROW(prism::select({}, heavy(), {}), prism::no_candidate);
}

TEST(selection_explanation, the_json_names_choice_and_reasons) {
  execution_policy p;
  p.require = {"fp64"};
  const std::string json = prism::select(p, heavy(), fleet()).to_json();
  EXPECT_NE(json.find("\"chosen\": \"cloud gpu\""), std::string::npos) << json;
  EXPECT_NE(json.find("require \\\"fp64\\\": it has no fp64"), std::string::npos) << json;
}

namespace {

struct random_case {
  execution_policy policy;
  workload work;
  std::vector<prism::device_description> devices;
};

random_case make_case(std::mt19937& random) {
  const auto between = [&](double a, double b) {
    return std::exp(std::uniform_real_distribution<>(std::log(a), std::log(b))(random));
  };
  const auto maybe = [&] { return random() % 3 == 0; };
  random_case c;
  for (unsigned i = 0; i < 1 + random() % 8; ++i) {
    prism::device_description d = fleet()[random() % 4];
    if (maybe()) d.name += " " + std::to_string(random() % 3);
    for (auto& rate : d.peak_gflops) rate.second *= std::round(between(0.5, 4));
    d.price_per_hour = maybe() ? 0 : std::round(between(1, 5));
    if (maybe()) d.watts = 0;
    c.devices.push_back(d);
  }
  c.policy.priority = priority(random() % 5);
  if (maybe()) c.policy.max_latency = prism::seconds(between(1e-4, 10));
  if (maybe()) c.policy.min_throughput = between(1, 1e8);
  if (maybe()) c.policy.max_cost_per_hour = between(0.5, 5);
  if (maybe()) c.policy.max_cost_per_job = between(1e-8, 1e-2);
  if (maybe()) c.policy.max_power = between(10, 500);
  if (maybe()) c.policy.require = {"fp64"};
  if (maybe()) c.policy.forbid = {"accelerator"};
  if (maybe()) c.policy.prefer = {"gpu"};
  c.work = maybe() ? tiny() : heavy();
  c.work.flops = between(1e5, 1e13);
  c.work.bytes_to_move = between(1e3, 1e10);
  return c;
}

/// The value that the priority minimises, after the preference; infinite if no device is suitable.
std::pair<int, double> badness(const random_case& c, const execution_policy& policy) {
  try {
    const prism::selection s = prism::select(policy, c.work, c.devices);
    const prism::prediction& p = s.predicted();
    const int preference = policy.prefer.empty() || s.device().device_type == "gpu" ? 0 : 1;
    switch (policy.priority) {
      case priority::speed: return {preference, p.total.count()};
      case priority::latency: return {preference, p.upper.count()};
      case priority::throughput: return {preference, -p.throughput};
      case priority::cost: return {preference, p.cost};
      case priority::energy: return {preference, s.device().watts > 0 ? p.energy_joules : INFINITY};
    }
  } catch (const prism::no_candidate&) {}
  return {2, INFINITY};
}

} // namespace

TEST(policies, relaxing_a_constraint_never_makes_the_choice_worse) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const random_case c = make_case(random);
    const auto strict = badness(c, c.policy);
    std::vector<execution_policy> relaxed(7, c.policy);
    relaxed[0].max_latency.reset();
    relaxed[1].min_throughput.reset();
    relaxed[2].max_cost_per_hour.reset();
    relaxed[3].max_cost_per_job.reset();
    relaxed[4].max_power.reset();
    relaxed[5].require.clear();
    relaxed[6].forbid.clear();
    for (const execution_policy& p : relaxed)
      ASSERT_LE(badness(c, p), strict) << prism::to_text(c.policy) << "\n-> " << prism::to_text(p);
  }
}

TEST(policies, the_order_of_the_devices_never_matters) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    random_case c = make_case(random);
    const auto text = [&] {
      std::string out;
      try {
        const prism::selection s = prism::select(c.policy, c.work, c.devices);
        out = prism::to_json({s.device()});
        for (const prism::candidate& one : s.candidates()) out += one.name + one.reason + "\n";
      } catch (const prism::no_candidate& none) {
        out = none.what();
      }
      return out;
    };
    const std::string first = text();
    std::shuffle(c.devices.begin(), c.devices.end(), random);
    ASSERT_EQ(text(), first);
  }
}

TEST(policies, ties_are_broken_stably) {
  auto devices = fleet();
  devices.resize(1);
  devices.push_back(devices[0]);
  devices[1].name = "a twin"; // sorts before "workstation"
  EXPECT_EQ(chosen({}, heavy(), devices), "a twin");
  std::swap(devices[0], devices[1]);
  EXPECT_EQ(chosen({}, heavy(), devices), "a twin");
  devices[1].price_per_hour = 0.1;
  devices[1].name = "0 expensive twin";
  EXPECT_EQ(chosen({}, heavy(), devices), "a twin") << "equally fast: the cheaper one";
}

// prism-bench-selection measures the time (docs/selection-measured.md).
TEST(dispatch_cost, a_warm_decision_allocates_no_memory_and_is_that_of_select) {
  std::vector<prism::device_description> devices;
  for (int i = 0; i < 16; ++i) {
    devices.push_back(fleet()[i % 4]);
    devices.back().name += std::to_string(i);
  }
  std::mt19937 random(7);
  std::vector<prism::chooser> choosers;
  std::vector<execution_policy> policies;
  for (int i = 0; i < 100; ++i) {
    policies.push_back(make_case(random).policy);
    choosers.emplace_back(policies.back(), devices);
  }
  const workload work = heavy();
  std::size_t sum = 0;
  for (const prism::chooser& c : choosers) sum += c.choose(work);
  allocations = 0, counting = true;
  for (const prism::chooser& c : choosers) sum -= c.choose(work);
  counting = false;
  EXPECT_EQ(allocations, 0u) << "in 100 decisions";
  EXPECT_EQ(sum, 0u) << "the second decision is the first";
  counting = true;
  ::operator delete(::operator new(4)); // shows that the count works
  counting = false;
  EXPECT_EQ(allocations, 1u);
  for (int i = 0; i < 100; ++i) {
    const std::size_t quick = choosers[i].choose(work);
    try {
      EXPECT_EQ(prism::select(policies[i], work, devices).index(), quick);
    } catch (const prism::no_candidate&) {
      EXPECT_EQ(quick, prism::chooser::none);
    }
  }
}
