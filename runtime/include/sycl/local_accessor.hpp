// sycl::local_accessor: memory that a work-group shares. Its first word is a token, which submission replaces
// by the byte offset in the local memory of the group. Only for kernels with an nd_range: the submission of
// another kernel throws errc::kernel_argument.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/byte_count.hpp>
#include <sycl/detail/kernel_abi.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
/// Throws errc::memory_allocation if the local memory of a group exceeds that of the device.
std::uint64_t bind_local(handler& group, std::uint64_t bytes, std::uint64_t alignment);
} // namespace detail

template <typename DataT, int Dimensions = 1>
class local_accessor {
  static constexpr int shape_dimensions = Dimensions == 0 ? 1 : Dimensions;
  using shape = range<shape_dimensions>;

public:
  using value_type = DataT;
  using reference = DataT&;
  using const_reference = const DataT&;
  template <access::decorated IsDecorated>
  using accessor_ptr = multi_ptr<DataT, access::address_space::local_space, IsDecorated>;
  using iterator = DataT*;
  using const_iterator = const DataT*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;

  local_accessor() = default;

  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  local_accessor(handler& group, const property_list& = {}) : m_extent(1) {
    m_token = detail::bind_local(group, sizeof(DataT), alignof(DataT));
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  local_accessor(shape extent, handler& group, const property_list& = {}) : m_extent(extent) {
    m_token = detail::bind_local(group, detail::bytes_of(extent, sizeof(DataT)), alignof(DataT));
  }
  template <typename OtherT,
            std::enable_if_t<std::is_same_v<const OtherT, DataT> && !std::is_const_v<OtherT>, int> = 0>
  local_accessor(const local_accessor<OtherT, Dimensions>& other) noexcept
      : m_token(other.m_token), m_extent(other.m_extent) {}

  void swap(local_accessor& other) noexcept { std::swap(*this, other); }
  /// Always false: local accessors have no properties.
  template <typename Property>
  bool has_property() const noexcept {
    return false;
  }
  /// Always throws errc::invalid.
  template <typename Property>
  Property get_property() const {
    return property_list{}.template get_property<Property>();
  }
  std::size_t size() const noexcept { return m_extent.size(); }
  [[deprecated("use size()")]] std::size_t max_size() const noexcept {
    return static_cast<std::size_t>(-1) / sizeof(DataT);
  }
  std::size_t byte_size() const noexcept { return size() * sizeof(DataT); }
  bool empty() const noexcept { return size() == 0; }
  [[deprecated("use size()")]] std::size_t get_count() const noexcept { return size(); }
  [[deprecated("use byte_size()")]] std::size_t get_size() const noexcept { return byte_size(); }
  shape get_range() const noexcept { return m_extent; }

  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  PRISM_CHECKED_INDEX reference operator[](id<shape_dimensions> index) const noexcept {
    if constexpr (detail::checks_indices)
      return *detail::checked_element<detail::checked_kind::local>(first(), index, m_extent, m_extent);
    else return first()[detail::linear_index(index, m_extent)];
  }
  /// A floating-point index is truncated to an integer, as in C++.
  template <typename Float, int D = Dimensions,
            std::enable_if_t<D == 1 && std::is_floating_point_v<Float>, int> = 0>
  PRISM_CHECKED_INDEX reference operator[](Float index) const noexcept {
    return (*this)[id<1>(static_cast<std::size_t>(index))];
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  PRISM_CHECKED_INDEX decltype(auto) operator[](std::size_t index) const noexcept {
    if constexpr (detail::checks_indices)
      return detail::checked_subscript<detail::checked_kind::local, DataT, D,
                                       detail::reference_maker<DataT&>>(first(), m_extent, m_extent)[index];
    else return detail::subscript<DataT, D, 0>(first(), m_extent)[index];
  }
  /// Without dimensions: converts to a reference to the element.
  operator std::conditional_t<Dimensions == 0, reference, detail::no_element>() const noexcept {
    if constexpr (Dimensions == 0) return *first();
    else return {};
  }
  template <typename U, int D = Dimensions,
            std::enable_if_t<D == 0 && !std::is_const_v<DataT> && std::is_convertible_v<const U&, DataT> &&
                                 !std::is_base_of_v<local_accessor, U>,
                             int> = 0>
  const local_accessor& operator=(const U& value) const {
    *first() = static_cast<DataT>(value);
    return *this;
  }

  [[deprecated("use get_multi_ptr()")]] auto get_pointer() const noexcept {
    return get_multi_ptr<access::decorated::legacy>();
  }
  template <access::decorated IsDecorated>
  accessor_ptr<IsDecorated> get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::local_space, IsDecorated>(first());
  }
  iterator begin() const noexcept { return first(); }
  iterator end() const noexcept { return first() + size(); }
  const_iterator cbegin() const noexcept { return first(); }
  const_iterator cend() const noexcept { return first() + size(); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

  friend bool operator==(const local_accessor& lhs, const local_accessor& rhs) noexcept {
    return lhs.m_token == rhs.m_token && lhs.m_extent == rhs.m_extent;
  }
  friend bool operator!=(const local_accessor& lhs, const local_accessor& rhs) noexcept {
    return !(lhs == rhs);
  }
  std::size_t prism_hash() const noexcept { return std::hash<std::uint64_t>()(m_token); }
  std::uint64_t prism_token() const noexcept { return m_token; }

private:
  template <typename, int>
  friend class local_accessor;

  DataT* first() const noexcept {
    return reinterpret_cast<DataT*>(static_cast<char*>(__prism_local_arena()) + m_token);
  }

  std::uint64_t m_token = 0; // submission replaces it by the byte offset in local memory
  shape m_extent;
};

template <typename DataT, int D>
multi_ptr(const local_accessor<DataT, D>&)
    -> multi_ptr<DataT, access::address_space::local_space, access::decorated::no>;

template <typename DataT, int D>
struct is_device_copyable<local_accessor<DataT, D>> : std::true_type {};

}
} // namespace sycl::_V1

template <typename DataT, int D>
struct std::hash<sycl::local_accessor<DataT, D>> : sycl::detail::hash_by_impl {};
