// sycl::accessor: a command's access to a buffer (SYCL 2020, "Buffer accessor for commands").
//
// The compiler and the runtime rely on the layout: the first word is the accessor's token, which submission
// replaces by the address of the accessor's first element; the ranges follow. An accessor is trivially
// copyable and owns nothing. In a host task the runtime replaces the token in the task's function object in
// the same way. Any other use throws.
#pragma once

#include <sycl/atomic.hpp>
#include <sycl/buffer.hpp>
#include <sycl/detail/index_check.hpp>
#include <sycl/detail/same.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/multi_ptr.hpp>

#include <utility>

// Deprecated names cause warnings in programs, not in this header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl {
inline namespace _V1 {

namespace detail {

/// The base of accessors of all dimensions: token, pointer, element type.
template <typename DataT, access_mode Mode, sycl::target Target>
class accessor_word {
public:
  using value_type = std::conditional_t<detail::same<Mode, access_mode::read>, const DataT, DataT>;

protected:
  accessor_word() = default;

  void set_token(std::uint64_t token) noexcept { m_first = reinterpret_cast<value_type*>(token); }
  std::uint64_t token() const noexcept { return reinterpret_cast<std::uint64_t>(m_first); }
  value_type* first() const noexcept {
    if constexpr (detail::same<Target, sycl::target::host_task>) {
      // A copy outside of the task's function object (for example in a container) still has its token.
      if (looks_like_token(token())) return static_cast<value_type*>(resolve_host_token(token()));
    }
    return m_first;
  }

  value_type* m_first = nullptr; // token until submission
};

/// The result of an accessor's operator[]: a reference, or SYCL 1.2.1's atomic with the deprecated
/// access_mode::atomic.
template <typename T, access_mode Mode, access::address_space Space>
using element_reference = std::conditional_t<is_atomic_mode<Mode>, atomic<std::remove_const_t<T>, Space>, T&>;

template <typename T, access::address_space Space>
struct reference_maker<atomic<T, Space>> {
  static atomic<T, Space> make(T* element) noexcept {
    return atomic<T, Space>(address_space_cast<Space, access::decorated::yes>(element));
  }
};

/// Whether an accessor of these parameters can be made from buffer<T, D> with this deduction tag (void:
/// none).
template <typename DataT, int Dimensions, access_mode Mode, sycl::target Target, typename T, int D,
          typename Tag = void>
constexpr bool accessor_matches() {
  constexpr bool data = std::is_same_v<std::remove_const_t<DataT>, std::remove_const_t<T>> &&
                        (detail::same<Mode, access_mode::read> || !std::is_const_v<T>) &&
                        (Dimensions == 0 || Dimensions == D);
  if constexpr (std::is_void_v<Tag>) {
    return data;
  } else if constexpr (tag_traits<Tag>::is_tag) {
    return data && detail::same<tag_traits<Tag>::mode, Mode> &&
           (detail::same<tag_traits<Tag>::place, Target>);
  } else {
    return false;
  }
}

/// The first tag among an accessor constructor's arguments.
template <typename... Args>
struct find_tag {
  static constexpr bool is_tag = false;
};
template <typename First, typename... Rest>
struct find_tag<First, Rest...> : std::conditional_t<tag_traits<std::decay_t<First>>::is_tag,
                                                     tag_traits<std::decay_t<First>>, find_tag<Rest...>> {};

template <typename DataT, typename Tag>
constexpr access_mode deduced_mode() {
  if constexpr (Tag::is_tag) return Tag::mode;
  else return default_access_mode<DataT>;
}
template <typename Tag>
constexpr sycl::target deduced_target() {
  if constexpr (Tag::is_tag) return Tag::place;
  else return sycl::target::device;
}

} // namespace detail

template <typename DataT, int Dimensions = 1, access_mode AccessMode = detail::default_access_mode<DataT>,
          target AccessTarget = target::device, access::placeholder IsPlaceholder = detail::no_placeholder>
class accessor : private detail::accessor_word<DataT, AccessMode, AccessTarget> {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "a sycl::accessor has 0 to 3 dimensions");
  static_assert(detail::same<AccessMode, access_mode::read> || !std::is_const_v<DataT>,
                "an accessor to const data must have access_mode::read");
  static_assert(detail::is_buffer_target<AccessTarget>,
                "a sycl::accessor is for buffers; for images use sycl::unsampled_image_accessor");
  using base = detail::accessor_word<DataT, AccessMode, AccessTarget>;
  static constexpr int shape_dimensions = Dimensions == 0 ? 1 : Dimensions;
  using shape = range<shape_dimensions>;
  using place = id<shape_dimensions>;
  template <typename T, int D, typename Tag = void>
  static constexpr bool fits =
      detail::accessor_matches<DataT, Dimensions, AccessMode, AccessTarget, T, D, Tag>();

public:
  using value_type = typename base::value_type;
  using reference = detail::element_reference<value_type, AccessMode, access::address_space::global_space>;
  using const_reference = const DataT&;
  template <access::decorated IsDecorated>
  using accessor_ptr =
      std::conditional_t<!detail::same<AccessTarget, target::host_task>,
                         multi_ptr<value_type, access::address_space::global_space, IsDecorated>,
                         value_type*>;
  using iterator = detail::accessor_iterator<value_type, Dimensions>;
  using const_iterator = detail::accessor_iterator<const DataT, Dimensions>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;

  /// Creates an empty accessor. It has no memory and adds no requirement; a kernel may capture it.
  accessor() = default;

  // Constructors with a handler add a requirement to its command group; those without create a placeholder.
  // `part` and `offset`, in elements, select a sub-range. Throw errc::invalid if it is not inside of the
  // buffer.
  template <typename T, int D, typename A, std::enable_if_t<fits<T, D>, int> = 0>
  accessor(buffer<T, D, A>& data, const property_list& properties = {}) {
    make(nullptr, data, data.get_range(), {}, properties);
  }
  template <typename T, int D, typename A, typename Tag, std::enable_if_t<fits<T, D, Tag>, int> = 0>
  accessor(buffer<T, D, A>& data, Tag, const property_list& properties = {}) : accessor(data, properties) {}
  template <typename T, int D, typename A, std::enable_if_t<fits<T, D>, int> = 0>
  accessor(buffer<T, D, A>& data, handler& group, const property_list& properties = {}) {
    make(&group, data, data.get_range(), {}, properties);
  }
  template <typename T, int D, typename A, typename Tag, std::enable_if_t<fits<T, D, Tag>, int> = 0>
  accessor(buffer<T, D, A>& data, handler& group, Tag, const property_list& properties = {})
      : accessor(data, group, properties) {}
  template <typename T, int D, typename A, std::enable_if_t<Dimensions != 0 && fits<T, D>, int> = 0>
  accessor(buffer<T, D, A>& data, shape part, const property_list& properties = {}) {
    make(nullptr, data, part, {}, properties);
  }
  template <typename T, int D, typename A, typename Tag,
            std::enable_if_t<Dimensions != 0 && fits<T, D, Tag>, int> = 0>
  accessor(buffer<T, D, A>& data, shape part, Tag, const property_list& properties = {})
      : accessor(data, part, properties) {}
  template <typename T, int D, typename A, std::enable_if_t<Dimensions != 0 && fits<T, D>, int> = 0>
  accessor(buffer<T, D, A>& data, handler& group, shape part, const property_list& properties = {}) {
    make(&group, data, part, {}, properties);
  }
  template <typename T, int D, typename A, typename Tag,
            std::enable_if_t<Dimensions != 0 && fits<T, D, Tag>, int> = 0>
  accessor(buffer<T, D, A>& data, handler& group, shape part, Tag, const property_list& properties = {})
      : accessor(data, group, part, properties) {}
  template <typename T, int D, typename A, std::enable_if_t<Dimensions != 0 && fits<T, D>, int> = 0>
  accessor(buffer<T, D, A>& data, shape part, place offset, const property_list& properties = {}) {
    make(nullptr, data, part, offset, properties);
  }
  template <typename T, int D, typename A, typename Tag,
            std::enable_if_t<Dimensions != 0 && fits<T, D, Tag>, int> = 0>
  accessor(buffer<T, D, A>& data, shape part, place offset, Tag, const property_list& properties = {})
      : accessor(data, part, offset, properties) {}
  template <typename T, int D, typename A, std::enable_if_t<Dimensions != 0 && fits<T, D>, int> = 0>
  accessor(buffer<T, D, A>& data, handler& group, shape part, place offset,
           const property_list& properties = {}) {
    make(&group, data, part, offset, properties);
  }
  template <typename T, int D, typename A, typename Tag,
            std::enable_if_t<Dimensions != 0 && fits<T, D, Tag>, int> = 0>
  accessor(buffer<T, D, A>& data, handler& group, shape part, place offset, Tag,
           const property_list& properties = {})
      : accessor(data, group, part, offset, properties) {}

  // Converts read_write to read, and read accessors between const and non-const DataT.
  template <typename OtherT, access_mode OtherMode, access::placeholder P,
            std::enable_if_t<detail::same<AccessMode, access_mode::read> &&
                                 (detail::same<OtherMode, access_mode::read> ||
                                  detail::same<OtherMode, access_mode::read_write>) &&
                                 std::is_same_v<std::remove_const_t<OtherT>, std::remove_const_t<DataT>> &&
                                 !(std::is_same_v<OtherT, DataT> && detail::same<OtherMode, AccessMode> &&
                                   detail::same<P, IsPlaceholder>),
                             int> = 0>
  accessor(const accessor<OtherT, Dimensions, OtherMode, AccessTarget, P>& other) noexcept
      : m_whole(other.m_whole), m_part(other.m_part), m_offset(other.m_offset) {
    this->set_token(other.token());
  }

  void swap(accessor& other) noexcept {
    accessor old = *this;
    *this = other;
    other = old;
  }
  bool is_placeholder() const noexcept { return detail::token_says_placeholder(this->token()); }

  // Call these in or before the command group, not in kernels and host tasks.
  template <typename Property>
  bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && this->token() != 0 &&
           detail::token_says_no_init(this->token());
  }
  /// Throws errc::invalid for a property that was not given.
  template <typename Property>
  Property get_property() const {
    return (has_property<property::no_init>() ? property_list{property::no_init()} : property_list{})
        .template get_property<Property>();
  }

  std::size_t size() const noexcept { return m_part.size(); }
  [[deprecated("use size()")]] std::size_t max_size() const noexcept {
    return static_cast<std::size_t>(-1) / sizeof(DataT);
  }
  std::size_t byte_size() const noexcept { return size() * sizeof(DataT); }
  bool empty() const noexcept { return size() == 0; }
  [[deprecated("use size()")]] std::size_t get_count() const noexcept { return size(); }
  [[deprecated("use byte_size()")]] std::size_t get_size() const noexcept { return byte_size(); }
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
      return detail::refer_to<reference>(
          detail::checked_element<detail::checked_kind::buffer>(this->first(), index, m_part, m_whole));
    else return detail::refer_to<reference>(this->first() + detail::linear_index(index, m_whole));
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
      return detail::checked_subscript<detail::checked_kind::buffer, value_type, D,
                                       detail::reference_maker<reference>>(this->first(), m_part,
                                                                           m_whole)[index];
    else return detail::subscript<value_type, D, 0, reference>(this->first(), m_whole)[index];
  }
  /// Without dimensions: converts to a reference to the element.
  operator std::conditional_t<Dimensions == 0, reference, detail::no_element>() const noexcept {
    if constexpr (Dimensions == 0) return detail::refer_to<reference>(this->first());
    else return {};
  }
  template <typename U, int D = Dimensions,
            std::enable_if_t<D == 0 && !detail::same<AccessMode, access_mode::read> &&
                                 std::is_convertible_v<const U&, DataT> && !std::is_base_of_v<accessor, U>,
                             int> = 0>
  const accessor& operator=(const U& value) const {
    *this->first() = static_cast<DataT>(value);
    return *this;
  }

  /// Returns the start of the buffer, also for a ranged accessor.
  std::add_pointer_t<value_type> prism_buffer_start() const noexcept {
    return this->first() - detail::linear_index(m_offset, m_whole);
  }
  template <target T = AccessTarget, std::enable_if_t<detail::same<T, target::host_task>, int> = 0>
  std::add_pointer_t<value_type> get_pointer() const noexcept {
    return prism_buffer_start();
  }
  template <target T = AccessTarget, std::enable_if_t<!detail::same<T, target::host_task>, int> = 0>
  [[deprecated("use get_multi_ptr()")]] auto get_pointer() const noexcept {
    if constexpr (detail::is_constant_target<AccessTarget>)
      return constant_ptr<DataT>(const_cast<DataT*>(prism_buffer_start()));
    else return get_multi_ptr<access::decorated::legacy>();
  }
  /// The conversion of SYCL 1.2.1 for target::constant_buffer.
  template <typename Element,
            std::enable_if_t<detail::is_constant_target<AccessTarget> &&
                                 (std::is_same_v<std::remove_const_t<Element>, std::remove_const_t<DataT>> ||
                                  std::is_void_v<Element>),
                             int> = 0>
  operator constant_ptr<Element>() const noexcept {
    return constant_ptr<Element>(const_cast<Element*>(static_cast<const Element*>(prism_buffer_start())));
  }
  template <access::decorated IsDecorated>
  accessor_ptr<IsDecorated> get_multi_ptr() const noexcept {
    if constexpr (detail::same<AccessTarget, target::host_task>) return prism_buffer_start();
    else return address_space_cast<access::address_space::global_space, IsDecorated>(prism_buffer_start());
  }

  iterator begin() const noexcept { return make_iterator<value_type>(0); }
  iterator end() const noexcept { return make_iterator<value_type>(size()); }
  const_iterator cbegin() const noexcept { return make_iterator<const DataT>(0); }
  const_iterator cend() const noexcept { return make_iterator<const DataT>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

  friend bool operator==(const accessor& lhs, const accessor& rhs) noexcept {
    return lhs.m_first == rhs.m_first && lhs.m_whole == rhs.m_whole && lhs.m_part == rhs.m_part &&
           lhs.m_offset == rhs.m_offset;
  }
  friend bool operator!=(const accessor& lhs, const accessor& rhs) noexcept { return !(lhs == rhs); }

  std::uint64_t prism_token() const noexcept { return this->token(); }

private:
  template <typename, int, access_mode, target, access::placeholder>
  friend class accessor;

  template <typename Buffer>
  void make(handler* group, Buffer& data, const shape& part, const place& offset,
            const property_list& properties) {
    if constexpr (Buffer::prism_dimensions == shape_dimensions) m_whole = data.get_range();
    else m_whole = shape(data.size());
    m_part = Dimensions == 0 && data.size() != 0 ? shape(ones()) : part;
    m_offset = offset;
    const detail::access_request request{
        detail::mode_without_discard<AccessMode>,
        detail::mode_discards<AccessMode> || properties.has_property<property::no_init>(), AccessTarget,
        detail::make_box(m_part, m_offset), detail::linear_index(m_offset, m_whole) * sizeof(DataT)};
    const auto& buffer = detail::access_impl::get(data);
    this->set_token(group ? detail::bind_accessor(*group, buffer, request)
                          : detail::place_accessor(buffer, request));
  }
  static shape ones() noexcept {
    shape one;
    for (int d = 0; d < shape_dimensions; ++d) one[d] = 1;
    return one;
  }
  template <typename Element>
  detail::accessor_iterator<Element, Dimensions> make_iterator(std::size_t at) const noexcept {
    if constexpr (Dimensions < 2) return this->first() + at;
    else return {this->first(), m_whole, m_part, static_cast<std::ptrdiff_t>(at)};
  }

  shape m_whole; // of the buffer
  shape m_part;
  place m_offset;
};

