// Kernels in a library that is loaded and unloaded at run time: they work while it is loaded, their work ends
// before it is unloaded, and PRISM uses nothing of it afterwards.
#include "tests/sycl/common.hpp"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <prism/prepare.hpp>
#include <thread>

namespace {

constexpr std::size_t n = 1024;

/// In the folder lib next to the program's own, in a build and in the archive of prism-hardware-report.
std::string library_path() {
  const std::filesystem::path programs = std::filesystem::canonical("/proc/self/exe").parent_path();
  return (programs.parent_path() / "lib" / PRISM_LOADED_KERNELS).string();
}

class library {
public:
  library() : m_handle(::dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!m_handle) throw std::runtime_error(::dlerror());
  }
  ~library() { EXPECT_EQ(::dlclose(m_handle), 0); }
  library(const library&) = delete;

  sycl::event fill(sycl::queue& q, sycl::buffer<int>& b, int add) const {
    sycl::event done;
    reinterpret_cast<void (*)(sycl::queue&, sycl::buffer<int>&, int, sycl::event&)>(symbol("fill_squares"))(
        q, b, add, done);
    return done;
  }
  void reverse(sycl::queue& q, sycl::buffer<int>& b) const {
    reinterpret_cast<void (*)(sycl::queue&, sycl::buffer<int>&)>(symbol("reverse_groups"))(q, b);
  }

  void when_unloaded(void (*call)()) const {
    reinterpret_cast<void (*)(void (*)())>(symbol("when_unloaded"))(call);
  }

private:
  void* symbol(const char* name) const {
    void* found = ::dlsym(m_handle, name);
    if (!found) throw std::runtime_error(::dlerror());
    return found;
  }
  void* m_handle;
};

bool is_loaded() {
  void* h = ::dlopen(library_path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (h) ::dlclose(h);
  return h != nullptr;
}

void expect_squares(sycl::buffer<int>& b, int add, bool reversed = false) {
  const sycl::host_accessor a(b, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = reversed ? i / 16 * 16 + 15 - i % 16 : i;
    ASSERT_EQ(a[i], int(from * from) + add) << i;
  }
}

// The first test of the process: the memory, threads and libraries that run the kernel are used for the first
// time.
TEST(loaded_library, finishes_a_kernel_that_starts_during_its_unloading) {
  static std::atomic<bool> going{false};
  static sycl::event fill;
  sycl::queue q;
  static const bool on_host =
      q.get_device().get_platform().get_info<sycl::info::platform::name>() == "PRISM host";
  const std::size_t items = on_host ? 1024 * n : n; // enough for the host device to use several threads
  sycl::buffer<int> b{sycl::range<1>(items)};
  {
    const library opened;
    q.submit([&](sycl::handler& h) {
      const sycl::accessor held(b, h, sycl::write_only_host_task, sycl::no_init);
      h.host_task([held] {
        while (!going) std::this_thread::yield();
      });
    });
    fill = opened.fill(q, b, 3);
    opened.when_unloaded([] {
      going = true;
      if (!on_host) return; // drivers cannot be called here: their threads take the loader's lock too
      // Lets a thread of the runtime start it; a waiting thread would run it itself.
      const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
      while (fill.get_info<sycl::info::event::command_execution_status>() !=
                 sycl::info::event_command_status::complete &&
             std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    });
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[1000], 1000 * 1000 + 3);
  fill = {};
}

TEST(loaded_library, has_kernels_that_run) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  const library opened;
  opened.fill(q, b, 1);
  opened.reverse(q, b);
  expect_squares(b, 1, true);
}

TEST(loaded_library, finishes_its_work_before_it_is_unloaded) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    const library opened;
    opened.fill(q, b, 5);
    opened.reverse(q, b);
  }
  EXPECT_FALSE(is_loaded());
  expect_squares(b, 5, true);
}

TEST(loaded_library, leaves_its_events_and_queues_usable) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    const library opened;
    opened.fill(q, b, 2);
  }
  const sycl::event own = q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; });
  });
  sycl::event(own).wait_and_throw();
  expect_squares(b, 3);
}

TEST(loaded_library, can_be_loaded_and_unloaded_many_times) {
  sycl::queue q;
  for (int round = 0; round < 10; ++round) {
    sycl::buffer<int> b{sycl::range<1>(n)};
    {
      const library opened;
      opened.fill(q, b, round);
      if (round % 2) opened.reverse(q, b);
    }
    expect_squares(b, round, round % 2);
  }
}

TEST(loaded_library, stays_loaded_while_its_kernels_are_being_prepared) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  std::optional<prism::preparation> p;
  {
    const library opened;
    p = prism::prepare(sycl::device());
  } // unloaded while its kernels are compiled
  p->wait();
  EXPECT_EQ(p->done(), p->kernels());
  EXPECT_EQ(p->failures(), std::vector<std::string>());
  while (is_loaded()) std::this_thread::yield(); // the thread that built the last kernel releases it
  const library again;
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  again.fill(q, b, 5);
  expect_squares(b, 5);
}

TEST(loaded_library, can_be_unloaded_while_other_kernels_run) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    sycl::queue q;
    sycl::buffer<int> b{sycl::range<1>(n)};
    q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only, sycl::no_init), 0); });
    int rounds = 0;
    for (; !stop; ++rounds) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h);
        h.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; });
      });
      if (rounds % 16 == 15) q.wait();
    }
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[n - 1], rounds);
  });
  sycl::queue q;
  for (int round = 0; round < 5; ++round) {
    sycl::buffer<int> b{sycl::range<1>(n)};
    {
      const library opened;
      opened.fill(q, b, round);
    }
    expect_squares(b, round);
  }
  stop = true;
  other.join();
}

TEST(kernels, launched_first_by_many_threads_at_once_are_right) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      sycl::queue q;
      std::vector<int> data(64);
      {
        sycl::buffer<int> b(data);
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h);
          h.parallel_for(64, [=](sycl::id<1> i) { a[i] = int(i[0]) * t; });
        });
      }
      for (int i = 0; i < 64; ++i) EXPECT_EQ(data[std::size_t(i)], i * t);
    });
  for (std::thread& t : threads) t.join();
}

} // namespace
