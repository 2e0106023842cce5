// prism.h with wrong arguments: each kind gets its status and a message, and nothing crashes.
#include "tests/bindings/c_common.hpp"
#include "tests/bindings/c_random_calls.hpp"

#include <cstdlib>
#include <random>
#include <thread>

namespace {

using c_tests::on_device;
using c_tests::owned;

struct c_refusals : on_device {};

TEST_F(c_refusals, a_null_handle_is_named) {
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "prism_queue_wait: queue is NULL", prism_queue_wait(nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "event is NULL", prism_event_wait(nullptr, error));
}

TEST_F(c_refusals, a_released_handle_is_found_and_a_second_release_too) {
  prism_queue* other = nullptr;
  EXPECT_RUNS(prism_queue_create(nullptr, 0, &other, error));
  EXPECT_RUNS(prism_release(other, error));
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "queue was released", prism_queue_wait(other, error));
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "was released", prism_release(other, error));
}

TEST_F(c_refusals, a_handle_of_another_kind_is_found) {
  const auto* event = reinterpret_cast<const prism_event*>(queue.handle);
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "event is a queue, not an event", prism_event_wait(event, error));
}

TEST_F(c_refusals, a_foreign_pointer_is_no_handle) {
  int on_stack = 0;
  auto* freed = static_cast<int*>(std::malloc(sizeof(int)));
  const auto freed_address = reinterpret_cast<uintptr_t>(freed);
  std::free(freed);
  for (const uintptr_t wild : {uintptr_t(1), reinterpret_cast<uintptr_t>(&on_stack), freed_address,
                               ~uintptr_t(0), reinterpret_cast<uintptr_t>(queue.handle) + 1000}) {
    const auto* handle = reinterpret_cast<const prism_queue*>(wild);
    EXPECT_REFUSES(PRISM_BAD_HANDLE, "is not a handle of PRISM", prism_queue_wait(handle, error));
  }
}

TEST_F(c_refusals, an_error_object_that_is_none_has_a_message_too) {
  EXPECT_EQ(prism_error_code(nullptr), PRISM_BAD_HANDLE);
  EXPECT_NE(std::string(prism_error_message(nullptr)), "");
  EXPECT_EQ(prism_error_code(reinterpret_cast<prism_error*>(queue.handle)), PRISM_BAD_HANDLE);
}

TEST_F(c_refusals, a_call_without_an_error_object_returns_its_status) {
  EXPECT_EQ(prism_queue_wait(nullptr, nullptr), PRISM_BAD_HANDLE);
  EXPECT_EQ(prism_queue_wait(nullptr, reinterpret_cast<prism_error**>(3)), PRISM_BAD_HANDLE);
  EXPECT_EQ(prism_release(nullptr, nullptr), PRISM_OK);
}

TEST_F(c_refusals, a_null_or_misaligned_result_is_named) {
  EXPECT_REFUSES(PRISM_BAD_POINTER, "pointer is NULL",
                 prism_allocate(queue, PRISM_MEMORY_SHARED, 8, 0, nullptr, error));
  char bytes[32];
  auto* odd = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(bytes) / 8 * 8 + 9);
  EXPECT_REFUSES(PRISM_BAD_POINTER, "misaligned",
                 prism_allocate(queue, PRISM_MEMORY_SHARED, 8, 0, odd, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "function is NULL",
                 prism_queue_call(queue, nullptr, nullptr, nullptr, 0, nullptr, error));
}

