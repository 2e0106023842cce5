// Whether a graph segment runs as a command buffer, by the cost of its first executions.
#include "runtime/exec_graph/graph_method.hpp"

#include <gtest/gtest.h>

using namespace prism::runtime;

namespace {

struct cost {
  double processor, total;
};

/// Alternating executions with these costs, after a first one of each method that costs much more.
method_costs::verdict judged(cost submitted, cost recorded) {
  method_costs costs;
  unsigned seen[2] = {0, 0};
  while (const auto side = costs.next()) {
    EXPECT_FALSE(costs.complete());
    const cost& c = *side == build_side::general ? submitted : recorded;
    const double times = seen[std::size_t(*side)]++ == 0 ? 100 : 1 + 0.2 * (seen[std::size_t(*side)] % 3);
    costs.add(*side, c.processor * times, c.total * times);
  }
  EXPECT_TRUE(costs.complete());
  return costs.judge();
}

TEST(method_costs, accept_a_method_cheaper_in_one_measure_equal_in_the_other) {
  const struct {
    cost submitted, recorded;
    bool keep;
  } rows[] = {
      {{60e3, 200e3}, {30e3, 200e3}, true},  // the thread has less work
      {{60e3, 200e3}, {60e3, 150e3}, true},  // it ends earlier
      {{60e3, 200e3}, {30e3, 208e3}, true},  // a little later does not count
      {{60e3, 200e3}, {30e3, 260e3}, false}, // much later does
      {{60e3, 200e3}, {90e3, 100e3}, false}, // the thread has more work
      {{60e3, 200e3}, {60e3, 200e3}, false}, // no gain
      {{60e3, 200e3}, {90e3, 220e3}, false},
  };
  for (const auto& row : rows) {
    const auto found = judged(row.submitted, row.recorded);
    EXPECT_EQ(found.keep, row.keep) << row.recorded.processor << " and " << row.recorded.total;
    EXPECT_NEAR(found.processor.ratio, row.recorded.processor / row.submitted.processor, 1e-9);
    EXPECT_NEAR(found.total.ratio, row.recorded.total / row.submitted.total, 1e-9);
  }
  EXPECT_EQ(
      judged({60e3, 200e3}, {90e3, 220e3}).text(),
      "command buffer 90.0 us of the submitting thread and 220.0 us in total, resubmission 60.0 and 200.0 "
      "us");
}

TEST(method_costs, accept_nothing_without_a_completed_execution) {
  method_costs costs;
  while (const auto side = costs.next()) costs.lost(*side);
  ASSERT_TRUE(costs.complete());
  EXPECT_FALSE(costs.judge().keep);
  EXPECT_EQ(costs.judge().text(), "");
}

} // namespace
