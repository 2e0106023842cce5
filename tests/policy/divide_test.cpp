// Dividing work, advice and variants, without a device.
#include "extras/policy/divide.hpp"
#include "tests/policy/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

using namespace prism_test;

namespace {

std::size_t total(const std::vector<prism::share>& shares) {
  std::size_t sum = 0, next = 0;
  for (const prism::share& s : shares) {
    EXPECT_EQ(s.first, next) << "consecutive, no gap and no overlap";
    next = s.first + s.count;
    sum += s.count;
  }
  return sum;
}

std::vector<prism::device_description> equal_gpus(std::size_t count) {
  std::vector<prism::device_description> out(count, fleet()[1]);
  for (std::size_t i = 0; i < count; ++i) out[i].name += " " + std::to_string(100 + i);
  return out;
}

const auto no_run = [](sycl::queue&) { return 0; };

} // namespace

TEST(division, follows_the_weights) {
  EXPECT_EQ(prism::divide(100, {1, 3}), (std::vector<prism::share>{{0, 0, 25}, {1, 25, 75}}));
  EXPECT_EQ(prism::divide(100, {0, 1, 0}), (std::vector<prism::share>{{1, 0, 100}}));
  EXPECT_EQ(prism::divide(100, {1, 1}, 64), (std::vector<prism::share>{{0, 0, 64}, {1, 64, 36}}));
  EXPECT_THROW(prism::divide(100, {0, 0}), sycl::exception);
  EXPECT_THROW(prism::divide(100, {-1, 2}), sycl::exception);
}

TEST(division, covers_every_item_once) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> weights(1 + random() % 9);
    for (double& w : weights) w = random() % 4 == 0 ? 0 : double(random() % 1000);
    weights[random() % weights.size()] = 1;
    const std::size_t items = random() % 5000, grain = 1 + random() % 70;
    const auto shares = prism::divide(items, weights, grain);
    ASSERT_EQ(total(shares), items);
    for (const prism::share& s : shares) {
      EXPECT_GT(weights[s.device], 0);
      EXPECT_EQ(s.first % grain, 0u);
    }
  }
}

TEST(division, guided_chunks_shrink_and_are_larger_on_faster_devices) {
  using prism::policy::guided_chunk;
  using devices = std::vector<prism::policy::worker>;
  EXPECT_EQ(guided_chunk(12800, devices{{}, {}}, 0, 1), 100u) << "without measurements the chunk is small";
  EXPECT_EQ(guided_chunk(1000, devices{{30, 0}, {10, 0}}, 0, 1), 187u) << "a quarter of its share of 750";
  EXPECT_EQ(guided_chunk(1000, devices{{30, 0}, {10, 0}}, 1, 1), 62u);
  EXPECT_EQ(guided_chunk(1000, devices{{30, 0}, {10, 400}}, 1, 1), 0u)
      << "the first device would finish everything before";
  EXPECT_EQ(guided_chunk(10, devices{{30, 0}, {10, 400, false}}, 0, 64), 10u) << "the last chunk is the rest";
  EXPECT_EQ(guided_chunk(1000, devices{{30, 0, true, 400. / 120}, {10, 0}}, 0, 1), 400u)
      << "smaller chunks are not worth a launch";
  EXPECT_EQ(guided_chunk(200, devices{{30, 0, true, 400. / 120}, {10, 0}}, 0, 1), 0u);
  EXPECT_EQ(guided_chunk(1000, devices{{30, 0, true, 0, true}, {10, 0, true, 0, true}}, 0, 1), 11u)
      << "1/64 as long as the speed is only expected";
  EXPECT_EQ(guided_chunk(400, devices{{30, 0, true, 400. / 120}, {10, 0}}, 0, 1), 275u)
      << "its whole share and no more: launched after 3.3 s, both end at 12.5 s";
}

