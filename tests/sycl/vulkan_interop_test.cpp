// A program that calls Vulkan itself: PRISM on its VkDevice, in its buffers, ordered by its semaphores.
#include "tests/sycl/vulkan_program.hpp"

#include <prism/export_memory.hpp>
#include <prism/native_memory.hpp>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

namespace syclexp = sycl::ext::oneapi::experimental;
using prism_test::error_of;
using prism_test::message_of;
using prism_test::vulkan_program;
constexpr auto vk = sycl::backend::ext_prism_vulkan;
constexpr std::size_t n = 1000;

struct vulkan_interop : prism_test::vulkan_program_test {};

void add_one(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(a.size(), [=](sycl::id<1> i) { a[i] += 1; });
  });
}

TEST_F(vulkan_interop, commands_run_on_the_devices_of_programs) {
  const sycl::device d = adopted();
  EXPECT_EQ(adopted(), d);
  EXPECT_EQ(d.get_platform(), sycl::device().get_platform());
  for (const sycl::device& listed : sycl::device::get_devices()) EXPECT_NE(listed, d);
  EXPECT_EQ(sycl::get_native<vk>(d), program->physical);
  {
    sycl::queue q(d);
    EXPECT_EQ(sycl::get_native<vk>(q.get_context()), program->device);
    EXPECT_EQ(sycl::get_native<vk>(q), program->queue);
    std::vector<int> data(n, 41);
    {
      sycl::buffer<int> b(data.data(), sycl::range<1>(n));
      add_one(q, b);
    }
    EXPECT_EQ(data, std::vector<int>(n, 42));
    {
      int* const p = sycl::malloc_device<int>(n, q);
      q.parallel_for(n, [=](sycl::id<1> i) { p[i] = int(i[0]); }).wait();
      q.memcpy(data.data(), p, n * sizeof(int)).wait();
      sycl::free(p, q);
      EXPECT_EQ(data[n - 1], int(n) - 1);
    }
    const sycl::context same = sycl::make_context<vk>(program->device);
    sycl::queue other = sycl::make_queue<vk>(program->queue, same);
    EXPECT_TRUE(other.is_in_order());
    sycl::buffer<int> b(data.data(), sycl::range<1>(n));
    add_one(other, b);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[n - 1], int(n));
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, buffers_of_programs_are_used_in_place) {
  if (!has_addresses())
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no buffer device addresses";
  const sycl::device d = adopted();
  {
    sycl::queue q(d);
    const auto memory = program->make_buffer(n * sizeof(int));
    int* const seen = static_cast<int*>(memory->mapped);
    for (std::size_t i = 0; i < n; ++i) seen[i] = int(i);
    {
      auto b = sycl::make_buffer<vk, int>(memory->range(), q.get_context());
      EXPECT_EQ(b.size(), n);
      add_one(q, b);
      const auto native = sycl::get_native<vk>(b);
      ASSERT_EQ(native.size(), 1u);
      EXPECT_EQ(native[0].buffer, memory->buffer);
    }
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], int(i) + 1);
    int* const part = static_cast<int*>(prism::vulkan::map_buffer(memory->range(400, 800), q));
    EXPECT_EQ(sycl::get_pointer_type(part, q.get_context()), sycl::usm::alloc::device);
    q.parallel_for(200, [=](sycl::id<1> i) { part[i] = -part[i]; }).wait();
    int found = 0;
    q.memcpy(&found, part + 1, sizeof found).wait();
    EXPECT_EQ(found, -102);
    sycl::free(part, q);
    EXPECT_EQ(sycl::get_pointer_type(part, q.get_context()), sycl::usm::alloc::unknown);
    EXPECT_EQ(seen[99], 100);
    EXPECT_EQ(seen[100], -101);
    EXPECT_EQ(seen[299], -300);
    EXPECT_EQ(seen[300], 301);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, the_program_reads_usm_by_its_buffer) {
  if (!has_addresses())
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no buffer device addresses";
  const sycl::device d = adopted();
  {
    sycl::queue q(d);
    int *const before = sycl::malloc_device<int>(n, q), *const p = sycl::malloc_device<int>(n, q);
    q.parallel_for(n, [=](sycl::id<1> i) { p[i] = 7 * int(i[0]); }).wait();
    const prism::native_memory from = prism::native_memory_of(p + 100, q);
    EXPECT_EQ(prism::usm_of_native_memory(from, q), p + 100);
    const auto memory = program->make_buffer(n * sizeof(int));
    program->submit([&](VkCommandBuffer commands) {
      const VkBufferCopy region{from.offset, 0, (n - 100) * sizeof(int)};
      vkCmdCopyBuffer(commands, static_cast<VkBuffer>(from.object), memory->buffer, 1, &region);
      prism_test::vulkan_program::show_to_host(commands);
    });
    EXPECT_EQ(vkQueueWaitIdle(program->queue), VK_SUCCESS);
    for (std::size_t i = 0; i < n - 100; ++i)
      ASSERT_EQ(static_cast<int*>(memory->mapped)[i], 7 * int(i + 100));
    void* const mapped = prism::vulkan::map_buffer(memory->range(400, 800), q);
    const prism::native_memory own = prism::native_memory_of(mapped, q);
    EXPECT_EQ(own.object, memory->buffer);
    EXPECT_EQ(own.offset, 400u);
    EXPECT_EQ(prism::usm_of_native_memory({memory->buffer, 404}, q), static_cast<char*>(mapped) + 4);
    EXPECT_EQ(prism::usm_of_native_memory({memory->buffer, 396}, q), nullptr) << "outside the mapped range";
    for (void* each : {mapped, static_cast<void*>(p), static_cast<void*>(before)}) sycl::free(each, q);
    EXPECT_EQ(prism::usm_of_native_memory(from, q), nullptr);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, a_submission_of_the_program_waits_for_a_command) {
  if (!has_addresses())
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no buffer device addresses";
  const sycl::device d = adopted();
  {
    sycl::queue q(d, sycl::property::queue::in_order());
    const auto from = program->make_buffer(n * sizeof(int)), to = program->make_buffer(n * sizeof(int));
    int* const p = static_cast<int*>(prism::vulkan::map_buffer(from->range(), q));
    for (int round = 0; round < 20; ++round) {
      const sycl::event done = q.parallel_for(n, [=](sycl::id<1> i) { p[i] = int(i[0]) + round; });
      const prism::vulkan::semaphore_value at = sycl::get_native<vk>(done);
      ASSERT_NE(at.semaphore, nullptr);
      {
        const prism::vulkan::queue_guard guard(q);
        program->copy(*from, *to, n * sizeof(int), at.semaphore, at.value);
        program->wait_idle();
      }
      ASSERT_EQ(static_cast<int*>(to->mapped)[n - 1], int(n) - 1 + round);
    }
    q.wait(); // PRISM_CHECK=access does not see the program's waits
    sycl::free(p, q);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, commands_wait_for_timelines_of_the_program_and_signal_them) {
  using prism::vulkan::timeline_wait;
  for (const auto waits : {timeline_wait::host, timeline_wait::device}) {
    const sycl::device d = adopted();
    {
      sycl::queue q(d);
      const VkSemaphore timeline = program->make_timeline();
      const auto type = syclexp::external_semaphore_handle_type::timeline_fd;
      const auto semaphore = prism::vulkan::use_semaphore(timeline, type, q, waits);
      sycl::buffer<int> b{sycl::range<1>(n)};
      for (std::uint64_t frame = 0; frame < 20; frame += 2) {
        const sycl::event waited = q.ext_oneapi_wait_external_semaphore(semaphore, frame + 1);
        const sycl::event filled = q.submit([&](sycl::handler& h) {
          h.depends_on(waited);
          sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
          h.parallel_for(n, [=](sycl::id<1> i) { a[i] = int(frame) + 3; });
        });
        q.submit([&](sycl::handler& h) {
          h.depends_on(filled);
          h.ext_oneapi_signal_external_semaphore(semaphore, frame + 2);
        });
        if (waits == timeline_wait::device)
          EXPECT_NE(sycl::get_native<vk>(filled).semaphore, nullptr) << "the driver has it before the signal";
        EXPECT_EQ(program->value_of(timeline), frame);
        program->signal(timeline, frame + 1);
        program->wait(timeline, frame + 2);
        if (waits == timeline_wait::host)
          EXPECT_EQ(error_of([&] { sycl::get_native<vk>(waited); }), sycl::errc::invalid) << "a host task";
        EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[n - 1], int(frame) + 3);
      }
      q.wait();
      syclexp::release_external_semaphore(semaphore, q);
      EXPECT_EQ(error_of([&] { prism::vulkan::use_semaphore(nullptr, type, q); }), sycl::errc::invalid);
    }
    prism::vulkan::give_back(d);
  }
}

TEST_F(vulkan_interop, commands_wait_for_binary_semaphores_of_the_program_and_signal_them) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d, sycl::property::queue::in_order());
    const auto type = syclexp::external_semaphore_handle_type::opaque_fd;
    const VkSemaphore to = program->make_semaphore(VK_SEMAPHORE_TYPE_BINARY),
                      from = program->make_semaphore(VK_SEMAPHORE_TYPE_BINARY);
    const auto waited = prism::vulkan::use_semaphore(to, type, q),
               signalled = prism::vulkan::use_semaphore(from, type, q);
    int* const data = sycl::malloc_device<int>(n, q);
    q.fill(data, 0, n);
    for (int frame = 1; frame <= 20; ++frame) {
      {
        const prism::vulkan::queue_guard guard(q);
        program->submit_binary(VK_NULL_HANDLE, to);
      }
      q.ext_oneapi_wait_external_semaphore(waited);
      q.parallel_for(n, [=](sycl::id<1> i) { data[i] += int(i[0]); });
      const sycl::event sent = q.ext_oneapi_signal_external_semaphore(signalled);
      EXPECT_NE(sycl::get_native<vk>(sent).semaphore, nullptr) << "the driver has it: the program may wait";
      {
        const prism::vulkan::queue_guard guard(q);
        program->submit_binary(from, VK_NULL_HANDLE);
        program->wait_idle();
      }
      EXPECT_EQ(sent.get_info<sycl::info::event::command_execution_status>(),
                sycl::info::event_command_status::complete);
    }
    int found = 0;
    q.memcpy(&found, data + n - 1, sizeof found).wait();
    EXPECT_EQ(found, 20 * (int(n) - 1));
    sycl::queue other; // on PRISM's own device
    EXPECT_NE(message_of([&] { other.ext_oneapi_wait_external_semaphore(waited); }).find("on a queue of"),
              std::string::npos);
    sycl::free(data, q);
    for (const auto& each : {waited, signalled}) syclexp::release_external_semaphore(each, q);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, the_programs_lock_is_held_while_its_queue_is_used) {
  std::mutex mutex;
  std::atomic<int> calls{0};
  auto handles = program->handles();
  handles.lock = [&] {
    mutex.lock();
    ++calls;
  };
  handles.unlock = [&] { mutex.unlock(); };
  const sycl::device d = sycl::make_device<vk>(handles);
  std::atomic<bool> ends{false};
  std::thread renderer([&] {
    while (!ends) {
      const std::lock_guard lock(mutex);
      program->submit_nothing();
    }
  });
  {
    sycl::queue q(d), other(d);
    sycl::buffer<int> b{sycl::range<1>(n)}, c{sycl::range<1>(n)};
    for (int round = 0; round < 100; ++round) {
      add_one(q, b);
      add_one(other, c);
    }
    q.wait();
    other.wait();
  }
  ends = true;
  renderer.join();
  EXPECT_GT(calls, 1);
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, host_tasks_have_the_memory_of_accessors) {
  sycl::queue q; // on PRISM's own device
  sycl::buffer<int> b{sycl::range<1>(n)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { a[i] = 1; });
  });
  prism::vulkan::buffer_range seen;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.host_task([=, &seen](const sycl::interop_handle& native) {
      seen = native.get_native_mem<vk>(a).at(0);
      if (native.get_native_queue<vk>() == nullptr || native.get_native_context<vk>() == nullptr) seen = {};
    });
  });
  q.wait();
  EXPECT_NE(seen.buffer, nullptr);
  EXPECT_GE(seen.bytes, n * sizeof(int));
  EXPECT_NE(sycl::get_native<vk>(q.get_device().get_platform()), nullptr);
  EXPECT_EQ(sycl::get_native<vk>(sycl::event()).semaphore, nullptr);
  EXPECT_EQ(error_of([&] { prism::vulkan::give_back(q.get_device()); }), sycl::errc::invalid);
}

