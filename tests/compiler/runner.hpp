// Runs one kernel twice, on the host with one thread per work-item and through its OpenCL C image on a
// driver, and compares the memory that it wrote. Uses only the raw OpenCL API and the compiler's tables,
// nothing of the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "devices/api/image.hpp"
#include "sycl/detail/kernel_abi.hpp"

namespace prism::test {

struct array {
  void* data;
  std::size_t bytes;
};

struct launch {
  std::size_t groups = 4;
  std::size_t group_size = 32;
  std::size_t local_bytes = 0;
  std::vector<array> arrays;
  double tolerance = 0; // of floats, relative; 0: bytes must be equal
  enum class element { bytes, float32, float64 } compared = element::bytes;
  struct constant { // value of a specialisation constant
    const void* id;
    const void* value;
  };
  std::vector<constant> constants = {};
};

/// The contents of the hidden output block after a run, without zero bytes.
struct output {
  std::string text;
  bool failed = false, lost = false;
};

using work_item = void (*)(const void* closure);

/// The OpenCL devices that the tests run on, "PoCL" and "rusticl"; empty without a driver.
std::vector<std::string> drivers();

/// The error, or "". "skipped: ..." if the driver lacks a feature that the image requires.
std::string compare(const std::string& driver, const sycl::detail::kernel_slot& slot, const void* closure,
                    work_item body, const launch& how);

template <class Name, class F>
std::string compare(const std::string& driver, const F& kernel, const launch& how) {
  const work_item body = [](const void* closure) {
    sycl::detail::kernel_entry<Name, F>(static_cast<const F*>(closure));
  };
  return compare(driver, sycl::detail::kernel_slot_of<Name, F>::value, &kernel, body, how);
}

/// Runs the kernel only on the driver, because a failed assertion ends the program on the host. Returns as
/// `compare` does.
std::string run_on_driver(const std::string& driver, const sycl::detail::kernel_slot& slot,
                          const void* closure, const launch& how, output& written);

template <class Name, class F>
std::string run_on_driver(const std::string& driver, const F& kernel, const launch& how, output& written) {
  // Names the entry, so that it is instantiated in the caller's file.
  [[maybe_unused]] static const volatile auto body = &sycl::detail::kernel_entry<Name, F>;
  return run_on_driver(driver, sycl::detail::kernel_slot_of<Name, F>::value, &kernel, how, written);
}

/// All modules that the plugin registered in this program.
const image::module_node* registered_modules();

} // namespace prism::test
