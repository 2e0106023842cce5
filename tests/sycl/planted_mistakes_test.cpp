// PRISM_CHECK=access in programs compiled with `--check=access`: each planted mistake is reported. Each
// mistake is one small program. Programs without mistakes are in access_check_test.cpp and in the suites that
// ctest runs again under the check.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

namespace {

const int check_is_on = ::setenv("PRISM_CHECK", "access", 1); // read at the first submission

constexpr std::size_t count = 100;

/// Objects that the mistakes share. The destructor waits for all commands.
struct setup {
  sycl::queue q, other{q.get_context(), q.get_device()};
  sycl::buffer<int> numbers{sycl::range<1>(count)};
  sycl::buffer<int, 2> table{sycl::range<2>(4, 8)};
  sycl::buffer<int, 3> space{sycl::range<3>(2, 3, 4)};
  int *a = nullptr, *b = nullptr; // USM, if the device supports it

  setup() {
    if (!q.get_device().has(sycl::aspect::usm_device_allocations)) return;
    a = sycl::malloc_device<int>(count, q);
    b = sycl::malloc_device<int>(count, q);
  }
  ~setup() {
    wait();
    if (a != nullptr) sycl::free(a, q);
    if (b != nullptr) sycl::free(b, q);
  }
  setup(const setup&) = delete;
  void wait() {
    q.wait();
    other.wait();
  }
  template <typename Name, int D, typename Body>
  void use(sycl::buffer<int, D>& data, sycl::range<D> items, Body body) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor element(data, h, sycl::read_write);
      h.parallel_for<Name>(items, [=](sycl::id<D> i) { body(element, i); });
    });
  }
  template <typename Name>
  sycl::event write(sycl::queue& on, int* to, const std::vector<sycl::event>& after = {}) {
    return on.parallel_for<Name>(sycl::range<1>(count), after, [=](sycl::id<1> i) { to[i] = int(i); });
  }
  template <typename Name>
  sycl::event move(sycl::queue& on, const int* from, int* to, const std::vector<sycl::event>& after = {}) {
    return on.parallel_for<Name>(sycl::range<1>(count), after, [=](sycl::id<1> i) { to[i] = from[i]; });
  }
};

enum class needs { nothing, device_usm, shared_usm };

struct mistake {
  const char* name;
  std::vector<std::string> report;
  needs what;
  std::function<void(setup&)> program;
};

constexpr int line_of_element = __LINE__ + 2;
int element_of(const sycl::accessor<int, 1, sycl::access_mode::read_write>& numbers, int i) {
  return numbers[i];
}

// ---- indices: if several work-items make the mistake, any may be reported, so tests that check the id have
// only one

