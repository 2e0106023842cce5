// Arrays over prism.h: functions by name, indices, wrong arguments.
#include "tests/bindings/c_common.hpp"

#include <prism/dlpack.h>

#include <cstring>

namespace {

using c_tests::on_device;
using c_tests::owned;

prism_given given_array(const prism_array* array) {
  return {sizeof(prism_given), PRISM_GIVEN_ARRAY, 0, array, 0, {}};
}
prism_given given_integer(int64_t value) {
  return {sizeof(prism_given), PRISM_GIVEN_INTEGER, 0, nullptr, value, {}};
}
prism_given given_real(double value) {
  return {sizeof(prism_given), PRISM_GIVEN_REAL, 0, nullptr, 0, {value, 0}};
}

struct c_arrays : on_device {
  owned<prism_device> device;
  void SetUp() override {
    on_device::SetUp();
    EXPECT_RUNS(prism_queue_device(queue, device.to(), error));
  }
  void make(owned<prism_array>& to, const std::vector<float>& values, const std::vector<int64_t>& shape) {
    EXPECT_RUNS(prism_array_from_host(device, values.data(), PRISM_F32, int32_t(shape.size()), shape.data(),
                                      to.to(), error));
  }
  void call(owned<prism_array>& to, const char* name, const std::vector<prism_given>& given) {
    EXPECT_RUNS(prism_array_call(name, device, given.data(), given.size(), to.to(), 1, nullptr, error));
  }
  std::vector<float> floats(const prism_array* array, size_t count) {
    std::vector<float> out(count);
    EXPECT_RUNS(prism_array_to_host(array, out.data(), count * sizeof(float), error));
    return out;
  }
};

TEST_F(c_arrays, a_chain_of_functions_by_name_gives_its_values) {
  owned<prism_array> x, twice, sum;
  make(x, {1, 2, 3, 4, 5, 6}, {2, 3});
  call(twice, "multiply", {given_array(x), given_real(2)});
  EXPECT_EQ(floats(twice, 6), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  call(sum, "sum", {given_array(twice), given_integer(0)});
  EXPECT_EQ(floats(sum, 3), (std::vector<float>{10, 14, 18}));
  int32_t type = 0, rank = 0;
  int64_t extents[PRISM_MAX_RANK] = {};
  EXPECT_RUNS(prism_array_info(sum, &type, &rank, extents, error));
  EXPECT_EQ(type, PRISM_F32);
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(extents[0], 3);
}

TEST_F(c_arrays, an_array_states_where_its_elements_are) {
  owned<prism_array> x, column;
  make(x, {1, 2, 3, 4, 5, 6}, {2, 3});
  const prism_index items[] = {{PRISM_INDEX_SLICE, 0, 0, 0, 0, 0, 1}, {PRISM_INDEX_AT, 0, 0, 0, 1, 0, 0}};
  call(column, "view", {given_array(x), {sizeof(prism_given), PRISM_GIVEN_INDEX, 2, items, 0, {}}});
  void *first = nullptr, *of_column = nullptr;
  int64_t strides[PRISM_MAX_RANK] = {};
  EXPECT_RUNS(prism_array_data(x, &first, strides, error));
  EXPECT_EQ(strides[0], 3);
  EXPECT_EQ(strides[1], 1);
  EXPECT_RUNS(prism_array_data(column, &of_column, nullptr, error));
  EXPECT_EQ(static_cast<char*>(of_column) - static_cast<char*>(first), ptrdiff_t(sizeof(float)));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "is NULL", prism_array_data(x, nullptr, strides, error));
  owned<prism_device> own;
  EXPECT_RUNS(prism_array_device(x, own.to(), error));
  const auto name_of = [&](const prism_device* of) {
    char text[256] = {};
    EXPECT_RUNS(prism_device_text(of, "name", text, sizeof text, nullptr, error));
    return std::string(text);
  };
  EXPECT_EQ(name_of(own), name_of(device));
}

TEST_F(c_arrays, the_list_of_functions_has_a_line_for_each) {
  size_t needed = 0;
  EXPECT_RUNS(prism_array_functions(nullptr, 0, &needed, error));
  std::string text(needed, '\0');
  EXPECT_RUNS(prism_array_functions(text.data(), text.size(), &needed, error));
  for (const char* each : {"multiply", "sum", "view", "where"})
    EXPECT_NE(("\n" + text).find(std::string("\n") + each), std::string::npos) << text;
}

TEST_F(c_arrays, views_share_elements_and_operations_use_them) {
  owned<prism_array> x, column, nothing;
  make(x, {1, 2, 3, 4}, {2, 2});
  const prism_index items[] = {{PRISM_INDEX_SLICE, 0, 0, 0, 0, 0, -1}, {PRISM_INDEX_AT, 0, 0, 0, 1, 0, 0}};
  call(column, "view", {given_array(x), {sizeof(prism_given), PRISM_GIVEN_INDEX, 2, items, 0, {}}});
  EXPECT_EQ(floats(column, 2), (std::vector<float>{4, 2}));
  prism_view operand{};
  EXPECT_RUNS(prism_array_view(column, &operand, error));
  prism_options twice{};
  twice.struct_size = sizeof twice, twice.has_alpha = 1, twice.alpha[0] = 2;
  run(PRISM_SCAL, {operand}, &twice);
  EXPECT_EQ(floats(x, 4), (std::vector<float>{1, 4, 3, 8}));
  EXPECT_REFUSES(PRISM_INVALID, "memory of an array",
                 prism_free(static_cast<float*>(operand.data) - 2, error));
}

TEST_F(c_arrays, an_array_over_memory_shares_it_and_says_when_it_is_done) {
  void* pointer = nullptr;
  const auto made = c_tests::outcome_of(
      [&](prism_error** e) { return prism_allocate(queue, PRISM_MEMORY_SHARED, 16, 0, &pointer, e); });
  if (made.status == PRISM_UNSUPPORTED) GTEST_SKIP() << made.text;
  memory.push_back(pointer);
  auto* numbers = static_cast<float*>(pointer);
  std::copy_n(std::vector<float>{1, 2, 3, 4}.begin(), 4, numbers);
  prism_view view = prism_matrix(numbers + 1, PRISM_F32, 1, 2);
  int released = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  {
    owned<prism_array> x, twice;
    EXPECT_RUNS(prism_array_from_memory(&view, count, &released, x.to(), error));
    call(twice, "multiply", {given_array(x), given_real(2)});
    EXPECT_EQ(floats(twice, 2), (std::vector<float>{4, 6}));
    prism_view again;
    EXPECT_RUNS(prism_array_view(x, &again, error));
    EXPECT_EQ(again.data, numbers + 1);
    EXPECT_RUNS(prism_array_call("assign", device, std::vector{given_array(x), given_integer(7)}.data(), 2,
                                 nullptr, 0, nullptr, error));
    EXPECT_EQ(floats(x, 2), (std::vector<float>{7, 7}));
    EXPECT_EQ(released, 0);
    EXPECT_REFUSES(PRISM_INVALID, "elements of 1 array", prism_free(pointer, error));
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[2], 7);
  owned<prism_array> out;
  view.extent[1] = 4;
  EXPECT_REFUSES(PRISM_BAD_POINTER, "reaches",
                 prism_array_from_memory(&view, nullptr, nullptr, out.to(), error));
  view.extent[1] = INT64_MAX;
  EXPECT_REFUSES(PRISM_INVALID, "larger than memory",
                 prism_array_from_memory(&view, nullptr, nullptr, out.to(), error));
  view.extent[1] = 2, view.data = &view;
  EXPECT_REFUSES(PRISM_BAD_POINTER, "registered",
                 prism_array_from_memory(&view, nullptr, nullptr, out.to(), error));
  EXPECT_EQ(released, 1);
}

TEST_F(c_arrays, memory_may_be_freed_by_the_function_that_is_called_at_the_end_of_its_last_array) {
  struct owner {
    void* pointer = nullptr;
    std::string refusal = "not called";
  } its;
  const auto made = c_tests::outcome_of(
      [&](prism_error** e) { return prism_allocate(queue, PRISM_MEMORY_SHARED, 16, 0, &its.pointer, e); });
  if (made.status == PRISM_UNSUPPORTED) GTEST_SKIP() << made.text;
  const prism_view view = prism_matrix(static_cast<float*>(its.pointer), PRISM_F32, 1, 4);
  const auto end = [](void* data) {
    owner& of = *static_cast<owner*>(data);
    of.refusal = c_tests::outcome_of([&](prism_error** e) { return prism_free(of.pointer, e); }).text;
  };
  owned<prism_array> doubled;
  {
    owned<prism_array> x, part;
    EXPECT_RUNS(prism_array_from_memory(&view, end, &its, x.to(), error));
    EXPECT_RUNS(prism_array_call("assign", device, std::vector{given_array(x), given_integer(3)}.data(), 2,
                                 nullptr, 0, nullptr, error));
    call(part, "transpose", {given_array(x)});
    call(doubled, "multiply", {given_array(part), given_real(2)}); // recorded: not run yet
  }
  EXPECT_REFUSES(PRISM_INVALID, "elements of 1 array", prism_free(its.pointer, error));
  EXPECT_EQ(floats(doubled, 4), (std::vector<float>{6, 6, 6, 6}));
  EXPECT_EQ(its.refusal, "");
  EXPECT_REFUSES(PRISM_BAD_POINTER, "freed before", prism_free(its.pointer, error));
}

TEST_F(c_arrays, an_array_over_the_memory_of_another_keeps_it_alive) {
  owned<prism_array> over;
  {
    owned<prism_array> x;
    make(x, {1, 2, 3, 4}, {4});
    prism_view view;
    EXPECT_RUNS(prism_array_view(x, &view, error));
    EXPECT_RUNS(prism_array_from_memory(&view, nullptr, nullptr, over.to(), error));
  }
  for (int i = 0; i < 8; ++i) { // new arrays would get the memory if it were free
    owned<prism_array> other;
    make(other, {9, 9, 9, 9}, {4});
    EXPECT_EQ(floats(other, 4), (std::vector<float>{9, 9, 9, 9}));
  }
  EXPECT_EQ(floats(over, 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(c_arrays, dlpack_takes_an_array_to_another_library_and_back) {
  owned<prism_array> x, back;
  make(x, {1, 2, 3}, {3});
  int32_t type = 0, number = -1;
  EXPECT_RUNS(prism_array_dlpack_device(x, &type, &number, error));
  EXPECT_TRUE(type == 1 || type == 4 || type == 7) << type; // kDLCPU, kDLOpenCL, kDLVulkan
  EXPECT_GE(number, 0);
  for (const int32_t versioned : {0, 1}) {
    void* tensor = nullptr;
    EXPECT_RUNS(prism_array_to_dlpack(x, versioned, 0, &tensor, error));
    EXPECT_RUNS(prism_array_from_dlpack(tensor, versioned, nullptr, PRISM_COPY_NEVER, back.to(), error));
    EXPECT_EQ(floats(back, 3), (std::vector<float>{1, 2, 3}));
  }
  void* tensor = nullptr;
  EXPECT_REFUSES(PRISM_UNSUPPORTED, "version",
                 prism_array_to_dlpack(x, 0, PRISM_DLPACK_READ_ONLY, &tensor, error));
  EXPECT_REFUSES(PRISM_INVALID, "flags", prism_array_to_dlpack(x, 1, 6, &tensor, error));
  EXPECT_RUNS(prism_array_to_dlpack(x, 1, PRISM_DLPACK_READ_ONLY, &tensor, error));
  EXPECT_REFUSES(PRISM_INVALID, "read-only",
                 prism_array_from_dlpack(tensor, 1, nullptr, PRISM_COPY_NEVER, back.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "copy is 3",
                 prism_array_from_dlpack(tensor, 1, nullptr, 3, back.to(), error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "NULL",
                 prism_array_from_dlpack(nullptr, 1, nullptr, 0, back.to(), error));
  if (type == 1) {
    EXPECT_RUNS(prism_array_from_dlpack(tensor, 1, nullptr, PRISM_COPY_IF_NEEDED, back.to(), error));
    EXPECT_EQ(floats(back, 3), (std::vector<float>{1, 2, 3}));
  } else { // the host cannot copy it: the tensor is still the caller's
    auto* ours = static_cast<DLManagedTensorVersioned*>(tensor);
    ours->deleter(ours);
  }
}

TEST_F(c_arrays, numbers_that_int64_does_not_hold_are_given_as_unsigned_ones) {
  owned<prism_array> x;
  const prism_given shape = given_integer(2),
                    high{sizeof(prism_given), PRISM_GIVEN_UNSIGNED, 0, nullptr, INT64_MIN, {}};
  EXPECT_RUNS(
      prism_array_call("full", device, std::vector{shape, high}.data(), 2, x.to(), 1, nullptr, error));
  uint64_t found[2] = {};
  EXPECT_RUNS(prism_array_to_host(x, found, sizeof(found), error));
  EXPECT_EQ(found[1], uint64_t(1) << 63);
}

TEST_F(c_arrays, wrong_arguments_are_named) {
  owned<prism_array> x, out;
  make(x, {1, 2, 3}, {3});
  const prism_given a = given_array(x), number = given_integer(1);
  const auto refuses = [&](prism_status wanted, const char* part, const char* name,
                           std::vector<prism_given> given) {
    EXPECT_REFUSES(wanted, part,
                   prism_array_call(name, device, given.data(), given.size(), out.to(), 1, nullptr, error));
  };
  refuses(PRISM_NOT_FOUND, "\"summe\"", "summe", {a});
  refuses(PRISM_INVALID, "argument 0 is an integer, not an array", "sum", {number});
  refuses(PRISM_INVALID, "1 arguments", "sin", {a, a});
  refuses(PRISM_INVALID, "argument 1 is an integer, not a type", "astype", {a, number});
  refuses(PRISM_BAD_HANDLE, "argument 0 is a queue, not an array", "sin",
          {given_array(reinterpret_cast<prism_array*>(queue.handle))});
  refuses(PRISM_BAD_HANDLE, "is NULL", "sin", {given_array(nullptr)});
  refuses(PRISM_INVALID, "", "reshape", {a, number});
  refuses(PRISM_INVALID, "", "sum", {a, given_integer(5)});
  prism_given wrong = a;
  wrong.struct_size = 1;
  refuses(PRISM_INVALID, "struct_size", "sin", {wrong});
  wrong = {sizeof(prism_given), PRISM_GIVEN_LIST, 2, nullptr, 0, {}};
  refuses(PRISM_BAD_POINTER, "NULL", "reshape", {a, wrong});
  wrong.count = -5;
  refuses(PRISM_INVALID, "argument 1 has a count of -5", "reshape", {a, wrong});
  wrong = {sizeof(prism_given), PRISM_GIVEN_UNSIGNED, 0, nullptr, INT64_MIN, {}};
  refuses(PRISM_INVALID, "argument 1 is an unsigned integer, not an integer", "repeat", {a, wrong});
  void* tensor = nullptr;
  EXPECT_REFUSES(PRISM_INVALID, "versioned is 3", prism_array_to_dlpack(x, 3, 0, &tensor, error));
  float little = 0;
  EXPECT_REFUSES(PRISM_INVALID, "12 bytes, not 4", prism_array_to_host(x, &little, 4, error));
  const int64_t negative = -1, huge[] = {1ll << 40, 1ll << 40};
  EXPECT_REFUSES(PRISM_INVALID, "-1",
                 prism_array_from_host(device, &little, PRISM_F32, 1, &negative, out.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "memory",
                 prism_array_from_host(device, &little, PRISM_F32, 2, huge, out.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "half",
                 prism_array_from_host(device, &little, PRISM_F16, 0, nullptr, out.to(), error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "\"colour\"", prism_array_text(x, "colour", nullptr, 0, nullptr, error));
}

} // namespace
