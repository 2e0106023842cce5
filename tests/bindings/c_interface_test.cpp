// prism.h with right arguments: what each part computes.
#include "tests/bindings/c_common.hpp"

#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <regex>

namespace {

using c_tests::on_device;
using c_tests::owned;
using c_tests::text_of;

struct c_interface : on_device {};

TEST_F(c_interface, devices_are_listed_selected_and_described) {
  size_t count = 0;
  EXPECT_RUNS(prism_devices(nullptr, 0, &count, error));
  ASSERT_GT(count, 0u);
  std::vector<prism_device*> all(count);
  EXPECT_RUNS(prism_devices(all.data(), count, &count, error));
  for (prism_device* each : all) {
    EXPECT_NE(text_of([&](char* t, size_t n, size_t* s) {
      return prism_device_text(each, "name", t, n, s, nullptr);
    }),
              "");
    EXPECT_RUNS(prism_release(each, error));
  }
  owned<prism_device> mine;
  EXPECT_RUNS(prism_queue_device(queue, mine.to(), error));
  double units = 0;
  int32_t has = -1;
  EXPECT_RUNS(prism_device_number(mine, "compute_units", &units, error));
  EXPECT_GE(units, 1);
  EXPECT_RUNS(prism_device_has(mine, "fp64", &has, error));
  EXPECT_TRUE(has == 0 || has == 1);
  const std::string table = text_of(
      [](char* t, size_t n, size_t* s) { return prism_explain_policy("priority=speed", t, n, s, nullptr); });
  EXPECT_NE(table.find('\n'), std::string::npos) << table;
  const std::string backends =
      text_of([](char* t, size_t n, size_t* s) { return prism_backends(t, n, s, nullptr); });
  EXPECT_NE(backends.find("available"), std::string::npos) << backends;
}

TEST_F(c_interface, the_library_has_the_version_of_its_header) {
  EXPECT_EQ(prism_c_version(), PRISM_C_VERSION);
  EXPECT_TRUE(std::regex_match(prism_version(), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+"))) << prism_version();
}

TEST_F(c_interface, a_program_sets_the_priority_of_a_backend) {
  const auto priority = [] {
    return text_of([](char* t, size_t n, size_t* s) {
      return prism_backend_text("host", "priority", t, n, s, nullptr);
    });
  };
  const std::string before = priority();
  EXPECT_RUNS(prism_backend_set_priority("host", 77, error));
  EXPECT_EQ(priority(), "77");
  EXPECT_RUNS(prism_backend_set_priority("host", std::stoi(before), error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "is NULL", prism_backend_set_priority(nullptr, 1, error));
}

TEST_F(c_interface, a_scope_sets_the_device_of_new_queues) {
  owned<prism_device> host, device;
  owned<prism_queue> made;
  EXPECT_RUNS(prism_queue_device(queue, host.to(), error));
  EXPECT_RUNS(prism_scope_begin(host, error));
  EXPECT_RUNS(prism_queue_create(nullptr, PRISM_IN_ORDER, made.to(), error));
  EXPECT_RUNS(prism_scope_end(error));
  EXPECT_RUNS(prism_queue_device(made, device.to(), error));
}

TEST_F(c_interface, memory_is_copied_filled_and_described) {
  void* device = nullptr;
  EXPECT_RUNS(prism_allocate(queue, PRISM_MEMORY_DEVICE, 64, 0, &device, error));
  memory.push_back(device);
  int32_t host[16], kind = 0;
  size_t offset = 0, bytes = 0;
  const int32_t seven = 7;
  owned<prism_event> filled, copied;
  EXPECT_RUNS(prism_fill(queue, device, &seven, 4, 16, nullptr, 0, filled.to(), error));
  EXPECT_RUNS(prism_copy_to_host(queue, host, device, 64, &filled.handle, 1, copied.to(), error));
  EXPECT_RUNS(prism_event_wait(copied, error));
  for (int32_t each : host) EXPECT_EQ(each, 7);
  int32_t status = -1;
  EXPECT_RUNS(prism_event_status(copied, &status, error));
  EXPECT_EQ(status, PRISM_COMPLETE);
  EXPECT_RUNS(prism_pointer_info(static_cast<char*>(device) + 12, &kind, &offset, &bytes, error));
  EXPECT_EQ(kind, PRISM_MEMORY_DEVICE);
  EXPECT_EQ(offset, 12u);
  EXPECT_EQ(bytes, 64u);
}

TEST_F(c_interface, memory_of_the_program_is_adopted_where_the_device_can_use_it) {
  static float own[] = {1, 2, 3, 4};
  const auto adopted =
      c_tests::outcome_of([&](prism_error** e) { return prism_adopt(queue, own, sizeof own, e); });
  if (adopted.status == PRISM_UNSUPPORTED) GTEST_SKIP() << adopted.text;
  EXPECT_EQ(adopted.status, PRISM_OK) << adopted.text;
  EXPECT_REFUSES(PRISM_INVALID, "registered already", prism_adopt(queue, own + 1, 4, error));
  prism_options twice{};
  twice.struct_size = sizeof twice, twice.has_alpha = 1, twice.alpha[0] = 2;
  run(PRISM_SCAL, {prism_vector(own, PRISM_F32, 4)}, &twice);
  EXPECT_EQ(own[3], 8);
  EXPECT_RUNS(prism_free(own, error));
}

TEST_F(c_interface, a_callback_runs_after_the_events_it_waits_for) {
  static std::atomic<int> order{0};
  int first = 0, second = 0;
  owned<prism_event> one, two;
  EXPECT_RUNS(prism_queue_call(queue, [](void* at) { *static_cast<int*>(at) = ++order; }, &first, nullptr, 0,
                               one.to(), error));
  EXPECT_RUNS(prism_queue_call(queue, [](void* at) { *static_cast<int*>(at) = ++order; }, &second,
                               &one.handle, 1, two.to(), error));
  EXPECT_RUNS(prism_event_wait(two, error));
  EXPECT_EQ(second, first + 1);
}

TEST_F(c_interface, memory_is_freed_after_the_work_that_uses_it) {
  static std::atomic<bool> ended{false};
  ended = false;
  owned<prism_event> held, copied;
  void* device = nullptr;
  static int32_t host = 5;
  EXPECT_RUNS(prism_allocate(queue, PRISM_MEMORY_DEVICE, 4, 0, &device, error));
  EXPECT_RUNS(prism_queue_call(queue, [](void*) { ended = true; }, nullptr, nullptr, 0, held.to(), error));
  EXPECT_RUNS(prism_copy_from_host(queue, device, &host, 4, &held.handle, 1, copied.to(), error));
  EXPECT_RUNS(prism_free(device, error));
  EXPECT_TRUE(ended);
}

TEST_F(c_interface, times_of_an_event_are_in_order) {
  owned<prism_queue> timed;
  owned<prism_event> done;
  EXPECT_RUNS(prism_queue_create(nullptr, PRISM_PROFILING | PRISM_IN_ORDER, timed.to(), error));
  float* x = with<float>({1, 2});
  const float one = 1;
  EXPECT_RUNS(prism_fill(timed, x, &one, 4, 2, nullptr, 0, done.to(), error));
  uint64_t submitted = 0, started = 0, ended = 0;
  EXPECT_RUNS(prism_event_times(done, &submitted, &started, &ended, error));
  EXPECT_LE(submitted, started);
  EXPECT_LE(started, ended);
}

TEST_F(c_interface, a_product_of_strided_matrices_is_right) {
  float* a = with<float>({1, 2, 3, 4, 5, 6}); // 2 x 3 in rows
  float* c = with<float>(std::vector<float>(4, 100));
  const prism_view rows = prism_matrix(a, PRISM_F32, 2, 3);
  prism_view transposed = rows;
  std::swap(transposed.extent[0], transposed.extent[1]),
      std::swap(transposed.stride[0], transposed.stride[1]);
  prism_options options{};
  options.struct_size = sizeof options, options.has_alpha = options.has_beta = 1;
  options.alpha[0] = 2, options.beta[0] = 1;
  run(PRISM_GEMM, {rows, transposed, prism_matrix(c, PRISM_F32, 2, 2)}, &options);
  EXPECT_EQ(std::vector<float>(c, c + 4), (std::vector<float>{128, 164, 164, 254}));
}

TEST_F(c_interface, a_batch_of_systems_is_solved) {
  float* a = with<float>({2, 0, 0, 4, 1, 1, 0, 1});
  float* b = with<float>({2, 4, 3, 1});
  int64_t* info = with<int64_t>({9, 9});
  const int64_t square[] = {2, 2, 2}, columns[] = {2, 1, 2};
  prism_view as = prism_grid(a, PRISM_F32, 3, square), bs = prism_grid(b, PRISM_F32, 3, columns);
  as.stride[0] = 2, as.stride[1] = 1, as.stride[2] = 4;
  bs.stride[0] = 1, bs.stride[1] = 1, bs.stride[2] = 2;
  run(PRISM_SOLVE, {as, bs, prism_vector(info, PRISM_S64, 2)});
  EXPECT_EQ(std::vector<float>(b, b + 4), (std::vector<float>{1, 1, 2, 1}));
  EXPECT_EQ(info[0], 0);
  EXPECT_EQ(info[1], 0);
}

TEST_F(c_interface, eigenvalues_and_determinants_have_their_types) {
  float* a = with<float>({2, 1, 1, 2});
  float *w = with<float>({0, 0}), *v = with<float>(std::vector<float>(4)), *d = with<float>({0});
  int64_t* info = with<int64_t>({9});
  const prism_view matrix = prism_matrix(a, PRISM_F32, 2, 2);
  run(PRISM_EIGH, {matrix, prism_vector(w, PRISM_F32, 2), prism_matrix(v, PRISM_F32, 2, 2),
                   prism_vector(info, PRISM_S64, 1)});
  EXPECT_NEAR(w[0], 1, 1e-5);
  EXPECT_NEAR(w[1], 3, 1e-5);
  EXPECT_EQ(*info, 0);
  run(PRISM_DETERMINANT, {matrix, prism_vector(d, PRISM_F32, 1)});
  EXPECT_NEAR(*d, 3, 1e-5);
  auto* roots = with<std::complex<float>>({0, 0});
  run(PRISM_EIG, {matrix, prism_vector(roots, PRISM_C32, 2), prism_matrix(nullptr, PRISM_C32, 0, 0),
                  prism_vector(info, PRISM_S64, 1)});
  EXPECT_NEAR(roots[0].real() + roots[1].real(), 4, 1e-5);
}

TEST_F(c_interface, a_transform_and_its_inverse_give_the_data_again) {
  std::vector<float> points;
  for (int i = 0; i < 60; ++i) points.push_back(float(i % 7));
  float* x = with(points);
  auto* half = with(std::vector<std::complex<float>>(5 * 7));
  const int64_t real[] = {5, 12}, other[] = {5, 7};
  run(PRISM_FORWARD, {prism_grid(x, PRISM_F32, 2, real), prism_grid(half, PRISM_C32, 2, other)});
  EXPECT_NEAR(half[0].real(), 60 / 7 * 21 + 0 + 1 + 2 + 3, 1e-3);
  std::fill(x, x + 60, -1.0f);
  prism_options by_size{};
  by_size.struct_size = sizeof by_size, by_size.kind = 1;
  run(PRISM_BACKWARD, {prism_grid(half, PRISM_C32, 2, other), prism_grid(x, PRISM_F32, 2, real)}, &by_size);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(x[i], points[i], 1e-5);
}

TEST_F(c_interface, a_convolution_has_its_three_sizes) {
  float *a = with<float>({1, 2, 3}), *b = with<float>({1, 1}), *out = with<float>(std::vector<float>(4));
  const auto vector = [](float* data, int64_t n) { return prism_vector(data, PRISM_F32, n); };
  run(PRISM_CONVOLVE, {vector(a, 3), vector(b, 2), vector(out, 4)});
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{1, 3, 5, 3}));
  prism_options valid{};
  valid.struct_size = sizeof valid, valid.kind = 2;
  run(PRISM_CONVOLVE, {vector(a, 3), vector(b, 2), vector(out, 2)}, &valid);
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 5);
}

TEST_F(c_interface, operations_are_found_by_name_and_explained) {
  int32_t number = 0;
  EXPECT_RUNS(prism_operation_find("least_squares_by_svd", &number, error));
  EXPECT_EQ(number, PRISM_LEAST_SQUARES_BY_SVD);
  EXPECT_EQ(
      text_of([&](char* t, size_t n, size_t* s) { return prism_operation_text(number, t, n, s, nullptr); }),
      "a b x= rank= info=");
  EXPECT_NE(text_of([&](char* t, size_t n, size_t* s) {
    return prism_operation_explain(nullptr, "gemm", "float", 64, t, n, s, nullptr);
  }).find("prism"),
            std::string::npos);
}

TEST_F(c_interface, kernels_are_launched_by_name) {
  owned<prism_library> library;
  owned<prism_kernel> cells, groups, nothing;
  EXPECT_RUNS(prism_library_open(PRISM_TEST_KERNELS, library.to(), error));
  EXPECT_EQ(
      text_of([&](char* t, size_t n, size_t* s) { return prism_library_kernels(library, t, n, s, nullptr); }),
      "saxpy\nnumber_cells\nreverse_groups\nnothing\nset_to\nadd_to\n");
  EXPECT_RUNS(prism_kernel_get(library, "number_cells", cells.to(), error));
  EXPECT_RUNS(prism_kernel_get(library, "reverse_groups", groups.to(), error));
  EXPECT_RUNS(prism_kernel_get(library, "nothing", nothing.to(), error));
  EXPECT_RUNS(prism_release(library.handle, error));
  library.handle = nullptr;
  EXPECT_EQ(
      text_of([&](char* t, size_t n, size_t* s) { return prism_kernel_text(groups, t, n, s, nullptr); }),
      "reverse_groups 1 groups: float*, local float");
  const size_t size = sizeof(prism_argument), shape[] = {3, 4}, eight = 8, four = 4;
  const int32_t step = 10;
  int64_t* numbers = with(std::vector<int64_t>(12));
  const prism_argument of_cells[] = {{size, PRISM_ARGUMENT_VALUE, PRISM_S32, &step, 0},
                                     {size, PRISM_ARGUMENT_POINTER, PRISM_S64, numbers, 12}};
  EXPECT_RUNS(prism_launch(queue, cells, shape, nullptr, of_cells, 2, nullptr, 0, nullptr, error));
  float* data = with<float>({0, 1, 2, 3, 4, 5, 6, 7});
  const prism_argument of_groups[] = {{size, PRISM_ARGUMENT_POINTER, PRISM_F32, data, 8},
                                      {size, PRISM_ARGUMENT_LOCAL, PRISM_F32, nullptr, 4}};
  EXPECT_RUNS(prism_launch(queue, groups, &eight, &four, of_groups, 2, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_launch(queue, nothing, &eight, nullptr, nullptr, 0, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_queue_wait(queue, error));
  EXPECT_EQ(numbers[11], 23);
  EXPECT_EQ(numbers[4], 10);
  EXPECT_EQ(std::vector<float>(data, data + 8), (std::vector<float>{3, 2, 1, 0, 7, 6, 5, 4}));
}

TEST_F(c_interface, a_recorded_graph_runs_as_often_as_wanted) {
  float *x = with<float>({1, 2, 3, 4}), *y = with<float>({0, 0, 0, 0});
  owned<prism_graph> graph;
  const prism_view views[] = {prism_vector(x, PRISM_F32, 4), prism_vector(y, PRISM_F32, 4)};
  EXPECT_RUNS(prism_graph_begin(queue, graph.to(), error));
  EXPECT_RUNS(prism_run(queue, PRISM_AXPY, views, 2, nullptr, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_graph_end(graph, error));
  EXPECT_EQ(y[3], 0);
  owned<prism_event> first, second;
  EXPECT_RUNS(prism_graph_run(queue, graph, nullptr, 0, first.to(), error));
  EXPECT_RUNS(prism_graph_run(queue, graph, &first.handle, 1, second.to(), error));
  EXPECT_RUNS(prism_event_wait(second, error));
  EXPECT_EQ(y[3], 8);
  EXPECT_NE(text_of([&](char* t, size_t n, size_t* s) { return prism_graph_text(graph, t, n, s, nullptr); }),
            "");
}

TEST_F(c_interface, a_released_recording_ends_and_the_queue_runs_again) {
  float* x = with<float>({1});
  owned<prism_graph> graph;
  EXPECT_RUNS(prism_graph_begin(queue, graph.to(), error));
  EXPECT_RUNS(prism_release(graph.handle, error));
  graph.handle = nullptr;
  const float two = 2;
  EXPECT_RUNS(prism_fill(queue, x, &two, 4, 1, nullptr, 0, nullptr, error));
  EXPECT_RUNS(prism_queue_wait(queue, error));
  EXPECT_EQ(*x, 2);
}

} // namespace
