// A kernel from a text in a device's own language, with arguments that are known at run time only: OpenCL C
// and SPIR-V of OpenCL for OpenCL devices, SPIR-V of Vulkan compute (prism/spirv_kernel.hpp) for Vulkan
// devices. It uses USM allocations and local memory, and runs in the order of its queue like any other
// kernel.
//
//   const prism::source_kernel scale(queue.get_device(), "opencl", text, "scale");
//   queue.submit([&](sycl::handler& h) {
//     scale.launch(h, {n}, {}, {prism::source_argument::pointer(data), prism::source_argument::of(factor)});
//   });
//
// The kernel is built by the constructor. Threads may share an object.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace prism {

/// A parameter in the driver's words: "float*", "uint".
struct source_parameter {
  enum class kind { value, pointer, local };
  kind what = kind::value;
  std::string type;
  bool is_const = false;
};

struct source_argument {
  source_parameter::kind what = source_parameter::kind::value;
  const void* data = nullptr; // the value, which the launch copies, or the USM pointer
  std::size_t bytes = 0;      // of the value, or of the local memory of a work-group

  template <typename T>
  static source_argument of(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "a value of a source_kernel is trivially copyable; a USM pointer is given by pointer()");
    return {source_parameter::kind::value, &value, sizeof value};
  }
  static source_argument pointer(const void* pointer) {
    return {source_parameter::kind::pointer, pointer, sizeof pointer};
  }
  static source_argument local(std::size_t bytes) { return {source_parameter::kind::local, nullptr, bytes}; }
};

class source_kernel {
public:
  /// `language`: "opencl" or "spirv". Throws sycl::exception: feature_not_supported if the device takes no
  /// such text, build with the driver's log, invalid for another language and for a text without a kernel of
  /// that name.
  source_kernel(const sycl::device& on, const std::string& language, const std::string& text,
                const std::string& name);

  const std::string& name() const noexcept;
  sycl::device device() const;
  /// Whether the driver knows the parameters: of OpenCL C it does.
  bool knows_parameters() const noexcept;
  const std::vector<source_parameter>& parameters() const noexcept;

  /// Makes a launch the group's command. `global`: one to three extents, SYCL's order; `local`: as many, or
  /// none, and the work-group's size is chosen. Throws sycl::exception: invalid for another device than the
  /// kernel's and for wrong numbers of extents or arguments, nd_range for a local range that does not divide.
  void launch(sycl::handler& group, const std::vector<std::size_t>& global,
              const std::vector<std::size_t>& local, const std::vector<source_argument>& arguments) const;

private:
  struct state;
  std::shared_ptr<const state> m_state;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
