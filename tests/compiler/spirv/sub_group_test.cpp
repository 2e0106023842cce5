// Sub-groups: their members, and the exchange of values. random_flow_test.cpp tests control flow around
// exchanges.
#include "kernel_fixture.hpp"

#include <bit>
#include <map>
#include <set>

namespace {

using namespace prism;
using namespace prism::test;

class spirv_sub_group : public spirv_kernel {
protected:
  void SetUp() override {
    spirv_kernel::SetUp();
    if (!IsSkipped() && sub_group_size() == 0) GTEST_SKIP() << "the device has no ballots and shuffles";
  }
};

/// Computes %at, the work-item's number in a work-group of any shape, and stores the i32 %r that `body`
/// computes.
std::string stores_for_each_item(const std::string& body) {
  std::string text = "define void @k(ptr %c) {\nentry:\n";
  for (const char* d : {"0", "1", "2"})
    text += std::string("  %l") + d + " = call i64 @__prism_local_id(i32 " + d + ")\n  %s" + d +
            " = call i64 @__prism_local_size(i32 " + d + ")\n";
  return text + R"(  %z = mul i64 %l2, %s1
  %zy = add i64 %z, %l1
  %row = mul i64 %zy, %s0
  %at = add i64 %row, %l0
  %at32 = trunc i64 %at to i32
  %out = load ptr, ptr %c, align 8
  %p = getelementptr i32, ptr %out, i64 %at
)" + body +
         "  store i32 %r, ptr %p, align 4\n  ret void\n}\n";
}

TEST_F(spirv_sub_group, hold_consecutive_work_items_in_groups_of_any_shape) {
  const std::string body = R"(  %i = call i32 @__prism_sub_group_id()
  %n = call i32 @__prism_sub_group_count()
  %lane = call i32 @__prism_sub_group_local_id()
  %size = call i32 @__prism_sub_group_size()
  %local = call i32 @__prism_sub_group_local_size()
  %a = shl i32 %n, 8
  %b = or i32 %i, %a
  %cc = shl i32 %lane, 16
  %d = or i32 %b, %cc
  %e = shl i32 %local, 24
  %r = or i32 %d, %e
)";
  const auto out = make<std::uint32_t>(1024);
  const std::uint32_t shapes[][3] = {{64, 1, 1}, {20, 1, 1}, {5, 3, 1}, {1, 1, 1},
                                     {3, 2, 2},  {16, 4, 1}, {1, 64, 1}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE(std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " +
                 std::to_string(shape[2]));
    run(stores_for_each_item(body), {out.address}, {{1, 1, 1}, {shape[0], shape[1], shape[2]}});
    const std::uint32_t items = shape[0] * shape[1] * shape[2];
    std::map<std::uint32_t, std::set<std::uint32_t>> members;
    for (std::uint32_t i = 0; i < items; ++i)
      EXPECT_TRUE(members[out.host[i] & 255].insert(out.host[i] >> 16 & 255).second)
          << "two work-items have one place";
    for (std::uint32_t i = 0; i < items; ++i) {
      const auto& mine = members[out.host[i] & 255];
      EXPECT_EQ(out.host[i] >> 24, mine.size()) << "the local size, work-item " << i;
      EXPECT_EQ(*mine.rbegin() + 1, mine.size()) << "a gap, work-item " << i;
      EXPECT_LE(mine.size(), sub_group_size());
      EXPECT_EQ((out.host[i] & 255) * sub_group_size() + (out.host[i] >> 16 & 255), i)
          << "the place of work-item " << i;
      EXPECT_EQ(out.host[i] >> 8 & 255, members.size()) << "the number of sub-groups, work-item " << i;
    }
    EXPECT_EQ(members.rbegin()->first + 1, members.size()) << "sub-groups are numbered without gaps";
  }
}

