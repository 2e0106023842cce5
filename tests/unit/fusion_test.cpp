#include "runtime/exec_graph/fusion.hpp"

#include <gtest/gtest.h>

#include <random>

using namespace prism;
using runtime::fusion_access;
using runtime::fusion_limits;
using runtime::fusion_node;

namespace {

constexpr std::uint64_t items = 100;

enum use : unsigned { reads = 1, writes = 2, everywhere = 4, always = 8, promoted = 16 };

fusion_access access(std::uint64_t space, unsigned how, std::uint64_t stride = 4, std::uint64_t begin = 0) {
  fusion_access out;
  out.space = space;
  out.begin = begin;
  out.end = begin + items * stride;
  out.stride = (how & everywhere) != 0 ? 0 : stride;
  out.reads = (how & reads) != 0;
  out.writes = (how & writes) != 0;
  out.writes_always = (how & always) != 0;
  out.promoted = (how & promoted) != 0;
  return out;
}

fusion_node kernel(std::vector<fusion_access> accesses, std::vector<std::size_t> after = {}) {
  fusion_node out;
  out.is_kernel = true;
  out.items = {items, 1, 1};
  out.accesses = std::move(accesses);
  out.after = std::move(after);
  out.arguments = out.accesses.size();
  out.argument_bytes = 16;
  return out;
}

fusion_node other(std::vector<fusion_access> accesses, std::vector<std::size_t> after = {}) {
  fusion_node out = kernel(std::move(accesses), std::move(after));
  out.is_kernel = false;
  return out;
}

runtime::fusion_plan plan(std::vector<fusion_node> nodes, fusion_limits limits = {}) {
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].name.empty()) nodes[n].name = std::to_string(n);
  return plan_fusion(nodes, limits);
}

/// "0 1 2 -7; 3 4": the launches, with the memory that each does not need; remarks after a |.
std::string text(std::vector<fusion_node> nodes, fusion_limits limits = {}) {
  const runtime::fusion_plan made = plan(std::move(nodes), limits);
  std::string out;
  for (const runtime::fused_launch& launch : made.launches) {
    out += out.empty() ? "" : "; ";
    for (const std::size_t n : launch.nodes) out += std::to_string(n) + " ";
    for (const runtime::fused_memory& memory : launch.removed)
      out += "-" + std::to_string(memory.space) + " ";
    out.pop_back();
  }
  for (const std::string& note : made.notes) out += " | " + note;
  return out;
}

fusion_limits that_remove() {
  fusion_limits limits;
  limits.removes_memory = true;
  return limits;
}

TEST(fusion, a_chain_over_the_same_elements_is_one_launch) {
  EXPECT_EQ(text({kernel({access(7, reads | writes)}), kernel({access(7, reads), access(8, writes)}, {0}),
                  kernel({access(8, reads | writes)}, {1})}),
            "0 1 2");
}

TEST(fusion, kernels_without_common_memory_are_fused) {
  EXPECT_EQ(text({kernel({access(7, writes)}), kernel({access(8, writes)})}), "0 1");
}

TEST(fusion, memory_that_is_only_read_may_be_read_at_any_index) {
  EXPECT_EQ(text({kernel({access(7, reads | everywhere), access(8, writes)}),
                  kernel({access(7, reads | everywhere), access(8, reads | writes)}, {0})}),
            "0 1");
}

TEST(fusion, a_kernel_that_reads_its_neighbours_results_is_not_fused) {
  EXPECT_EQ(
      text({kernel({access(7, writes)}), kernel({access(7, reads | everywhere), access(8, writes)}, {0})}),
      " | 1 is not fused with 0: 0 writes and 1 reads the same memory, and 1 may access other work-items' "
      "elements");
  EXPECT_EQ(
      text({kernel({access(7, reads | everywhere), access(8, writes)}), kernel({access(7, writes)}, {0})}),
      " | 1 is not fused with 0: 0 reads and 1 writes the same memory, and 0 may access other work-items' "
      "elements");
}

