// prism.h: kernels of texts in OpenCL C and SPIR-V, and tasks of a library's kernels.
#include "tests/bindings/c_common.hpp"

#include <cstring>

namespace {

using c_tests::on_device;
using c_tests::owned;
using c_tests::text_of;

constexpr const char* text = "kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by; }\n"
                             "kernel void turn(global const int* x, local int* copy, global int* y) {\n"
                             "  size_t i = get_local_id(0), n = get_local_size(0);\n"
                             "  copy[i] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  y[get_global_id(0)] = copy[n - 1 - i] + 100 * (int)get_global_id(1); }\n";

template <typename T>
prism_argument pointer(T* data, int32_t type, uint64_t count) {
  return {sizeof(prism_argument), PRISM_ARGUMENT_POINTER, type, data, count};
}
template <typename T>
prism_argument value(const T& of, int32_t type) {
  return {sizeof(prism_argument), PRISM_ARGUMENT_VALUE, type, &of, 0};
}

/// The tests of OpenCL C run on OpenCL devices.
struct c_texts : on_device {
  owned<prism_device> device;
  owned<prism_kernel> kernel;
  bool is_opencl = false;
  void SetUp() override {
    on_device::SetUp();
    EXPECT_RUNS(prism_queue_device(queue, device.to(), error));
    is_opencl = text_of([&](char* to, size_t room, size_t* needed) {
      return prism_device_text(device, "backend", to, room, needed, nullptr);
    }) == "opencl";
  }
  prism_status make(const char* name, int32_t dimensions, const char* parameters, prism_error** error,
                    const std::string& from = text) {
    return prism_kernel_create(device, "opencl", from.data(), from.size(), name, dimensions, parameters,
                               kernel.to(), error);
  }
};

TEST_F(c_texts, a_device_that_takes_no_opencl_c_names_those_that_do) {
  if (is_opencl) GTEST_SKIP() << "this device takes OpenCL C";
  EXPECT_REFUSES(PRISM_UNSUPPORTED, "\"scale\" is OpenCL C, which ", make("scale", 1, nullptr, error));
  EXPECT_REFUSES(PRISM_UNSUPPORTED, "does not take; OpenCL devices do", make("scale", 1, nullptr, error));
}

TEST_F(c_texts, a_kernel_of_opencl_c_is_launched_like_one_of_a_library) {
  if (!is_opencl) GTEST_SKIP() << "this device takes no OpenCL C";
  EXPECT_RUNS(make("scale", 1, nullptr, error));
  EXPECT_EQ(text_of([&](char* to, size_t room, size_t* needed) {
    return prism_kernel_text(kernel, to, room, needed, nullptr);
  }),
            "scale 1 any: float*, float");
  float* x = with<float>({1, 2, 3, 4});
  const float by = 3;
  const size_t global[1] = {4}, local[1] = {2}, uneven[1] = {3};
  const prism_argument given[] = {pointer(x, PRISM_F32, 4), value(by, PRISM_F32)};
  EXPECT_RUNS(prism_launch(queue, kernel, global, nullptr, given, 2, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_queue_wait(queue, error));
  EXPECT_RUNS(prism_launch(queue, kernel, global, local, given, 2, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_queue_wait(queue, error));
  EXPECT_EQ(std::vector<float>(x, x + 4), (std::vector<float>{9, 18, 27, 36}));
  EXPECT_REFUSES(PRISM_INVALID, "does not divide",
                 prism_launch(queue, kernel, global, uneven, given, 2, nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "scale: argument 1 is of int32; the kernel declares float", [&] {
    const int32_t whole = 3;
    const prism_argument wrong[] = {given[0], value(whole, PRISM_S32)};
    return prism_launch(queue, kernel, global, nullptr, wrong, 2, nullptr, 0, nullptr, error);
  }());
  EXPECT_REFUSES(PRISM_INVALID, "scale 1 any: float*, float: 1 arguments, but the kernel has 2",
                 prism_launch(queue, kernel, global, nullptr, given, 1, nullptr, 0, nullptr, error));
}

TEST_F(c_texts, it_has_local_memory_and_dimensions) {
  if (!is_opencl) GTEST_SKIP() << "this device takes no OpenCL C";
  EXPECT_RUNS(make("turn", 2, "const int32*, local int32, int32*", error));
  int32_t *x = with<int32_t>({1, 2, 3, 4}), *y = with<int32_t>(std::vector<int32_t>(4));
  const size_t global[2] = {1, 4}, local[2] = {1, 2};
  const prism_argument given[] = {pointer(x, PRISM_S32, 4),
                                  {sizeof(prism_argument), PRISM_ARGUMENT_LOCAL, PRISM_S32, nullptr, 2},
                                  pointer(y, PRISM_S32, 4)};
  EXPECT_RUNS(prism_launch(queue, kernel, global, local, given, 3, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_queue_wait(queue, error));
  EXPECT_EQ(std::vector<int32_t>(y, y + 4), (std::vector<int32_t>{2, 1, 4, 3}));
}

TEST_F(c_texts, what_is_wrong_with_a_text_is_named) {
  EXPECT_REFUSES(
      PRISM_INVALID, "there is no language \"cuda\"",
      prism_kernel_create(device, "cuda", text, std::strlen(text), "scale", 1, nullptr, kernel.to(), error));
  EXPECT_REFUSES(
      PRISM_INVALID, "is given as \"spirv\", and its text is no SPIR-V module",
      prism_kernel_create(device, "spirv", text, std::strlen(text), "scale", 1, nullptr, kernel.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "dimensions is 4", make("scale", 4, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "language is NULL",
                 prism_kernel_create(device, nullptr, text, 1, "scale", 1, nullptr, kernel.to(), error));
  if (!is_opencl) return;
  EXPECT_REFUSES(PRISM_INVALID, "has no kernel \"shrink\"; it has scale;turn",
                 make("shrink", 1, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "undeclared",
                 make("wrong", 1, nullptr, error, "kernel void wrong() { missing = 1; }"));
  EXPECT_REFUSES(PRISM_INVALID, "parameter 0 is of \"float4\"", [&] {
    return make("wide", 1, "float4*", error, "kernel void wide(global float4* x) { x[0] = 1; }");
  }());
  EXPECT_REFUSES(PRISM_INVALID,
                 "state scale 1 any: float*, double, and the text has scale 1 any: float*, float",
                 make("scale", 1, "float*, double", error));
}

// ---- tasks

struct c_tasks : on_device {
  owned<prism_library> library;
  owned<prism_kernel> set, add;
  owned<prism_tasks> tasks;
  void SetUp() override {
    on_device::SetUp();
    EXPECT_RUNS(prism_library_open(PRISM_TEST_KERNELS, library.to(), error));
    EXPECT_RUNS(prism_kernel_get(library, "set_to", set.to(), error));
    EXPECT_RUNS(prism_kernel_get(library, "add_to", add.to(), error));
    EXPECT_RUNS(prism_tasks_create(queue, library, "counting", tasks.to(), error));
  }
  size_t setting(int32_t to, int64_t* out, const std::vector<size_t>& after) {
    const prism_argument given[] = {value(to, PRISM_S32), pointer(out, PRISM_S64, 100)};
    size_t number = ~size_t(0);
    EXPECT_RUNS(prism_tasks_add(tasks, set, 100, given, 2, after.data(), after.size(), &number, error));
    return number;
  }
  size_t adding(const int64_t* a, double by, int64_t* out, const std::vector<size_t>& after) {
    const prism_argument given[] = {pointer(a, PRISM_S64, 100), value(by, PRISM_F64),
                                    pointer(out, PRISM_S64, 100)};
    size_t number = ~size_t(0);
    EXPECT_RUNS(prism_tasks_add(tasks, add, 100, given, 3, after.data(), after.size(), &number, error));
    return number;
  }
};

TEST_F(c_tasks, tasks_with_an_order_run_as_one_submission_as_often_as_needed) {
  int64_t *x = with<int64_t>(std::vector<int64_t>(100)), *y = with<int64_t>(std::vector<int64_t>(100));
  const size_t first = setting(2, x, {}), second = setting(10, y, {});
  EXPECT_EQ(first, 0u);
  const size_t third = adding(x, 3, y, {first, second}); // y = 10 + 3 * 2
  adding(y, 1, x, {third});                              // x = 2 + 16
  const std::string how = text_of([&](char* to, size_t room, size_t* needed) {
    return prism_tasks_text(tasks, to, room, needed, nullptr);
  });
  EXPECT_NE(how.find("4 tasks"), std::string::npos) << how;
  for (int run = 0; run < 2; ++run) {
    owned<prism_event> done;
    EXPECT_RUNS(prism_tasks_run(tasks, nullptr, 0, done.to(), error));
    EXPECT_RUNS(prism_event_wait(done, error));
    EXPECT_EQ(std::vector<int64_t>(x, x + 100), std::vector<int64_t>(100, 18));
    EXPECT_EQ(std::vector<int64_t>(y, y + 100), std::vector<int64_t>(100, 16));
    std::fill(x, x + 100, -1);
  }
}

TEST_F(c_tasks, they_wait_for_events_and_live_longer_than_their_library) {
  int64_t* x = with<int64_t>(std::vector<int64_t>(100));
  setting(7, x, {});
  library.to();
  int order = 0;
  owned<prism_event> before, done;
  EXPECT_RUNS(prism_queue_call(queue, [](void* data) { *static_cast<int*>(data) = 1; }, &order, nullptr, 0,
                               before.to(), error));
  prism_event* waits[] = {before};
  EXPECT_RUNS(prism_tasks_run(tasks, waits, 1, done.to(), error));
  EXPECT_RUNS(prism_event_wait(done, error));
  EXPECT_EQ(order, 1);
  EXPECT_EQ(x[99], 7);
}

TEST_F(c_tasks, wrong_tasks_are_named) {
  owned<prism_tasks> none;
  owned<prism_kernel> saxpy;
  EXPECT_EQ(text_of([&](char* to, size_t room, size_t* needed) {
    return prism_library_tasks(library, to, room, needed, nullptr);
  }),
            "counting: set_to add_to nothing\n");
  EXPECT_REFUSES(PRISM_NOT_FOUND,
                 "has no tasks \"sorting\"; PRISM_EXPORT_TASKS(sorting, kernels...) makes them",
                 prism_tasks_create(queue, library, "sorting", none.to(), error));
  EXPECT_RUNS(prism_kernel_get(library, "saxpy", saxpy.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "\"saxpy\" is no kernel of the tasks \"counting\"",
                 prism_tasks_add(tasks, saxpy, 1, nullptr, 0, nullptr, 0, nullptr, error));
  const size_t later = 0;
  int64_t* x = with<int64_t>({0});
  const int32_t one = 1;
  const prism_argument given[] = {value(one, PRISM_S32), pointer(x, PRISM_S64, 1)};
  EXPECT_REFUSES(PRISM_INVALID, "after[0] is 0; there are 0 tasks",
                 prism_tasks_add(tasks, set, 1, given, 2, &later, 1, nullptr, error));
  owned<prism_graph> graph;
  EXPECT_RUNS(prism_graph_begin(queue, graph.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "is recording a graph", prism_tasks_run(tasks, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_graph_end(graph, error));
}

} // namespace
