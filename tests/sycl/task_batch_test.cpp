// prism::task_batch: results against a sequential model, chains, fan-in, repeated runs, both methods, errors.
#include "tests/sycl/common.hpp"

#include <prism/profile.hpp>
#include <prism/task_batch.hpp>

#include <cstdlib>
#include <cstring>
#include <random>

using prism_test::error_of;

namespace {

/// x[to + i] = x[from + i] * by + plus
struct affine {
  std::uint32_t* x;
  std::uint32_t from, to, by, plus;
  void operator()(std::size_t i) const { x[to + i] = x[from + i] * by + plus; }
};
/// x[to] = the sum of `count` numbers from x[from] on, `step` apart
struct total {
  std::uint32_t* x;
  std::uint32_t from, to, count, step;
  void operator()() const {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < count; ++k) sum += x[from + k * step];
    x[to] = sum;
  }
};
/// Items combined from two places.
struct mix {
  std::uint32_t* x;
  std::uint32_t a, b, to;
  void operator()(sycl::id<1> i) const { x[to + i[0]] = x[a + i[0]] * 3 + (x[b + i[0]] ^ 0x55u); }
};
using batch_type = prism::task_batch<affine, total, mix>;

/// Device memory of numbers, copied from and to the host.
class numbers {
public:
  numbers(const sycl::queue& q, std::size_t n) : m_queue(q), m_size(n) {
    m_data = sycl::malloc_device<std::uint32_t>(n, m_queue);
  }
  ~numbers() { sycl::free(m_data, m_queue); }
  numbers(const numbers&) = delete;
  std::uint32_t* data() const { return m_data; }
  void set(const std::vector<std::uint32_t>& v) { m_queue.memcpy(m_data, v.data(), 4 * m_size).wait(); }
  std::vector<std::uint32_t> get() {
    std::vector<std::uint32_t> v(m_size);
    m_queue.memcpy(v.data(), m_data, 4 * m_size).wait();
    return v;
  }

private:
  sycl::queue m_queue;
  std::size_t m_size;
  std::uint32_t* m_data;
};

/// Each test runs with both methods; one launch is skipped where the device refuses it.
class task_batch : public testing::TestWithParam<prism::batch_method> {
protected:
  void SetUp() override {
    if (!queue.get_device().has(sycl::aspect::usm_device_allocations))
      GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " has no aspect::usm_device_allocations";
    options.method = GetParam();
    if (options.method == prism::batch_method::one_launch &&
        error_of([&] { batch_type(queue, options); }) == sycl::errc::feature_not_supported)
      GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " does not run batches in one launch";
  }
  sycl::queue queue;
  prism::task_batch_options options;
};
INSTANTIATE_TEST_SUITE_P(, task_batch,
                         testing::Values(prism::batch_method::one_launch, prism::batch_method::levels),
                         [](const auto& p) {
                           return p.param == prism::batch_method::levels ? "by_levels" : "in_one_launch";
                         });

TEST_P(task_batch, a_chain_runs_in_order) {
  batch_type batch(queue, options);
  constexpr std::uint32_t length = 1000, width = 5;
  numbers x(queue, width);
  std::vector<std::uint32_t> expected = {1, 2, 3, 4, 5};
  x.set(expected);
  prism::batched_task before;
  for (std::uint32_t k = 0; k < length; ++k) {
    const affine step{x.data(), 0, 0, 2 * k + 1, k};
    before = k == 0 ? batch.add(step, width) : batch.add(step, width, {before});
    for (std::uint32_t& v : expected) v = v * (2 * k + 1) + k;
  }
  batch.submit().wait();
  EXPECT_EQ(x.get(), expected) << batch.describe();
}