TEST_F(c_refusals, memory_that_is_not_registered_or_was_freed_is_found) {
  float outside[4] = {};
  float* x = with<float>({1, 2, 3, 4});
  EXPECT_REFUSES(PRISM_BAD_POINTER, "is not in registered memory",
                 prism_copy(queue, x, outside, 16, nullptr, 0, nullptr, error));
  void* freed = nullptr;
  EXPECT_RUNS(prism_allocate(queue, PRISM_MEMORY_SHARED, 16, 0, &freed, error));
  EXPECT_RUNS(prism_free(freed, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "freed", prism_copy(queue, x, freed, 16, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "freed before", prism_free(freed, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "not the first byte", prism_free(x + 1, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "not in registered memory",
                 prism_pointer_info(outside, nullptr, nullptr, nullptr, error));
}

TEST_F(c_refusals, a_copy_beyond_its_memory_is_found_with_the_numbers) {
  float *x = with<float>({1, 2, 3, 4}), *y = with<float>({5, 6, 7, 8});
  EXPECT_REFUSES(PRISM_BAD_POINTER, "at byte 4 of memory of 16 bytes, and the call reaches from 0 to 16",
                 prism_copy(queue, x + 1, y, 16, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "more than memory can have",
                 prism_copy(queue, x, y, ~size_t(0), nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "overlap", prism_copy(queue, x, x + 1, 12, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "beyond",
                 prism_copy_to_host(queue, reinterpret_cast<void*>(~uintptr_t(0) - 3), x, 16, nullptr, 0,
                                    nullptr, error));
  const float one = 1;
  EXPECT_REFUSES(PRISM_BAD_POINTER, "reaches", prism_fill(queue, x, &one, 4, 5, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "1, 2, 4, 8 or 16",
                 prism_fill(queue, x, &one, 3, 1, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "more than memory",
                 prism_fill(queue, x, &one, 16, ~size_t(0) / 2, nullptr, 0, nullptr, error));
}

TEST_F(c_refusals, wrong_kinds_sizes_and_flags_are_named) {
  void* out = nullptr;
  prism_queue* made = nullptr;
  EXPECT_REFUSES(PRISM_INVALID, "kind 9", prism_allocate(queue, 9, 8, 0, &out, error));
  EXPECT_REFUSES(PRISM_INVALID, "power of two",
                 prism_allocate(queue, PRISM_MEMORY_SHARED, 8, 3, &out, error));
  EXPECT_NE(prism_allocate(queue, PRISM_MEMORY_DEVICE, size_t(1) << 60, 0, &out, nullptr), PRISM_OK);
  EXPECT_REFUSES(PRISM_INVALID, "flags", prism_queue_create(nullptr, 64, &made, error));
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(made, nullptr);
}

TEST_F(c_refusals, names_that_do_not_exist_are_not_found) {
  prism_device* device = nullptr;
  prism_library* library = nullptr;
  int32_t operation = 0;
  double number = 0;
  char text[8];
  EXPECT_REFUSES(PRISM_NOT_FOUND, "", prism_device_select("opencl:name=NoSuchDevice", &device, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "no/such.so", prism_library_open("/no/such.so", &library, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "\"jemm\"", prism_operation_find("jemm", &operation, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "0x0999",
                 prism_run(queue, 0x999, nullptr, 0, nullptr, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "\"weight\"", prism_device_number(nullptr, "weight", &number, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "\"colour\"",
                 prism_device_text(nullptr, "colour", text, 8, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "", prism_device_by_policy("priority=taste", &device, error));
}

TEST_F(c_refusals, a_text_that_does_not_fit_is_not_written) {
  char text[4] = "abc";
  size_t needed = 0;
  EXPECT_REFUSES(PRISM_TOO_SMALL, "bytes, not 4", prism_operation_text(PRISM_GEMM, text, 4, &needed, error));
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(needed, sizeof "a b c=");
}

TEST_F(c_refusals, a_wrong_event_in_the_waits_is_named_by_its_index) {
  owned<prism_event> done;
  EXPECT_RUNS(prism_queue_call(queue, [](void*) {}, nullptr, nullptr, 0, done.to(), error));
  prism_event* waits[] = {done, nullptr};
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "waits[1] is NULL",
                 prism_queue_call(queue, [](void*) {}, nullptr, waits, 2, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "waits is NULL",
                 prism_queue_call(queue, [](void*) {}, nullptr, nullptr, 2, nullptr, error));
}

TEST_F(c_refusals, a_scope_ends_in_the_thread_that_began_it) {
  owned<prism_device> device;
  EXPECT_REFUSES(PRISM_INVALID, "no scope", prism_scope_end(error));
  EXPECT_RUNS(prism_queue_device(queue, device.to(), error));
  EXPECT_RUNS(prism_scope_begin(device, error));
  std::thread([] { EXPECT_REFUSES(PRISM_WRONG_THREAD, "another thread", prism_scope_end(error)); }).join();
  EXPECT_RUNS(prism_scope_end(error));
}

TEST_F(c_refusals, times_need_a_queue_with_profiling) {
  owned<prism_event> done;
  uint64_t time = 0;
  EXPECT_RUNS(prism_queue_call(queue, [](void*) {}, nullptr, nullptr, 0, done.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "profiling", prism_event_times(done, &time, nullptr, nullptr, error));
}

TEST_F(c_refusals, operands_of_wrong_types_extents_and_places_are_named) {
  float* data = with<float>(std::vector<float>(16, 1.0f));
  int64_t* info = with<int64_t>({0});
  const auto good = prism_matrix(data, PRISM_F32, 2, 2), c = prism_matrix(data + 8, PRISM_F32, 2, 2);
  const auto refuses = [&](prism_status wanted, const char* part, int32_t operation,
                           std::vector<prism_view> views) {
    EXPECT_REFUSES(
        wanted, part,
        prism_run(queue, operation, views.data(), views.size(), nullptr, nullptr, 0, nullptr, error));
  };
  refuses(PRISM_INVALID, "gemm has 3 operands, not 2", PRISM_GEMM, {good, good});
  refuses(PRISM_INVALID, "2 and 3", PRISM_GEMM, {good, prism_matrix(data + 4, PRISM_F32, 3, 2), c});
  refuses(PRISM_INVALID, "operand b is of double", PRISM_GEMM,
          {good, prism_matrix(data + 4, PRISM_F64, 2, 2), c});
  const auto integers = prism_matrix(data, PRISM_S32, 2, 2);
  refuses(PRISM_INVALID, "operand a is of int32", PRISM_GEMM, {integers, integers, integers});
  refuses(PRISM_INVALID, "rank 1", PRISM_GEMM, {prism_vector(data, PRISM_F32, 4), good, c});
  refuses(PRISM_INVALID, "operand r is of float", PRISM_IAMAX,
          {prism_vector(data, PRISM_F32, 4), prism_vector(data + 4, PRISM_F32, 1)});
  refuses(PRISM_INVALID, "operand b has no type", PRISM_GEMM, {good, prism_matrix(data, 77, 2, 2), c});
  refuses(PRISM_BAD_POINTER, "operand a is NULL", PRISM_GEMM,
          {prism_matrix(nullptr, PRISM_F32, 2, 2), good, c});
  refuses(PRISM_BAD_POINTER, "misaligned", PRISM_GEMM,
          {prism_matrix(reinterpret_cast<char*>(data) + 1, PRISM_F32, 2, 2), good, c});
  refuses(PRISM_BAD_POINTER, "memory of 64 bytes", PRISM_GEMM,
          {good, prism_matrix(data, PRISM_F32, 2, 9), c});
  refuses(PRISM_INVALID, "extent -2", PRISM_GEMM, {good, prism_matrix(data, PRISM_F32, -2, 2), c});
  refuses(PRISM_INVALID, "2^63", PRISM_GEMM, {good, prism_matrix(data, PRISM_F32, INT64_MAX, INT64_MAX), c});
  prism_view wrong = good;
  wrong.stride[0] = INT64_MIN;
  refuses(PRISM_INVALID, "2^63", PRISM_GEMM, {wrong, good, c});
  wrong = good, wrong.struct_size = 3;
  refuses(PRISM_INVALID, "struct_size", PRISM_GEMM, {wrong, good, c});
  wrong = good, wrong.rank = 99;
  refuses(PRISM_INVALID, "rank 99", PRISM_GEMM, {wrong, good, c});
  wrong = c, wrong.flags = PRISM_CONJUGATED;
  refuses(PRISM_INVALID, "cannot be conjugated", PRISM_GEMM, {good, good, wrong});
  refuses(PRISM_INVALID, "operand info is of float", PRISM_SOLVE,
          {good, c, prism_vector(data + 12, PRISM_F32, 1)});
  refuses(PRISM_INVALID, "not square", PRISM_INVERSE,
          {prism_matrix(data, PRISM_F32, 2, 3), c, prism_vector(info, PRISM_S64, 1)});
  refuses(PRISM_INVALID, "needs to be complex", PRISM_FORWARD,
          {prism_vector(data, PRISM_F32, 4), prism_vector(data + 4, PRISM_F32, 4)});
  refuses(PRISM_INVALID, "the first operand of float", PRISM_FORWARD,
          {prism_vector(data, PRISM_F32, 2), prism_vector(data + 4, PRISM_C64, 2)});
  prism_options options{};
  options.struct_size = sizeof options, options.uplo = 9;
  const prism_view views[] = {good, good, c};
  EXPECT_REFUSES(PRISM_INVALID, "options.uplo is 9",
                 prism_run(queue, PRISM_GEMM, views, 3, &options, nullptr, 0, nullptr, error));
}

TEST_F(c_refusals, wrong_arguments_of_a_launch_are_named) {
  owned<prism_library> library;
  owned<prism_kernel> saxpy, groups;
  EXPECT_RUNS(prism_library_open(PRISM_TEST_KERNELS, library.to(), error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "no kernel \"taxpy\"",
                 prism_kernel_get(library, "taxpy", saxpy.to(), error));
  EXPECT_RUNS(prism_kernel_get(library, "saxpy", saxpy.to(), error));
  EXPECT_RUNS(prism_kernel_get(library, "reverse_groups", groups.to(), error));
  float* data = with<float>({1, 2, 3, 4});
  const float a = 1;
  const size_t size = sizeof(prism_argument), items = 4, wide = 3;
  const prism_argument value{size, PRISM_ARGUMENT_VALUE, PRISM_F32, &a, 0},
      x{size, PRISM_ARGUMENT_POINTER, PRISM_F32, data, 4};
  const auto refuses = [&](prism_status wanted, const char* part, prism_kernel* kernel,
                           std::vector<prism_argument> given, const size_t* local) {
    EXPECT_REFUSES(
        wanted, part,
        prism_launch(queue, kernel, &items, local, given.data(), given.size(), nullptr, 0, nullptr, error));
  };
  refuses(PRISM_INVALID, "2 arguments, but the kernel has 3", saxpy, {value, x}, nullptr);
  refuses(PRISM_INVALID, "argument 0 is of another kind", saxpy, {x, x, x}, nullptr);
  prism_argument wrong = value;
  wrong.type = PRISM_F64;
  refuses(PRISM_INVALID, "is of double; the kernel declares float", saxpy, {wrong, x, x}, nullptr);
  wrong = value, wrong.value = nullptr;
  refuses(PRISM_BAD_POINTER, "value is NULL", saxpy, {wrong, x, x}, nullptr);
  wrong = x, wrong.count = 5;
  refuses(PRISM_BAD_POINTER, "memory of 16 bytes", saxpy, {value, wrong, x}, nullptr);
  wrong = x, wrong.value = &a, wrong.count = 1;
  refuses(PRISM_BAD_POINTER, "not in registered memory", saxpy, {value, wrong, x}, nullptr);
  refuses(PRISM_INVALID, "`local` is not NULL", saxpy, {value, x, x}, &items);
  const prism_argument local{size, PRISM_ARGUMENT_LOCAL, PRISM_F32, nullptr, 4};
  refuses(PRISM_INVALID, "does not divide", groups, {x, local}, &wide);
  refuses(PRISM_INVALID, "`local` is NULL", groups, {x, local}, nullptr);
  EXPECT_REFUSES(PRISM_BAD_POINTER, "global is NULL",
                 prism_launch(queue, groups, nullptr, &items, &x, 1, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "exports no kernels",
                 prism_library_open(PRISM_TEST_OTHER, library.to(), error));
}

TEST_F(c_refusals, a_graph_is_run_only_after_its_recording) {
  owned<prism_graph> graph, second;
  EXPECT_RUNS(prism_graph_begin(queue, graph.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "recording", prism_graph_begin(queue, second.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "still recorded", prism_graph_run(queue, graph, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_graph_end(graph, error));
  EXPECT_REFUSES(PRISM_INVALID, "ended before", prism_graph_end(graph, error));
}

TEST_F(c_refusals, random_calls_with_any_arguments_end_in_a_result_or_a_message) {
  std::mt19937 random(33);
  std::size_t succeeded = 0;
  for (int i = 0; i < 600; ++i) {
    std::vector<uint8_t> bytes(600);
    for (uint8_t& each : bytes) each = uint8_t(random());
    succeeded += c_tests::random_calls(bytes.data(), bytes.size(), PRISM_TEST_KERNELS);
  }
  EXPECT_GT(succeeded, 2000u); // 1,200 of them are allocations at the start
}

} // namespace
