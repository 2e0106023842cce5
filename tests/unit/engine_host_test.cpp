// The engine on the real host device: native kernels without the plugin, adopted memory, USM.
#include "runtime/engine/engine.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace prism;

namespace {

const bool only_host = ::setenv("PRISM_DEVICE_SELECTOR", "host", 1) == 0;

device_node& host() { return *platforms().at(0).devices.at(0); }

struct captured {
  int* data;
  int add;
};
void body(const void* closure, const std::uint64_t* begin, const std::uint64_t* end) {
  const auto* c = static_cast<const captured*>(closure);
  for (auto i = begin[0]; i < end[0]; ++i) c->data[i] += c->add;
}

kernel_command adding(std::uint64_t data, int add, std::size_t items) {
  captured c{reinterpret_cast<int*>(data), add};
  kernel_command k;
  k.name = "adding";
  k.body.range = &body;
  k.captured.resize(sizeof c);
  std::memcpy(k.captured.data(), &c, sizeof c);
  k.global = {items, 1, 1};
  return k;
}

TEST(host, is_the_only_device_the_selector_lets_through) {
  ASSERT_EQ(platforms().size(), 1u);
  EXPECT_EQ(host().backend_name(), "host");
  EXPECT_GT(host().default_score(), 0);
}

TEST(host, runs_native_kernels_on_adopted_buffers) {
  std::vector<int> data(10'000);
  std::iota(data.begin(), data.end(), 0);
  buffer_options o;
  o.extent[2] = data.size();
  o.element_bytes = 4;
  o.host = data.data();
  o.host_is_initial_data = true;
  const auto b = create_buffer(o);
  const auto q = create_queue(host(), {});
  for (int round = 0; round < 3; ++round) {
    requirement r;
    r.buffer = b;
    r.mode = access_mode::read_write;
    r.region = {{0, 0, 0}, {1, 1, data.size()}};
    r.token = new_token();
    command_group g;
    g.what = adding(r.token, 5, data.size());
    g.requirements.push_back(r);
    submit(*q, std::move(g));
  }
  read_back(*b, nullptr);
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], int(i) + 15);
  EXPECT_TRUE(copy_history(*b).empty());
}

TEST(host, runs_native_kernels_on_usm_of_every_kind) {
  const auto q = create_queue(host(), {true, false});
  for (auto kind : {devices::memory_kind::device, devices::memory_kind::host, devices::memory_kind::shared}) {
    auto* p = static_cast<int*>(usm_allocate(host(), 4000, 0, kind, nullptr));
    ASSERT_NE(p, nullptr);
    command_group fill;
    fill.what = fill_request{{nullptr, {}, p, nullptr}, 4000, std::vector<std::byte>(4)};
    submit(*q, std::move(fill));
    command_group g;
    g.what = adding(reinterpret_cast<std::uint64_t>(p), 3, 1000);
    submit(*q, std::move(g));
    std::vector<int> out(1000);
    command_group copy;
    copy.what = copy_request{{nullptr, {}, p, nullptr}, {nullptr, {}, out.data(), nullptr}, 4000};
    submit(*q, std::move(copy))->wait();
    EXPECT_EQ(out, std::vector<int>(1000, 3));
    usm_free(p, nullptr);
  }
}

TEST(host, work_in_flight_at_the_end_of_the_process_is_harmless) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto q = create_queue(host(), {});
        auto* p = static_cast<int*>(usm_allocate(host(), 4000, 0, devices::memory_kind::shared, nullptr));
        for (int i = 0; i < 100; ++i) {
          command_group g;
          g.what = adding(reinterpret_cast<std::uint64_t>(p), 1, 1000);
          submit(*q, std::move(g));
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

} // namespace