const std::vector<mistake> wrong_indices = {
    {"an_element_behind_the_last",
     {"planted_mistakes_test.cpp:",
      "index 100 is outside of an accessor of 100 elements, in work-item [99] of kernel \"", "behind_last\""},
     needs::nothing,
     [](setup& p) {
  p.use<class behind_last>(p.numbers, sycl::range<1>(count), [](auto& e, sycl::id<1> i) { e[i + 1] = 1; });
}},
    {"an_element_before_the_first",
     {"index -1 is outside of an accessor of 100 elements, in work-item [0]", "before_first"},
     needs::nothing,
     [](setup& p) {
  p.use<class before_first>(p.numbers, sycl::range<1>(count),
                            [](auto& e, sycl::id<1> i) { e[i] = e[int(i) - 1]; });
}},
    {"a_column_of_the_next_row",
     {"index 8 in dimension 1 is outside of an accessor that has 8 elements there, in work-item [0, 8]",
      "next_row"},
     needs::nothing,
     [](setup& p) {
  p.use<class next_row>(p.table, sycl::range<2>(3, 9), [](auto& e, sycl::id<2> i) {
    if (i[0] == 0 || i[1] != 8) e[i[0]][i[1]] = 1;
  });
}},
    {"rows_and_columns_exchanged",
     {"in dimension 0 is outside of an accessor that has 4 elements there", "exchanged"},
     needs::nothing,
     [](setup& p) {
  p.use<class exchanged>(p.table, sycl::range<2>(4, 8),
                         [](auto& e, sycl::id<2> i) { e[sycl::id<2>(i[1], i[0])] = 1; });
}},
    {"a_third_dimension_too_long",
     {"index 4 in dimension 2 is outside of an accessor that has 4 elements there, in work-item [0, 0, 4]",
      "too_long"},
     needs::nothing,
     [](setup& p) {
  p.use<class too_long>(p.space, sycl::range<3>(2, 3, 5), [](auto& e, sycl::id<3> i) {
    if (i[0] + i[1] == 0 || i[2] != 4) e[i] = 1;
  });
}},
    {"beyond_the_accessors_part_of_a_buffer",
     {"index 10 is outside of an accessor of 10 elements, in work-item [10]", "beyond_part"},
     needs::nothing,
     [](setup& p) {
  p.q.submit([&](sycl::handler& h) {
    const sycl::accessor part(p.numbers, h, sycl::range<1>(10), sycl::id<1>(20), sycl::write_only);
    h.parallel_for<class beyond_part>(sycl::range<1>(11), [=](sycl::id<1> i) { part[i] = 1; });
  });
}},
    {"beyond_a_sub_buffer",
     {"index 32 is outside of an accessor of 32 elements", "beyond_sub_buffer"},
     needs::nothing,
     [](setup& p) {
  sycl::buffer<int> part(p.numbers, sycl::id<1>(0), sycl::range<1>(32));
  p.use<class beyond_sub_buffer>(part, sycl::range<1>(33), [](auto& e, sycl::id<1> i) { e[i] = 1; });
}},
    {"a_neighbour_outside_of_the_work_group",
     {"index 16 is outside of a local_accessor of 16 elements, in work-item [15]", "neighbour"},
     needs::nothing,
     [](setup& p) {
  p.q.submit([&](sycl::handler& h) {
    const sycl::local_accessor<int> shared(sycl::range<1>(16), h);
    const sycl::accessor to(p.numbers, h, sycl::write_only);
    h.parallel_for<class neighbour>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> i) {
      shared[i.get_local_id()] = 1;
      sycl::group_barrier(i.get_group());
      to[i.get_global_id()] = shared[i.get_local_id(0) + 1];
    });
  });
}},
    {"a_tile_without_its_border",
     {"index 4 in dimension 0 is outside of a local_accessor that has 4 elements there", "border"},
     needs::nothing,
     [](setup& p) {
  p.q.submit([&](sycl::handler& h) {
    const sycl::local_accessor<int, 2> tile(sycl::range<2>(4, 4), h);
    h.parallel_for<class border>(sycl::nd_range<2>({4, 4}, {4, 4}), [=](sycl::nd_item<2> i) {
      tile[i.get_local_id(0) + 1][i.get_local_id(1)] = 1;
    });
  });
}},
    {"a_bin_that_is_not_there",
     {"index 100 is outside of an accessor of 100 elements", "bins"},
     needs::nothing,
     [](setup& p) {
  p.use<class bins>(p.numbers, sycl::range<1>(101), [](auto& e, sycl::id<1> i) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(e[i]) += 1;
  });
}},
    {"in_a_function_that_the_kernel_calls",
     {"planted_mistakes_test.cpp:" + std::to_string(line_of_element) + ":", "index 100 is outside",
      "calls_function"},
     needs::nothing,
     [](setup& p) {
  p.use<class calls_function>(p.numbers, sycl::range<1>(count),
                              [](auto& e, sycl::id<1> i) { e[i] = element_of(e, int(i) + 1); });
}},
    {"an_accessor_of_nothing",
     {"index 0 is outside of an accessor of 0 elements", "of_nothing"},
     needs::nothing,
     [](setup& p) {
  p.q.submit([&](sycl::handler& h) {
    const sycl::accessor<int, 1, sycl::access_mode::read_write> nothing;
    const sycl::accessor to(p.numbers, h, sycl::write_only);
    h.parallel_for<class of_nothing>(sycl::range<1>(1), [=](sycl::id<1> i) { to[i] = nothing[i]; });
  });
}},
    {"in_a_graph",
     {"index 200 is outside of an accessor of 100 elements", "graph_index"},
     needs::nothing,
     [](setup& p) {
  prism::command_graph graph(p.q);
  graph.add([&](sycl::handler& h) {
    const sycl::accessor e(p.numbers, h, sycl::write_only);
    h.parallel_for<class graph_index>(sycl::range<1>(1), [=](sycl::id<1> i) { e[i + 200] = 1; });
  });
  auto ready = graph.finalize();
  prism::execute_graph(p.q, ready);
  p.wait();
}},
    {"on_the_host",
     {"planted_mistakes_test.cpp:", "index 100 is outside of a host_accessor of 100 elements"},
     needs::nothing,
     [](setup& p) {
  const sycl::host_accessor e(p.numbers);
  e[100] = 1;
}},
    {"in_a_host_task",
     {"planted_mistakes_test.cpp:",
      "index 4 in dimension 0 is outside of an accessor that has 4 elements there"},
     needs::nothing,
     [](setup& p) {
  p.q.submit([&](sycl::handler& h) {
    const sycl::accessor<int, 2, sycl::access_mode::read_write, sycl::target::host_task> e(p.table, h);
    h.host_task([=] { e[4][0] = 1; });
  });
}},
};

