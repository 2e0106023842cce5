// Programs compiled with prism++ --reproducible compute the same bits on every device.
#include "tests/sycl/reproducible_programs.hpp"

TEST(reproducible, random_programs_of_floats_give_the_same_bits_on_all_devices) {
  expect_same_bits_on_all_devices<float>(40);
}
TEST(reproducible, random_programs_of_doubles_give_the_same_bits_on_all_devices) {
  expect_same_bits_on_all_devices<double>(20);
}