template <typename DataT, int D, access_mode M, access::placeholder P>
multi_ptr(const accessor<DataT, D, M, target::device, P>&)
    -> multi_ptr<typename accessor<DataT, D, M, target::device, P>::value_type,
                 access::address_space::global_space, access::decorated::no>;

namespace detail {
template <typename T, typename... Args>
inline constexpr access_mode mode_of = deduced_mode<T, find_tag<Args...>>();
template <typename... Args>
inline constexpr sycl::target target_of = deduced_target<find_tag<Args...>>();
} // namespace detail

template <typename T, int Dimensions, typename A, typename... Args>
accessor(buffer<T, Dimensions, A>&, Args&&...)
    -> accessor<T, Dimensions, detail::mode_of<T, Args...>, detail::target_of<Args...>>;
// The last argument may be a braced list of properties, which has no type to deduce.
template <typename T, int D, typename A, typename First>
accessor(buffer<T, D, A>&, First, const property_list&)
    -> accessor<T, D, detail::mode_of<T, First>, detail::target_of<First>>;
template <typename T, int D, typename A, typename First, typename Second>
accessor(buffer<T, D, A>&, First, Second, const property_list&)
    -> accessor<T, D, detail::mode_of<T, First, Second>, detail::target_of<First, Second>>;
template <typename T, int D, typename A>
accessor(buffer<T, D, A>&, handler&, const property_list&)
    -> accessor<T, D, detail::mode_of<T>, detail::target_of<>>;