TEST(division, equal_chunks_are_equal_except_near_the_end) {
  using prism::policy::equal_chunk;
  using devices = std::vector<prism::policy::worker>;
  EXPECT_EQ(equal_chunk(1000, devices{{30, 0}, {10, 0}}, 1, 1, 64), 64u);
  EXPECT_EQ(equal_chunk(1000, devices{{}, {}}, 1, 1, 64), 64u) << "without measurements";
  EXPECT_EQ(equal_chunk(100, devices{{300, 0}, {1, 0}}, 1, 1, 64), 0u) << "it would finish last by far";
  EXPECT_EQ(equal_chunk(100, devices{{10, 0}, {10, 0}}, 1, 1, 64), 25u)
      << "half of its work until both finish";
  EXPECT_EQ(equal_chunk(100, devices{{10, 0}, {10, 0, true, 0.75}}, 1, 1, 64), 30u)
      << "smaller chunks are not worth a launch";
  EXPECT_EQ(equal_chunk(100, devices{{10, 0}, {10, 40}}, 1, 1, 64), 15u);
  EXPECT_EQ(equal_chunk(20, devices{{10, 0, false}, {10, 40}}, 1, 1, 64), 20u)
      << "the last chunk is the rest";
}

TEST(division, chunks_let_devices_of_any_speed_finish_together) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 2 + random() % 5, items = 100'000 + random() % 1'000'000;
    std::vector<double> rate(count), free(count, 0);
    double rates = 0;
    for (double& r : rate)
      rates += r = std::pow(10.0, double(random() % 1500) / 1000); // up to thirty times as fast
    std::vector<prism::policy::worker> workers(count);
    std::size_t left = items;
    while (left != 0) { // the next idle device takes a chunk; nothing is submitted ahead
      std::size_t who = count;
      for (std::size_t i = 0; i < count; ++i)
        if (workers[i].takes && (who == count || free[i] < free[who])) who = i;
      ASSERT_LT(who, count);
      workers[who].backlog = 0;
      if (free[who] > 0) workers[who].rate = rate[who];
      const std::size_t chunk = prism::policy::guided_chunk(left, workers, who, 16);
      if (chunk == 0) {
        workers[who].takes = false;
        continue;
      }
      ASSERT_LE(chunk, left);
      left -= chunk, workers[who].backlog = double(chunk);
      free[who] += double(chunk) / rate[who];
    }
    EXPECT_LT(*std::max_element(free.begin(), free.end()), 1.05 * double(items) / rates)
        << "iteration " << round;
  }
}

TEST(division_advice, divides_heavy_work_so_that_devices_finish_together) {
  prism::workload w = heavy();
  w.flops = 4.5e13;
  const auto devices = fleet();
  const prism::advice a = prism::advise(w, 1'000'000, devices);
  ASSERT_TRUE(a.divides) << a.reason;
  EXPECT_LT(a.together, a.alone * 0.95);
  EXPECT_EQ(total(a.shares), 1'000'000u);
  EXPECT_GT(a.efficiency, 0.99);
  for (const prism::share& s : a.shares) {
    prism::workload part = w;
    part.flops *= double(s.count) / 1e6;
    part.bytes = 0; // computing time dominates
    part.bytes_to_move *= double(s.count) / 1e6;
    EXPECT_NEAR(prism::predict(devices[s.device], part).total.count(), a.together.count(),
                0.01 * a.together.count())
        << devices[s.device].name;
  }
}

TEST(division_advice, declines_a_slower_division_with_a_reason) {
  const prism::advice a = prism::advise(tiny(), 1000, fleet());
  EXPECT_FALSE(a.divides);
  EXPECT_EQ(a.shares.size(), 1u);
  EXPECT_EQ(fleet()[a.shares[0].device].name, "workstation");
  EXPECT_EQ(a.reason.find("do not divide"), 0u) << a.reason;
  EXPECT_NE(a.reason.find("workstation"), std::string::npos) << a.reason;
  EXPECT_FALSE(prism::advise(heavy(), 1000, {fleet()[0]}).divides);
  EXPECT_THROW(prism::advise(heavy(), 1000, {}), prism::no_candidate);
}

