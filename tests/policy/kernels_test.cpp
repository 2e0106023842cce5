// Variants and divided ranges on the devices of this machine.
// ctest runs this again under a mask.
#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <numeric>

namespace {

constexpr std::size_t n = 100'003;

/// Queues of devices of different backends, which can compute together.
std::vector<sycl::queue> queues() {
  std::vector<sycl::queue> out;
  for (const sycl::device& d : sycl::device::get_devices())
    if (out.size() < 3) out.emplace_back(d);
  return out;
}

prism::workload squares() {
  prism::workload w;
  w.operation = "squares";
  w.flops = 1e9;
  w.bytes = 1e6;
  w.data_type = "int32";
  return w;
}

std::vector<int> square_by(const prism::strategy& how, prism::co_report& report,
                           std::vector<sycl::queue> on) {
  std::vector<int> in(n), out(n, -1);
  std::iota(in.begin(), in.end(), 0);
  // One buffer for each range would be simpler. Here the ranges share one host copy, and every device writes
  // its own.
  std::mutex mutex;
  std::vector<std::unique_ptr<sycl::buffer<int>>> parts;
  report = prism::co_execute(on, n, how, [&](sycl::handler& h, std::size_t first, std::size_t count) {
    sycl::buffer<int>*from = nullptr, *to = nullptr;
    {
      const std::lock_guard lock(mutex);
      parts.push_back(std::make_unique<sycl::buffer<int>>(in.data() + first, sycl::range<1>(count)));
      from = parts.back().get();
      parts.push_back(std::make_unique<sycl::buffer<int>>(out.data() + first, sycl::range<1>(count)));
      to = parts.back().get();
    }
    sycl::accessor a(*from, h, sycl::read_only);
    sycl::accessor b(*to, h, sycl::write_only, sycl::no_init);
    h.parallel_for<class co_square>(sycl::range<1>(count),
                                    [=](sycl::id<1> i) { b[i] = a[i] % 1000 * (a[i] % 1000) + 1; });
  }, squares());
  parts.clear(); // writes back
  return out;
}

std::vector<int> expected_squares() {
  std::vector<int> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = int(i % 1000 * (i % 1000) + 1);
  return out;
}

} // namespace

TEST(co_execution, gives_the_same_result_under_every_strategy) {
  const auto on = queues();
  const auto expected = expected_squares();
  using prism::distribution;
  for (const distribution d : {distribution::by_ratio, distribution::predicted, distribution::dynamic,
                               distribution::guided, distribution::two_ended}) {
    prism::strategy how;
    how.distribution = d;
    how.ratios.assign(on.size(), 1);
    how.granularity = 64;
    prism::co_report report;
    EXPECT_EQ(square_by(how, report, on), expected) << int(d);
    std::size_t items = 0;
    for (const auto& part : report.parts) items += part.items;
    EXPECT_EQ(items, n) << report.text();
    if (d == distribution::by_ratio) {
      if (on.size() > 1) {
        EXPECT_NEAR(double(report.held_back), n / 8.0, 64) << report.text();
      }
      how.reserve = 0;
      EXPECT_EQ(square_by(how, report, on), expected);
      for (const auto& part : report.parts) EXPECT_EQ(part.chunks, 1u) << report.text();
      EXPECT_EQ(report.held_back, 0u);
    }
  }
}