TEST(fusion, identity_indexed_elements_must_have_the_same_address) {
  const std::string why =
      " | 1 is not fused with 0: 0 writes and 1 reads overlapping memory by different elements";
  EXPECT_EQ(text({kernel({access(7, writes, 4)}), kernel({access(7, reads, 8)}, {0})}), why);
  EXPECT_EQ(text({kernel({access(7, writes, 4)}), kernel({access(7, reads, 4, 4)}, {0})}), why);
  EXPECT_EQ(text({kernel({access(7, writes, 4)}), kernel({access(7, reads, 4, 4 * items)}, {0})}),
            "0 1"); // they do not overlap
}

TEST(fusion, unknown_memory_conflicts_with_all_written_memory) {
  fusion_access any = access(fusion_access::anywhere, reads | everywhere);
  EXPECT_EQ(text({kernel({access(7, writes)}), kernel({any, access(8, writes)}, {0})}),
            " | 1 is not fused with 0: 0 writes and 1 reads memory that may be the same");
  EXPECT_EQ(text({kernel({any}), kernel({any, access(7, reads)}, {0})}), "0 1"); // no kernel writes it
}

TEST(fusion, ranges_must_be_the_same) {
  fusion_node longer = kernel({access(7, writes)}, {0}), grouped = kernel({access(7, writes)}, {0});
  longer.items[0] = 200;
  grouped.local = {10, 1, 1};
  EXPECT_EQ(text({kernel({access(7, writes)}), longer}),
            " | 1 is not fused with 0: their ranges differ, 1 x 1 x 100 and 1 x 1 x 200");
  EXPECT_EQ(
      text({kernel({access(7, writes)}), grouped}),
      " | 1 is not fused with 0: their ranges differ, 1 x 1 x 100 and 1 x 1 x 100, groups of 0 x 0 x 0 and 1 "
      "x 1 x 10 (none: a range)");
}

TEST(fusion, a_kernel_that_cannot_be_fused_has_a_reason) {
  fusion_node barrier = kernel({access(7, writes)}, {0});
  barrier.obstacle = "is not element-wise: it has a barrier";
  EXPECT_EQ(
      text({kernel({access(7, writes)}), barrier, kernel({access(7, writes)}, {1})}),
      " | 1 is not fused with 0: 1 is not element-wise: it has a barrier | 2 is not fused with 1: 1 is not "
      "element-wise: it has a barrier");
}

TEST(fusion, a_dependency_through_another_command_prevents_fusion) {
  // 0 -> copy 1 -> 2, and 0 -> 2
  EXPECT_EQ(text({kernel({access(7, writes)}), other({access(9, writes)}, {0}),
                  kernel({access(7, reads)}, {0, 1})}),
            " | 2 is not fused with 0: other commands must run between them");
  EXPECT_EQ(
      text({kernel({access(7, writes)}), other({access(9, writes)}, {0}), kernel({access(7, reads)}, {0})}),
      "0 2"); // not between them
}

TEST(fusion, fusion_creates_no_dependency_cycle) {
  // 0 -> 3 and 1 -> 2: {0, 2} and {1, 3} would be a cycle.
  fusion_node a = kernel({access(1, writes)}), b = kernel({access(2, writes)}),
              c = kernel({access(1, reads)}, {0, 1}), d = kernel({access(2, reads)}, {0, 1});
  b.items[0] = d.items[0] = 200;
  const std::string made = text({a, b, c, d});
  EXPECT_EQ(made.substr(0, 3), "0 2");
  EXPECT_EQ(made.find("1 3"), std::string::npos);
}

TEST(fusion, a_fused_launch_is_bounded) {
  std::vector<fusion_node> row;
  for (std::size_t n = 0; n < 5; ++n)
    row.push_back(kernel({access(7, reads | writes)},
                         n == 0 ? std::vector<std::size_t>() : std::vector<std::size_t>{n - 1}));
  fusion_limits few, little;
  few.kernels = 2;
  EXPECT_EQ(plan(row, few).launches.size(), 2u);
  little.argument_bytes = 48;
  EXPECT_EQ(plan(row, little).launches[0].nodes.size(), 3u);
}