TEST(division_advice, declines_to_divide_between_two_drivers_of_one_processor) {
  prism::workload w = heavy();
  w.flops = 4.5e13, w.bytes = w.bytes_to_move = 0;
  auto devices = fleet();
  devices.resize(3);
  for (prism::device_description& d : devices) d.physical_id = "pci:0000:01:00.0";
  const prism::advice same = prism::advise(w, 1'000'000, devices);
  EXPECT_FALSE(same.divides);
  EXPECT_EQ(same.reason, "do not divide: small gpu and workstation share the hardware of cloud gpu");
  EXPECT_EQ(same.shares, (std::vector<prism::share>{{1, 0, 1'000'000}}));
  devices[2].physical_id = "pci:0000:02:00.0";
  const prism::advice two = prism::advise(w, 1'000'000, devices);
  EXPECT_TRUE(two.divides) << two.reason;
  ASSERT_EQ(two.shares.size(), 2u);
  EXPECT_EQ(two.shares[0].device + two.shares[1].device, 3u) << "the first is another driver of the second";
  for (prism::device_description& d : devices)
    d.physical_id.clear(); // without an identification each is a device of its own
  EXPECT_EQ(prism::advise(w, 1'000'000, devices).shares.size(), 3u);
  for (prism::device_description& d : devices) d.physical_id = "cpu";
  prism::strategy predicted;
  predicted.distribution = prism::distribution::predicted;
  for (const auto& part : prism::rehearse(w, 1'000'000, predicted, devices).parts)
    EXPECT_GT(part.items, 0u) << "all given devices are used";
}

TEST(division_advice, is_never_worse_than_the_best_device_alone) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    prism::workload w = heavy();
    w.flops = std::pow(10.0, double(random() % 9) + 5);
    w.bytes_to_move = std::pow(10.0, double(random() % 6) + 4);
    const prism::advice a = prism::advise(w, 1 + random() % 100000, fleet());
    EXPECT_LE(a.divides ? a.together : a.alone, a.alone);
    EXPECT_LE(a.efficiency, 1.0 + 1e-9);
  }
}

TEST(scaling, is_near_linear_on_a_described_fleet_of_2_to_64_devices) {
  prism::workload w = heavy();
  w.flops = 1e15;
  w.bytes_to_move = 1e6;
  double alone = 0;
  for (std::size_t count = 1; count <= 64; count *= 2) {
    const prism::advice a = prism::advise(w, 1 << 24, equal_gpus(count));
    if (count == 1) alone = a.alone.count();
    const double efficiency = alone / (a.together.count() * double(count));
    RecordProperty("efficiency_of_" + std::to_string(count), std::to_string(efficiency));
    EXPECT_GT(efficiency, 0.98) << count;
    EXPECT_EQ(total(a.shares), std::size_t(1) << 24);
  }
  w.flops = 1e9; // 50 us on one device: overheads limit the gain of more devices
  const prism::advice limited = prism::advise(w, 1 << 24, equal_gpus(64));
  EXPECT_FALSE(limited.divides && limited.efficiency > 0.5) << limited.reason;
}

TEST(kernel_requirements, the_fallback_runs_where_the_feature_is_missing) {
  prism::variants<int(sycl::queue&)> v("scale");
  v.add("tensor", no_run, {"tensor_cores>=2"}, 8)
      .add("sub-group", no_run, {"subgroups>=2"}, 2)
      .fallback("plain", no_run);
  const auto devices = fleet();
  EXPECT_EQ(v.name_of(v.choose(devices[3], heavy())), "tensor");
  EXPECT_EQ(v.name_of(v.choose(devices[1], heavy())), "sub-group");
  EXPECT_EQ(v.name_of(v.choose(devices[0], heavy())), "plain");
  EXPECT_EQ(v.choose(devices[0], heavy()).explain(),
            "scale on workstation:\n   tensor: needs tensor_cores>=2 (it has no tensor_cores)\n"
            "   sub-group: needs subgroups>=2 (subgroups is version 1)\n=> plain: 4.5 s (fallback)\n");
}

TEST(kernel_requirements, a_fallback_runs_only_where_no_other_variant_can) {
  prism::variants<int(sycl::queue&)> v("scale");
  v.fallback("plain", no_run).add("sub-group", no_run, {"subgroups>=2"}, 0.5); // half as fast
  EXPECT_EQ(v.name_of(v.choose(fleet()[1], heavy())), "sub-group");
  EXPECT_EQ(v.name_of(v.choose(fleet()[0], heavy())), "plain");
}