TEST(co_execution, measured_times_change_the_next_division) {
  const auto on = queues();
  if (on.size() < 2) GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  prism::performance_model model;
  prism::strategy how;
  how.distribution = prism::distribution::by_ratio; // every device computes
  how.ratios.assign(on.size(), 1);
  how.reserve = 0;
  how.model = &model;
  prism::co_report report;
  EXPECT_EQ(square_by(how, report, on), expected_squares());
  std::vector<prism::device_description> devices;
  for (const sycl::queue& q : on) {
    devices.push_back(prism::describe(q.get_device()));
    devices.back().only_when_named = false;
    devices.back().physical_id.clear();
  }
  for (std::size_t i = 0; i < on.size(); ++i) {
    const auto same = std::count_if(devices.begin(), devices.end(), [&](const auto& d) {
      return d.name == devices[i].name && d.driver == devices[i].driver;
    });
    ASSERT_EQ(model.observed("squares", devices[i]), std::size_t(same)) << devices[i].name;
    if (same != 1) continue; // runs of equal devices are recorded together
    const double shown = report.parts[i].busy.count();
    EXPECT_NEAR(model.predict("squares", devices[i], double(report.parts[i].items)).total.count(), shown,
                1e-6 * shown)
        << report.text();
  }
  how.distribution = prism::distribution::predicted;
  how.reserve.reset();
  const prism::advice next = prism::advise(squares(), n, devices, 1, &model);
  EXPECT_EQ(square_by(how, report, on), expected_squares());
  EXPECT_NEAR(double(report.held_back), next.divides ? n / 8.0 : 0.0, 2) << next.reason;
  if (!next.divides) {
    EXPECT_EQ(report.parts[next.best_alone].items, n) << report.text();
  }
}

TEST(co_execution, throws_the_first_error_after_all_devices_are_idle) {
  const auto on = queues();
  prism::strategy how;
  EXPECT_THROW(prism::co_execute(on, n, how,
                                 [](sycl::handler&, std::size_t first, std::size_t) {
    if (first > 0) throw std::runtime_error("no");
  }),
               std::runtime_error);
  how.distribution = prism::distribution::by_ratio;
  how.ratios = {1, 2, 3, 4};
  EXPECT_THROW(prism::co_execute(on, n, how, [](sycl::handler&, std::size_t, std::size_t) {}),
               sycl::exception);
  EXPECT_THROW(prism::co_execute({}, n, {}, [](sycl::handler&, std::size_t, std::size_t) {}),
               sycl::exception);
}

TEST(co_execution, ranged_accessors_of_one_buffer_run_concurrently) {
  // Each range waits until the other one runs. If they ran one after the other, the wait would end without
  // success.
  for (const sycl::queue& second : queues()) {
    std::vector<int> out(2000, -1);
    std::mutex mutex;
    std::condition_variable changed;
    int running = 0;
    bool met = true;
    {
      sycl::buffer<int> all(out.data(), sycl::range<1>(out.size()));
      prism::strategy halves;
      halves.distribution = prism::distribution::by_ratio;
      halves.ratios = {1, 1};
      halves.reserve = 0;
      prism::co_execute({sycl::queue(), second}, out.size(), halves,
                        [&](sycl::handler& h, std::size_t first, std::size_t count) {
        sycl::accessor mine(all, h, sycl::range<1>(count), sycl::id<1>(first), sycl::write_only_host_task,
                            sycl::no_init);
        h.host_task([&, mine, first, count] {
          std::unique_lock lock(mutex);
          ++running;
          changed.notify_all();
          met = changed.wait_for(lock, std::chrono::seconds(60), [&] { return running == 2; }) && met;
          for (std::size_t i = 0; i < count; ++i) mine[i] = int(first + i);
        });
      });
    }
    EXPECT_TRUE(met) << second.get_device().get_info<sycl::info::device::name>();
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], int(i));
  }
}

