// Which kernels reach memory through the buffers of their arguments, and which need addresses. That both
// compute the same, sycl.pointers and all other suites show on lavapipe.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "devices/vulkan/lower/argument_buffers.hpp"
#include "kernel_fixture.hpp"

namespace {

using namespace prism::test;
using namespace prism::devices::vulkan::lower;
using offsets = std::vector<std::uint32_t>;

/// A kernel with these instructions by buffers. %x and %y are pointers at 0 and 8 of the argument block, %n
/// 64 bits at 16, %id the work-item's id.
argument_buffers by_buffers(const std::string& body, const offsets& possible, bool small = false) {
  const std::string text = std::string("define void @k(ptr %c) {\nentry:\n") + global_id + R"(
  %x = load ptr, ptr %c, align 8
  %yp = getelementptr i8, ptr %c, i64 8
  %y = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %c, i64 16
  %n = load i64, ptr %np, align 8
)" + body;
  const auto emitted = emit_text(text);
  EXPECT_EQ(emitted.refusal, "") << text;
  auto made = with_argument_buffers(emitted.words, possible, small);
  if (!made.pointers.empty()) {
    EXPECT_EQ(validate(made.module), "") << text;
  }
  return made;
}

std::vector<argument_pointer> buffers_of(const std::string& body, const offsets& possible) {
  return by_buffers(body, possible).pointers;
}

/// How many places in push constants the module computes behind its first branch.
int push_constants_in_branches(std::span<const std::uint32_t> module) {
  std::set<std::uint32_t> types; // pointers to push constants
  bool is_in_branch = false;
  int found = 0;
  for_each(module, [&](const instruction& each) {
    if (each.code == spv::OpTypePointer && each.operands[1] == spv::StorageClassPushConstant)
      types.insert(each.operands[0]);
    is_in_branch |= each.code == spv::OpBranchConditional;
    found += is_in_branch && each.code == spv::OpAccessChain && types.count(each.operands[0]) != 0;
  });
  return found;
}

/// The offsets of these pointers.
offsets pointers_of(const std::string& body, const offsets& possible = {0, 8}) {
  offsets found;
  for (const auto& each : buffers_of(body, possible)) found.push_back(each.offset);
  return found;
}

TEST(argument_buffers, hold_what_a_pointer_plus_numbers_reaches) {
  EXPECT_EQ(pointers_of(R"(
  %p = getelementptr float, ptr %x, i64 %id
  %q = getelementptr float, ptr %y, i64 %id
  %v = load float, ptr %p, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr %q, align 4
  ret void
})"),
            (offsets{0, 8}));
  EXPECT_EQ(pointers_of(R"(
  %k = mul i64 %id, %n
  %before = sub i64 %k, 5
  %p = getelementptr double, ptr %y, i64 %before
  store double 1.0, ptr %p, align 8
  ret void
})"),
            offsets{8});
}

TEST(argument_buffers, have_their_addresses_read_in_front_of_every_branch) {
  const auto made = by_buffers(R"(
  %inside = icmp ult i64 %id, %n
  br i1 %inside, label %body, label %end
body:
  %p = getelementptr float, ptr %x, i64 %id
  %q = getelementptr float, ptr %y, i64 %id
  %v = load float, ptr %p, align 4
  store float %v, ptr %q, align 4
  br label %end
end:
  ret void
})",
                               {0, 8});
  EXPECT_EQ(made.pointers.size(), 2u);
  EXPECT_EQ(push_constants_in_branches(made.module), 0);
}

TEST(argument_buffers, of_vectors_and_their_elements_need_pointers_aligned_to_the_vectors) {
  const auto made = buffers_of(R"(
  %p = getelementptr [4 x float], ptr %x, i64 %id
  %p1 = getelementptr i8, ptr %p, i64 4
  %a = load float, ptr %p, align 16
  %b = load float, ptr %p1, align 4
  %q = getelementptr [4 x float], ptr %y, i64 %id
  %q1 = getelementptr i8, ptr %q, i64 4
  %q2 = getelementptr i8, ptr %q, i64 8
  %q3 = getelementptr i8, ptr %q, i64 12
  store float %b, ptr %q, align 16
  store float %a, ptr %q1, align 4
  store float %a, ptr %q2, align 8
  store float %b, ptr %q3, align 4
  %r = getelementptr float, ptr %x, i64 %id
  store float %a, ptr %r, align 4
  ret void
})",
                               {0, 8});
  EXPECT_EQ(made, (std::vector<argument_pointer>{{0, 8}, {8, 16}}));
}

TEST(argument_buffers, hold_what_a_pointer_of_a_loop_and_a_choice_of_places_reach) {
  EXPECT_EQ(pointers_of(R"(
  %far = getelementptr i32, ptr %x, i64 %n
  %even = icmp eq i64 %id, 4
  %begin = select i1 %even, ptr %x, ptr %x
  br label %loop
loop:
  %p = phi ptr [ %begin, %entry ], [ %next, %loop ]
  %next = getelementptr i32, ptr %p, i64 1
  %old = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
  %ends = icmp eq ptr %next, %far
  br i1 %ends, label %done, label %loop
done:
  ret void
})"),
            offsets{0});
}