TEST(algorithm_variants, the_choice_follows_the_model_and_the_size) {
  prism::variants<int(sycl::queue&)> v("multiply");
  v.add("direct", no_run).add("fast", no_run, {}, 1, [](const prism::workload& w) {
    prism::workload better = w;
    better.flops = w.flops / 10; // fewer operations,
    better.bytes_to_move += 1e7; // but tables to move
    return better;
  });
  const auto gpu = fleet()[1];
  EXPECT_EQ(v.name_of(v.choose(gpu, tiny())), "direct");
  EXPECT_EQ(v.name_of(v.choose(gpu, heavy())), "fast");
}

TEST(kernel_variants, can_be_forced_and_a_wrong_name_is_rejected) {
  prism::variants<int(sycl::queue&)> v("scale");
  v.add("quick", no_run, {}, 9).add("wide", no_run, {"subgroups>=7"}).fallback("plain", no_run);
  setenv("PRISM_VARIANT", "other=x,scale=plain", 1);
  EXPECT_EQ(v.name_of(v.choose(fleet()[1], heavy())), "plain");
  for (const char* wrong : {"scale=quik", "scale=wide", "scale"}) {
    setenv("PRISM_VARIANT", wrong, 1);
    EXPECT_THROW(v.choose(fleet()[1], heavy()), sycl::exception) << wrong;
  }
  unsetenv("PRISM_VARIANT");
  EXPECT_EQ(v.name_of(v.choose(fleet()[1], heavy())), "quick");
}

TEST(kernel_variants, an_error_lists_what_each_unsuitable_variant_lacks) {
  prism::variants<int(sycl::queue&)> v("scale");
  v.add("wide", no_run, {"time_travel"});
  sycl::queue q;
  try {
    v(q, heavy());
    FAIL();
  } catch (const prism::no_candidate& none) {
    EXPECT_NE(std::string(none.what()).find("needs time_travel"), std::string::npos) << none.what();
  }
}

TEST(division_advice, is_compared_with_measured_times) {
  prism::advice a;
  a.divides = true;
  a.together = prism::seconds(1);
  prism::co_report r;
  r.parts = {{"one", 750, 3, prism::seconds(1.2)}, {"two", 250, 1, prism::seconds(1.0)}};
  r.wall = prism::seconds(1.25);
  const prism::hindsight paid = prism::compare(a, r);
  EXPECT_NEAR(paid.error, 0.25, 1e-9);
  EXPECT_TRUE(paid.right) << paid.text;
  EXPECT_EQ(paid.text,
            "predicted 1 s, took 1.25 s; one alone, as fast as it was here, 1.6 s: the division paid");
  r.wall = prism::seconds(2);
  EXPECT_FALSE(prism::compare(a, r).right);
}

TEST(scaling, co_execution_is_near_the_limit_on_2_to_64_simulated_devices) {
  prism::workload w = heavy();
  w.flops = 1e15;
  w.bytes_to_move = 1e6;
  using prism::distribution;
  for (const distribution d :
       {distribution::predicted, distribution::dynamic, distribution::guided, distribution::two_ended})
    for (std::size_t count = 2; count <= 64; count *= 2) {
      prism::strategy how;
      how.distribution = d;
      const auto devices = equal_gpus(count);
      const prism::co_report report = prism::rehearse(w, 1 << 24, how, devices);
      const double alone = prism::predict(devices[0], w).total.count(),
                   efficiency = alone / (report.wall.count() * double(count));
      EXPECT_GT(efficiency, 0.97) << int(d) << " over " << count << ":\n" << report.text();
      EXPECT_LE(efficiency, 1.0) << "better than possible";
      EXPECT_GE(report.balance(), 0.97) << int(d) << " over " << count;
      std::size_t items = 0;
      for (const auto& part : report.parts) items += part.items;
      EXPECT_EQ(items, std::size_t(1) << 24);
    }
}

