// The barriers of a queue's plan, for tables of submissions.
#include "devices/vulkan/barrier_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace prism::devices::test {

namespace {

using vulkan::memory_use;
constexpr std::uint64_t all = UINT64_MAX;
const int first_buffer = 0, second_buffer = 0;
const void* const a = &first_buffer;
const void* const b = &second_buffer;
const std::vector<memory_use> everything;

struct submission {
  std::uint64_t after;
  bool closed;
  std::vector<std::vector<memory_use>> commands;
};

/// "|" is a barrier, "." a command, "]" the end of a submission that ends with a barrier.
std::string planned(const std::vector<submission>& submissions) {
  vulkan::barrier_plan plan;
  std::string out;
  std::uint64_t point = 0;
  for (const submission& s : submissions) {
    plan.begin(s.after, point);
    for (const auto& uses : s.commands) out += plan.add(uses) ? "|." : ".";
    plan.end(++point, s.closed);
    if (s.closed) out += ']';
  }
  return out;
}
submission launch(std::uint64_t after, bool closed = false) { return {after, closed, {everything}}; }
memory_use reads(const void* buffer, std::uint64_t begin, std::uint64_t end) {
  return {buffer, begin, end, false};
}
memory_use writes(const void* buffer, std::uint64_t begin, std::uint64_t end) {
  return {buffer, begin, end, true};
}

} // namespace

TEST(barrier_plan, a_submission_gets_one_if_it_depends_on_uncovered_work) {
  const struct {
    const char* what;
    std::vector<submission> submissions;
    const char* expected;
  } rows[] = {
      {"nothing before", {launch(all)}, "."},
      {"independent kernels", {launch(0), launch(0), launch(0)}, "..."},
      {"a chain", {launch(0), launch(1), launch(2)}, ".|.|."},
      {"everything in order, each closed",
       {launch(all, true), launch(all, true), launch(all, true)},
       ".].].]"},
      {"one barrier covers all before it", {launch(0), launch(0), launch(1), launch(2)}, "..|.."},
      {"but not what comes after it", {launch(0), launch(0), launch(1), launch(3)}, "..|.|."},
      {"two alternating chains",
       {launch(0), launch(0), launch(1), launch(2), launch(3), launch(4)},
       "..|..|.."},
      {"a closed one covers itself", {launch(0), launch(0, true), launch(2)}, "..]."},
      {"no commands cover nothing", {launch(0), {all, false, {}}, launch(1)}, ".|."},
      {"after a point that does not exist yet", {launch(0), launch(7)}, ".|."},
  };
  for (const auto& row : rows) EXPECT_EQ(planned(row.submissions), row.expected) << row.what;
}

TEST(barrier_plan, commands_that_share_memory_get_one_between_them) {
  const struct {
    const char* what;
    std::vector<std::vector<memory_use>> commands;
    const char* expected;
  } rows[] = {
      {"writes of adjacent ranges", {{writes(a, 0, 8)}, {writes(a, 8, 16)}}, ".."},
      {"writes of two buffers", {{writes(a, 0, 8)}, {writes(b, 0, 8)}}, ".."},
      {"reads of the same", {{reads(a, 0, 8), writes(b, 0, 8)}, {reads(a, 0, 8), writes(b, 8, 16)}}, ".."},
      {"a write after a write", {{writes(a, 0, 8)}, {writes(a, 7, 16)}}, ".|."},
      {"a write after a read", {{reads(a, 0, 8)}, {writes(a, 4, 5)}}, ".|."},
      {"a read after a write", {{writes(a, 0, 8)}, {reads(a, 0, 1)}}, ".|."},
      {"a kernel after a copy", {{writes(a, 0, 8)}, everything}, ".|."},
      {"a copy after a kernel", {everything, {writes(a, 0, 8)}}, ".|."},
      {"kernels", {everything, everything, everything}, ".|.|."},
      {"a barrier covers all earlier commands",
       {{writes(a, 0, 8)}, {writes(b, 0, 8)}, {reads(a, 0, 8)}, {reads(b, 0, 8)}},
       "..|.."},
  };
  for (const auto& row : rows) EXPECT_EQ(planned({{0, false, row.commands}}), row.expected) << row.what;
}

TEST(barrier_plan, more_uses_than_it_records_get_a_barrier) {
  std::vector<std::vector<memory_use>> side_by_side;
  for (std::uint64_t i = 0; i < 100; ++i) side_by_side.push_back({writes(a, i, i + 1)});
  const std::string out = planned({{0, false, side_by_side}});
  EXPECT_EQ(std::count(out.begin(), out.end(), '|'), 3);
}

TEST(barrier_plan, a_submission_after_the_last_closed_one_must_be_closed) {
  vulkan::barrier_plan plan;
  std::uint64_t point = 0;
  const auto wants = [&](std::uint64_t after, bool closed) {
    plan.begin(after, point);
    plan.add({});
    const bool out = plan.wants_closing();
    plan.end(++point, closed);
    return out;
  };
  EXPECT_TRUE(wants(all, true)); // the queue's first
  EXPECT_TRUE(wants(all, true));
  EXPECT_FALSE(wants(0, false)); // depends on nothing
  EXPECT_FALSE(wants(3, false)); // its barrier precedes it
  EXPECT_FALSE(wants(0, false));
  EXPECT_FALSE(wants(5, true));
  EXPECT_TRUE(wants(6, true));
}

TEST(barrier_plan, a_dropped_submission_covers_nothing) {
  vulkan::barrier_plan plan;
  plan.begin(0, 0);
  EXPECT_FALSE(plan.add({}));
  plan.end(1, false);
  plan.begin(1, 1);
  EXPECT_TRUE(plan.add({})); // then the submission fails
  plan.begin(1, 1);
  EXPECT_TRUE(plan.add({}));
}

TEST(barrier_plan, a_command_after_unknown_work_gets_one) {
  vulkan::barrier_plan plan;
  plan.begin(0, 0);
  plan.require();
  EXPECT_TRUE(plan.add({}));
}

} // namespace prism::devices::test
