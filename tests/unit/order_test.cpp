#include "runtime/exec_graph/order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

using namespace prism;
using runtime::node_kind;
using runtime::order_node;
using runtime::order_of;

namespace {

/// "0 1|2 | alone 3 after 0": the steps of a segment; at | a step waits for all earlier ones.
std::string text(const std::vector<order_node>& nodes) {
  const auto parts = order_of(nodes);
  if (!parts) return "circle";
  std::string out;
  for (const runtime::ordered_segment& part : *parts) {
    if (!out.empty()) out += "; ";
    if (part.where == node_kind::alone) out += "alone ";
    for (std::size_t s = 0; s < part.steps.size(); ++s)
      out += (s == 0 ? "" : part.steps[s].after_all ? "|" : " ") + std::to_string(part.steps[s].node);
    for (const std::size_t before : part.after) out += " after " + std::to_string(before);
  }
  return out;
}

constexpr node_kind device = node_kind::device, alone = node_kind::alone, nothing = node_kind::nothing;

TEST(order, nodes_without_edges_need_no_barrier) {
  EXPECT_EQ(text({{device, {}}, {device, {}}, {device, {}}}), "0 1 2");
}

TEST(order, a_chain_has_a_barrier_before_each_node_but_the_first) {
  EXPECT_EQ(text({{device, {}}, {device, {0}}, {device, {1}}}), "0|1|2");
}

TEST(order, a_segment_has_commands_of_one_device) {
  EXPECT_EQ(text({{device, {}, 0}, {device, {}, 1}, {device, {}, 0}, {device, {}, 1}}), "0 2; 1 3");
  EXPECT_EQ(text({{device, {}, 0}, {device, {0}, 1}, {device, {1}, 1}, {device, {2}, 0}, {device, {0}, 0}}),
            "0|4; 1|2 after 0; 3 after 1");
}

TEST(order, levels_share_one_barrier) {
  EXPECT_EQ(text({{device, {}}, {device, {0}}, {device, {}}, {device, {2}}, {device, {1, 3}}}), "0 2|1 3|4");
}

TEST(order, nodes_without_work_cost_no_barrier_of_their_own) {
  EXPECT_EQ(text({{device, {}}, {device, {}}, {nothing, {0, 1}}, {device, {2}}, {device, {2}}}), "0 1|3 4");
  EXPECT_EQ(text({{nothing, {}}, {nothing, {0}}, {device, {1}}}), "2");
  EXPECT_EQ(text({{nothing, {}}, {nothing, {0}}}), "");
}

TEST(order, nodes_that_must_run_alone_split_the_segments) {
  EXPECT_EQ(text({{device, {}}, {alone, {0}}, {device, {1}}, {device, {}}}),
            "0 3; alone 1 after 0; 2 after 1");
  EXPECT_EQ(text({{alone, {}}, {alone, {}}, {device, {0, 1}}}), "alone 0; alone 1; 2 after 0 after 1");
}

TEST(order, segments_follow_those_before_empty_nodes) {
  EXPECT_EQ(text({{alone, {}}, {nothing, {0}}, {alone, {1}}}), "alone 0; alone 2 after 0");
}

TEST(order, later_nodes_may_come_first) {
  EXPECT_EQ(text({{device, {1}}, {device, {2}}, {device, {}}}), "2|1|0");
}

TEST(order, cycles_are_detected) {
  EXPECT_EQ(text({{device, {1}}, {device, {0}}}), "circle");
  EXPECT_EQ(text({{device, {}}, {nothing, {0, 2}}, {alone, {1}}}), "circle");
}

TEST(order, a_long_chain_of_empty_nodes_needs_no_recursion) {
  std::vector<order_node> nodes(200000);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    nodes[n].where = nothing;
    if (n + 1 < nodes.size())
      nodes[n].after = {n + 1}; // in reverse order: no dependency is complete when it is read
  }
  EXPECT_EQ(text(nodes), "");
}

TEST(order, every_edge_of_random_graphs_is_kept) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<order_node> nodes(1 + random() % 40);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      nodes[n].where = static_cast<node_kind>(random() % 3);
      for (std::size_t before = 0; before < n; ++before)
        if (random() % 6 == 0) nodes[n].after.push_back(before);
    }
    const auto parts = order_of(nodes);
    ASSERT_TRUE(parts) << seed;
    // reached[a][b]: b follows a in this order.
    std::vector<std::pair<std::size_t, std::size_t>> at(nodes.size()); // segment, level
    std::vector<std::vector<bool>> behind(parts->size(), std::vector<bool>(parts->size()));
    std::size_t placed = 0;
    for (std::size_t p = 0; p < parts->size(); ++p) {
      std::size_t level = 0;
      for (const auto& step : (*parts)[p].steps) {
        level += step.after_all;
        at[step.node] = {p, level};
        ++placed;
      }
      for (const std::size_t before : (*parts)[p].after) {
        ASSERT_LT(before, p) << seed;
        behind[p][before] = true;
        for (std::size_t q = 0; q < before; ++q)
          if (behind[before][q]) behind[p][q] = true;
      }
    }
    std::size_t working = 0;
    for (const order_node& n : nodes) working += n.where != nothing;
    ASSERT_EQ(placed, working) << seed;
    // Also through nodes without work.
    std::vector<std::vector<bool>> comes_after(nodes.size(), std::vector<bool>(nodes.size()));
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (const std::size_t before : nodes[n].after) {
        comes_after[n][before] = true;
        for (std::size_t q = 0; q < before; ++q)
          if (comes_after[before][q]) comes_after[n][q] = true;
      }
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::size_t before = 0; before < n; ++before)
        if (comes_after[n][before] && nodes[n].where != nothing && nodes[before].where != nothing) {
          ASSERT_TRUE(at[n].first == at[before].first ? at[n].second > at[before].second
                                                      : behind[at[n].first][at[before].first])
              << "seed " << seed << ": " << before << " before " << n;
        }
  }
}

} // namespace