TEST(division, overhead_is_below_3_percent_and_balance_above_90_percent) {
  std::mt19937 random(12);
  using prism::distribution;
  for (int round = 0; round < 300; ++round) {
    std::vector<prism::device_description> devices(2 + random() % 4, fleet()[0]);
    double rates = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      devices[i].name += std::to_string(i);
      devices[i].launch_latency_us = double(1 + random() % 100);
      rates += devices[i].peak_gflops["fp32"] =
          std::pow(10.0, 2 + double(random() % 1000) / 1000); // up to ten times as fast
    }
    prism::workload w;
    w.flops = rates * 1e9; // one second for all together
    for (const distribution d : {distribution::dynamic, distribution::guided, distribution::two_ended}) {
      prism::strategy how;
      how.distribution = d;
      const prism::co_report report = prism::rehearse(w, 1'000'000, how, devices);
      EXPECT_LT(report.wall.count(), 1.03) << int(d) << " in iteration " << round << "\n" << report.text();
      EXPECT_GE(report.balance(), 0.9) << int(d) << " in iteration " << round << "\n" << report.text();
    }
  }
}

TEST(division, a_reserve_compensates_for_speeds_that_are_10_percent_wrong) {
  std::mt19937 random(21);
  using prism::distribution;
  double worst_without = 1;
  for (int round = 0; round < 300; ++round) {
    std::vector<prism::device_description> devices(2 + random() % 4, fleet()[0]);
    std::vector<double> speeds, ratios;
    double rates = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      devices[i].name += std::to_string(i);
      devices[i].launch_latency_us = double(1 + random() % 100);
      ratios.push_back(devices[i].peak_gflops["fp32"] =
                           std::pow(10.0, 2 + double(random() % 1000) / 1000)); // up to ten times as fast
      speeds.push_back(0.9 + double(random() % 200) / 1000);
      rates += ratios.back() * speeds.back();
    }
    prism::workload w;
    w.flops = rates * 1e9; // one second for all together
    for (const distribution d : {distribution::predicted, distribution::by_ratio}) {
      prism::strategy how;
      how.distribution = d;
      how.ratios = ratios;
      how.granularity = 64;
      if (d == distribution::by_ratio) {
        how.reserve = 0;
        const prism::co_report exact = prism::rehearse(w, 1'000'000, how, devices, speeds);
        worst_without = std::max(worst_without, exact.wall.count());
        EXPECT_EQ(exact.held_back, 0u);
        for (const auto& part : exact.parts) EXPECT_EQ(part.chunks, 1u) << "only the ratios count";
        how.reserve.reset();
      }
      const prism::co_report report = prism::rehearse(w, 1'000'000, how, devices, speeds);
      EXPECT_LT(report.wall.count(), 1.03) << int(d) << " in iteration " << round << "\n" << report.text();
      EXPECT_GE(report.balance(), 0.9) << int(d) << " in iteration " << round << "\n" << report.text();
      std::size_t items = 0;
      for (const auto& part : report.parts) items += part.items;
      EXPECT_EQ(items, 1'000'000u);
    }
  }
  EXPECT_GT(worst_without, 1.08) << "the speeds were not wrong enough for this test";
}

TEST(division, predicted_shares_tolerate_devices_2_to_4_times_too_slow) {
  std::mt19937 random(23);
  for (int round = 0; round < 300; ++round) {
    std::vector<prism::device_description> devices(2 + random() % 4, fleet()[0]);
    std::vector<double> speeds;
    const bool guessed = round % 2 != 0;
    double rates = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      devices[i].name += std::to_string(i);
      if (guessed) devices[i].estimated = {"peak_gflops"};
      speeds.push_back(i == 0 ? (guessed ? 0.25 : 0.5) : 1.0);
      rates += devices[i].peak_gflops["fp32"] * speeds.back();
    }
    prism::workload w;
    w.flops = rates * 1e9; // one second for all together
    prism::strategy how;
    how.distribution = prism::distribution::predicted;
    const prism::co_report report = prism::rehearse(w, 1'000'000, how, devices, speeds);
    EXPECT_LT(report.wall.count(), 1.03) << "iteration " << round << "\n" << report.text();
    EXPECT_GE(report.balance(), 0.9) << "iteration " << round << "\n" << report.text();
  }
}

