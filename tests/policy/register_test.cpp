// A backend that the program registers. In ctest each test is a process of its
// own; if they run together, the first one opens the devices.
#include "devices/api/backend.hpp"

#include <prism/prism.hpp>

#include <gtest/gtest.h>

extern "C" const prism::devices::backend* prism_backend_entry();

namespace {

std::string refusal_of(const prism::devices::backend& b) {
  try {
    prism::register_backend(b);
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::invalid);
    return e.what();
  }
  return "(taken)";
}

} // namespace

TEST(backend_registration, a_registered_backend_is_listed_and_used) {
  static prism::devices::backend record = *prism_backend_entry();
  EXPECT_EQ(refusal_of(record), "(taken)");
  EXPECT_NE(refusal_of(record).find("\"null\": the name is taken"), std::string::npos);
  static prism::devices::backend old = record;
  old.name = "old";
  old.version = 1;
  EXPECT_NE(refusal_of(old).find("\"old\": it implements version 1 of the device interface"),
            std::string::npos);
  static prism::devices::backend closed = record;
  closed.name = "closed";
  closed.open = nullptr;
  EXPECT_NE(refusal_of(closed).find("no function to open devices"), std::string::npos);

  const auto result_of_unregistering = [](const char* name) -> std::string {
    try {
      prism::unregister_backend(name);
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::invalid);
      return e.what();
    }
    return "(removed)";
  };
  EXPECT_NE(result_of_unregistering("nul").find("there is none of this name"), std::string::npos);
  EXPECT_NE(result_of_unregistering("host").find("a part of PRISM"), std::string::npos);
  static prism::devices::backend other = record;
  other.name = "other";
  EXPECT_EQ(refusal_of(other), "(taken)");
  EXPECT_EQ(prism::find_backends("other").size(), 1u);
  EXPECT_EQ(result_of_unregistering("other"), "(removed)");
  EXPECT_TRUE(prism::find_backends("other").empty()) << "it is neither listed nor opened";
  EXPECT_NE(result_of_unregistering("other").find("there is none of this name"), std::string::npos);
  EXPECT_EQ(refusal_of(other), "(taken)") << "its name was not in use";
  EXPECT_EQ(result_of_unregistering("other"), "(removed)");

  const auto found =
      prism::find_backends("null"); // the backend itself, and the rejected registration under its name
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[1].available);
  EXPECT_NE(found[1].reason.find("the name is taken"), std::string::npos);
  EXPECT_TRUE(found[0].available);
  EXPECT_EQ(found[0].version, "1.0");
  sycl::queue q{prism::by_name("null")};
  EXPECT_EQ(q.get_device().get_info<sycl::info::device::name>(), "null device");
  int values[4] = {1, 2, 3, 4}, back[4] = {};
  {
    sycl::buffer<int> b(values, sycl::range<1>(4));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.copy(a, back);
    });
    q.wait();
  }
  EXPECT_EQ(back[3], 4);

  static prism::devices::backend late = record;
  late.name = "late";
  EXPECT_NE(refusal_of(late).find("before the first use"), std::string::npos);
  EXPECT_NE(result_of_unregistering("null").find("before the first use"), std::string::npos);
}