TEST(fusion, promoted_memory_between_fused_kernels_is_removed) {
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted)}),
                  kernel({access(7, reads | promoted), access(8, writes)}, {0})},
                 that_remove()),
            "0 1 -7");
  EXPECT_EQ(text({kernel({access(7, writes | always)}), kernel({access(7, reads), access(8, writes)}, {0})},
                 that_remove()),
            "0 1"); // without a promise of the program
}

TEST(fusion, promoted_memory_stays_when_another_command_needs_it) {
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted)}), kernel({access(7, reads | promoted)}, {0}),
                  other({access(7, reads | everywhere | promoted)}, {1})},
                 that_remove()),
            "0 1 | promoted memory of 0 cannot be removed: 2, which is not in the launch, uses it");
}

TEST(fusion, promoted_memory_that_is_read_before_it_is_written_stays) {
  const std::string why =
      "0 1 | promoted memory of 0 cannot be removed: 0 uses it before all of it was written";
  EXPECT_EQ(text({kernel({access(7, writes | promoted)}), kernel({access(7, reads | promoted)}, {0})},
                 that_remove()),
            why); // may not be all
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted), access(7, reads | promoted)}),
                  kernel({access(7, reads | promoted)}, {0})},
                 that_remove()),
            why);
}

TEST(fusion, a_device_that_retains_promoted_memory_reports_it) {
  fusion_limits limits;
  limits.why_not = "the device keeps it";
  EXPECT_EQ(
      text({kernel({access(7, writes | always | promoted)}), kernel({access(7, reads | promoted)}, {0})},
           limits),
      "0 1 | promoted memory of 0 cannot be removed: the device keeps it");
}

/// Runs the commands in sequence, each for all its elements, or each launch element by element; the results
/// must be the same.
fusion_node caller(std::vector<fusion_access> accesses, std::vector<std::size_t> after) {
  fusion_node out = kernel(std::move(accesses), std::move(after));
  out.items = {items / 10, 1, 1};
  out.calls_elements = true;
  return out;
}

TEST(fusion, a_kernel_that_calls_elements_runs_in_one_launch_with_the_kernels_that_compute_them) {
  fusion_limits limits = that_remove();
  limits.computes_elements = true;
  const fusion_node first = kernel({access(6, reads), access(7, writes | always | promoted)}),
                    second =
                        kernel({access(7, reads | promoted), access(8, writes | always | promoted)}, {0});
  EXPECT_EQ(text({first, second, caller({access(8, reads | everywhere)}, {1})}, limits), "0 1 2 -7 -8");
  EXPECT_EQ(text({first, caller({access(7, reads | everywhere)}, {0})}, limits), "0 1 -7");
  const runtime::fusion_plan made =
      runtime::plan_fusion(std::vector{first, second, caller({access(8, reads | everywhere)}, {1})}, limits);
  ASSERT_EQ(made.launches.size(), 1u);
  EXPECT_EQ(made.launches[0].element, std::optional<std::size_t>(1));
}

TEST(fusion, a_kernel_that_calls_elements_states_why_it_cannot) {
  fusion_limits limits = that_remove();
  const fusion_node calls = caller({access(7, reads | everywhere)}, {0});
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted)}), calls}, limits),
            " | 1 cannot compute elements: the device's launches do not");
  limits.computes_elements = true;
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted), access(8, writes)}), calls}, limits),
            " | 1 cannot compute elements: 0 writes memory that is not promoted");
  EXPECT_EQ(text({other({access(7, writes)}), calls}, limits),
            " | 1 cannot compute elements: 0 is no kernel");
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted)}), calls,
                  other({access(7, reads | everywhere)}, {0})},
                 limits),
            " | promoted memory of 0 cannot be removed: 2, which is not in the launch, uses it | 1 cannot "
            "compute elements: they are in memory that cannot be removed");
  limits.argument_bytes = 31; // each captures 16
  EXPECT_EQ(text({kernel({access(7, writes | always | promoted)}), calls}, limits),
            " | 1 cannot compute elements: together the kernels capture more than 31 bytes");
  EXPECT_EQ(text({caller({access(7, reads | everywhere)}, {})}, limits),
            " | 0 cannot compute elements: no kernel of the graph computes them");
}

