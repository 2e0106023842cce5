// Which values get a build of their own, and which builds are accepted.
#include "runtime/specialise/specialise_decision.hpp"

#include <gtest/gtest.h>

using namespace prism::runtime;

namespace {

using numbers = std::vector<std::uint64_t>;

/// The number of the launch after which a set was wanted first; 0: never.
std::size_t wanted_after(value_watch& watch, const std::vector<numbers>& launches, value_set* set = nullptr) {
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (auto found = watch.launch(launches[i])) {
      if (set != nullptr) *set = *found;
      return i + 1;
    }
  return 0;
}

TEST(value_watch, selects_frequent_values) {
  value_watch watch(2, 3, 4);
  value_set set;
  EXPECT_EQ(wanted_after(watch, {{5, 100}, {5, 100}, {5, 100}}, &set), 3u);
  EXPECT_EQ(set, (value_set{5, 100}));
  EXPECT_EQ(wanted_after(watch, std::vector<numbers>(20, {5, 100})), 0u) << "a set is wanted once";
}

TEST(value_watch, selects_each_of_a_few_alternating_sets) {
  value_watch watch(1, 2, 4);
  EXPECT_EQ(wanted_after(watch, {{1}, {2}, {3}, {1}}), 4u);
  EXPECT_EQ(wanted_after(watch, {{2}}), 1u);
  EXPECT_EQ(wanted_after(watch, {{3}}), 1u);
}

TEST(value_watch, omits_a_value_that_always_changes) {
  value_watch watch(2, 3, 4);
  std::vector<numbers> launches;
  for (std::uint64_t i = 0; i < 10; ++i) launches.push_back({i, 7});
  value_set set;
  EXPECT_EQ(wanted_after(watch, launches, &set), 7u)
      << "five launches show that it changes, then three are counted";
  EXPECT_EQ(set, (value_set{std::nullopt, 7}));
  EXPECT_FALSE(watch.is_stable(0));
  EXPECT_TRUE(watch.is_stable(1));
}

TEST(value_watch, ends_when_nothing_is_stable) {
  value_watch watch(1, 1, 2);
  for (std::uint64_t i = 0; i < 10; ++i) watch.launch(numbers{i});
  EXPECT_TRUE(watch.over());
  EXPECT_TRUE(value_watch(0, 1, 4).over()) << "a kernel without integers";
}

TEST(value_watch, is_limited_but_replaces_rejected_sets) {
  value_watch watch(1, 2, 2);
  EXPECT_EQ(wanted_after(watch, {{1}, {1}}), 2u);
  EXPECT_EQ(wanted_after(watch, {{2}, {2}}), 2u);
  value_watch other(2, 2, 2);
  EXPECT_EQ(wanted_after(other, {{1, 1}, {1, 1}}), 2u);
  EXPECT_EQ(wanted_after(other, {{1, 2}, {1, 2}}), 2u);
  EXPECT_EQ(wanted_after(other, std::vector<numbers>(5, {2, 1})), 0u);
  other.rejected();
  EXPECT_EQ(wanted_after(other, {{2, 1}}), 1u);
}

TEST(value_watch, ends_after_a_number_of_launches) {
  value_watch watch(1, 2, 4);
  wanted_after(watch, {{1}, {1}});
  EXPECT_FALSE(watch.over());
  for (int i = 0; i < 1000 && !watch.over(); ++i) watch.matched();
  EXPECT_TRUE(watch.over());
}

TEST(value_set, matches_only_the_values_that_it_names) {
  const value_set set{1, std::nullopt, 3};
  EXPECT_TRUE(matches(set, numbers{1, 99, 3}));
  EXPECT_FALSE(matches(set, numbers{1, 99, 4}));
  EXPECT_FALSE(matches(set, numbers{0, 99, 3}));
}

/// A trial whose launches take these times; the first ones take a thousand times as long.
build_trial::result judged(double general, double specialised) {
  build_trial trial;
  unsigned seen[2] = {0, 0};
  while (const auto side = trial.next()) {
    EXPECT_FALSE(trial.complete());
    const double time = *side == build_side::general ? general : specialised;
    trial.add(*side, seen[std::size_t(*side)]++ == 0 ? time * 1000
                                                     : time * (1 + 0.3 * (seen[std::size_t(*side)] % 3)));
  }
  EXPECT_EQ(seen[0], build_trial::launches);
  EXPECT_EQ(seen[1], build_trial::launches);
  EXPECT_TRUE(trial.complete());
  return trial.judge();
}

TEST(build_trial, accepts_a_build_that_is_faster_by_the_margin) {
  EXPECT_TRUE(judged(100, 60).keep);
  EXPECT_NEAR(judged(100, 60).ratio, 0.6, 1e-9);
  EXPECT_TRUE(judged(100, 94).keep);
  EXPECT_FALSE(judged(100, 96).keep);
  EXPECT_FALSE(judged(100, 100).keep);
  EXPECT_FALSE(judged(100, 150).keep);
}

TEST(build_trial, alternates_starting_with_the_general_build) {
  build_trial trial;
  EXPECT_EQ(trial.next(), build_side::general);
  EXPECT_EQ(trial.next(), build_side::specialised);
  EXPECT_EQ(trial.next(), build_side::general);
}

TEST(build_trial, rejects_a_build_without_times) {
  build_trial trial;
  while (const auto side = trial.next()) trial.lost(*side);
  EXPECT_TRUE(trial.complete());
  EXPECT_FALSE(trial.judge().keep);
}

TEST(earlier_results, are_read_as_they_were_written) {
  const std::vector<earlier_result> all{{{5, std::nullopt, 18446744073709551615ull}, true, 0.5},
                                        {{0, 1, 2}, false, 1.25}};
  const std::vector<earlier_result> read = read_results(write_results(all), 3);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].set, all[0].set);
  EXPECT_TRUE(read[0].keep);
  EXPECT_NEAR(read[0].ratio, 0.5, 1e-9);
  EXPECT_EQ(read[1].set, all[1].set);
  EXPECT_FALSE(read[1].keep);
}

TEST(earlier_results, of_other_kernels_or_damaged_ones_are_ignored) {
  EXPECT_TRUE(read_results("keep 0.500 1 2\n", 3).empty());
  EXPECT_TRUE(read_results("keep 0.500 1 x\n", 2).empty());
  EXPECT_TRUE(read_results("perhaps 0.500 1 2\n", 2).empty());
  EXPECT_TRUE(read_results("keep\n\n \nkeep 0.5", 2).empty());
  EXPECT_EQ(read_results("nonsense\nreject 2 1 2", 2).size(), 1u);
}

} // namespace
