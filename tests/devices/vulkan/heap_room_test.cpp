// The room of a memory heap, with and without VK_EXT_memory_budget, which no driver here has.
#include "devices/vulkan/heap_room.hpp"

#include <gtest/gtest.h>

using namespace prism::devices::vulkan;

namespace {

TEST(heap_room, is_what_this_device_has_not_taken) {
  EXPECT_EQ(room_in({.size = 100, .charged = 30}), 70u);
  EXPECT_EQ(room_in({.size = 100, .charged = 100}), 0u);
  EXPECT_EQ(room_in({.size = 100, .charged = 120}), 0u);
}

TEST(heap_room, is_what_other_programs_leave) {
  EXPECT_EQ(room_in({.size = 100, .charged = 30, .budget = 60, .usage = 35}), 25u);
  EXPECT_EQ(room_in({.size = 100, .charged = 30, .budget = 40, .usage = 50}), 0u);
  EXPECT_EQ(room_in({.size = 100, .charged = 90, .budget = 100, .usage = 10}), 10u);
}

} // namespace