TEST_P(task_batch, a_sum_waits_for_all_of_its_inputs) {
  batch_type batch(queue, options);
  constexpr std::uint32_t inputs = 500, items = 7;
  numbers x(queue, inputs * items + 2);
  x.set(std::vector<std::uint32_t>(inputs * items + 2, 1));
  std::vector<prism::batched_task> all;
  for (std::uint32_t k = 0; k < inputs; ++k)
    all.push_back(batch.add(affine{x.data(), k * items, k * items, 1, k}, items));
  const auto sum = batch.add(total{x.data(), 0, inputs * items, inputs, items}, 1, all);
  batch.add(affine{x.data(), inputs * items, inputs * items + 1, 1, 5}, 1, {sum});
  batch.submit().wait();
  const std::uint32_t expected = inputs + inputs * (inputs - 1) / 2;
  EXPECT_EQ(x.get()[inputs * items], expected);
  EXPECT_EQ(x.get()[inputs * items + 1], expected + 5);
}

TEST_P(task_batch, ten_thousand_random_tasks_give_the_models_result) {
  batch_type batch(queue, options);
  constexpr std::uint32_t tasks = 10'000, items = 3;
  numbers x(queue, (tasks + 1) * items);
  std::vector<std::uint32_t> model((tasks + 1) * items, 1);
  std::mt19937 random(7);
  std::vector<prism::batched_task> made;
  x.set(model);
  for (std::uint32_t t = 0; t < tasks; ++t) { // task t writes place t + 1 and reads earlier places
    const std::uint32_t near = t < 40 ? t : 40, a = t - random() % (near + 1), b = t - random() % (near + 1);
    std::vector<prism::batched_task> after;
    if (a > 0) after.push_back(made[a - 1]);
    if (b > 0) after.push_back(made[b - 1]);
    const std::uint32_t to = (t + 1) * items;
    if (random() % 3 == 0) {
      const total body{x.data(), a * items, to, items, 1};
      made.push_back(batch.add(body, 1, after));
      model[to] = model[a * items] + model[a * items + 1] + model[a * items + 2];
    } else if (random() % 2 == 0) {
      made.push_back(batch.add(affine{x.data(), a * items, to, 5, t}, items, after));
      for (std::uint32_t i = 0; i < items; ++i) model[to + i] = model[a * items + i] * 5 + t;
    } else {
      made.push_back(batch.add(mix{x.data(), a * items, b * items, to}, items, after));
      for (std::uint32_t i = 0; i < items; ++i)
        model[to + i] = model[a * items + i] * 3 + (model[b * items + i] ^ 0x55u);
    }
  }
  for (int run = 0; run < 3; ++run) {
    std::vector<std::uint32_t> start((tasks + 1) * items, 1);
    x.set(start);
    batch.submit().wait();
    ASSERT_EQ(x.get(), model) << "run " << run << ": " << batch.describe();
  }
}

TEST_P(task_batch, runs_of_one_batch_follow_each_other) {
  batch_type batch(queue, options);
  numbers x(queue, 64);
  x.set(std::vector<std::uint32_t>(64, 0));
  for (std::uint32_t k = 0; k < 64; ++k) batch.add(affine{x.data(), k, k, 3, 1}, 1);
  std::uint32_t expected = 0;
  for (int run = 0; run < 20; ++run) {
    batch.submit();
    expected = expected * 3 + 1;
  }
  queue.wait();
  EXPECT_EQ(x.get(), std::vector<std::uint32_t>(64, expected));
}

TEST_P(task_batch, tasks_added_later_run_with_the_next_submission) {
  batch_type batch(queue, options);
  numbers x(queue, 1);
  x.set({1});
  const auto first = batch.add(affine{x.data(), 0, 0, 2, 0});
  batch.submit().wait();
  batch.add(affine{x.data(), 0, 0, 1, 10}, 1, {first});
  batch.submit().wait();
  EXPECT_EQ(x.get()[0], 14u);
  EXPECT_EQ(batch.size(), 2u);
}

TEST_P(task_batch, tasks_without_items_and_batches_without_tasks_do_nothing) {
  batch_type batch(queue, options);
  batch.submit().wait();
  numbers x(queue, 1);
  x.set({4});
  const auto nothing = batch.add(affine{x.data(), 0, 0, 0, 0}, 0);
  batch.add(affine{x.data(), 0, 0, 2, 0}, 1, {nothing});
  batch.submit().wait();
  EXPECT_EQ(x.get()[0], 8u);
}

