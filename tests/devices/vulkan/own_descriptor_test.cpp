// The descriptor that a driver gets for an import: closed if the import fails, once.
#include "devices/vulkan/own_descriptor.hpp"

#include <gtest/gtest.h>

namespace {

using prism::devices::vulkan::own_descriptor;

bool is_open(int number) { return fcntl(number, F_GETFD) != -1; }

class own_descriptors : public testing::Test {
protected:
  own_descriptors() : m_file(open("/dev/null", O_RDWR | O_CLOEXEC)) {}
  ~own_descriptors() override { close(m_file); }
  int m_file;
};

TEST_F(own_descriptors, are_closed_with_their_owner) {
  int number = -1;
  {
    const own_descriptor own(m_file);
    number = own.number();
    EXPECT_NE(number, m_file);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  EXPECT_TRUE(is_open(m_file));
}

TEST_F(own_descriptors, stay_open_after_an_import_that_succeeded) {
  own_descriptor own(m_file);
  const int number = own.number();
  own.release();
  EXPECT_TRUE(is_open(number));
  close(number);
}

TEST_F(own_descriptors, leave_another_file_open_that_has_their_number_by_now) {
  int number = -1, other = -1;
  {
    const own_descriptor own(m_file);
    number = own.number();
    other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    dup2(other, number); // the driver closed it, and another thread opened a file
  }
  EXPECT_TRUE(is_open(number));
  close(number);
  close(other);
}

TEST_F(own_descriptors, are_refused_for_what_is_not_open) {
  EXPECT_EQ(own_descriptor(-1).number(), -1);
  const int closed = dup(m_file);
  close(closed);
  EXPECT_THROW(own_descriptor{closed}, prism::devices::device_error);
}

} // namespace
