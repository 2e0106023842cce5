// sycl::host_accessor: access to a buffer on the host. The constructor blocks until the data is in host
// memory. Conflicting commands wait until the accessor is destroyed. Must not be used in host tasks.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/same.hpp>

namespace sycl {
inline namespace _V1 {

template <typename DataT, int Dimensions = 1, access_mode AccessMode = detail::default_access_mode<DataT>>
class host_accessor {
  static_assert(detail::same<AccessMode, access_mode::read> || !std::is_const_v<DataT>,
                "an accessor to const data must have access_mode::read");
  static constexpr int shape_dimensions = Dimensions == 0 ? 1 : Dimensions;
  using shape = range<shape_dimensions>;
  using place = id<shape_dimensions>;
  template <typename T, int D, typename Tag = void>
  static constexpr bool fits =
      detail::accessor_matches<DataT, Dimensions, AccessMode, target::device, T, D, Tag>();

public:
  using value_type = std::conditional_t<detail::same<AccessMode, access_mode::read>, const DataT, DataT>;
  using reference = value_type&;
  using const_reference = const DataT&;
  using iterator = detail::accessor_iterator<value_type, Dimensions>;
  using const_iterator = detail::accessor_iterator<const DataT, Dimensions>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;

  host_accessor() = default;

  template <typename T, int D, typename A, std::enable_if_t<fits<T, D>, int> = 0>
  host_accessor(buffer<T, D, A>& data, const property_list& properties = {},
                detail::call_site site = detail::call_site::here()) {
    make(data, data.get_range(), {}, properties, site);
  }
  template <typename T, int D, typename A, typename Tag, std::enable_if_t<fits<T, D, Tag>, int> = 0>
  host_accessor(buffer<T, D, A>& data, Tag, const property_list& properties = {},
                detail::call_site site = detail::call_site::here())
      : host_accessor(data, properties, site) {}
  template <typename T, int D, typename A, std::enable_if_t<Dimensions != 0 && fits<T, D>, int> = 0>
  host_accessor(buffer<T, D, A>& data, shape part, const property_list& properties = {},
                detail::call_site site = detail::call_site::here()) {
    make(data, part, {}, properties, site);
  }
  template <typename T, int D, typename A, typename Tag,
            std::enable_if_t<Dimensions != 0 && fits<T, D, Tag>, int> = 0>
  host_accessor(buffer<T, D, A>& data, shape part, Tag, const property_list& properties = {},
                detail::call_site site = detail::call_site::here())
      : host_accessor(data, part, properties, site) {}
  template <typename T, int D, typename A, std::enable_if_t<Dimensions != 0 && fits<T, D>, int> = 0>
  host_accessor(buffer<T, D, A>& data, shape part, place offset, const property_list& properties = {},
                detail::call_site site = detail::call_site::here()) {
    make(data, part, offset, properties, site);
  }
  template <typename T, int D, typename A, typename Tag,
            std::enable_if_t<Dimensions != 0 && fits<T, D, Tag>, int> = 0>
  host_accessor(buffer<T, D, A>& data, shape part, place offset, Tag, const property_list& properties = {},
                detail::call_site site = detail::call_site::here())
      : host_accessor(data, part, offset, properties, site) {}

  // Converts read_write to read, and read accessors between const and non-const DataT.
  template <typename OtherT, access_mode OtherMode,
            std::enable_if_t<detail::same<AccessMode, access_mode::read> &&
                                 (detail::same<OtherMode, access_mode::read> ||
                                  detail::same<OtherMode, access_mode::read_write>) &&
                                 std::is_same_v<std::remove_const_t<OtherT>, std::remove_const_t<DataT>> &&
                                 !(std::is_same_v<OtherT, DataT> && detail::same<OtherMode, AccessMode>),
                             int> = 0>
  host_accessor(const host_accessor<OtherT, Dimensions, OtherMode>& other)
      : m_first(other.m_first), m_whole(other.m_whole), m_part(other.m_part), m_offset(other.m_offset),
        m_guard(other.m_guard), m_no_init(other.m_no_init) {}

  void swap(host_accessor& other) noexcept { std::swap(*this, other); }
  std::size_t size() const noexcept { return m_part.size(); }
  [[deprecated("use size()")]] std::size_t max_size() const noexcept {
    return static_cast<std::size_t>(-1) / sizeof(DataT);
  }
  std::size_t byte_size() const noexcept { return size() * sizeof(DataT); }
  bool empty() const noexcept { return size() == 0; }
  [[deprecated("use size()")]] std::size_t get_count() const noexcept { return size(); }
  [[deprecated("use byte_size()")]] std::size_t get_size() const noexcept { return byte_size(); }
  bool is_placeholder() const noexcept { return false; }
  template <typename Property>
  bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && m_no_init;
  }
  /// Throws errc::invalid for a property that was not given.
  template <typename Property>
  Property get_property() const {
    return (m_no_init ? property_list{property::no_init()} : property_list{})
        .template get_property<Property>();
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  shape get_range() const noexcept {
    return m_part;
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  place get_offset() const noexcept {
    return m_offset;
  }

  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  PRISM_CHECKED_INDEX reference operator[](id<shape_dimensions> index) const noexcept {
    if constexpr (detail::checks_indices)
      return *detail::checked_element<detail::checked_kind::host>(m_first, index, m_part, m_whole);
    else return m_first[detail::linear_index(index, m_whole)];
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
      return detail::checked_subscript<detail::checked_kind::host, value_type, D,
                                       detail::reference_maker<value_type&>>(m_first, m_part, m_whole)[index];
    else return detail::subscript<value_type, D, 0>(m_first, m_whole)[index];
  }
  /// Without dimensions: converts to a reference to the element.
  operator std::conditional_t<Dimensions == 0, reference, detail::no_element>() const noexcept {
    if constexpr (Dimensions == 0) return *m_first;
    else return {};
  }
  template <
      typename U, int D = Dimensions,
      std::enable_if_t<D == 0 && !detail::same<AccessMode, access_mode::read> &&
                           std::is_convertible_v<const U&, DataT> && !std::is_base_of_v<host_accessor, U>,
                       int> = 0>
  const host_accessor& operator=(const U& value) const {
    *m_first = static_cast<DataT>(value);
    return *this;
  }
  /// Returns the start of the buffer, also for a ranged accessor.
  std::add_pointer_t<value_type> get_pointer() const noexcept {
    return m_first - detail::linear_index(m_offset, m_whole);
  }

  iterator begin() const noexcept { return make_iterator<value_type>(0); }
  iterator end() const noexcept { return make_iterator<value_type>(size()); }
  const_iterator cbegin() const noexcept { return make_iterator<const DataT>(0); }
  const_iterator cend() const noexcept { return make_iterator<const DataT>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

  friend bool operator==(const host_accessor& lhs, const host_accessor& rhs) noexcept {
    return lhs.m_guard == rhs.m_guard && lhs.m_first == rhs.m_first && lhs.m_part == rhs.m_part;
  }
  friend bool operator!=(const host_accessor& lhs, const host_accessor& rhs) noexcept {
    return !(lhs == rhs);
  }
  std::size_t prism_hash() const noexcept { return std::hash<const void*>()(m_guard.get()); }

private:
  template <typename, int, access_mode>
  friend class host_accessor;

  template <typename Buffer>
  void make(Buffer& data, const shape& part, const place& offset, const property_list& properties,
            detail::call_site site) {
    if constexpr (Buffer::prism_dimensions == shape_dimensions) m_whole = data.get_range();
    else m_whole = shape(data.size());
    m_part = part;
    if constexpr (Dimensions == 0) m_part = shape(data.size() != 0 ? 1 : 0);
    m_offset = offset;
    m_no_init = properties.has_property<property::no_init>();
    const std::size_t start = detail::linear_index(m_offset, m_whole);
    detail::host_memory memory = detail::acquire_host(
        detail::access_impl::get(data),
        {detail::mode_without_discard<AccessMode>, detail::mode_discards<AccessMode> || m_no_init,
         target::host_task, detail::make_box(m_part, m_offset), start * sizeof(DataT)},
        site);
    m_guard = std::move(memory.guard);
    m_first = static_cast<value_type*>(memory.data) + start;
  }
  template <typename Element>
  detail::accessor_iterator<Element, Dimensions> make_iterator(std::size_t at) const noexcept {
    if constexpr (Dimensions < 2) return m_first + at;
    else return {m_first, m_whole, m_part, static_cast<std::ptrdiff_t>(at)};
  }

  value_type* m_first = nullptr;
  shape m_whole, m_part;
  place m_offset;
  std::shared_ptr<void> m_guard;
  bool m_no_init = false;
};

template <typename T, int Dimensions, typename A, typename... Args>
host_accessor(buffer<T, Dimensions, A>&, Args&&...)
    -> host_accessor<T, Dimensions, detail::deduced_mode<T, detail::find_tag<Args...>>()>;
// The last argument may be a braced list of properties, which has no type to deduce.
template <typename T, int D, typename A, typename First>
host_accessor(buffer<T, D, A>&, First, const property_list&)
    -> host_accessor<T, D, detail::deduced_mode<T, detail::find_tag<First>>()>;
template <typename T, int D, typename A, typename First, typename Second>
host_accessor(buffer<T, D, A>&, First, Second, const property_list&)
    -> host_accessor<T, D, detail::deduced_mode<T, detail::find_tag<First, Second>>()>;
template <typename T, int D, typename A, typename First, typename Second, typename Third>
host_accessor(buffer<T, D, A>&, First, Second, Third, const property_list&)
    -> host_accessor<T, D, detail::deduced_mode<T, detail::find_tag<First, Second, Third>>()>;

template <typename DataT, int D, access_mode M>
struct is_property_of<property::no_init, host_accessor<DataT, D, M>> : std::true_type {};

}
} // namespace sycl::_V1

template <typename DataT, int D, sycl::access_mode M>
struct std::hash<sycl::host_accessor<DataT, D, M>> : sycl::detail::hash_by_impl {};