// ---- commands without an order

const std::vector<mistake> no_order = {
    {"two_kernels_that_write_the_same",
     {"second_writer writes USM that ", "first_writer writes", "use depends_on",
      " (second_writer: ", "planted_mistakes_test.cpp:", ", first_writer: "},
     needs::device_usm,
     [](setup& p) {
  p.write<class first_writer>(p.q, p.a);
  p.write<class second_writer>(p.q, p.a);
}},
    {"a_kernel_that_reads_what_another_queue_writes",
     {"here_reader reads USM that ", "elsewhere_writer writes"},
     needs::device_usm,
     [](setup& p) {
  p.write<class elsewhere_writer>(p.other, p.a);
  p.move<class here_reader>(p.q, p.a, p.b);
}},
    {"a_copy_beside_a_kernel",
     {"copy 400 B reads USM that ", "copied_writer writes"},
     needs::device_usm,
     [](setup& p) {
  p.write<class copied_writer>(p.q, p.a);
  p.q.copy(p.a, p.b, count);
}},
    {"fills_that_overlap",
     {"fill writes USM that fill writes", " (fill: ", "planted_mistakes_test.cpp:"},
     needs::device_usm,
     [](setup& p) {
  p.q.fill(p.a, 1, 60);
  p.q.fill(p.a + 59, 2, 20);
}},
    {"the_event_of_another_command",
     {"late_reader reads USM that ", "wanted_writer writes"},
     needs::device_usm,
     [](setup& p) {
  const sycl::event unrelated = p.write<class unrelated_writer>(p.q, p.b);
  p.write<class wanted_writer>(p.q, p.a);
  p.move<class late_reader>(p.q, p.a, p.b, {unrelated});
}},
    {"a_graph_beside_a_kernel",
     {"beside_reader reads USM that a graph"},
     needs::device_usm,
     [](setup& p) {
  prism::command_graph graph(p.q);
  graph.add([&, to = p.a](sycl::handler& h) {
    h.parallel_for<class graph_writer>(count, [=](sycl::id<1> i) { to[i] = 1; });
  });
  auto ready = graph.finalize();
  prism::execute_graph(p.q, ready);
  p.move<class beside_reader>(p.other, p.a, p.b);
}},
    {"two_kernels_of_one_graph",
     {"graph_second writes USM that ", "graph_first writes", "use depends_on", " (graph_second: "},
     needs::device_usm,
     [](setup& p) {
  prism::command_graph graph(p.q);
  graph.begin_recording(p.q);
  p.write<class graph_first>(p.q, p.a);
  p.write<class graph_second>(p.q, p.a);
  graph.end_recording();
  auto ready = graph.finalize();
  for (int i = 0; i < 3; ++i) prism::execute_graph(p.q, ready);
}},
    {"two_copies_to_one_place_of_the_host",
     {"copy 400 B writes host memory that copy 200 B writes"},
     needs::device_usm,
     [](setup& p) {
  std::vector<int> to(count);
  p.q.copy(p.a, to.data(), 50);
  p.q.copy(p.b, to.data(), count);
  p.wait();
}},
    {"a_wait_for_the_other_queue",
     {"copy 400 B reads USM that ", "not_waited writes"},
     needs::device_usm,
     [](setup& p) {
  std::vector<int> to(count);
  p.write<class not_waited>(p.other, p.a);
  p.q.wait(); // should wait for the other queue
  p.q.copy(p.a, to.data(), count).wait();
}},
};

// ---- memory that is freed, changed, or another context's