TEST(co_execution, copies_each_shared_byte_at_most_once_in_each_direction) {
  const auto on = queues();
  for (const prism::distribution d :
       {prism::distribution::by_ratio, prism::distribution::guided, prism::distribution::two_ended}) {
    std::vector<int> in(n), out(n, -1);
    std::iota(in.begin(), in.end(), 0);
    std::uint64_t moved = 0;
    {
      prism::ledger copies;
      sycl::buffer<int> source(in.data(), sycl::range<1>(n)), result(out.data(), sycl::range<1>(n));
      prism::strategy how;
      how.distribution = d;
      how.granularity = 64;
      how.ratios.assign(on.size(), 1);
      prism::co_execute(on, n, how, [&](sycl::handler& h, std::size_t first, std::size_t count) {
        sycl::accessor a(source, h, sycl::range<1>(count), sycl::id<1>(first), sycl::read_only);
        sycl::accessor b(result, h, sycl::range<1>(count), sycl::id<1>(first), sycl::write_only,
                         sycl::no_init);
        h.parallel_for<class co_shared>(sycl::range<1>(count), [=](sycl::id<1> i) { b[i] = 2 * a[i] + 1; });
      });
      sycl::host_accessor(result, sycl::read_only);
      moved = copies.bytes();
    }
    EXPECT_LE(moved, 2 * n * sizeof(int)) << "the input to its readers and the result back, no byte twice";
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], int(2 * i + 1)) << int(d);
  }
}

TEST(co_execution, floats_agree_with_one_device_within_tolerance) {
  const auto on = queues();
  const auto values = [](sycl::handler& h, sycl::buffer<float>& to, std::size_t first, std::size_t count) {
    sycl::accessor a(to, h, sycl::range<1>(count), sycl::id<1>(first), sycl::write_only, sycl::no_init);
    h.parallel_for<class co_floats>(sycl::range<1>(count), [=](sycl::id<1> i) {
      const float x = float((first + i[0]) % 1000) * 1e-3f;
      float sum = 0;
      for (int k = 0; k < 50; ++k) sum = sum * x + 0.5f;
      a[i] = sycl::sqrt(sum);
    });
  };
  std::vector<float> alone(n), together(n, -1);
  {
    sycl::buffer<float> whole(alone.data(), sycl::range<1>(n));
    sycl::queue(on.front()).submit([&](sycl::handler& h) { values(h, whole, 0, n); });
  }
  prism::strategy how;
  how.distribution = prism::distribution::by_ratio; // every device computes
  how.ratios.assign(on.size(), 1);
  how.reserve = 0;
  {
    sycl::buffer<float> parts(together.data(), sycl::range<1>(n));
    const prism::co_report report =
        prism::co_execute(on, n, how, [&](sycl::handler& h, std::size_t first, std::size_t count) {
      values(h, parts, first, count);
    });
    for (const auto& part : report.parts) EXPECT_GE(part.items, n / on.size() - 1) << report.text();
  }
  for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(together[i], alone[i], 1e-5f * alone[i]) << i;
}

TEST(co_execution, advice_is_compared_with_measured_times) {
  const auto on = queues();
  if (on.size() < 2) GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  std::vector<prism::device_description> devices;
  for (const sycl::queue& q : on) {
    devices.push_back(prism::describe(q.get_device()));
    devices.back().only_when_named = false;
  }
  prism::workload w;
  w.flops = 1e12;
  w.bytes = 1e6;
  const bool all_here =
      std::all_of(devices.begin(), devices.end(), [](const auto& d) { return d.physical_id == "cpu"; });
  if (std::getenv("PRISM_WRAP") == nullptr) {
    for (const auto& d : devices) EXPECT_EQ(d.physical_id == "cpu", d.device_type == "cpu") << d.name;
  }
  if (all_here) { // all are drivers of this machine's processor: dividing cannot be faster
    const prism::advice declined = prism::advise(w, n, devices);
    EXPECT_FALSE(declined.divides) << declined.reason;
    EXPECT_NE(declined.reason.find("the hardware of"), std::string::npos) << declined.reason;
  }
  for (prism::device_description& d : devices) d.physical_id.clear();
  const prism::advice decided = prism::advise(w, n, devices);
  EXPECT_TRUE(decided.divides) << decided.reason;
  prism::co_report report;
  EXPECT_EQ(square_by({}, report, on), expected_squares());
  const prism::hindsight after = prism::compare(decided, report);
  EXPECT_GT(after.error, 0) << "the kernels did not do so many operations";
  EXPECT_NE(after.text.find("took "), std::string::npos) << after.text;
}

