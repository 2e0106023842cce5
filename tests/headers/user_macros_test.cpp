// The test of tests/sycl/user_macros_test.cpp, for any C++17 compiler.
#include "tests/sycl/user_macros.hpp"

TEST(user_macros, are_restored_after_the_headers_which_still_work) {
  const sycl::vec<int, 2> two(1, 2);
  EXPECT_EQ(two.x() + two.y(), 3);
}