/// The text of the exception that the call throws.
template <typename Call>
void log_what_is_thrown(Call&& call) {
  std::string text;
  prism_test::error_of(call, &text);
  std::fprintf(stderr, "thrown: %s\n", text.c_str());
}

const std::vector<mistake> wrong_memory = {
    {"freed_while_a_kernel_uses_it",
     {"400 bytes is freed while ", "freed_writer", "wait for the command first"},
     needs::device_usm,
     [](setup& p) {
  int* const short_lived = sycl::malloc_device<int>(count, p.q);
  p.write<class freed_writer>(p.q, short_lived);
  sycl::free(short_lived, p.q);
  p.wait();
}},
    {"freed_by_a_host_task_that_does_not_wait",
     {"412 bytes is freed while ", "freed_unordered", "wait for the command first"},
     needs::device_usm,
     [](setup& p) {
  int* const short_lived = sycl::malloc_device<int>(count + 3, p.q);
  p.write<class freed_unordered>(p.q, short_lived);
  p.q.submit([&](sycl::handler& h) {
    h.host_task([=, context = p.q.get_context()] { sycl::free(short_lived, context); });
  });
  p.wait();
}},
    {"freed_while_a_graph_uses_it",
     {"404 bytes is freed while a graph of 1 commands may still use it"},
     needs::device_usm,
     [](setup& p) {
  int* const to = sycl::malloc_device<int>(count + 1, p.q);
  prism::command_graph graph(p.q);
  graph.add(
      [&](sycl::handler& h) { h.parallel_for<class freed_graph>(count, [=](sycl::id<1> i) { to[i] = 1; }); });
  auto ready = graph.finalize();
  prism::execute_graph(p.q, ready);
  sycl::free(to, p.q);
  p.wait();
}},
    {"a_kernel_that_is_given_freed_memory",
     {"thrown: ", "was given a USM pointer that was freed before"},
     needs::device_usm,
     [](setup& p) {
  int* const freed = sycl::malloc_device<int>(count, p.q);
  sycl::free(freed, p.q);
  log_what_is_thrown([&] { p.write<class after_free>(p.q, freed); });
}},
    {"freed_twice",
     {"thrown: ", "the allocation was freed before"},
     needs::device_usm,
     [](setup& p) {
  int* const freed = sycl::malloc_device<int>(count, p.q);
  sycl::free(freed, p.q);
  log_what_is_thrown([&] { sycl::free(freed, p.q); });
}},
    {"freed_while_a_buffer_of_it_lives",
     {"bytes is freed while a buffer that was made of it lives"},
     needs::shared_usm,
     [](setup& p) {
  int* const data = sycl::malloc_shared<int>(count, p.q);
  sycl::buffer<int> lives(data, sycl::range<1>(count));
  sycl::free(data, p.q);
}},
    {"the_host_changes_what_a_copy_reads",
     {"the host changed memory that copy 400 B reads before it knew that the command was complete"},
     needs::device_usm,
     [](setup& p) {
  std::vector<int> from(count, 1);
  p.q.copy(from.data(), p.a, count);
  from[50] = 2;
  p.wait();
}},
    {"the_host_changes_what_a_kernel_reads",
     {"the host changed memory that ", "shared_reader reads before it knew"},
     needs::shared_usm,
     [](setup& p) {
  int* const data = sycl::malloc_shared<int>(count, p.q);
  data[0] = 1;
  p.move<class shared_reader>(p.q, data, p.a);
  data[0] = 2;
  p.wait();
  sycl::free(data, p.q);
}},
    {"two_buffers_over_the_same_memory",
     {"one_of_two writes a buffer whose memory another buffer was made of too"},
     needs::nothing,
     [](setup& p) {
  std::vector<int> data(count);
  sycl::buffer<int> one(data.data(), sycl::range<1>(count)), two(data.data() + 50, sycl::range<1>(50));
  p.use<class one_of_two>(one, sycl::range<1>(count), [](auto& e, sycl::id<1> i) { e[i] = 1; });
}},
    {"a_copy_to_the_memory_of_a_buffer",
     {"copy 400 B writes host memory that a buffer was made of"},
     needs::device_usm,
     [](setup& p) {
  std::vector<int> data(count);
  sycl::buffer<int> lives(data.data(), sycl::range<1>(count));
  p.q.copy(p.a, data.data(), count).wait();
}},
    {"a_kernel_that_reads_the_memory_of_a_buffer",
     {"around_reader reads USM that a buffer was made of, which ", "around_writer has written"},
     needs::shared_usm,
     [](setup& p) {
  int* const data = sycl::malloc_shared<int>(count, p.q);
  {
    sycl::buffer<int> lives(data, sycl::range<1>(count));
    p.use<class around_writer>(lives, sycl::range<1>(count), [](auto& e, sycl::id<1> i) { e[i] = 1; });
    p.wait();
    p.move<class around_reader>(p.q, data, p.a).wait();
  }
  sycl::free(data, p.q);
}},
};