TEST_P(task_batch, a_large_task_and_small_ones_share_a_launch) {
  batch_type batch(queue, options);
  constexpr std::uint32_t n = 100'000;
  numbers x(queue, n + 100);
  x.set(std::vector<std::uint32_t>(n + 100, 2));
  const auto large = batch.add(affine{x.data(), 0, 0, 3, 1}, n);
  for (std::uint32_t k = 0; k < 100; ++k) batch.add(affine{x.data(), k, n + k, 1, 1}, 1, {large});
  batch.submit().wait();
  std::vector<std::uint32_t> expected(n + 100, 7);
  std::fill(expected.begin() + n, expected.end(), 8u);
  EXPECT_EQ(x.get(), expected);
}

TEST_P(task_batch, a_cycle_is_refused_and_named) {
  batch_type batch(queue, options);
  numbers x(queue, 1);
  const affine body{x.data(), 0, 0, 1, 0};
  const auto a = batch.add(body), b = batch.add(body, 1, {a}), c = batch.add(body, 1, {b});
  batch.add(body, 1, {c});
  batch.make_edge(c, b);
  std::string text;
  EXPECT_EQ(error_of([&] { batch.submit(); }, &text), sycl::errc::invalid);
  EXPECT_TRUE(text.find("task 1 -> task 2 -> task 1") != std::string::npos ||
              text.find("task 2 -> task 1 -> task 2") != std::string::npos)
      << text;
}

