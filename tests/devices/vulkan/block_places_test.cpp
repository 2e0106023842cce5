// Which block of memory a pointer is in.
#include "devices/vulkan/block_places.hpp"

#include <gtest/gtest.h>

using namespace prism::devices::vulkan;

namespace {

const block* number(std::uintptr_t n) { return reinterpret_cast<const block*>(n); }

TEST(block_places, find_the_block_around_an_address) {
  block_places places;
  places.enter(100, 50, number(1));
  places.enter(150, 10, number(2));
  EXPECT_EQ(places.around(99), nullptr);
  EXPECT_EQ(places.around(100), number(1));
  EXPECT_EQ(places.around(149), number(1));
  EXPECT_EQ(places.around(150), number(2));
  EXPECT_EQ(places.around(160), nullptr);
  places.leave(100, number(1));
  EXPECT_EQ(places.around(120), nullptr);
  EXPECT_EQ(places.around(155), number(2));
}

TEST(block_places, find_none_in_memory_that_two_blocks_share) {
  block_places places;
  places.enter(100, 1000, number(1));
  places.enter(120, 10, number(2));
  places.enter(300, 10, number(3));
  for (const std::uint64_t inside : {100, 125, 200, 305, 500})
    EXPECT_EQ(places.around(inside), nullptr) << inside;
  places.enter(100, 1000, number(4));
  places.leave(100, number(1));
  EXPECT_EQ(places.around(500), nullptr);
}

TEST(block_places, of_a_queue_forget_blocks_that_went) {
  block_places places;
  pointer_cache queue;
  places.enter(4096, 50, number(1));
  EXPECT_EQ(queue.around(4100, places), number(1));
  EXPECT_EQ(queue.around(4100, places), number(1));
  places.leave(4096, number(1));
  EXPECT_EQ(queue.around(4100, places), nullptr);
  places.enter(4096, 50, number(2));
  EXPECT_EQ(queue.around(4100, places), number(2));
  EXPECT_EQ(queue.around(0, places), nullptr);
}

} // namespace
