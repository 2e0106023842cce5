// The cost of allocating and freeing memory, compared with reusing the same memory: buffers and USM.
#include "bench/checked_queue.hpp"
#include "bench/child.hpp"
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"

#include <prism/arena.hpp>

#include <cstdlib>
#include <oneapi/tbb/scalable_allocator.h>

namespace bench {

namespace {

constexpr std::size_t elements = std::size_t{1} << 18, repeats = 50; // 1 MiB

times each(const std::function<void()>& work) {
  times spent = timed([&] {
    for (std::size_t i = 0; i < repeats; ++i) work();
  });
  spent.wall /= repeats;
  spent.processor /= repeats;
  return spent;
}

/// Measures whole processes, because PRISM reads the setting once.
void measure_adoption(report& out, const options& how, const sycl::device& device) {
  const auto run = [&](const std::string& setting) {
    return run_child({how.programs + "/prism-bench-adopted", "50"}, {selector(device), setting});
  };
  out.add({"memory",
           "adopted",
           label(device),
           "50 buffers over 16 MiB of the program's memory, a kernel on each, used in place",
           "copied there and back",
           alternate(how.rounds, [&] { return run("PRISM_ADOPT_HOST_MEMORY=on"); },
                     [&] { return run("PRISM_ADOPT_HOST_MEMORY=off"); }),
           {goal::kind::ratio, 1}});
}

/// The device's memory holds a tenth of the data: PRISM moves buffers, or the program copies.
void measure_more_than_fits(report& out, const options& how, const sycl::device& device) {
  const auto run = [&](const std::string& way) {
    return run_child({how.programs + "/prism-bench-more-than-fits", way},
                     {selector(device), "PRISM_MEMORY_LIMIT=4M", "PRISM_ADOPT_HOST_MEMORY=off"});
  };
  const auto add = [&](const char* name, const char* ours, const std::string& way,
                       const std::string& by_hand) {
    out.add({"memory",
             name,
             label(device),
             ours,
             "the same with a few allocations and copies by hand",
             alternate(how.rounds, [&] { return run(way); }, [&] { return run(by_hand); }),
             {goal::kind::ratio, 1.1}});
  };
  add("more than fits", "three passes over 40 MiB in buffers with 4 MiB of the device's memory", "buffers",
      "by_hand");
  add("a random graph",
      "300 commands on random three of 40 buffers of 1 MiB with 4 MiB of the device's memory", "graph",
      "graph_by_hand");
  add("one buffer in pieces", "three kernels over a buffer of 40 MiB with 4 MiB of the device's memory",
      "one_buffer", "by_hand");
  add("stencil in pieces", "three steps of a stencil on arrays of 40 MiB with 4 MiB of the device's memory",
      "stencil", "stencil_by_hand");
}

/// Small allocations that are freed together: an arena against the allocators that free them one by one. Each
/// allocation is written once, as a program would.
void measure_arena(report& out, const options& how, const sycl::device& device) {
  checked_queue q(device);
  constexpr std::size_t count = 2000;
  const auto size_of = [](std::size_t i) { return 16 + i * 37 % 500; };
  std::vector<char*> made(count);
  prism::arena arena(q, sycl::usm::alloc::host);
  const auto with_arena = [&] {
    return each([&] {
      for (std::size_t i = 0; i < count; ++i) *(made[i] = arena.allocate<char>(size_of(i))) = 1;
      arena.reset();
    });
  };
  const auto with = [&](void* (*allocate)(std::size_t), void (*release)(void*)) {
    return each([&] {
      for (std::size_t i = 0; i < count; ++i) *(made[i] = static_cast<char*>(allocate(size_of(i)))) = 1;
      for (char* each_made : made) release(each_made);
    });
  };
  const std::string ours = "2,000 allocations of 16 to 515 bytes from an arena, reset";
  const auto row = [&](const char* name, const char* theirs, auto reference) {
    out.add({"memory",
             name,
             label(q.get_device()),
             ours,
             theirs,
             alternate(how.rounds, with_arena, reference),
             {goal::kind::ratio, 1}});
  };
  row("arena", "malloc and free", [&] { return with(std::malloc, std::free); });
  row("arena and oneTBB", "scalable_malloc and scalable_free",
      [&] { return with(scalable_malloc, scalable_free); });
}

/// New memory against the same again.
void measure_reuse(report& out, const options& how, const sycl::device& device) {
  checked_queue q(device);
  sycl::buffer<float> x{sycl::range<1>(elements)}, kept{sycl::range<1>(elements)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(x, h, sycl::write_only, sycl::no_init), 1.0f); });
  const auto use = [&](sycl::buffer<float>& y) {
    write_buffer(q, x, y);
    q.wait_and_throw();
  };
  out.add({"memory",
           "buffers",
           label(device),
           "a buffer made, written by a kernel and destroyed",
           "one buffer, written again",
           alternate(how.rounds,
                     [&] {
    return each([&] {
      sycl::buffer<float> made{sycl::range<1>(elements)};
      use(made);
    });
  }, [&] { return each([&] { use(kept); }); }),
           {goal::kind::ratio, 2}});
  float* const source = sycl::malloc_device<float>(elements, q);
  float* const target = sycl::malloc_device<float>(elements, q);
  const auto write = [&](float* to) {
    submit_usm(q, source, to, elements);
    q.wait_and_throw();
  };
  out.add({"memory",
           "usm",
           label(device),
           "malloc_device, a kernel, free",
           "the kernel on the same memory",
           alternate(how.rounds,
                     [&] {
    return each([&] {
      float* const made = sycl::malloc_device<float>(elements, q);
      write(made);
      sycl::free(made, q);
    });
  }, [&] { return each([&] { write(target); }); }),
           {goal::kind::ratio, 2}});
  sycl::free(source, q);
  sycl::free(target, q);
}

} // namespace

void measure_memory(report& out, const options& how, const sycl::device& device) {
  const auto part = [&](const auto& measured) {
    attempt(out, "memory", device, [&] { measured(out, how, device); });
  };
  part(measure_reuse);
  part(measure_adoption);
  part(measure_more_than_fits);
  if (device.get_backend() == sycl::backend::ext_prism_host) part(measure_arena);
}

} // namespace bench