template <typename T, int D, typename A, typename First>
accessor(buffer<T, D, A>&, handler&, First, const property_list&)
    -> accessor<T, D, detail::mode_of<T, First>, detail::target_of<First>>;
template <typename T, int D, typename A, typename First, typename Second>
accessor(buffer<T, D, A>&, handler&, First, Second, const property_list&)
    -> accessor<T, D, detail::mode_of<T, First, Second>, detail::target_of<First, Second>>;
template <typename T, int D, typename A, typename First, typename Second, typename Third>
accessor(buffer<T, D, A>&, handler&, First, Second, Third, const property_list&)
    -> accessor<T, D, detail::mode_of<T, First, Second, Third>, detail::target_of<First, Second, Third>>;

template <typename DataT, int D, access_mode M, target Target, access::placeholder P>
struct is_device_copyable<accessor<DataT, D, M, Target, P>> : std::true_type {};
template <typename DataT, int D, access_mode M, target Target, access::placeholder P>
struct is_property_of<property::no_init, accessor<DataT, D, M, Target, P>> : std::true_type {};

}
} // namespace sycl::_V1
#pragma GCC diagnostic pop

template <typename DataT, int D, sycl::access_mode M, sycl::target Target, sycl::access::placeholder P>
struct std::hash<sycl::accessor<DataT, D, M, Target, P>> {
  std::size_t operator()(const sycl::accessor<DataT, D, M, Target, P>& a) const noexcept {
    return std::hash<std::uint64_t>()(a.prism_token());
  }
};
