// Which of an OpenCL driver's queues takes a submission.
#include "devices/opencl/queue_choice.hpp"

#include <gtest/gtest.h>

#include <vector>

using prism::devices::opencl::choose_queue;

namespace {

std::size_t chosen(std::vector<std::uint64_t> tails, std::uint64_t completed, std::uint64_t after,
                   std::size_t most) {
  return choose_queue(tails, completed, after, most);
}

TEST(driver_queue_choice, a_submission_follows_the_last_one_in_its_queue) {
  EXPECT_EQ(chosen({7}, 0, 7, 4), 0u);
  EXPECT_EQ(chosen({5, 7, 6}, 0, 7, 4), 1u) << "the queue whose order costs no wait";
}

TEST(driver_queue_choice, an_independent_submission_gets_a_queue_of_its_own) {
  EXPECT_EQ(chosen({7}, 0, 0, 4), 1u) << "a new one";
  EXPECT_EQ(chosen({7, 8}, 3, 5, 4), 2u);
}

TEST(driver_queue_choice, a_queue_without_work_is_used_before_a_new_one) {
  EXPECT_EQ(chosen({7, 3}, 3, 0, 4), 1u);
  EXPECT_EQ(chosen({2, 3}, 3, 0, 4), 1u);
}

TEST(driver_queue_choice, without_a_further_queue_it_follows_the_oldest_work) {
  EXPECT_EQ(chosen({9, 7, 8}, 0, 0, 3), 1u);
  EXPECT_EQ(chosen({9}, 0, 0, 1), 0u);
}

} // namespace
