// Pipelines: overlapping stages, order, batches, back-pressure, errors, cancellation, devices.
#include "tests/wait.hpp"

#include <prism/pipeline.hpp>
#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>

namespace {

/// 0, 1, ..., count - 1.
auto counting(int count) {
  return [count, at = 0]() mutable -> std::optional<int> {
    return at < count ? std::optional<int>(at++) : std::nullopt;
  };
}
/// The work of a stage.
void spend(int milliseconds) { prism_test::spend(std::chrono::milliseconds(milliseconds)); }

prism::stage_options with(std::size_t replicas, bool ordered = true, std::size_t capacity = 4) {
  prism::stage_options o;
  o.replicas = replicas;
  o.ordered = ordered;
  o.capacity = capacity;
  return o;
}

} // namespace

TEST(pipeline, gives_every_item_through_typed_stages_in_order) {
  std::vector<std::string> got;
  const auto report =
      prism::from<int>("count", counting(1000))
          .stage("half", [](int i) { return i * 0.5; }, with(3))
          .filter("whole", [](double d) { return d == int(d) ? std::optional<int>(int(d)) : std::nullopt; },
                  with(2))
          .stage("text", [](int i) { return std::to_string(i); })
          .into("collect", [&](std::string s) {
    got.push_back(std::move(s));
  }).run();
  ASSERT_EQ(got.size(), 500u);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(got[std::size_t(i)], std::to_string(i));
  EXPECT_EQ(report.stages.at(0).out, 1000u);
  EXPECT_EQ(report.stages.at(2).in, 1000u);
  EXPECT_EQ(report.stages.at(2).out, 500u);
  EXPECT_FALSE(report.cancelled);
}

TEST(pipeline, ordered_stages_keep_the_order_with_replicas) {
  for (const bool ordered : {true, false}) {
    std::vector<int> got;
    prism::from<int>("count", counting(60))
        .stage("uneven", [](int i) { return spend(i % 4 == 0 ? 8 : 1), i; }, with(4, ordered))
        .into("collect", [&](int i) {
      got.push_back(i);
    }).run();
    std::vector<int> expected(60);
    std::iota(expected.begin(), expected.end(), 0);
    if (ordered) {
      EXPECT_EQ(got, expected);
    }
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, expected) << "no item is lost or duplicated";
  }
}

TEST(pipeline, stages_overlap_so_that_the_slowest_sets_the_pace) {
  const auto report = prism::from<int>("count", counting(60))
                          .stage("first", [](int i) { return spend(5), i; })
                          .stage("slowest", [](int i) { return spend(10), i; })
                          .into("last", [](int) {
    spend(5);
  }).run();
  EXPECT_GE(report.efficiency(), 0.9) << report.text();
}

TEST(pipeline, replicas_of_a_stage_run_at_the_same_time) {
  std::atomic<int> inside{0}, most{0};
  prism::from<int>("count", counting(40))
      .stage("wait",
             [&](int i) {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {}
    prism_test::eventually([&] { return most == 3; }, std::chrono::seconds(5));
    --inside;
    return i;
  }, with(3))
      .into("drop", [](int) {
  }).run();
  EXPECT_EQ(most, 3);
}

TEST(pipeline, a_slow_stage_blocks_the_source) {
  std::atomic<int> given{0}, taken{0}, most{0};
  prism::from<int>("count",
                   [&]() -> std::optional<int> {
    const int ahead = given - taken;
    for (int seen = most; seen < ahead && !most.compare_exchange_weak(seen, ahead);) {}
    return given < 200 ? std::optional<int>(given++) : std::nullopt;
  })
      .stage("fast", [](int i) { return i; }, with(1, true, 2))
      .into("slow",
            [&](int) {
    spend(1);
    ++taken;
  }, with(1, true, 3))
      .run();
  EXPECT_EQ(taken, 200);
  EXPECT_LE(most, (2 + 1) + (3 + 1) + 1) << "items waiting and running in both stages, and one in the source";
}

TEST(pipeline, all_batches_but_the_last_are_full_and_are_split_again) {
  std::vector<std::size_t> sizes;
  std::vector<int> got;
  prism::from<int>("count", counting(103))
      .batch(10)
      .stage("note", [&](std::vector<int> b) { return sizes.push_back(b.size()), b; })
      .unbatch()
      .into("collect", [&](int i) {
    got.push_back(i);
  }).run();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3}));
  ASSERT_EQ(got.size(), 103u);
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
}

TEST(pipeline, moves_items_that_cannot_be_copied) {
  int sum = 0;
  prism::from<std::unique_ptr<int>>("make", [i = 0]() mutable -> std::optional<std::unique_ptr<int>> {
    return i < 10 ? std::optional(std::make_unique<int>(i++)) : std::nullopt;
  }).into("add", [&](std::unique_ptr<int> p) {
    sum += *p;
  }).run();
  EXPECT_EQ(sum, 45);
}

