// Helpers of the tests of prism.h: statuses as text, handles and memory that end with their scope.
#pragma once

#include <gtest/gtest.h>
#include <prism.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace c_tests {

/// The status of a call and the text of its error object, which is released.
struct outcome {
  prism_status status = PRISM_OK;
  std::string text;
};
template <typename Call>
outcome outcome_of(const Call& call) {
  prism_error* error = nullptr;
  outcome out{call(&error), ""};
  if (out.status == PRISM_OK) {
    EXPECT_EQ(error, nullptr);
    return out;
  }
  EXPECT_EQ(prism_error_code(error), out.status);
  out.text = prism_error_message(error);
  EXPECT_EQ(prism_release(error, nullptr), PRISM_OK);
  return out;
}
#define EXPECT_RUNS(...)                                                                                     \
  do {                                                                                                       \
    const auto outcome_here = c_tests::outcome_of([&](prism_error** error) { return __VA_ARGS__; });         \
    EXPECT_EQ(outcome_here.status, PRISM_OK) << outcome_here.text;                                           \
  } while (false)
#define EXPECT_REFUSES(wanted, part, ...)                                                                    \
  do {                                                                                                       \
    const auto outcome_here = c_tests::outcome_of([&](prism_error** error) { return __VA_ARGS__; });         \
    EXPECT_EQ(outcome_here.status, wanted) << outcome_here.text;                                             \
    EXPECT_NE(outcome_here.text.find(part), std::string::npos) << outcome_here.text;                         \
  } while (false)

/// The text of a call that has the rule for texts of prism.h.
inline std::string text_of(const std::function<prism_status(char*, size_t, size_t*)>& call) {
  size_t needed = 0;
  EXPECT_EQ(call(nullptr, 0, &needed), PRISM_OK);
  std::string out(needed, '?');
  EXPECT_EQ(call(out.data(), out.size(), nullptr), PRISM_OK);
  out.pop_back();
  return out;
}

/// A handle, released at the end.
template <typename T>
struct owned {
  T* handle = nullptr;
  owned() = default;
  owned(const owned&) = delete;
  ~owned() { prism_release(handle, nullptr); }
  T** to() {
    prism_release(handle, nullptr);
    handle = nullptr;
    return &handle;
  }
  operator T*() const { return handle; }
};

/// A queue on the device of PRISM_DEVICE_SELECTOR.
struct on_device : testing::Test {
  owned<prism_queue> queue;
  std::vector<void*> memory;
  void SetUp() override {
    const auto made =
        outcome_of([&](prism_error** e) { return prism_queue_create(nullptr, 0, queue.to(), e); });
    ASSERT_EQ(made.status, PRISM_OK) << made.text;
  }
  void TearDown() override {
    for (void* each : memory) EXPECT_RUNS(prism_free(each, error));
  }
  /// Shared memory with these elements.
  template <typename T>
  T* with(const std::vector<T>& values) {
    void* out = nullptr;
    EXPECT_RUNS(prism_allocate(queue, PRISM_MEMORY_SHARED, values.size() * sizeof(T), 0, &out, error));
    memory.push_back(out);
    std::copy(values.begin(), values.end(), static_cast<T*>(out));
    return static_cast<T*>(out);
  }
  void run(int32_t operation, const std::vector<prism_view>& views, const prism_options* options = nullptr) {
    EXPECT_RUNS(prism_run(queue, operation, views.data(), views.size(), options, nullptr, 0, nullptr, error));
    EXPECT_RUNS(prism_queue_wait(queue, error));
  }
};

} // namespace c_tests