TEST_F(vulkan_interop, what_the_program_does_not_enable_is_missing_from_the_aspects) {
  program->close();
  program->open(vulkan_program::enabling::timelines);
  const sycl::device d = adopted();
  EXPECT_FALSE(d.has(sycl::aspect::fp64));
  EXPECT_FALSE(d.has(sycl::aspect::atomic64));
  EXPECT_FALSE(d.has(sycl::aspect::ext_oneapi_external_memory_import));
  {
    sycl::queue q(d);
    std::vector<int> data(n, 6);
    {
      sycl::buffer<int> b(data.data(), sycl::range<1>(n));
      add_one(q, b);
    }
    EXPECT_EQ(data, std::vector<int>(n, 7)) << "kernels need no more than timelineSemaphore";
    sycl::buffer<double> b{sycl::range<1>(1)};
    EXPECT_EQ(error_of([&] {
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.single_task([=] { a[0] = sycl::sqrt(double(a.size())); });
      });
    }),
              sycl::errc::kernel_not_supported);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, features_may_be_enabled_in_the_structures_of_a_version) {
  program->close();
  program->open(vulkan_program::enabling::core);
  const sycl::device d = adopted(), own;
  for (const sycl::aspect each : {sycl::aspect::fp64, sycl::aspect::atomic64})
    EXPECT_EQ(d.has(each), own.has(each));
  EXPECT_FALSE(d.has(sycl::aspect::ext_oneapi_external_memory_import)) << "its extension is not enabled";
  EXPECT_EQ(error_of([&] { prism::malloc_exportable(64, sycl::queue(d)); }),
            sycl::errc::feature_not_supported);
  {
    sycl::queue q(d);
    std::vector<int> data(n, 6);
    {
      sycl::buffer<int> b(data.data(), sycl::range<1>(n));
      add_one(q, b);
    }
    EXPECT_EQ(data, std::vector<int>(n, 7));
    if (has_addresses()) {
      const auto memory = program->make_buffer(n * sizeof(int));
      int* const p = static_cast<int*>(prism::vulkan::map_buffer(memory->range(), q));
      q.fill(p, 9, n).wait();
      sycl::free(p, q);
      EXPECT_EQ(static_cast<int*>(memory->mapped)[n - 1], 9);
    }
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, handles_that_do_not_fit_are_refused_by_name) {
  const auto refused = [&](auto change) {
    auto handles = program->handles();
    change(handles);
    return message_of([&] { sycl::make_device<vk>(handles); });
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  EXPECT_TRUE(has(refused([](auto& h) { h.instance = nullptr; }), "VkInstance is null"));
  EXPECT_TRUE(has(refused([](auto& h) { h.physical_device = nullptr; }), "VkPhysicalDevice is null"));
  EXPECT_TRUE(has(refused([](auto& h) { h.device = nullptr; }), "VkDevice is null"));
  EXPECT_TRUE(has(refused([](auto& h) { h.created = nullptr; }), "VkDeviceCreateInfo is null"));
  EXPECT_TRUE(has(refused([](auto& h) { h.api_version = VK_API_VERSION_1_0; }), "1.1 or later"));
  EXPECT_TRUE(has(refused([](auto& h) { h.queue_family = 77; }), "without queues of family 77"));
  EXPECT_TRUE(has(refused([](auto& h) { h.first_queue = 90; }), "not with queues 90 to 90"));
  EXPECT_TRUE(has(refused([](auto& h) { h.queue_count = 0; }), "queue_count is 0"));
  EXPECT_TRUE(has(refused([](auto& h) { h.lock = [] {}; }), "lock and unlock"));
  int local = 0;
  const auto foreign = reinterpret_cast<VkPhysicalDevice_T*>(&local);
  EXPECT_TRUE(has(refused([&](auto& h) { h.physical_device = foreign; }), "none of the VkInstance"));
  EXPECT_EQ(error_of([&] { sycl::make_context<vk>(program->device); }), sycl::errc::invalid);
  program->close();
  program->open(vulkan_program::enabling::nothing);
  const std::string lacks = message_of([&] { adopted(); });
  EXPECT_TRUE(has(lacks, "did not enable timelineSemaphore")) << lacks;
  EXPECT_EQ(error_of([&] { adopted(); }), sycl::errc::feature_not_supported);
}

TEST_F(vulkan_interop, buffers_that_do_not_fit_are_refused_by_name) {
  if (!has_addresses())
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no buffer device addresses";
  const sycl::device d = adopted();
  {
    sycl::queue q(d);
    const auto memory = program->make_buffer(n * sizeof(int));
    auto range = memory->range();
    range.usage &= ~VkBufferUsageFlags(VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    EXPECT_NE(
        message_of([&] { prism::vulkan::map_buffer(range, q); }).find("VK_BUFFER_USAGE_TRANSFER_DST_BIT"),
        std::string::npos);
    EXPECT_EQ(error_of([&] { prism::vulkan::map_buffer({nullptr, 0, 4, range.usage}, q); }),
              sycl::errc::invalid);
    EXPECT_EQ(error_of([&] { prism::vulkan::map_buffer(memory->range(0, 0), q); }), sycl::errc::invalid);
    EXPECT_EQ(error_of([&] { sycl::make_buffer<vk, int>(memory->range(0, 7), q.get_context()); }),
              sycl::errc::invalid);
    int local = 0;
    EXPECT_EQ(error_of([&] { sycl::make_queue<vk>(reinterpret_cast<VkQueue_T*>(&local), q.get_context()); }),
              sycl::errc::invalid);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_interop, a_device_is_given_back_when_nothing_of_it_lives) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d);
    sycl::buffer<int> b{sycl::range<1>(n)};
    add_one(q, b);
    q.wait();
    const std::string live = message_of([&] { prism::vulkan::give_back(d); });
    EXPECT_NE(live.find("1 allocations, 1 queues"), std::string::npos) << live;
    add_one(q, b); // the device still works
    q.wait();
  }
  prism::vulkan::give_back(d);
  EXPECT_EQ(error_of([&] { sycl::queue q(d); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::vulkan::give_back(d); }), sycl::errc::invalid);
  const sycl::device again = adopted(); // the program may hand the VkDevice over once more
  {
    sycl::queue q(again);
    sycl::buffer<int> b{sycl::range<1>(n)};
    add_one(q, b);
  }
  prism::vulkan::give_back(again);
}

TEST(vulkan_interop_elsewhere, other_backends_are_refused) {
  sycl::queue q;
  if (q.get_backend() == vk) GTEST_SKIP() << prism_test::name_of(q.get_device()) << " is a Vulkan device";
  EXPECT_EQ(error_of([&] { sycl::get_native<vk>(q); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(error_of([&] { prism::vulkan::map_buffer({}, q); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(error_of([&] { prism::vulkan::give_back(q.get_device()); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(error_of([&] { sycl::make_device<vk>({}); }), sycl::errc::feature_not_supported);
}

} // namespace