// ---- host code that uses results without waiting: the check finds it by order alone for the first number of
// a kernel's pointer and for bytes of copies, and for other numbers only if the kernel has changed them

struct pair_of_numbers {
  int first, second;
};

/// Shared memory that a kernel writes and the host uses too early.
template <typename Name, typename Use>
void use_early(setup& p, Use use) {
  int* const data = sycl::malloc_shared<int>(count, p.q);
  std::memset(data, 0x55, count * sizeof(int));
  p.write<Name>(p.q, data);
  use(data);
  p.wait();
  sycl::free(data, p.q);
}

template <typename Number>
Number sum_of(const Number* from, std::size_t many) {
  Number sum = 0;
  for (std::size_t i = 0; i < many; ++i) sum += from[i];
  return sum;
}
constexpr int line_of_sum = __LINE__ - 3;

inline int element_for_all(const int* from, std::size_t i) {
  return from[i];
} // called by kernels and by the host
constexpr int line_for_all = __LINE__ - 2;

unsigned heard_sum = 0; // uses the value, so that the compiler does not remove the read

std::string here_at(int line) { return "planted_mistakes_test.cpp:" + std::to_string(line) + ":"; }

const std::vector<mistake> host_too_early = {
    {"the_host_reads_a_number",
     {here_at(__LINE__ + 5), "the host reads USM that ",
      "read_first writes, before it knew that the command was complete: wait for the command first (",
      "read_first: "},
     needs::shared_usm,
     [](setup& p) {
  use_early<class read_first>(p, [](const int* data) { heard_sum += unsigned(data[0]); });
}},
    {"the_host_reads_a_number_in_the_middle",
     {here_at(__LINE__ + 3), "the host reads USM that ", "read_middle writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class read_middle>(p, [](const int* data) { heard_sum += unsigned(data[50]); });
}},
    {"a_template_of_the_program_sums",
     {here_at(line_of_sum), "the host reads USM that ", "summed writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class summed>(
      p, [](const int* data) { heard_sum += sum_of(reinterpret_cast<const unsigned*>(data), count); });
}},
    {"the_standard_library_sums",
     {here_at(__LINE__ + 4), "the host reads USM that ", "accumulated writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class accumulated>(p,
                               [](const int* data) { heard_sum += std::accumulate(data, data + count, 0u); });
}},
    {"a_vector_is_made_of_it",
     {here_at(__LINE__ + 4), "the host reads USM that ", "made_vector writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class made_vector>(
      p, [](const int* data) { heard_sum += unsigned(std::vector<int>(data, data + count).size()); });
}},
    {"memcpy_takes_it",
     {here_at(__LINE__ + 5), "the host reads USM that ", "memcpy_taken writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class memcpy_taken>(p, [](const int* data) {
    int taken[10];
    std::memcpy(taken, data + 20, sizeof taken);
    heard_sum += taken[5];
  });
}},
    {"a_member_of_a_structure_is_read",
     {here_at(__LINE__ + 6), "the host reads USM that ", "member_read writes"},
     needs::shared_usm,
     [](setup& p) {
  auto* const both = sycl::malloc_shared<pair_of_numbers>(1, p.q);
  *both = {1, 2};
  p.q.single_task<class member_read>([=] { *both = {3, 4}; });
  heard_sum += both->second;
  p.wait();
  sycl::free(both, p.q);
}},
    {"a_function_reads_that_kernels_call_too",
     {here_at(line_for_all), "the host reads USM that ", "calls_for_all writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class read_for_all>(p, [&](int* data) {
    int* const to = p.a;
    p.wait();
    p.q.single_task<class calls_for_all>([=] { to[0] = data[1] = element_for_all(data, 0); });
    heard_sum += element_for_all(data, 1);
  });
}},
    {"the_host_writes_what_a_kernel_writes",
     {here_at(__LINE__ + 2), "the host writes USM that ", "written_twice writes"},
     needs::shared_usm,
     [](setup& p) { use_early<class written_twice>(p, [](int* data) { *data = 1; }); }},
    {"the_host_writes_what_a_kernel_reads",
     {here_at(__LINE__ + 6), "the host writes USM that ", "same_value_reader reads, before it knew"},
     needs::shared_usm,
     [](setup& p) {
  int* const data = sycl::malloc_shared<int>(count, p.q);
  data[0] = 1;
  p.move<class same_value_reader>(p.q, data, p.a);
  data[0] = 1; // changes nothing
  p.wait();
  sycl::free(data, p.q);
}},
    {"a_copy_that_was_not_waited_for",
     {here_at(__LINE__ + 5), "the host reads host memory that copy 400 B writes"},
     needs::device_usm,
     [](setup& p) {
  std::vector<int> to(count);
  p.q.copy(p.a, to.data(), count);
  heard_sum += to[50];
  p.wait();
}},
    {"a_number_that_was_not_waited_for",
     {here_at(__LINE__ + 5), "the host reads host memory that copy 4 B writes"},
     needs::device_usm,
     [](setup& p) {
  int result = 0;
  p.q.copy(p.a, &result, 1);
  heard_sum += result;
  p.wait();
}},
    {"the_wait_was_for_another_queue",
     {here_at(__LINE__ + 5), "the host reads USM that ", "other_waited writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class other_waited>(p, [&](const int* data) {
    p.other.wait();
    heard_sum += unsigned(data[0]);
  });
}},
    {"the_second_of_two_kernels_was_not_waited_for",
     {here_at(__LINE__ + 6), "the host reads USM that ", "first_of_two writes"},
     needs::shared_usm,
     [](setup& p) {
  use_early<class first_of_two>(p, [&](int* data) {
    p.q.parallel_for<class second_of_two>(sycl::range<1>(count), p.q.ext_oneapi_submit_barrier(),
                                          [=](sycl::id<1> i) { data[i] += 7; });
    heard_sum += unsigned(data[50]);
  });
}},
    {"the_host_reads_what_a_graph_writes",
     {here_at(__LINE__ + 10), "the host reads USM that a graph of 1 commands writes"},
     needs::shared_usm,
     [](setup& p) {
  int* const data = sycl::malloc_shared<int>(count, p.q);
  prism::command_graph graph(p.q);
  graph.add([&](sycl::handler& h) {
    h.parallel_for<class early_graph>(count, [=](sycl::id<1> i) { data[i] = 1; });
  });
  auto ready = graph.finalize();
  prism::execute_graph(p.q, ready);
  heard_sum += unsigned(data[0]);
  p.wait();
  sycl::free(data, p.q);
}},
};

