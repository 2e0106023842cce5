// Sub-groups: their members, and the exchange of values. random_flow_test.cpp tests control flow around
// exchanges.
#include "kernel_fixture.hpp"

#include <bit>
#include <limits>
#include <map>
#include <set>
#include <type_traits>

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

/// Computes %at, the work-item's number in a work-group of any shape, and stores the %r that `body` computes.
std::string stores_for_each_item(const std::string& body, const std::string& type = "i32") {
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
  %p = getelementptr )" +
         type + ", ptr %out, i64 %at\n" + body + "  store " + type + " %r, ptr %p, align 4\n  ret void\n}\n";
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

/// The operations of __prism_sub_group_combine_* and their forms.
template <typename T>
struct combination {
  unsigned number;
  const char* name;
  T identity;
  T (*combine)(T, T);
};
template <typename T>
std::vector<combination<T>> combinations() {
  using limits = std::numeric_limits<T>;
  std::vector<combination<T>> all{
      {0, "add", T(0), [](T a, T b) { return T(a + b); }},
      {1, "multiply", T(1), [](T a, T b) { return T(a * b); }},
  };
  if constexpr (std::is_floating_point_v<T>) {
    all.push_back({2, "minimum", limits::infinity(), [](T a, T b) { return std::min(a, b); }});
    all.push_back({3, "maximum", -limits::infinity(), [](T a, T b) { return std::max(a, b); }});
  } else {
    using S = std::make_signed_t<T>;
    all.push_back(
        {2, "minimum", T(std::numeric_limits<S>::max()), [](T a, T b) { return T(std::min(S(a), S(b))); }});
    all.push_back(
        {3, "maximum", T(std::numeric_limits<S>::min()), [](T a, T b) { return T(std::max(S(a), S(b))); }});
    all.push_back({4, "unsigned_minimum", limits::max(), [](T a, T b) { return std::min(a, b); }});
    all.push_back({5, "unsigned_maximum", T(0), [](T a, T b) { return std::max(a, b); }});
    all.push_back({6, "bit_and", T(~T(0)), [](T a, T b) { return T(a & b); }});
    all.push_back({7, "bit_or", T(0), [](T a, T b) { return T(a | b); }});
    all.push_back({8, "bit_xor", T(0), [](T a, T b) { return T(a ^ b); }});
  }
  return all;
}

class spirv_sub_group_combination : public spirv_sub_group {
protected:
  /// Reduces and scans `count` values by each operation, in one work-group. `type`: LLVM's name.
  template <typename T>
  void expect_combinations(const std::string& type, const std::string& suffix, std::vector<T> values) {
    const auto count = static_cast<std::uint32_t>(values.size());
    const auto in = make<T>(count), out = make<T>(count);
    std::copy(values.begin(), values.end(), in.host);
    const std::uint32_t size = sub_group_size();
    for (const combination<T>& each : combinations<T>())
      for (unsigned form = 0; form < 3; ++form) {
        SCOPED_TRACE(std::string(each.name) + " of " + type + ", form " + std::to_string(form) + ", " +
                     std::to_string(count) + " work-items");
        run(stores_for_each_item("  %inp = getelementptr ptr, ptr %c, i64 1\n"
                                 "  %in = load ptr, ptr %inp, align 8\n"
                                 "  %vp = getelementptr " +
                                     type +
                                     ", ptr %in, i64 %at\n"
                                     "  %v = load " +
                                     type +
                                     ", ptr %vp, align 4\n"
                                     "  %r = call " +
                                     type + " @__prism_sub_group_combine_" + suffix + "(i32 " +
                                     std::to_string(each.number + 16 * form) + ", " + type + " %v)\n",
                                 type),
            {out.address, in.address}, {{1, 1, 1}, {count, 1, 1}});
        for (std::uint32_t begin = 0; begin < count; begin += size) {
          const std::uint32_t end = std::min(begin + size, count);
          T total = each.identity;
          for (std::uint32_t i = begin; form == 0 && i < end; ++i) total = each.combine(total, values[i]);
          for (std::uint32_t i = begin; i < end; ++i) {
            const T before = total;
            if (form != 0) total = each.combine(total, values[i]);
            EXPECT_EQ(out.host[i], form == 2 ? before : total) << "work-item " << i;
          }
        }
      }
  }
};

TEST_F(spirv_sub_group_combination, is_of_all_work_items_of_the_sub_group_and_of_no_others) {
  for (const std::uint32_t count : {61u, 5u}) {
    std::vector<std::uint32_t> words;
    std::vector<float> floats;
    for (std::uint32_t i = 0; i < count; ++i) {
      words.push_back(i * 2654435761u + 77);
      floats.push_back(float(int(i * 7 % 5) - 2 == 0 ? 3 : int(i * 7 % 5) - 2)); // exact in any order
    }
    expect_combinations<std::uint32_t>("i32", "i32", words);
    expect_combinations<float>("float", "f32", floats);
  }
}

TEST_F(spirv_sub_group_combination, of_wide_values_is_exact) {
  std::vector<std::uint64_t> words;
  std::vector<double> doubles;
  for (std::uint32_t i = 0; i < 61; ++i) {
    words.push_back(i * 11400714819323198485u + 77);
    doubles.push_back(i % 3 == 0 ? -2.0 : 1.0 + i % 2);
  }
  expect_combinations<std::uint64_t>("i64", "i64", words);
  expect_combinations<double>("double", "f64", doubles);
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