TEST(pipeline, an_error_has_stage_item_and_nested_exception) {
  std::atomic<int> after{0};
  try {
    prism::from<int>("count", counting(100000))
        .stage("divide", [](int i) -> int {
      if (i == 57) throw std::out_of_range("no such base");
      return i;
    }).into("drop", [&](int) {
      ++after;
    }).run();
    FAIL();
  } catch (const prism::pipeline_error& e) {
    EXPECT_STREQ(e.what(), "stage \"divide\", item 57: no such base");
    EXPECT_EQ(e.stage(), "divide");
    EXPECT_EQ(e.item(), 57u);
    EXPECT_THROW(std::rethrow_exception(e.cause()), std::out_of_range);
  }
  EXPECT_LT(after, 1000) << "the other items must not be computed";
  EXPECT_THROW(prism::from<int>("broken", []() -> std::optional<int> { throw std::runtime_error("no file"); })
                   .into("drop",
                         [](int) {
  }).run(),
               prism::pipeline_error);
}

TEST(pipeline, failing_items_can_be_dropped) {
  prism::pipeline_options how;
  std::vector<std::uint64_t> failed;
  how.skip = [&](const prism::pipeline_error& e) { return failed.push_back(e.item()), true; };
  std::vector<int> got;
  const auto report = prism::from<int>("count", counting(10))
                          .stage("odd only", [](int i) {
    return i % 2 ? i : throw std::runtime_error("even");
  }).into("collect", [&](int i) {
    got.push_back(i);
  }).run(how);
  EXPECT_EQ(got, (std::vector<int>{1, 3, 5, 7, 9}));
  EXPECT_EQ(failed, (std::vector<std::uint64_t>{0, 2, 4, 6, 8}));
  EXPECT_EQ(report.skipped, 5u);
}

TEST(pipeline, can_be_cancelled_and_reports_progress) {
  prism::pipeline_options how;
  std::uint64_t reported = 0;
  how.progress_interval = prism::seconds(0.005);
  how.progress = [&](const prism::pipeline_report& r) {
    reported = r.stages.back().in;
    if (reported >= 20) how.cancellation.cancel();
  };
  const auto report =
      prism::from<int>("count", counting(1000000)).into("slow", [](int) { spend(1); }).run(how);
  EXPECT_TRUE(report.cancelled);
  EXPECT_GE(reported, 20u);
  EXPECT_LT(report.stages.back().in, 1000u);
}

TEST(pipeline, wrong_use_is_rejected_with_a_reason) {
  const auto drop = [](int) {};
  EXPECT_THROW(prism::from<int>("count", counting(1)).into("none", drop, with(0)).run(), sycl::exception);
  EXPECT_THROW(prism::from<int>("count", counting(1)).into("tight", drop, with(1, true, 0)).run(),
               sycl::exception);
  prism::pipeline_options how;
  how.targets["alingn"] = {"host"};
  EXPECT_THROW(prism::from<int>("count", counting(1)).into("align", drop).run(how), sycl::exception);
  prism::stage_options impossible;
  impossible.policy.require = {"memory>=1000000GiB"};
  EXPECT_THROW(prism::from<int>("count", counting(1))
                   .stage("s", [](sycl::queue&, int i) { return i; }, impossible)
                   .into("drop", drop)
                   .run(),
               prism::no_candidate);
}

TEST(pipeline, stages_run_on_the_devices_that_their_policies_or_a_strategy_name) {
  const auto squares = [](sycl::queue& q, std::vector<int> v) {
    {
      sycl::buffer<int> b(v.data(), v.size());
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for<class pipeline_square>(sycl::range<1>(v.size()),
                                              [=](sycl::id<1> i) { a[i] = a[i] * a[i]; });
      });
    }
    return v;
  };
  std::vector<std::string> names{"host"};
  if (prism::is_available("opencl")) names.push_back("opencl");
  for (const std::string& name : names) {
    prism::stage_options on = with(2);
    on.prefer = {name};
    std::vector<int> got;
    const auto p = prism::from<int>("count", counting(5000))
                       .batch(64)
                       .stage("square", squares, on)
                       .unbatch()
                       .into("collect", [&](int i) { got.push_back(i); });
    prism::pipeline_options how;
    how.targets["square"] = {names.back()};
    const auto report = p.run(name == "host" ? how : prism::pipeline_options{});
    ASSERT_EQ(got.size(), 5000u);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(got[std::size_t(i)], i * i);
    EXPECT_EQ(report.stages[2].device,
              prism::by_name(names.back()).device().get_info<sycl::info::device::name>());
  }
}
