// Which kernels reach memory through the buffers of their arguments, and which need addresses. That both
// compute the same, sycl.pointers and all other suites show on lavapipe.
#include <gtest/gtest.h>

#include <set>

#include "devices/vulkan/lower/argument_buffers.hpp"
#include "kernel_fixture.hpp"

namespace {

using namespace prism::test;
using namespace prism::devices::vulkan::lower;
using offsets = std::vector<std::uint32_t>;

/// A kernel with these instructions by buffers. %x and %y are pointers at 0 and 8 of the argument block, %n
/// 64 bits at 16, %id the work-item's id.
argument_buffers by_buffers(const std::string& body, const offsets& possible) {
  const std::string text = std::string("define void @k(ptr %c) {\nentry:\n") + global_id + R"(
  %x = load ptr, ptr %c, align 8
  %yp = getelementptr i8, ptr %c, i64 8
  %y = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %c, i64 16
  %n = load i64, ptr %np, align 8
)" + body;
  const auto emitted = emit_text(text);
  EXPECT_EQ(emitted.refusal, "") << text;
  auto made = with_argument_buffers(emitted.words, possible);
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

} // namespace