TEST_F(spirv_sub_group, wide_values_travel_whole) {
  const auto out = make<std::uint32_t>(64);
  run(stores_for_each_item(R"(  %lane = call i32 @__prism_sub_group_local_id()
  %local = call i32 @__prism_sub_group_local_size()
  %next = add i32 %lane, 1
  %from = urem i32 %next, %local
  %wide = mul i64 %at, 1311768467463790321
  %got = call i64 @__prism_sub_group_shuffle_i64(i64 %wide, i32 %from)
  %back = add i32 %lane, %local
  %before = sub i32 %back, 1
  %to = urem i32 %before, %local
  %round = call i64 @__prism_sub_group_shuffle_i64(i64 %got, i32 %to)
  %same = icmp eq i64 %round, %wide
  %other = icmp ne i64 %got, %wide
  %alone = icmp eq i32 %local, 1
  %moved = or i1 %other, %alone
  %good = and i1 %same, %moved
  %r = zext i1 %good to i32
)"),
      {out.address}, {{1, 1, 1}, {60, 1, 1}});
  for (int i = 0; i < 60; ++i) EXPECT_EQ(out.host[i], 1u) << i;
}

TEST_F(spirv_sub_group, ballots_hold_those_that_vote_and_no_others) {
  const auto out = make<std::uint32_t>(32);
  run(stores_for_each_item(R"(  %third = urem i32 %at32, 3
  %votes = icmp eq i32 %third, 0
  %mask = call i64 @__prism_sub_group_ballot(i1 %votes)
  %lane = call i32 @__prism_sub_group_local_id()
  %lane64 = zext i32 %lane to i64
  %shifted = lshr i64 %mask, %lane64
  %mine = trunc i64 %shifted to i1
  %as_voted = icmp eq i1 %mine, %votes
  %local = call i32 @__prism_sub_group_local_size()
  %local64 = zext i32 %local to i64
  %absent = lshr i64 %mask, %local64
  %nobody_else = icmp eq i64 %absent, 0
  %good = and i1 %as_voted, %nobody_else
  %r = zext i1 %good to i32
)"),
      {out.address}, {{1, 1, 1}, {29, 1, 1}});
  for (int i = 0; i < 29; ++i) EXPECT_EQ(out.host[i], 1u) << i;
}

TEST_F(spirv_sub_group, a_place_beyond_the_sub_group_gives_any_value_and_no_harm) {
  const auto out = make<std::uint32_t>(32);
  run(stores_for_each_item(R"(  %far = mul i32 %at32, 1000003
  %any = call i32 @__prism_sub_group_shuffle_i32(i32 %at32, i32 %far)
  %none = and i32 %any, 0
  %r = or i32 %none, %at32
)"),
      {out.address}, {{1, 1, 1}, {32, 1, 1}});
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out.host[i], i);
}

/// The barrier's fence makes earlier writes to local memory visible to others.
TEST_F(spirv_sub_group, barriers_order_local_memory) {
  const auto out = make<std::uint32_t>(64);
  run(stores_for_each_item(R"(  %arena = call ptr @__prism_local_arena()
  %lane = call i32 @__prism_sub_group_local_id()
  %local = call i32 @__prism_sub_group_local_size()
  %place = getelementptr i32, ptr %arena, i64 %at
  %start = sub i32 %at32, %lane
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %sum = phi i32 [ 0, %entry ], [ %more, %round ]
  %given = add i32 %at32, %k
  store i32 %given, ptr %place, align 4
  call void @__prism_sub_group_barrier(i32 1)
  %step = add i32 %lane, %k
  %other = urem i32 %step, %local
  %index = add i32 %start, %other
  %wide = zext i32 %index to i64
  %from = getelementptr i32, ptr %arena, i64 %wide
  %got = load i32, ptr %from, align 4
  call void @__prism_sub_group_barrier(i32 1)
  %part = sub i32 %got, %k
  %x = sub i32 %part, %index
  %more = add i32 %sum, %x
  %k1 = add i32 %k, 1
  %on = icmp ult i32 %k1, 10
  br i1 %on, label %round, label %over
over:
  %r = add i32 %more, 7
)"),
      {out.address}, {{1, 1, 1}, {64, 1, 1}}, 256);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out.host[i], 7u) << i;
}

} // namespace