TEST(argument_buffers, are_left_out_where_the_memory_may_be_another) {
  // the kernel chooses between two pointers
  EXPECT_EQ(pointers_of(R"(
  %even = icmp eq i64 %id, 4
  %either = select i1 %even, ptr %x, ptr %y
  %p = getelementptr i32, ptr %either, i64 %id
  store i32 1, ptr %p, align 4
  ret void
})"),
            offsets{});
  // two words among the arguments, each of which may be the pointer
  const std::string moved = R"(
  %place = getelementptr i8, ptr %x, i64 %n
  %p = getelementptr i8, ptr %place, i64 %id
  store i8 1, ptr %p, align 1
  ret void
})";
  EXPECT_EQ(pointers_of(moved, {0, 16}), offsets{});
  EXPECT_EQ(pointers_of(moved, {0}), offsets{0});
  // a pointer in memory
  EXPECT_EQ(pointers_of(R"(
  %inner = load ptr, ptr %x, align 8
  %p = getelementptr i32, ptr %inner, i64 %id
  store i32 1, ptr %p, align 4
  ret void
})"),
            offsets{});
}

TEST(argument_buffers, are_at_most_eight) {
  for (const int count : {8, 9}) {
    std::string body;
    offsets all;
    for (int k = 0; k < count; ++k) {
      const std::string number = std::to_string(k);
      all.push_back(std::uint32_t(8 * k));
      body += "  %a" + number + " = getelementptr i8, ptr %c, i64 " + std::to_string(8 * k) + "\n  %b" +
              number + " = load ptr, ptr %a" + number + ", align 8\n  %p" + number +
              " = getelementptr float, ptr %b" + number + ", i64 %id\n  store float 1.0, ptr %p" + number +
              ", align 4\n";
    }
    EXPECT_EQ(pointers_of(body + "  ret void\n}", all).size(), count == 8 ? 8u : 0u);
  }
}

/// How many right shifts, divisions and comparisons have 64 bits.
int wide_operations(std::span<const std::uint32_t> module) {
  std::set<std::uint32_t> wide; // values
  std::uint32_t type = 0;
  int found = 0;
  for_each(module, [&](const instruction& each) {
    const auto& o = each.operands;
    if (each.code == spv::OpTypeInt && o[1] == 64) type = o[0];
    const bool computes = each.code == spv::OpShiftRightLogical || each.code == spv::OpUDiv ||
                          each.code == spv::OpULessThan || each.code == spv::OpSLessThan;
    found += computes && wide.count(o[2]) != 0;
    if (o.size() > 1 && o[0] == type) wide.insert(o[1]);
  });
  return found;
}

struct small_module {
  std::vector<number_limit> limits;
  int narrowed = 0; // operations that have 64 bits in the module without small numbers
};
small_module small_numbers_of(const std::string& body) {
  const auto plain = by_buffers(body, {0, 8}), small = by_buffers(body, {0, 8}, true);
  EXPECT_EQ(plain.limits, std::vector<number_limit>{});
  return {small.limits, wide_operations(plain.module) - wide_operations(small.module)};
}

/// A kernel that stores at %at if %inside.
std::string stores_where(const std::string& condition, const std::string& place) {
  return condition + "  br i1 %inside, label %body, label %end\nbody:\n" + place +
         "  %p = getelementptr float, ptr %x, i64 %at\n  %q = getelementptr float, ptr %y, i64 %id\n"
         "  %v = load float, ptr %q, align 4\n  store float %v, ptr %p, align 4\n"
         "  br label %end\nend:\n  ret void\n}";
}

TEST(small_numbers, are_ids_their_quotients_and_what_bounds_them) {
  const std::string below_n = "  %inside = icmp ult i64 %id, %n\n";
  const auto transposed =
      small_numbers_of(stores_where(below_n, "  %row = lshr i64 %id, 10\n  %at = add i64 %row, 7\n"));
  EXPECT_EQ(transposed.limits, (std::vector<number_limit>{{0, 0, {}}, {no_dimension, 0, {16}}}));
  EXPECT_EQ(transposed.narrowed, 2);
  // a sum of an id, a number of the arguments and a constant, without a sign although compared with one
  const auto moved = small_numbers_of(
      stores_where("  %m = add i64 %id, %n\n  %k = add i64 %m, 3\n  %inside = icmp slt i64 %k, 9000\n",
                   "  %at = udiv i64 %k, %n\n"));
  EXPECT_EQ(moved.limits, (std::vector<number_limit>{{0, 3, {16}}, {no_dimension, 0, {16}}}));
  EXPECT_EQ(moved.narrowed, 2);
}

TEST(small_numbers, are_not_those_that_may_have_a_high_word) {
  const std::string below = "  %inside = icmp ult i64 %k, 9000\n", at_id = "  %at = add i64 %id, 0\n";
  for (const std::string odd :
       {"  %k = sub i64 %id, 1\n", "  %k = add i64 %id, -1\n", "  %k = mul i64 %id, %n\n",
        "  %k = shl i64 %id, 3\n", "  %k = add i64 %id, %id\n", "  %k = xor i64 %id, -1\n"}) {
    const auto found = small_numbers_of(stores_where(odd + below, at_id));
    EXPECT_EQ(found.limits, std::vector<number_limit>{}) << odd;
    EXPECT_EQ(found.narrowed, 0) << odd;
  }
}

TEST(small_numbers, of_the_arguments_alone_set_no_limit) {
  EXPECT_EQ(
      small_numbers_of(stores_where("  %inside = icmp ult i64 %n, 5\n", "  %at = lshr i64 %n, 4\n")).limits,
      std::vector<number_limit>{});
}

} // namespace
