#include "runtime/memory/geometry.hpp"

#include <gtest/gtest.h>
#include <random>

using namespace prism::memory;

namespace {

/// Counts for each byte the boxes that contain it.
void mark(const shape& s, const byte_box& b, std::vector<int>& bytes) {
  for (auto z = b.lo[0]; z < b.hi[0]; ++z)
    for (auto y = b.lo[1]; y < b.hi[1]; ++y)
      for (auto x = b.lo[2]; x < b.hi[2]; ++x) ++bytes[offset_of(s, {z, y, x})];
}

TEST(geometry, every_interval_becomes_at_most_five_disjoint_boxes) {
  const shape s{3, 4, 5};
  for (std::uint64_t begin = 0; begin <= s.bytes(); ++begin)
    for (std::uint64_t end = begin; end <= s.bytes(); ++end) {
      std::vector<int> bytes(s.bytes());
      const auto boxes = boxes_of(s, {begin, end});
      EXPECT_LE(boxes.size(), 5u);
      for (const byte_box& b : boxes) mark(s, b, bytes);
      for (std::uint64_t i = 0; i < s.bytes(); ++i)
        ASSERT_EQ(bytes[i], i >= begin && i < end) << begin << ' ' << end;
    }
}

byte_box random_box(std::mt19937& random, const shape& s) {
  const std::uint64_t limits[3] = {s.slices, s.rows, s.row_bytes};
  byte_box b;
  for (int d = 0; d < 3; ++d) {
    b.lo[d] = random() % limits[d];
    b.hi[d] = b.lo[d] + 1 + random() % (limits[d] - b.lo[d]);
  }
  return b;
}

TEST(geometry, a_difference_and_the_intersection_cover_the_box_once) {
  std::mt19937 random(1);
  const shape s{4, 4, 6};
  for (int i = 0; i < 2000; ++i) {
    const byte_box a = random_box(random, s), b = random_box(random, s);
    box_list parts;
    subtract(a, b, parts);
    EXPECT_LE(parts.size(), 6u);
    if (const auto common = intersect(a, b)) parts.push_back(*common);
    std::vector<int> got(s.bytes()), expected(s.bytes());
    for (const byte_box& p : parts) mark(s, p, got);
    mark(s, a, expected);
    EXPECT_EQ(got, expected);
  }
}

TEST(geometry, pieces_of_a_box_are_small_enough_and_cover_it_once) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const shape s{1 + random() % 5, 1 + random() % 6, 1 + random() % 9};
    const byte_box all = random_box(random, s);
    const std::uint64_t most = 1 + random() % 40;
    std::vector<int> bytes(s.bytes());
    const auto pieces = pieces_of(all, most);
    for (const byte_box& piece : pieces) {
      EXPECT_LE(piece.bytes(), most);
      mark(s, piece, bytes);
    }
    std::vector<int> expected(s.bytes());
    mark(s, all, expected);
    ASSERT_EQ(bytes, expected) << round;
    if (!all.empty() && all.bytes() <= most) {
      EXPECT_EQ(pieces.size(), 1u);
    }
  }
  EXPECT_EQ(pieces_of({{0, 0, 0}, {2, 3, 10}}, 30).size(), 2u) << "whole slices";
  EXPECT_EQ(pieces_of({{0, 0, 0}, {1, 10, 10}}, 35).size(), 4u) << "whole rows";
  EXPECT_EQ(pieces_of({{0, 0, 0}, {1, 2, 10}}, 4).size(), 6u) << "partial rows";
}

TEST(geometry, merges_boxes_only_into_a_box) {
  const byte_box a{{0, 0, 0}, {1, 2, 4}}, right{{0, 0, 4}, {1, 2, 8}}, below{{0, 2, 0}, {1, 3, 4}},
      apart{{0, 0, 5}, {1, 2, 8}};
  EXPECT_EQ(join(a, right), (byte_box{{0, 0, 0}, {1, 2, 8}}));
  EXPECT_EQ(join(below, a), (byte_box{{0, 0, 0}, {1, 3, 4}}));
  EXPECT_FALSE(join(a, apart));
  EXPECT_FALSE(join(right, below));
}

TEST(geometry, detects_contiguous_boxes) {
  const shape s{2, 4, 8};
  EXPECT_TRUE(contiguous(s, whole(s)));
  EXPECT_TRUE(contiguous(s, {{1, 1, 0}, {2, 3, 8}}));
  EXPECT_TRUE(contiguous(s, {{1, 1, 2}, {2, 2, 5}}));
  EXPECT_FALSE(contiguous(s, {{0, 0, 0}, {1, 2, 4}}));
}

} // namespace
