// A kernel for Vulkan devices that the program provides as a SPIR-V module, compiled from GLSL or another
// language of Vulkan compute. It is a variant in the target's own language (prism::variants) and uses the
// data of SYCL buffers and USM allocations.
//
//   const prism::spirv_kernel axpy = prism::spirv_kernel::load("axpy.spv");
//   queue.submit([&](sycl::handler& h) {
//     sycl::accessor x(in, h, sycl::read_only), y(out, h, sycl::read_write);
//     axpy(h, sycl::nd_range<1>(n, 64), x, y, 2.0f, std::uint32_t(n));
//   });
//
// The module must follow shaders/glsl/convention.glsl. The push constants begin with the address of a block
// that holds the arguments in order, laid out like the members of a C struct; accessors and pointers are the
// addresses of their first elements. Then follow three words group_count and three words group_base; the
// module adds group_base to gl_WorkGroupID. The work-group size is passed as the specialisation constants 0,
// 1 and 2, or is fixed in the module. Dimension x is SYCL's last dimension. Descriptor sets are not
// supported.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/sycl.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace prism {

namespace detail {

class spirv_module;

struct spirv_argument {
  std::uint64_t word = 0;      // value of a pointer or accessor
  const void* value = nullptr; // address of any other argument
  std::size_t bytes = 8, alignment = 8;
};

template <typename T>
struct is_device_accessor : std::false_type {};
template <typename T, int D, sycl::access_mode Mode, sycl::target Target, sycl::access::placeholder P>
struct is_device_accessor<sycl::accessor<T, D, Mode, Target, P>> : std::true_type {};

template <typename T>
spirv_argument spirv_argument_of(const T& given) {
  spirv_argument out;
  if constexpr (is_device_accessor<T>::value) {
    std::memcpy(&out.word, static_cast<const void*>(&given),
                sizeof out.word); // the first member of an accessor is its token
  } else if constexpr (std::is_pointer_v<T>) {
    out.word = reinterpret_cast<std::uint64_t>(given);
  } else {
    static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>,
                  "an argument of a spirv_kernel is an accessor, a USM pointer or a plain value");
    out.value = &given, out.bytes = sizeof(T), out.alignment = alignof(T);
  }
  return out;
}

} // namespace detail

class spirv_kernel {
public:
  /// Throws sycl::exception (invalid) if `words` is not a SPIR-V module with a compute entry point of that
  /// name.
  explicit spirv_kernel(const std::vector<std::uint32_t>& words, const std::string& entry = "main");
  static spirv_kernel load(const std::string& file, const std::string& entry = "main");

  /// Makes a launch of this kernel the group's command. Throws sycl::exception: kernel_not_supported if the
  /// device is not a Vulkan device or lacks a feature of the module, kernel_argument for an accessor of
  /// another group, nd_range for an invalid range.
  template <int Dimensions, typename... Arguments>
  void operator()(sycl::handler& group, const sycl::nd_range<Dimensions>& where,
                  const Arguments&... arguments) const {
    std::array<std::uint64_t, 3> global{1, 1, 1}, local{1, 1, 1};
    for (int d = 0; d < Dimensions; ++d) {
      const auto x_first = static_cast<std::size_t>(Dimensions - 1 - d);
      global[x_first] = where.get_global_range()[d], local[x_first] = where.get_local_range()[d];
    }
    launch(group, global, local, {detail::spirv_argument_of(arguments)...});
  }

private:
  friend class source_kernel;
  // A local range of zeros: the module's own, or one that divides the global range.
  void launch(sycl::handler& group, const std::array<std::uint64_t, 3>& global,
              const std::array<std::uint64_t, 3>& local,
              const std::vector<detail::spirv_argument>& arguments) const;
  std::shared_ptr<const detail::spirv_module> m_module;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