TEST_P(task_batch, mistakes_are_refused_and_change_nothing) {
  options.most_tasks = 3;
  batch_type batch(queue, options), other(queue, options);
  numbers x(queue, 1);
  x.set({1});
  const affine body{x.data(), 0, 0, 2, 0};
  const auto stranger = other.add(body);
  std::string text;
  EXPECT_EQ(error_of([&] { batch.add(body, 1, {stranger}); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("another batch"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { batch.add(body, 1, {prism::batched_task()}); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { batch.add(body, std::size_t{1} << 32); }), sycl::errc::invalid);
  EXPECT_EQ(batch.size(), 0u);
  auto last = batch.add(body);
  for (int k = 0; k < 2; ++k) last = batch.add(body, 1, {last});
  EXPECT_EQ(error_of([&] { batch.add(body, 1, {last}); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("full"), std::string::npos) << text;
  sycl::queue foreign(sycl::context(queue.get_device()), queue.get_device());
  EXPECT_EQ(error_of([&] { batch.submit(foreign); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("another context or device"), std::string::npos) << text;
  batch.submit().wait();
  EXPECT_EQ(x.get()[0], 8u);
  options.most_tasks = 0;
  EXPECT_EQ(error_of([&] { batch_type(queue, options); }), sycl::errc::invalid);
}

/// Whether PRISM_WRAP injects this fault, as in test entries of their own.
bool injects(const char* fault) {
  const char* const wrap = std::getenv("PRISM_WRAP");
  return wrap != nullptr && std::strstr(wrap, fault) != nullptr;
}

TEST(task_batches, describe_how_they_run) {
  if (injects("fault")) GTEST_SKIP() << "the probe fails here";
  sycl::queue queue;
  SKIP_WITHOUT(queue, usm_device_allocations);
  batch_type batch(queue);
  numbers x(queue, 8);
  for (std::uint32_t k = 0; k < 8; ++k) batch.add(affine{x.data(), k, k, 1, 1});
  const std::string text = batch.describe();
  RecordProperty("method", text);
  const bool one = batch.method() == prism::batch_method::one_launch;
  EXPECT_NE(text.find(one ? "8 tasks in 1 launch of "
                          : "8 tasks on 1 levels: 1 launch in one submission, because "),
            std::string::npos)
      << text;
  const std::string platform = queue.get_device().get_platform().get_info<sycl::info::platform::name>();
  if (queue.get_backend() == sycl::backend::ext_prism_host || platform == "Portable Computing Language")
    EXPECT_TRUE(one) << text;
  if (prism_test::name_of(queue.get_device()).find("llvmpipe") != std::string::npos)
    EXPECT_FALSE(one) << text;
}

/// How many kernels the device ran since `counts` began.
std::uint64_t launches(const prism::profile& counts) {
  std::uint64_t sum = 0;
  for (const prism::kernel_profile& k : counts.kernels()) sum += k.calls;
  return sum;
}

TEST(task_batches, levels_are_a_launch_each_and_a_chain_is_one) {
  const prism::profile counts;
  sycl::queue queue;
  SKIP_WITHOUT(queue, usm_device_allocations);
  numbers x(queue, 2);
  x.set({1, 2});
  prism::task_batch_options levels;
  levels.method = prism::batch_method::levels;
  batch_type pairs(queue, levels), chain(queue, levels);
  std::vector<prism::batched_task> before;
  for (std::uint32_t level = 0; level < 3; ++level) {
    std::vector<prism::batched_task> now;
    for (std::uint32_t k = 0; k < 2; ++k) now.push_back(pairs.add(affine{x.data(), k, k, 3, 1}, 1, before));
    before = now;
  }
  EXPECT_EQ(pairs.describe(), "6 tasks on 3 levels: 3 launches in one submission");
  pairs.submit().wait();
  EXPECT_EQ(x.get(), (std::vector<std::uint32_t>{40, 67}));
  EXPECT_EQ(launches(counts), 3u) << counts.text();

  prism::batched_task last;
  for (std::uint32_t k = 0; k < 10; ++k)
    last = chain.add(affine{x.data(), 0, 0, 1, k}, 1,
                     k == 0 ? std::vector<prism::batched_task>{} : std::vector{last});
  EXPECT_EQ(chain.describe(), "10 tasks on 10 levels: 1 launch in one submission");
  chain.submit().wait();
  EXPECT_EQ(x.get(), (std::vector<std::uint32_t>{85, 67}));
  EXPECT_EQ(launches(counts), 4u) << counts.text();
}

/// On a device whose probe failed for this reason the tasks run in levels, with the right result. What has
/// memory is not destroyed: that waits for all that the device does, which never ends if it hangs.
void expect_levels_because(const std::string& reason) {
  sycl::queue queue;
  SKIP_WITHOUT(queue, usm_device_allocations);
  if (!prism::detail::reason_against_one_launch(queue.get_device()).empty())
    GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " is not probed";
  static batch_type& batch = *new batch_type(queue); // makes the device's first submission
  EXPECT_EQ(batch.method(), prism::batch_method::levels);
  prism::task_batch_options one_launch;
  one_launch.method = prism::batch_method::one_launch;
  EXPECT_EQ(error_of([&] { batch_type(queue, one_launch); }), sycl::errc::feature_not_supported);
  static numbers& x = *new numbers(queue, 2);
  x.set({5, 0});
  const auto first = batch.add(affine{x.data(), 0, 1, 2, 1});
  batch.add(affine{x.data(), 1, 0, 3, 0}, 1, {first});
  const std::string text = batch.describe();
  EXPECT_EQ(text.find("2 tasks on 2 levels: 1 launch in one submission, because " + reason), 0u) << text;
  batch.submit().wait();
  EXPECT_EQ(x.get(), (std::vector<std::uint32_t>{33, 11}));
}

// PRISM_WRAP=fault(fail=1)
TEST(task_batches, a_device_whose_probe_fails_runs_levels) {
  if (!injects("fail=1")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  expect_levels_because("its probe failed (run a submission: it failed (an injected fault)");
}

// PRISM_WRAP=fault(hang=1)
TEST(task_batches, a_device_whose_probe_never_ends_runs_levels) {
  if (!injects("hang=1")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  expect_levels_because("its probe did not end within 5 seconds");
}

} // namespace