TEST(co_execution, combines_the_reductions_of_all_devices) {
  const auto on = queues(); // the test under a mask has 1 KiB of local memory, which is enough
  for (const prism::distribution d : {prism::distribution::by_ratio, prism::distribution::dynamic,
                                      prism::distribution::guided, prism::distribution::two_ended}) {
    std::vector<int> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = int(i % 17);
    sycl::buffer<int> values(in.data(), sycl::range<1>(n));
    int sum = 1000;
    {
      sycl::buffer<int> total(&sum, sycl::range<1>(1));
      prism::strategy how;
      how.distribution = d;
      how.granularity = 64;
      how.ratios.assign(on.size(), 1);
      const prism::co_report report =
          prism::co_execute(on, n, how, [&](sycl::handler& h, std::size_t first, std::size_t count) {
        sycl::accessor a(values, h, sycl::range<1>(count), sycl::id<1>(first), sycl::read_only);
        h.parallel_for<class co_sum>(sycl::range<1>(count), sycl::reduction(total, h, sycl::plus<int>()),
                                     [=](sycl::id<1> i, auto& to) { to += a[i]; });
      });
      EXPECT_GE(report.parts.size(), 1u);
    }
    EXPECT_EQ(sum, std::accumulate(in.begin(), in.end(), 1000)) << int(d);
  }
}

TEST(backend_switching, moves_data_and_costs_less_than_a_millisecond) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "no timing counts under a sanitizer";
#endif
  const auto on = queues();
  if (on.size() < 2) GTEST_SKIP() << "a second device needs PoCL, rusticl or lavapipe, and none is installed";
  using clock = std::chrono::steady_clock;
  for (std::size_t other = 1; other < on.size(); ++other) {
    std::vector<int> data(1024, 0);
    int steps = 0;
    double alone[2] = {1, 1}, by_turns = 2;
    {
      sycl::buffer<int> shared(data.data(), sycl::range<1>(data.size()));
      const auto step = [&](sycl::queue q) {
        const auto begin = clock::now();
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(shared, h, sycl::read_write);
          h.parallel_for<class switching_step>(sycl::range<1>(1024), [=](sycl::id<1> i) { a[i] += 1; });
        }).wait_and_throw();
        ++steps;
        return std::chrono::duration<double>(clock::now() - begin).count();
      };
      for (int i = 0; i < 300; ++i)
        alone[0] = std::min(alone[0], step(on[0])); // the minimum: other programs can only make a step slower
      for (int i = 0; i < 300; ++i) alone[1] = std::min(alone[1], step(on[other]));
      for (int i = 0; i < 300; ++i) {
        const double there = step(on[0]);
        by_turns = std::min(by_turns, there + step(on[other]));
      }
    }
    for (const int value : data) ASSERT_EQ(value, steps) << "every step must see the newest data";
    EXPECT_LT((by_turns - alone[0] - alone[1]) / 2, 1e-3)
        << on[other].get_device().get_info<sycl::info::device::name>();
  }
}

TEST(kernel_requirements, variants_agree_and_a_mask_makes_the_fallback_run) {
  const bool masked = std::getenv("PRISM_WRAP") != nullptr;
  prism::variants<std::vector<int>(sycl::queue&, int)> v("count");
  std::string ran;
  v.add("double", [&](sycl::queue& q, int scale) {
    ran = "double";
    std::vector<int> out(64);
    {
      sycl::buffer<int> b(out.data(), sycl::range<1>(64));
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.parallel_for<class in_double>(sycl::range<1>(64),
                                        [=](sycl::id<1> i) { a[i] = int(double(i[0]) * scale); });
      });
    }
    return out;
  }, {"fp64"}, 2);
  v.fallback("integer", [&](sycl::queue& q, int scale) {
    ran = "integer";
    std::vector<int> out(64);
    {
      sycl::buffer<int> b(out.data(), sycl::range<1>(64));
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.parallel_for<class in_integer>(sycl::range<1>(64),
                                         [=](sycl::id<1> i) { a[i] = int(i[0]) * scale; });
      });
    }
    return out;
  });
  for (sycl::queue& q : queues()) {
    const bool has = prism::capabilities(q.get_device()).has_feature("fp64");
    if (masked) {
      EXPECT_FALSE(has);
      EXPECT_FALSE(q.get_device().has(sycl::aspect::fp64)) << "aspects agree with the mask";
    }
    const std::vector<int> out = v(q, prism::typical_workload(), 3);
    EXPECT_EQ(ran, has ? "double" : "integer");
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out[std::size_t(i)], 3 * i);
  }
}

