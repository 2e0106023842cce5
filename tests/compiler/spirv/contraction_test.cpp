// A module in which the driver may not round a product and a sum together.
#include <gtest/gtest.h>

#include <set>

#include "devices/vulkan/lower/contraction.hpp"
#include "kernel_fixture.hpp"

namespace {

using namespace prism::test;
namespace lower = prism::devices::vulkan::lower;

struct arithmetic {
  std::set<std::uint32_t> results, exact; // of sums and products; of instructions with NoContraction
  bool all_exact() const { return std::includes(exact.begin(), exact.end(), results.begin(), results.end()); }
};
arithmetic arithmetic_of(const std::vector<std::uint32_t>& module) {
  arithmetic found;
  lower::for_each(module, [&](const lower::instruction& i) {
    if (i.code == spv::OpDecorate && i.operands[1] == spv::DecorationNoContraction) {
      EXPECT_TRUE(found.exact.insert(i.operands[0]).second) << "decorated twice";
    }
    if (i.code == spv::OpFAdd || i.code == spv::OpFSub || i.code == spv::OpFMul)
      found.results.insert(i.operands[1]);
  });
  return found;
}

TEST(contraction, is_forbidden_for_every_sum_and_product) {
  const auto emitted = emit_text(std::string("define void @k(ptr %c) {\nentry:\n") + global_id + R"(
  %x = load ptr, ptr %c, align 8
  %p = getelementptr float, ptr %x, i64 %id
  %v = load float, ptr %p, align 4
  %w = call float @llvm.fmuladd.f32(float %v, float %v, float 3.0)
  %d = fsub float %w, %v
  %m = fmul contract float %d, %w
  store float %m, ptr %p, align 4
  ret void
}
declare float @llvm.fmuladd.f32(float, float, float))");
  ASSERT_EQ(emitted.refusal, "");
  const arithmetic before = arithmetic_of(emitted.words);
  EXPECT_EQ(before.results.size(), 4u);
  EXPECT_EQ(before.exact.size(), 1u) << "the subtraction, which the source does not let contract";
  const lower::words changed = lower::without_contraction(emitted.words);
  EXPECT_TRUE(arithmetic_of(changed).all_exact());
  EXPECT_EQ(validate(changed), "");
  EXPECT_EQ(lower::without_contraction(changed), changed);
}

TEST(contraction, of_a_damaged_module_is_refused) {
  EXPECT_THROW(lower::without_contraction(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 0x00ff0000}),
               lower::refused);
}

} // namespace