TEST(fusion, random_graphs_compute_the_same_with_and_without_fusion) {
  constexpr std::size_t memories = 4, elements = 6;
  using state = std::vector<std::vector<std::uint64_t>>;
  const auto step = [](const fusion_node& node, std::size_t n, std::size_t i,
                       state& s) { // element i of node n
    std::uint64_t sum = n * 1000 + 1;
    for (const fusion_access& a : node.accesses)
      if (a.reads) {
        if (a.stride != 0) sum = sum * 31 + s[a.space - 1][i];
        else
          for (const std::uint64_t each : s[a.space - 1]) sum = sum * 31 + each;
      }
    for (const fusion_access& a : node.accesses)
      if (a.writes) s[a.space - 1][i] = sum;
  };
  std::size_t joined = 0, apart = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    std::vector<fusion_node> nodes(2 + random() % 8);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      std::vector<fusion_access> accesses;
      for (std::size_t m = 1; m <= memories; ++m)
        if (random() % 3 == 0)
          accesses.push_back(access(m, random() % 4 == 0 ? reads | everywhere
                                       : random() % 2    ? reads | writes
                                                         : reads));
      bool has_conflict = false; // within the kernel: a race of the program
      for (const auto& a : accesses) has_conflict = has_conflict || (a.stride == 0 && a.writes);
      ASSERT_FALSE(has_conflict);
      nodes[n] = kernel(accesses);
      nodes[n].name = std::to_string(n);
      for (std::size_t before = 0; before < n; ++before) // every conflict is an edge
        for (const auto& a : nodes[before].accesses)
          for (const auto& b : nodes[n].accesses)
            if (a.space == b.space && (a.writes || b.writes) &&
                (nodes[n].after.empty() || nodes[n].after.back() != before))
              nodes[n].after.push_back(before);
    }
    const runtime::fusion_plan made = plan_fusion(nodes, {});
    state plain(memories, std::vector<std::uint64_t>(elements, seed)), fused = plain;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::size_t i = 0; i < elements; ++i) step(nodes[n], n, i, plain);
    std::vector<std::vector<std::size_t>> units;
    std::vector<std::size_t> unit_of(nodes.size(), ~std::size_t(0));
    for (const auto& launch : made.launches) {
      for (const std::size_t n : launch.nodes) unit_of[n] = units.size();
      units.push_back(launch.nodes);
      joined += launch.nodes.size();
    }
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (unit_of[n] == ~std::size_t(0)) {
        unit_of[n] = units.size();
        units.push_back({n});
        ++apart;
      }
    std::vector<bool> done(units.size());
    for (std::size_t rounds = 0; rounds < units.size(); ++rounds) {
      std::size_t next = units.size();
      for (std::size_t u = 0; u < units.size() && next == units.size(); ++u) {
        bool ready = !done[u];
        for (const std::size_t n : units[u])
          for (const std::size_t before : nodes[n].after)
            ready = ready && (unit_of[before] == u || done[unit_of[before]]);
        if (ready) next = u;
      }
      ASSERT_NE(next, units.size()) << "a cycle of launches, seed " << seed;
      done[next] = true;
      for (std::size_t i = 0; i < elements; ++i)
        for (const std::size_t n : units[next]) step(nodes[n], n, i, fused);
    }
    ASSERT_EQ(plain, fused) << "seed " << seed;
  }
  EXPECT_GT(joined, 100u);
  EXPECT_GT(apart, 100u);
}

} // namespace
