// Helpers for every SYCL test. PRISM_DEVICE_SELECTOR selects the device. If it matches no device, main()
// (common.cpp) exits with 77, so that ctest reports an absent driver as skipped and not as failed.
#pragma once

#include <sycl/sycl.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace prism_test {

/// Runs `call` and returns the code of the sycl::exception that it throws, or success.
template <typename Call>
sycl::errc error_of(Call&& call, std::string* text = nullptr) {
  try {
    call();
  } catch (const sycl::exception& e) {
    if (text) *text = e.what();
    if (&e.category() != &sycl::sycl_category())
      ADD_FAILURE_AT("tests/sycl/common.hpp", __LINE__) << "not SYCL's category: " << e.what();
    return static_cast<sycl::errc>(e.code().value());
  }
  return sycl::errc::success;
}

/// Collects asynchronous errors.
struct error_log {
  std::vector<std::string> texts;
  sycl::async_handler handler() {
    return [this](sycl::exception_list list) {
      for (const std::exception_ptr& e : list) {
        try {
          std::rethrow_exception(e);
        } catch (const std::exception& what) {
          texts.push_back(what.what());
        }
      }
    };
  }
};

inline std::vector<int> counted(std::size_t n, int first = 0) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

/// Captures what the process writes to standard output or error until it is taken or this is destroyed.
template <void (*begin)(), std::string (*end)()>
class captured_text {
public:
  captured_text() { begin(); }
  ~captured_text() {
    if (!m_taken) end();
  }
  captured_text(const captured_text&) = delete;
  std::string take() {
    m_taken = true;
    return end();
  }

private:
  bool m_taken = false;
};
using printed_text = captured_text<&testing::internal::CaptureStdout, &testing::internal::GetCapturedStdout>;
using logged_text = captured_text<&testing::internal::CaptureStderr, &testing::internal::GetCapturedStderr>;

inline std::string name_of(const sycl::device& device) { return device.get_info<sycl::info::device::name>(); }

} // namespace prism_test

/// Skips tests of information that only prism++ produces: without it, host kernels are plain functions.
#if defined(PRISM_TEST_COMPILED)
#define SKIP_UNLESS_COMPILED(what) static_cast<void>(0)
#else
#define SKIP_UNLESS_COMPILED(what) GTEST_SKIP() << "only prism++ knows " what
#endif

/// Skips the test if the statement needs more private memory than the driver builds kernels with.
#define SKIP_WITHOUT_PRIVATE_MEMORY(statement)                                                               \
  try {                                                                                                      \
    statement;                                                                                               \
  } catch (const sycl::exception& e) {                                                                       \
    if (e.code() != sycl::errc::kernel_not_supported ||                                                      \
        std::string(e.what()).find("bytes of private memory for each work-item") == std::string::npos)       \
      throw;                                                                                                 \
    GTEST_SKIP() << e.what();                                                                                \
  }

#define SKIP_WITHOUT(queue, what)                                                                            \
  if (!(queue).get_device().has(sycl::aspect::what))                                                         \
  GTEST_SKIP() << prism_test::name_of((queue).get_device()) << " has no aspect::" #what