class planted_mistakes : public testing::TestWithParam<const mistake*> {};

TEST_P(planted_mistakes, are_reported) {
  SKIP_UNLESS_COMPILED("which memory a kernel uses");
  ASSERT_EQ(check_is_on, 0);
  setup here;
  const sycl::device device = here.q.get_device();
  const mistake& planted = *GetParam();
  if (planted.what == needs::device_usm) SKIP_WITHOUT(here.q, usm_device_allocations);
  if (planted.what == needs::shared_usm) SKIP_WITHOUT(here.q, usm_shared_allocations);
  prism_test::logged_text heard;
  planted.program(here);
  here.wait();
  const std::string text = heard.take();
  for (const std::string& part : planted.report)
    EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
}

std::vector<const mistake*> all_of(const std::vector<mistake>& list) {
  std::vector<const mistake*> all;
  for (const mistake& each : list) all.push_back(&each);
  return all;
}
std::string name_of(const testing::TestParamInfo<const mistake*>& info) { return info.param->name; }

INSTANTIATE_TEST_SUITE_P(indices, planted_mistakes, testing::ValuesIn(all_of(wrong_indices)), name_of);
INSTANTIATE_TEST_SUITE_P(order, planted_mistakes, testing::ValuesIn(all_of(no_order)), name_of);
INSTANTIATE_TEST_SUITE_P(host_code, planted_mistakes, testing::ValuesIn(all_of(host_too_early)), name_of);
INSTANTIATE_TEST_SUITE_P(memory, planted_mistakes, testing::ValuesIn(all_of(wrong_memory)), name_of);

} // namespace