TEST(capabilities, a_masked_limit_is_the_devices_limit) {
  if (std::getenv("PRISM_WRAP") == nullptr)
    GTEST_SKIP() << "no driver has this limit by itself: policy.kernels_under_a_mask runs it with PRISM_WRAP";
  for (sycl::queue& q : queues()) {
    EXPECT_LE(*prism::capabilities(q.get_device()).limit("local_memory"), 1024);
    EXPECT_LE(q.get_device().get_info<sycl::info::device::local_mem_size>(), 1024u);
  }
}

TEST(device_limits, a_launch_beyond_them_is_refused_before_it_starts) {
  for (sycl::queue& q : queues()) {
    const auto device = q.get_device();
    const std::size_t local = device.get_info<sycl::info::device::local_mem_size>();
    const auto over = [&](std::size_t bytes, std::size_t group) {
      try {
        q.submit([&](sycl::handler& h) {
          sycl::local_accessor<char> scratch(sycl::range<1>(bytes), h);
          h.parallel_for<class over_limit>(sycl::nd_range<1>(group, group),
                                           [=](sycl::nd_item<1> i) { scratch[i.get_local_id(0)] = 1; });
        });
        q.wait_and_throw();
      } catch (const sycl::exception& e) {
        return std::string(e.what());
      }
      return std::string("(accepted)");
    };
    const std::string memory = over(local + 4096, 8);
    EXPECT_NE(memory.find(std::to_string(local)), std::string::npos) << memory;
    const std::string group = over(16, device.get_info<sycl::info::device::max_work_group_size>() * 2);
    EXPECT_NE(group, "(accepted)");
    EXPECT_EQ(over(16, 8), "(accepted)");
    const std::size_t most = device.get_info<sycl::info::device::max_work_group_size>();
    try { // each dimension is within its limit
      q.parallel_for<class over_group>(sycl::nd_range<2>({2, most}, {2, most}), [=](sycl::nd_item<2>) {
      }).wait_and_throw();
      ADD_FAILURE() << "a work-group of twice the largest size was launched";
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::nd_range) << e.what();
      EXPECT_NE(std::string(e.what()).find("whose limit is " + std::to_string(most)), std::string::npos)
          << e.what();
    }
  }
}

TEST(device_limits, more_memory_than_the_device_has_is_refused_with_the_figure) {
  for (sycl::queue& q : queues()) {
    const std::size_t whole = q.get_device().get_info<sycl::info::device::global_mem_size>();
    try {
      sycl::buffer<char> too_large{sycl::range<1>(2 * whole)};
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(too_large, h, sycl::write_only, sycl::no_init);
        h.parallel_for<class over_memory>(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] = 1; });
      });
      q.wait_and_throw();
      ADD_FAILURE() << "twice the memory of the device was allocated";
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::memory_allocation) << e.what();
      EXPECT_NE(std::string(e.what()).find(std::to_string(2 * whole)), std::string::npos)
          << "the message must have the requested size: " << e.what();
    }
    EXPECT_EQ(sycl::malloc_device<char>(2 * whole, q), nullptr);
    q.parallel_for<class still_good>(sycl::range<1>(8), [=](sycl::id<1>) {}).wait_and_throw();
  }
}
