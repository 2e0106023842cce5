// Specialisation constants (SYCL 2020, "Specialization constants"): values that are set at submission instead
// of captured. The first bytes of a specialization_id are its default value, because the compiler and the
// host device know it by its address.
#pragma once

#include <sycl/detail/kernel_abi.hpp>

#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {

template <typename T>
class specialization_id {
  static_assert(std::is_trivially_copyable_v<T>, "a specialisation constant is of a trivially copyable type");

public:
  using value_type = T;

  template <typename... Args, std::enable_if_t<std::is_constructible_v<T, Args...>, int> = 0>
  explicit constexpr specialization_id(Args&&... args) : m_default(std::forward<Args>(args)...) {}
  specialization_id(const specialization_id&) = delete;
  specialization_id& operator=(const specialization_id&) = delete;
  specialization_id(specialization_id&&) = delete;
  specialization_id& operator=(specialization_id&&) = delete;

private:
  T m_default;
};

namespace detail {
template <auto& SpecName>
using specialization_value =
    typename std::remove_cv_t<std::remove_reference_t<decltype(SpecName)>>::value_type;
struct kernel_handler_maker;
} // namespace detail

/// The optional last parameter of a kernel; reads specialisation constants.
class kernel_handler {
public:
  template <auto& SpecName>
  detail::specialization_value<SpecName> get_specialization_constant() const {
    using value = detail::specialization_value<SpecName>;
    return *static_cast<const value*>(__prism_specialization_constant(&SpecName, sizeof(value)));
  }

private:
  friend struct detail::kernel_handler_maker;
  kernel_handler() = default;
};

namespace detail {
struct kernel_handler_maker {
  static kernel_handler make() { return {}; }
};
} // namespace detail

}
} // namespace sycl::_V1