namespace {

/// Three devices are predicted to be equally fast, but the first has a fifth of that speed. The work takes
/// all together one second.
struct misjudged {
  std::vector<prism::device_description> devices{3, fleet()[0]};
  std::vector<double> speeds{0.2, 1, 1};
  prism::workload whole;
  static constexpr std::size_t items = 1'000'000;
  misjudged() {
    whole.operation = "misjudged";
    for (std::size_t i = 0; i < devices.size(); ++i)
      devices[i].name += std::to_string(i), devices[i].estimated = {"peak_gflops"};
    whole.flops = 2.2 * devices[0].peak_gflops["fp32"] * 1e9;
  }
  prism::co_report rehearsed(const prism::performance_model* model,
                             std::optional<double> reserve = {}) const {
    prism::strategy how;
    how.distribution = prism::distribution::predicted;
    how.model = const_cast<prism::performance_model*>(model);
    how.reserve = reserve;
    return prism::rehearse(whole, items, how, devices, speeds);
  }
};

} // namespace

TEST(division, observed_runs_correct_the_prediction_and_the_reserve) {
  const misjudged job;
  const prism::advice guessed = prism::advise(job.whole, job.items, job.devices);
  ASSERT_TRUE(guessed.divides) << guessed.reason;
  EXPECT_EQ(guessed.reserve, 0.875);
  EXPECT_NE(guessed.reason.find("reserve seven eighths, because rates are estimates"), std::string::npos)
      << guessed.reason;
  EXPECT_GT(job.rehearsed(nullptr, 0).wall.count(), 3) << "with predicted shares all wait for the first";

  prism::performance_model model;
  const prism::co_report before = job.rehearsed(nullptr);
  EXPECT_EQ(before.held_back, 875'000u);
  EXPECT_LT(before.wall.count(), 1.03) << "the reserve compensates for it\n" << before.text();
  EXPECT_NE(before.text().find("875000 items were held in reserve"), std::string::npos) << before.text();
  model.register_pattern("misjudged", {job.whole.flops / job.items});
  for (std::size_t i = 0; i < job.devices.size(); ++i)
    model.observe("misjudged", job.devices[i], double(before.parts[i].items), before.parts[i].busy);
  const prism::advice observed = prism::advise(job.whole, job.items, job.devices, 1, &model);
  EXPECT_EQ(observed.reserve, 0.125);
  EXPECT_NE(observed.reason.find("an eighth, because such runs were observed"), std::string::npos)
      << observed.reason;
  EXPECT_NEAR(observed.together.count(), 1, 0.01) << observed.reason;
  ASSERT_EQ(observed.shares.size(), 3u);
  for (const prism::share& s : observed.shares)
    EXPECT_NEAR(double(s.count), job.items * job.speeds[s.device] / 2.2, 0.01 * job.items);
  EXPECT_NE(observed.best_alone, 0u);
  EXPECT_LT(job.rehearsed(&model, 0).wall.count(), 1.02) << "the shares alone are right";
  EXPECT_LT(job.rehearsed(&model).wall.count(), 1.01);
  EXPECT_EQ(job.rehearsed(&model).held_back, 125'000u);

  prism::performance_model other;
  other.register_pattern("something else", {1});
  EXPECT_EQ(prism::advise(job.whole, job.items, job.devices, 1, &other).reserve, 0.875)
      << "the model does not know this operation";
}

TEST(division, a_device_is_not_idle_between_its_share_and_the_reserve) {
  std::vector<prism::device_description> devices(2, fleet()[0]);
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i].name += std::to_string(i), devices[i].launch_latency_us = 1000;
  prism::workload w;
  w.flops = 2 * devices[0].peak_gflops["fp32"] * 1e9; // one second for both together
  prism::strategy how;
  how.distribution = prism::distribution::by_ratio;
  how.ratios = {1, 1};
  const prism::co_report report = prism::rehearse(w, 1'000'000, how, devices);
  EXPECT_EQ(report.held_back, 125'000u);
  EXPECT_GT(report.parts[0].chunks, 2u) << report.text();
  EXPECT_LT(report.wall.count() - report.parts[0].busy.count(), 1.5e-3)
      << "only the first launch is waited for\n"
      << report.text();
}

TEST(division, guided_chunks_tolerate_expectations_4_times_too_high_or_low) {
  std::mt19937 random(22);
  for (int round = 0; round < 300; ++round) {
    std::vector<prism::device_description> devices(2 + random() % 4, fleet()[0]);
    std::vector<double> speeds;
    double rates = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      devices[i].name += std::to_string(i);
      speeds.push_back(std::pow(4.0, double(random() % 2001) / 1000 - 1));
      rates += devices[i].peak_gflops["fp32"] * speeds.back();
    }
    prism::workload w;
    w.flops = rates * 1e9;
    const prism::co_report report = prism::rehearse(w, 1'000'000, {}, devices, speeds);
    EXPECT_LT(report.wall.count(), 1.03) << "iteration " << round << "\n" << report.text();
    EXPECT_GE(report.balance(), 0.9) << "iteration " << round << "\n" << report.text();
  }
}

TEST(division, a_model_without_operation_or_scale_is_rejected) {
  prism::performance_model model;
  prism::strategy how;
  how.model = &model;
  prism::workload w = heavy();
  EXPECT_NO_THROW(prism::rehearse(w, 1000, how, fleet()));
  w.operation.clear();
  EXPECT_THROW(prism::rehearse(w, 1000, how, fleet()), sycl::exception);
  w.operation = "nothing", w.flops = w.bytes = w.bytes_to_move = 0;
  EXPECT_THROW(prism::rehearse(w, 1000, how, fleet()), sycl::exception);
}

TEST(division, a_reserve_larger_than_the_work_is_rejected) {
  prism::strategy how;
  how.distribution = prism::distribution::predicted;
  for (const double wrong : {-0.1, 1.0, std::nan("")}) {
    how.reserve = wrong;
    EXPECT_THROW(prism::rehearse(heavy(), 1000, how, fleet()), sycl::exception) << wrong;
  }
  EXPECT_THROW(prism::rehearse(heavy(), 1000, {}, fleet(), {1}), sycl::exception)
      << "one speed for four devices";
  EXPECT_THROW(prism::rehearse(heavy(), 1000, {}, fleet(), {1, 1, 0, 1}), sycl::exception);
}

/// The efficiency that launches and coordination leave to a perfect division.
TEST(scaling, guided_chunks_are_near_the_limit_when_launches_dominate) {
  for (const double flops : {1e11, 1e10})
    for (std::size_t count = 2; count <= 64; count *= 2) {
      prism::workload w = heavy();
      w.flops = flops, w.bytes = w.bytes_to_move = 0;
      const auto devices = equal_gpus(count);
      const prism::co_report report = prism::rehearse(w, 1 << 24, {}, devices);
      const prism::advice a = prism::advise(w, 1 << 24, devices); // all finish together, to the exact item
      EXPECT_GT(a.together.count() / report.wall.count(), 0.9) << flops << " over " << count << "\n"
                                                               << report.text();
    }
}

TEST(division_advice, equals_a_rehearsal_of_the_advised_shares) {
  prism::workload w = heavy();
  w.flops = 4.5e13;
  const auto devices = fleet();
  const prism::advice a = prism::advise(w, 1'000'000, devices);
  prism::strategy predicted;
  predicted.distribution = prism::distribution::predicted;
  predicted.reserve = 0;
  const prism::co_report report = prism::rehearse(w, 1'000'000, predicted, devices);
  EXPECT_NEAR(report.wall.count(), a.together.count(), 1e-3 * a.together.count());
  const prism::hindsight after = prism::compare(a, report);
  EXPECT_LT(after.error, 1e-3);
  EXPECT_TRUE(after.right) << after.text;
  prism::strategy wrong;
  wrong.distribution = prism::distribution::by_ratio;
  wrong.ratios = {1};
  EXPECT_THROW(prism::rehearse(w, 10, wrong, devices), sycl::exception) << "one ratio for four devices";
}
