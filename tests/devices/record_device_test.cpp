// The record device: properties that tests of the runtime rely on. The conformance kit tests what all devices
// have in common.
#include "devices/record/device.hpp"

#include "devices/api/backend.hpp"

#include <gtest/gtest.h>

namespace prism::devices {
const backend& record_backend();

namespace {

class record_device_test : public testing::Test {
protected:
  std::vector<std::unique_ptr<device>> m_devices = record_backend().open();
  record::record_device& at(std::size_t i) { return *record::as_record(*m_devices.at(i)); }
  static command fill(memory& m, int value) { return fill_command{&m, 0, m.size(), {std::byte(value)}}; }
  static int first_byte(device& d, memory& m) {
    const auto q = d.create_queue({});
    std::byte value{};
    const command copy = copy_command{{&m}, {nullptr, &value}, 1};
    q->points().wait(q->submit({&copy, 1}, {}));
    return std::to_integer<int>(value);
  }
};

TEST_F(record_device_test, opens_two_devices_of_one_driver_and_one_of_another) {
  ASSERT_EQ(m_devices.size(), 3u);
  const auto a = at(0).create_queue({}), b = at(1).create_queue({}), c = at(2).create_queue({});
  EXPECT_TRUE(at(0).can_wait_for(b->points()));
  EXPECT_FALSE(at(0).can_wait_for(c->points()));
  EXPECT_FALSE(at(2).can_wait_for(a->points()));
}

TEST_F(record_device_test, records_submitted_commands) {
  const auto m = at(0).create_memory(64, memory_kind::buffer, 64);
  const auto q = at(0).create_queue({}), r = at(1).create_queue({});
  const auto one = fill(*m, 1);
  const timeline_point wait{&q->points(), q->submit({&one, 1}, {})};
  const command launch = dispatch_command{nullptr, {4, 5, 6}, {7, 1, 1}, 32, {}, {}, {}, {}};
  r->submit({&launch, 1}, {&wait, 1});
  const auto log = at(1).log();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].waits, (std::vector<record::recorded_wait>{{0, 0, 1}}));
  EXPECT_EQ(std::get<dispatch_command>(log[0].commands.at(0)).groups, (extent3{4, 5, 6}));
  at(1).clear_log();
  EXPECT_TRUE(at(1).log().empty());
}

TEST_F(record_device_test, delayed_points_complete_when_released) {
  const auto m = at(0).create_memory(64, memory_kind::host, 64);
  const auto q = at(0).create_queue({}), r = at(1).create_queue({});
  at(0).hold();
  const auto one = fill(*m, 1), two = fill(*m, 2), three = fill(*m, 3);
  q->submit({&one, 1}, {});
  const timeline_point second{&q->points(), q->submit({&two, 1}, {})};
  r->submit({&three, 1}, {&second, 1});
  EXPECT_EQ(q->points().completed(), 0u);
  at(0).release_next(1);
  EXPECT_EQ(q->points().completed(), 1u);
  EXPECT_EQ(*static_cast<char*>(m->host_pointer()), 1);
  EXPECT_FALSE(r->points().wait(1, std::chrono::milliseconds(5)));
  at(0).release();
  EXPECT_EQ(r->points().completed(), 1u) << "the other device must continue after its dependency completed";
  EXPECT_EQ(*static_cast<char*>(m->host_pointer()), 3);
}

TEST_F(record_device_test, a_chosen_submission_fails_and_so_do_its_dependents) {
  const auto m = at(0).create_memory(64, memory_kind::buffer, 64);
  const auto q = at(0).create_queue({}), r = at(1).create_queue({});
  at(0).fail_next(device_error(error_category::lost, "CL_DEVICE_LOST", "run: the device went away"), 1);
  const auto one = fill(*m, 1), two = fill(*m, 2), three = fill(*m, 3);
  q->submit({&one, 1}, {});
  const timeline_point failing{&q->points(), q->submit({&two, 1}, {})};
  const auto dependant = r->submit({&three, 1}, {&failing, 1});
  EXPECT_FALSE(q->points().failure(1));
  ASSERT_TRUE(q->points().failure(2));
  EXPECT_EQ(q->points().failure(2)->driver_code(), "CL_DEVICE_LOST");
  ASSERT_TRUE(r->points().failure(dependant));
  EXPECT_EQ(r->points().failure(dependant)->category(), error_category::lost);
  EXPECT_EQ(first_byte(at(0), *m), 1) << "neither the failed nor the dependent fill may run";
}

TEST_F(record_device_test, its_memory_is_not_host_accessible_and_limited) {
  auto setup = record::device_setup{};
  setup.info = record::default_capabilities(0);
  setup.info.global_memory = 1000;
  record::record_device small(0, setup);
  const auto a = small.create_memory(600, memory_kind::device, 64);
  EXPECT_EQ(a->host_pointer(), nullptr);
  EXPECT_THROW(small.create_memory(600, memory_kind::device, 64), device_error);
  EXPECT_EQ(small.memory_in_use(), 600u);
}

TEST_F(record_device_test, a_source_with_the_word_error_fails_to_build) {
  EXPECT_THROW(at(0).create_program({image::kind::opencl_c, "#error no", 9, nullptr, ""}), device_error);
  const auto p = at(0).create_program({image::kind::opencl_c, "any", 3, nullptr, ""});
  EXPECT_NE(at(0).create_program_from_binary(p->binary(), {image::kind::opencl_c, nullptr, 0, nullptr, ""}),
            nullptr);
}

} // namespace
} // namespace prism::devices
