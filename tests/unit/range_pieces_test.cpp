// The division of a kernel's range into pieces: sizes from facts that a table gives, without a device.
#include "runtime/submission/range_pieces.hpp"

#include <gtest/gtest.h>

namespace prism::runtime {
namespace {

using image::element_term;

/// A kernel over `items` with the accesses of one slot; each is a list of terms.
piece_problem problem(std::array<std::uint64_t, 3> items, const memory::shape& view,
                      const std::vector<std::vector<element_term>>& accesses) {
  piece_problem p;
  p.facts.slots.resize(1);
  for (const auto& terms : accesses) {
    p.facts.accesses.push_back({0, 4, std::uint32_t(p.facts.terms.size()), std::uint32_t(terms.size())});
    p.facts.terms.insert(p.facts.terms.end(), terms.begin(), terms.end());
  }
  p.launch.items = items;
  p.uses.push_back({{0}, 0, view, 4, 0, 0});
  p.limit = 4096;
  return p;
}
element_term x(std::int64_t factor) { return {factor, 0, {}, {}}; }
element_term y(std::int64_t factor) { return {factor, 1, {}, {}}; }
element_term constant(std::int64_t bytes) { return {bytes, element_term::no_id, {}, {}}; }

TEST(range_pieces, a_piece_uses_a_fourth_of_the_memory) {
  piece_problem p = problem({100'000, 1, 1}, {1, 1, 400'000}, {{x(4)}});
  p.local = {64, 1, 1};
  const piece_plan plan = plan_pieces(p);
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.piece.dimension, 0u);
  EXPECT_EQ(plan.piece.count, 4u); // of 256 bytes
  EXPECT_EQ(plan.groups, 1563u);
}

TEST(range_pieces, a_piece_has_the_neighbours_that_its_work_items_read) {
  piece_problem p = problem({1000, 1, 1}, {1, 1, 4000}, {{x(4), constant(-4)}, {x(4)}, {x(4), constant(4)}});
  p.local = {10, 1, 1};
  const memory::interval middle = bytes_of_piece(p, p.uses[0], {p.local, 0, 5, 2});
  EXPECT_EQ(middle.begin, 196u);
  EXPECT_EQ(middle.end, 284u);
  EXPECT_EQ(bytes_of_piece(p, p.uses[0], {p.local, 0, 0, 1}).begin, 0u); // behind a guard
  EXPECT_EQ(bytes_of_piece(p, p.uses[0], {p.local, 0, 99, 1}).end, 4000u);
}

TEST(range_pieces, rows_of_an_image_are_whole_and_groups_as_low_as_needed) {
  piece_problem p = problem({50, 100, 1}, {1, 100, 800}, {{y(800), x(4)}});
  p.local = {16, 16, 1};
  p.limit = 2000;
  const piece_plan plan = plan_pieces(p);
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.piece.dimension, 1u);
  EXPECT_EQ(plan.piece.local[1], 2u);
  EXPECT_EQ(plan.piece.count, 1u);
  const memory::interval rows = bytes_of_piece(p, p.uses[0], plan.piece);
  EXPECT_EQ(rows.begin, 0u);
  EXPECT_EQ(rows.end, 1600u);
}

TEST(range_pieces, a_transposed_access_is_divided_along_the_other_dimension) {
  const piece_problem p = problem({100, 100, 1}, {1, 1, 40'000}, {{x(400), y(4)}});
  const piece_plan plan = plan_pieces(p);
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.piece.dimension, 0u);
  EXPECT_EQ(plan.piece.count, 2u);
}

TEST(range_pieces, a_clamped_index_bounds_one_side_only) {
  piece_problem p =
      problem({1000, 1, 1}, {1, 1, 4000}, {{x(4), constant(-4)}, {constant(0)}, {constant(3996)}});
  p.facts.accesses[1].bounds = image::bounds_end;
  p.facts.accesses[2].bounds = image::bounds_begin;
  p.local = {10, 1, 1};
  const memory::interval middle = bytes_of_piece(p, p.uses[0], {p.local, 0, 5, 2});
  EXPECT_EQ(middle.begin, 196u);
  EXPECT_EQ(middle.end, 276u);
  EXPECT_EQ(bytes_of_piece(p, p.uses[0], {p.local, 0, 0, 1}).end, 36u);
}

TEST(range_pieces, indices_beyond_their_bounds_refuse_the_launch) {
  piece_problem p = problem({1000, 1, 1}, {1, 1, 4000}, {{x(4)}});
  p.facts.checks.push_back({image::index_bound::not_negative, 1, 2});
  p.facts.terms.insert(p.facts.terms.end(), {x(-1), constant(999)});
  EXPECT_EQ(plan_pieces(p).refusal, "");
  p.facts.terms.back() = constant(998);
  EXPECT_NE(plan_pieces(p).refusal, "");
  p.facts.checks[0].bound = image::index_bound::signed_32_bits;
  EXPECT_EQ(plan_pieces(p).refusal, "");
  p.facts.terms.back() = constant(std::int64_t(1) << 31);
  EXPECT_NE(plan_pieces(p).refusal, "");
}

TEST(range_pieces, what_is_not_proved_or_does_not_fit_is_refused) {
  piece_problem p = problem({1000, 1, 1}, {1, 1, 4000}, {{x(4)}});
  p.facts.slots[0].flags = image::reaches_anywhere;
  EXPECT_EQ(plan_pieces(p).refusal.find("the compiler did not prove which elements"), 0u);
  p.facts.refusal = "it has a barrier";
  EXPECT_EQ(plan_pieces(p).refusal, "it has a barrier");
  p = problem({1000, 1, 1}, {1, 1, 4000}, {{x(4)}});
  p.fixed_bytes = 4095;
  EXPECT_EQ(plan_pieces(p).refusal, "its smallest piece needs 4099 bytes of the memory");
  p = problem({1, 1, 1}, {1, 1, 40'000}, {{constant(0)}});
  EXPECT_EQ(plan_pieces(p).refusal, "it has one work-item");
}

TEST(range_pieces, captured_words_are_read_and_negative_ones_refused) {
  piece_problem p = problem({1000, 1, 1}, {1, 1, 40'000}, {{{4, 0, {8, 0}, {4, 0}}}});
  std::vector<std::byte> captured(16);
  captured[8] = std::byte(3);
  p.launch.captured = {captured.data(), captured.size()};
  EXPECT_EQ(bytes_of_piece(p, p.uses[0], {p.local, 0, 0, 10}).end, 112u);
  captured[11] = std::byte(0x80);
  EXPECT_NE(plan_pieces(p).refusal, "");
}

} // namespace
} // namespace prism::runtime
