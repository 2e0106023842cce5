// sycl::accessor with the targets of SYCL 1.2.1 for local memory and host buffers (SYCL 2020, "Deprecated
// features of the accessor class"). They derive from the classes that replaced them.
#pragma once

#include <sycl/host_accessor.hpp>
#include <sycl/local_accessor.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace sycl {
inline namespace _V1 {

template <typename DataT, int Dimensions, access_mode AccessMode, access::placeholder IsPlaceholder>
class accessor<DataT, Dimensions, AccessMode, target::local, IsPlaceholder>
    : public local_accessor<DataT, Dimensions> {
public:
  using local_accessor<DataT, Dimensions>::local_accessor;
  using local_accessor<DataT, Dimensions>::operator=;
  accessor() = default;
};

namespace detail {
/// The intermediate result of a[i][j][k] for atomics in local memory, with the dimensions before Current
/// given.
template <typename DataT, int Dimensions, int Current>
struct atomic_row {
  DataT* first;
  range<Dimensions> extent;
  auto operator[](std::size_t index) const noexcept {
    if constexpr (Current == Dimensions - 1) {
      return refer_to<atomic<DataT, access::address_space::local_space>>(first + index);
    } else {
      return atomic_row<DataT, Dimensions, Current + 1>{first + index * extent[Dimensions - 1], extent};
    }
  }
};
} // namespace detail

template <typename DataT, int Dimensions, access::placeholder IsPlaceholder>
class accessor<DataT, Dimensions, access_mode::atomic, target::local, IsPlaceholder>
    : public local_accessor<DataT, Dimensions> {
  using base = local_accessor<DataT, Dimensions>;
  using element = atomic<DataT, access::address_space::local_space>;

public:
  using local_accessor<DataT, Dimensions>::local_accessor;
  accessor() = default;
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  element operator[](id<Dimensions == 0 ? 1 : Dimensions> index) const noexcept {
    return detail::refer_to<element>(&base::operator[](index));
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  detail::atomic_row<DataT, Dimensions, 1> operator[](std::size_t index) const noexcept {
    id<Dimensions> start;
    start[0] = index;
    return {&base::operator[](start), this->get_range()};
  }
  operator std::conditional_t<Dimensions == 0, element, detail::no_element>() const noexcept {
    if constexpr (Dimensions == 0)
      return detail::refer_to<element>(&static_cast<DataT&>(static_cast<const base&>(*this)));
    else return {};
  }
};

template <typename DataT, int Dimensions, access_mode AccessMode, access::placeholder IsPlaceholder>
class accessor<DataT, Dimensions, AccessMode, target::host_buffer, IsPlaceholder>
    : public host_accessor<DataT, Dimensions, AccessMode> {
public:
  using host_accessor<DataT, Dimensions, AccessMode>::host_accessor;
  using host_accessor<DataT, Dimensions, AccessMode>::operator=;
  accessor() = default;
  /// For the result of buffer::get_access without a handler.
  accessor(const host_accessor<DataT, Dimensions, AccessMode>& same)
      : host_accessor<DataT, Dimensions, AccessMode>(same) {}
};

template <typename DataT, int D, access_mode M, access::placeholder P>
struct is_device_copyable<accessor<DataT, D, M, target::host_buffer, P>> : std::false_type {};

}
} // namespace sycl::_V1

template <typename DataT, int D, sycl::access_mode M, sycl::access::placeholder P>
struct std::hash<sycl::accessor<DataT, D, M, sycl::target::local, P>> : sycl::detail::hash_by_impl {};
template <typename DataT, int D, sycl::access_mode M, sycl::access::placeholder P>
struct std::hash<sycl::accessor<DataT, D, M, sycl::target::host_buffer, P>> : sycl::detail::hash_by_impl {};

#pragma GCC diagnostic pop
