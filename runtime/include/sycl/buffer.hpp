// sycl::buffer: 1 to 3-dimensional data that the runtime copies between memories as commands need it (SYCL
// 2020, "Buffers").
//
// Copies share the data. The destructor of the last copy writes back and blocks exactly as the standard
// requires. Errors in a destructor are passed to the asynchronous handler of the queue that last used the
// buffer. Thread-safe.
#pragma once

#include <sycl/detail/byte_count.hpp>
#include <sycl/context.hpp>
#include <sycl/detail/accessor_base.hpp>
#include <sycl/property_list.hpp>

#include <cstring>
#include <mutex>

namespace sycl {
inline namespace _V1 {

template <typename T>
using buffer_allocator = std::allocator<T>;

template <typename T, int Dimensions = 1, typename AllocatorT = buffer_allocator<std::remove_const_t<T>>>
class buffer;
template <typename DataT, int Dimensions, access_mode AccessMode, target AccessTarget,
          access::placeholder IsPlaceholder>
class accessor;
template <typename DataT, int Dimensions, access_mode AccessMode>
class host_accessor;

namespace property {
namespace buffer {
class use_host_ptr {};
class use_mutex {
public:
  explicit use_mutex(std::mutex& mutex) : m_mutex(&mutex) {}
  std::mutex* get_mutex_ptr() const { return m_mutex; }

private:
  std::mutex* m_mutex;
};
class context_bound {
public:
  explicit context_bound(sycl::context bound) : m_context(std::move(bound)) {}
  sycl::context get_context() const { return m_context; }

private:
  sycl::context m_context;
};
}
} // namespace property::buffer

template <>
struct is_property<property::buffer::use_host_ptr> : std::true_type {};
template <>
struct is_property<property::buffer::use_mutex> : std::true_type {};
template <>
struct is_property<property::buffer::context_bound> : std::true_type {};
template <typename T, int D, typename A>
struct is_property_of<property::buffer::use_host_ptr, buffer<T, D, A>> : std::true_type {};
template <typename T, int D, typename A>
struct is_property_of<property::buffer::use_mutex, buffer<T, D, A>> : std::true_type {};
template <typename T, int D, typename A>
struct is_property_of<property::buffer::context_bound, buffer<T, D, A>> : std::true_type {};

namespace detail {

/// The initial data of a buffer and the actions of its destructor.
struct buffer_start {
  element_box shape; // only the extent is used
  std::uint64_t element_bytes = 1;
  void* host = nullptr;        // memory of the program, or of `keep_alive`
  bool read_only = false;      // never write to `host`
  bool blocks = false;         // the destructor waits for the commands that use the buffer
  bool write_back = false;     // the destructor copies to `host` if the buffer was written
  bool only_if_shared = false; // write back only if the program still owns `keep_alive` too
  std::shared_ptr<void> keep_alive;
};

impl_ptr<buffer_impl> make_buffer(const buffer_start& start, const property_list& properties, call_site site);
/// Creates a sub-buffer. Throws errc::invalid if `box` is not contiguous or not inside of the parent.
impl_ptr<buffer_impl> make_sub_buffer(const impl_ptr<buffer_impl>& parent, const element_box& box);
impl_ptr<buffer_impl> reinterpret_buffer(const impl_ptr<buffer_impl>& from, const element_box& shape,
                                         std::uint64_t element_bytes);
bool is_sub_buffer(const buffer_impl& buffer) noexcept;
const property_list& buffer_properties(const buffer_impl& buffer) noexcept;
void set_write_back(buffer_impl& buffer, bool write) noexcept;
/// Sets the function that the destructor calls with the bytes, in host memory. Empty: no write-back.
void set_final_data(buffer_impl& buffer, std::function<void(const void* bytes)> give);
/// Makes the destructor copy directly to `destination`, or, if `alive` is given, to the pointer that it
/// returns; null: no write-back.
void set_final_pointer(buffer_impl& buffer, void* destination, std::function<std::shared_ptr<void>()> alive);

template <typename T, typename = void>
struct is_buffer_source : std::false_type {};
template <typename T>
struct is_buffer_source<
    T, std::void_t<decltype(std::data(std::declval<T&>())), decltype(std::size(std::declval<T&>()))>>
    : std::true_type {};
template <typename T, typename = void>
struct is_iterator : std::false_type {};
template <typename T>
struct is_iterator<T, std::void_t<typename std::iterator_traits<T>::iterator_category>> : std::true_type {};
template <>
struct is_iterator<void*> : std::false_type {}; // iterator_traits<void*> does not compile
template <>
struct is_iterator<const void*> : std::false_type {};

} // namespace detail

template <typename T, int Dimensions, typename AllocatorT>
class buffer : public detail::shared_object<detail::buffer_impl>,
               public detail::property_holder<buffer<T, Dimensions, AllocatorT>> {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "a sycl::buffer has 1, 2 or 3 dimensions");
  static_assert(!std::is_reference_v<T>, "a sycl::buffer holds objects, not references");
  using plain = std::remove_const_t<T>;

public:
  using value_type = T;
  using reference = value_type&;
  using const_reference = const value_type&;
  using allocator_type = AllocatorT;
  static constexpr int prism_dimensions = Dimensions;

  buffer(const range<Dimensions>& extent, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(extent, AllocatorT(), properties, site) {}
  buffer(const range<Dimensions>& extent, AllocatorT allocator, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(detail::buffer_start{}, extent, allocator, properties, site) {}

  buffer(T* data, const range<Dimensions>& extent, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(data, extent, AllocatorT(), properties, site) {}
  buffer(T* data, const range<Dimensions>& extent, AllocatorT allocator, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(from_pointer(data), extent, allocator, properties, site) {}

  // Only if T is not const: for buffer<const T> the constructors above accept `const T*`.
  template <typename U = T, std::enable_if_t<!std::is_const_v<U>, int> = 0>
  buffer(const T* data, const range<Dimensions>& extent, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(from_pointer(data), extent, AllocatorT(), properties, site) {}
  template <typename U = T, std::enable_if_t<!std::is_const_v<U>, int> = 0>
  buffer(const T* data, const range<Dimensions>& extent, AllocatorT allocator,
         const property_list& properties = {}, detail::call_site site = detail::call_site::here())
      : buffer(from_pointer(data), extent, allocator, properties, site) {}

  template <typename Container, int D = Dimensions,
            std::enable_if_t<
                D == 1 && detail::is_buffer_source<Container>::value && !std::is_array_v<Container>, int> = 0>
  buffer(Container& container, AllocatorT allocator, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(from_pointer(std::data(container)), range<Dimensions>(std::size(container)), allocator,
               properties, site) {}
  template <typename Container, int D = Dimensions,
            std::enable_if_t<
                D == 1 && detail::is_buffer_source<Container>::value && !std::is_array_v<Container>, int> = 0>
  buffer(Container& container, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(container, AllocatorT(), properties, site) {}

  buffer(const std::shared_ptr<T>& data, const range<Dimensions>& extent, AllocatorT allocator,
         const property_list& properties = {}, detail::call_site site = detail::call_site::here())
      : buffer(from_shared(data, data.get()), extent, allocator, properties, site) {}
  buffer(const std::shared_ptr<T>& data, const range<Dimensions>& extent,
         const property_list& properties = {}, detail::call_site site = detail::call_site::here())
      : buffer(data, extent, AllocatorT(), properties, site) {}
  buffer(const std::shared_ptr<T[]>& data, const range<Dimensions>& extent, AllocatorT allocator,
         const property_list& properties = {}, detail::call_site site = detail::call_site::here())
      : buffer(from_shared(data, data.get()), extent, allocator, properties, site) {}
  buffer(const std::shared_ptr<T[]>& data, const range<Dimensions>& extent,
         const property_list& properties = {}, detail::call_site site = detail::call_site::here())
      : buffer(data, extent, AllocatorT(), properties, site) {}

  template <typename InputIterator, int D = Dimensions,
            std::enable_if_t<D == 1 && detail::is_iterator<InputIterator>::value, int> = 0>
  buffer(InputIterator first, InputIterator last, AllocatorT allocator, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(first, last, static_cast<std::size_t>(std::distance(first, last)), allocator, properties,
               site) {}
  template <typename InputIterator, int D = Dimensions,
            std::enable_if_t<D == 1 && detail::is_iterator<InputIterator>::value, int> = 0>
  buffer(InputIterator first, InputIterator last, const property_list& properties = {},
         detail::call_site site = detail::call_site::here())
      : buffer(first, last, AllocatorT(), properties, site) {}

  /// Creates a sub-buffer of `parent`. `part` and `base` are in elements. Throws errc::invalid if the part is
  /// not contiguous, not inside of the parent, or if `parent` is a sub-buffer.
  buffer(buffer& parent, const id<Dimensions>& base, const range<Dimensions>& part)
      : shared_object(detail::make_sub_buffer(parent.m_impl, detail::make_box(part, base))), m_range(part),
        m_allocator(parent.m_allocator) {}

  range<Dimensions> get_range() const { return m_range; }
  std::size_t size() const noexcept { return m_range.size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  [[deprecated("use size()")]] std::size_t get_count() const { return size(); }
  [[deprecated("use byte_size()")]] std::size_t get_size() const { return byte_size(); }
  AllocatorT get_allocator() const { return m_allocator; }
  bool is_sub_buffer() const { return detail::is_sub_buffer(*m_impl); }

  template <access_mode Mode = access_mode::read_write, target Target = target::device>
  auto get_access(handler& group) {
    return accessor<T, Dimensions, Mode, Target, detail::no_placeholder>(*this, group);
  }
  template <access_mode Mode = access_mode::read_write, target Target = target::device>
  auto get_access(handler& group, range<Dimensions> part, id<Dimensions> offset = {}) {
    return accessor<T, Dimensions, Mode, Target, detail::no_placeholder>(*this, group, part, offset);
  }
  template <access_mode Mode>
  [[deprecated("use sycl::host_accessor")]] auto
  get_access(detail::call_site site = detail::call_site::here()) {
    return accessor<T, Dimensions, Mode, detail::host_buffer_target, detail::no_placeholder>(
        *this, property_list(), site);
  }
  template <access_mode Mode>
  [[deprecated("use sycl::host_accessor")]] auto
  get_access(range<Dimensions> part, id<Dimensions> offset = {},
             detail::call_site site = detail::call_site::here()) {
    return accessor<T, Dimensions, Mode, detail::host_buffer_target, detail::no_placeholder>(
        *this, part, offset, property_list(), site);
  }
  // `args`: a tag and the other arguments of the accessor's constructors.
  template <typename... Args>
  auto get_access(handler& group, Args... args) {
    return sycl::accessor(*this, group, args...);
  }
  auto get_host_access(detail::call_site site = detail::call_site::here()) { return host_access_at(site); }
  template <typename A>
  auto get_host_access(A a, detail::call_site site = detail::call_site::here()) {
    return host_access_at(site, a);
  }
  template <typename A, typename B>
  auto get_host_access(A a, B b, detail::call_site site = detail::call_site::here()) {
    return host_access_at(site, a, b);
  }
  template <typename A, typename B, typename C>
  auto get_host_access(A a, B b, C c, detail::call_site site = detail::call_site::here()) {
    return host_access_at(site, a, b, c);
  }
  template <typename A, typename B, typename C, typename D>
  auto get_host_access(A a, B b, C c, D d, detail::call_site site = detail::call_site::here()) {
    return host_access_at(site, a, b, c, d);
  }

  /// Sets the destination of write-back: a pointer, an output iterator, a weak_ptr (no write-back if it
  /// expired) or nullptr (no write-back).
  template <typename Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    if constexpr (std::is_same_v<Destination, std::nullptr_t>) {
      detail::set_final_pointer(*m_impl, nullptr, {});
    } else if constexpr (std::is_pointer_v<Destination> &&
                         (std::is_same_v<std::remove_pointer_t<Destination>, plain> ||
                          std::is_void_v<std::remove_pointer_t<Destination>>)) {
      detail::set_final_pointer(*m_impl, destination, {});
    } else if constexpr (detail::is_iterator<Destination>::value) {
      detail::set_final_data(*m_impl, [destination, count = size()](const void* bytes) {
        const auto* first = static_cast<const plain*>(bytes);
        auto to = destination;
        for (std::size_t i = 0; i < count; ++i, ++to) *to = first[i];
      });
    } else {
      set_final_weak(destination);
    }
  }
  void set_write_back(bool write = true) { detail::set_write_back(*m_impl, write); }

  template <typename ReinterpretT, int ReinterpretDim>
  buffer<ReinterpretT, ReinterpretDim,
         typename std::allocator_traits<AllocatorT>::template rebind_alloc<std::remove_const_t<ReinterpretT>>>
  reinterpret(range<ReinterpretDim> extent) const {
    using allocator =
        typename std::allocator_traits<AllocatorT>::template rebind_alloc<std::remove_const_t<ReinterpretT>>;
    if (detail::bytes_of(extent, sizeof(ReinterpretT)) != byte_size()) {
      detail::throw_error(errc::invalid,
                          "buffer::reinterpret: the new range and type have another size in bytes than the "
                          "buffer; make them equal");
    }
    return buffer<ReinterpretT, ReinterpretDim, allocator>(
        detail::reinterpret_buffer(m_impl, detail::make_box(extent), sizeof(ReinterpretT)), extent,
        allocator(m_allocator));
  }
  template <typename ReinterpretT, int ReinterpretDim = Dimensions,
            std::enable_if_t<ReinterpretDim == 1 ||
                                 (ReinterpretDim == Dimensions && sizeof(ReinterpretT) == sizeof(T)),
                             int> = 0>
  auto reinterpret() const {
    if constexpr (ReinterpretDim == Dimensions && sizeof(ReinterpretT) == sizeof(T)) {
      return reinterpret<ReinterpretT, ReinterpretDim>(m_range);
    } else {
      return reinterpret<ReinterpretT, 1>(range<1>(byte_size() / sizeof(ReinterpretT)));
    }
  }

  const property_list& prism_properties() const noexcept { return detail::buffer_properties(*m_impl); }

private:
  template <typename, int, typename>
  friend class buffer;
  friend struct detail::access_impl;

  buffer(detail::buffer_start start, const range<Dimensions>& extent, const AllocatorT& allocator,
         const property_list& properties, detail::call_site site)
      : m_range(extent), m_allocator(allocator) {
    start.shape = detail::make_box(extent);
    start.element_bytes = sizeof(T);
    m_impl = detail::make_buffer(start, properties, site);
  }
  buffer(detail::impl_ptr<detail::buffer_impl> impl, const range<Dimensions>& extent,
         const AllocatorT& allocator)
      : shared_object(std::move(impl)), m_range(extent), m_allocator(allocator) {}
  template <typename InputIterator>
  buffer(InputIterator first, InputIterator last, std::size_t count, const AllocatorT& allocator,
         const property_list& properties, detail::call_site site)
      : buffer(from_iterators(first, last, count, allocator), range<Dimensions>(count), allocator, properties,
               site) {}

  template <typename... Args>
  auto host_access_at(detail::call_site site, Args... args) {
    using made = decltype(sycl::host_accessor(*this, args...));
    constexpr bool lacks_properties =
        std::is_constructible_v<made, buffer&, Args..., property_list, detail::call_site>;
    if constexpr (lacks_properties) return made(*this, args..., property_list(), site);
    else return made(*this, args..., site);
  }
  static detail::buffer_start from_pointer(plain* data) {
    detail::buffer_start start;
    start.host = data;
    start.blocks = start.write_back = data != nullptr;
    return start;
  }
  static detail::buffer_start from_pointer(const plain* data) {
    detail::buffer_start start;
    start.host = const_cast<plain*>(data);
    start.read_only = true;
    start.blocks = data != nullptr;
    return start;
  }
  template <typename Shared>
  static detail::buffer_start from_shared(const Shared& owner, T* data) {
    detail::buffer_start start = from_pointer(data);
    start.only_if_shared = true;
    start.keep_alive = std::shared_ptr<void>(owner, const_cast<plain*>(data));
    return start;
  }
  template <typename InputIterator>
  static detail::buffer_start from_iterators(InputIterator first, InputIterator last, std::size_t count,
                                             const AllocatorT& allocator) {
    using traits = std::allocator_traits<AllocatorT>;
    AllocatorT own = allocator;
    auto* copy = traits::allocate(own, count ? count : 1);
    detail::buffer_start start;
    start.keep_alive = std::shared_ptr<void>(static_cast<void*>(&*copy), [own, copy, count](void*) mutable {
      traits::deallocate(own, copy, count ? count : 1);
    });
    auto* to = static_cast<plain*>(start.keep_alive.get());
    for (; first != last; ++first, ++to) ::new (static_cast<void*>(to)) plain(*first);
    start.host = start.keep_alive.get();
    start.read_only = true;
    return start;
  }
  template <typename U>
  void set_final_weak(std::weak_ptr<U> weak) {
    detail::set_final_pointer(*m_impl, nullptr, [weak]() -> std::shared_ptr<void> {
      auto owner = weak.lock();
      return owner ? std::shared_ptr<void>(owner, owner.get()) : nullptr;
    });
  }
  template <typename U>
  void set_final_weak(const std::shared_ptr<U>& shared) {
    set_final_weak(std::weak_ptr<U>(shared));
  }

  range<Dimensions> m_range;
  AllocatorT m_allocator;
};

template <typename InputIterator, typename AllocatorT,
          typename = std::enable_if_t<detail::is_iterator<InputIterator>::value &&
                                      !std::is_convertible_v<AllocatorT, property_list>>>
buffer(InputIterator, InputIterator, AllocatorT, const property_list& = {})
    -> buffer<typename std::iterator_traits<InputIterator>::value_type, 1, AllocatorT>;
template <typename InputIterator, typename = std::enable_if_t<detail::is_iterator<InputIterator>::value>>
buffer(InputIterator, InputIterator, const property_list& = {})
    -> buffer<typename std::iterator_traits<InputIterator>::value_type, 1>;
template <int Dimensions, typename T, typename AllocatorT,
          typename = std::enable_if_t<!std::is_convertible_v<AllocatorT, property_list>>>
buffer(const T*, const range<Dimensions>&, AllocatorT, const property_list& = {})
    -> buffer<T, Dimensions, AllocatorT>;
template <int Dimensions, typename T>
buffer(const T*, const range<Dimensions>&, const property_list& = {}) -> buffer<T, Dimensions>;
template <typename T, int Dimensions, typename AllocatorT,
          typename = std::enable_if_t<!std::is_convertible_v<AllocatorT, property_list>>>
buffer(const std::shared_ptr<T>&, const range<Dimensions>&, AllocatorT, const property_list& = {})
    -> buffer<std::remove_extent_t<T>, Dimensions, AllocatorT>;
template <typename T, int Dimensions>
buffer(const std::shared_ptr<T>&, const range<Dimensions>&, const property_list& = {})
    -> buffer<std::remove_extent_t<T>, Dimensions>;
template <typename Container, typename AllocatorT,
          typename = std::enable_if_t<detail::is_buffer_source<Container>::value &&
                                      !std::is_convertible_v<AllocatorT, property_list>>>
buffer(Container&, AllocatorT, const property_list& = {})
    -> buffer<typename Container::value_type, 1, AllocatorT>;
template <typename Container, typename = std::enable_if_t<detail::is_buffer_source<Container>::value>>
buffer(Container&, const property_list& = {}) -> buffer<typename Container::value_type, 1>;

}
} // namespace sycl::_V1

template <typename T, int D, typename A>
struct std::hash<sycl::buffer<T, D, A>> : sycl::detail::hash_by_impl {};
