// The sorters of sycl_ext_oneapi_group_sort: a comparison sort (default_sorters) and a radix sort
// (radix_sorters), each for a range that a group shares, for values that its work-items hold, and for keys
// with values. All are stable. memory_required() says how much memory a sorter needs; the memory may have any
// alignment and is local or global.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <functional>
#include <iterator>
#include <limits>
#include <tuple>

#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/data_placement.hpp>
#include <sycl/ext/oneapi/experimental/detail/merge_over_group.hpp>
#include <sycl/ext/oneapi/experimental/detail/radix_over_group.hpp>
#include <sycl/ext/oneapi/experimental/group_helper.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

enum class sorting_order { ascending, descending };

namespace detail {

template <typename Group, typename T>
using enable_group_value = std::enable_if_t<is_group_v<Group>, T>;

template <typename T, typename U>
struct keyed {
  T key;
  U value;
};

/// Puts each work-item's elements into memory of the group, lets `sort(shared, mine)` sort them, and takes
/// them out again. `get(k)` and `set(k, x)` are element k of the calling work-item.
template <std::size_t Elements, typename Properties, typename Element, typename Group, typename Get,
          typename Set, typename Sort>
void sort_through_memory(Group group, Element* shared, Get get, Set set, Sort sort) {
  const std::size_t items = group.get_local_linear_range(), item = group.get_local_linear_id();
  for (std::size_t k = 0; k < Elements; ++k)
    shared[place_of<is_striped<input_data_placement_key, Properties>()>(item, k, items, Elements)] = get(k);
  alignas(Element) std::byte mine[Elements * sizeof(Element)]; // the elements may have no default constructor
  sort(shared, reinterpret_cast<Element*>(mine));
  for (std::size_t k = 0; k < Elements; ++k)
    set(k, shared[place_of<is_striped<output_data_placement_key, Properties>()>(item, k, items, Elements)]);
  group_barrier(group); // the memory may be used again
}

template <std::size_t Bits>
std::uint64_t to_mask(const std::bitset<Bits>& bits) {
  return bits.to_ullong();
}

struct whole_element {
  template <typename T>
  const T& operator()(const T& x) const {
    return x;
  }
};
struct key_of_element {
  template <typename T, typename U>
  const T& operator()(const keyed<T, U>& x) const {
    return x.key;
  }
};

/// What both kinds of sorters do with elements that work-items hold. `Sort` has `run(group, shared, mine,
/// free, key)`, which sorts with the memory behind `free`; `Key` is what it compares.
template <typename Element, typename Key, typename Sort>
class sorter_in_scratch {
protected:
  sorter_in_scratch(std::byte* scratch, Sort how) : m_scratch(scratch), m_how(how) {}

  template <typename Properties, std::size_t Count, typename Group, typename Get, typename Set>
  void sort(Group group, Get get, Set set) {
    std::byte* free = m_scratch;
    auto* const shared = take_scratch<Element>(free, group.get_local_linear_range() * Count);
    sort_through_memory<Count, Properties>(group, shared, get, set, [&](Element* all, Element* mine) {
      m_how.template run<Count>(group, all, mine, free, Key());
    });
  }

private:
  std::byte* m_scratch;
  Sort m_how;
};

template <typename T, std::size_t Elements, typename Sort>
class value_sorter : sorter_in_scratch<T, whole_element, Sort> {
public:
  template <typename Group>
  enable_group_value<Group, T> operator()(Group group, T value) {
    T result = value;
    this->template sort<empty_properties_t, 1>(group, [&](std::size_t) { return value; },
                                               [&](std::size_t, const T& x) { result = x; });
    return result;
  }
  template <typename Group, typename Properties>
  enable_group_value<Group, void> operator()(Group group, sycl::span<T, Elements> values, Properties) {
    this->template sort<Properties, Elements>(group, [=](std::size_t k) { return values[k]; },
                                              [=](std::size_t k, const T& x) { values[k] = x; });
  }

protected:
  value_sorter(std::byte* scratch, Sort how) : sorter_in_scratch<T, whole_element, Sort>(scratch, how) {}
};
template <typename T, typename U, std::size_t Elements, typename Sort>
class key_value_sorter : sorter_in_scratch<keyed<T, U>, key_of_element, Sort> {
  using element = keyed<T, U>;

public:
  template <typename Group>
  enable_group_value<Group, std::tuple<T, U>> operator()(Group group, T key, U value) {
    std::tuple<T, U> result(key, value);
    this->template sort<empty_properties_t, 1>(group, [&](std::size_t) {
      return element{key, value};
    }, [&](std::size_t, const element& x) { result = std::tuple<T, U>(x.key, x.value); });
    return result;
  }
  template <typename Group, typename Properties>
  enable_group_value<Group, void> operator()(Group group, sycl::span<T, Elements> keys,
                                             sycl::span<U, Elements> values, Properties) {
    this->template sort<Properties, Elements>(group, [=](std::size_t k) {
      return element{keys[k], values[k]};
    }, [=](std::size_t k, const element& x) {
      keys[k] = x.key;
      values[k] = x.value;
    });
  }

protected:
  key_value_sorter(std::byte* scratch, Sort how)
      : sorter_in_scratch<element, key_of_element, Sort>(scratch, how) {}
};

template <typename Compare>
struct merge_method {
  Compare less;
  template <std::size_t Count, typename Group, typename Element, typename Key>
  void run(Group group, Element* shared, Element* mine, std::byte*, Key key) const {
    std::size_t place[Count];
    const Compare by = less;
    merge_over_group(group, shared, mine, place, Count,
                     [=](const Element& a, const Element& b) { return by(key(a), key(b)); });
  }
};
template <typename T, bool Descending, unsigned BitsPerPass>
struct radix_method {
  using digits_type = radix_digits<T, Descending, BitsPerPass>;
  digits_type digits;
  static constexpr std::size_t counter_bytes(std::size_t items) {
    return scratch_bytes<std::uint32_t>(digits_type::values * items);
  }
  template <std::size_t Count, typename Group, typename Element, typename Key>
  void run(Group group, Element* shared, Element* mine, std::byte* free, Key key) const {
    auto* const counters =
        take_scratch<std::uint32_t>(free, digits_type::values * group.get_local_linear_range());
    radix_over_group(group, digits, shared, mine, Count, counters, key);
  }
};

} // namespace detail

namespace default_sorters {

template <typename Compare = std::less<>>
class joint_sorter {
public:
  template <std::size_t Extent>
  joint_sorter(sycl::span<std::byte, Extent> scratch, Compare comp = {})
      : m_scratch(scratch.data()), m_less(comp) {}
  template <typename Group, typename Ptr>
  detail::enable_group_value<Group, void> operator()(Group g, Ptr first, Ptr last) {
    using T = typename std::iterator_traits<Ptr>::value_type;
    const auto n = static_cast<std::size_t>(last - first);
    std::byte* free = m_scratch;
    detail::merge_jointly(g, first, n, detail::take_scratch<T>(free, n), m_less);
  }
  template <typename T>
  static std::size_t memory_required(device, memory_scope, std::size_t range_size) {
    return detail::scratch_bytes<T>(range_size);
  }

private:
  std::byte* m_scratch;
  Compare m_less;
};

template <typename T, typename Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_sorter : public detail::value_sorter<T, ElementsPerWorkItem, detail::merge_method<Compare>> {
public:
  template <std::size_t Extent>
  group_sorter(sycl::span<std::byte, Extent> scratch, Compare comp = {})
      : detail::value_sorter<T, ElementsPerWorkItem, detail::merge_method<Compare>>(scratch.data(), {comp}) {}
  static std::size_t memory_required(device, memory_scope, std::size_t range_size) {
    return detail::scratch_bytes<T>(range_size * ElementsPerWorkItem);
  }
};

template <typename T, typename U, typename Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_key_value_sorter
    : public detail::key_value_sorter<T, U, ElementsPerWorkItem, detail::merge_method<Compare>> {
public:
  template <std::size_t Extent>
  group_key_value_sorter(sycl::span<std::byte, Extent> scratch, Compare comp = {})
      : detail::key_value_sorter<T, U, ElementsPerWorkItem, detail::merge_method<Compare>>(scratch.data(),
                                                                                           {comp}) {}
  static std::size_t memory_required(device, memory_scope, std::size_t range_size) {
    return detail::scratch_bytes<detail::keyed<T, U>>(range_size * ElementsPerWorkItem);
  }
};

} // namespace default_sorters

/// A sorter looks only at the bits of `mask`, counted in the order that a number's bits have for sorting.
namespace radix_sorters {

template <typename T, sorting_order Order = sorting_order::ascending, unsigned int BitsPerPass = 4>
class joint_sorter {
  using method = detail::radix_method<T, Order == sorting_order::descending, BitsPerPass>;

public:
  template <std::size_t Extent>
  joint_sorter(sycl::span<std::byte, Extent> scratch,
               const std::bitset<sizeof(T) * CHAR_BIT> mask = ~std::bitset<sizeof(T) * CHAR_BIT>())
      : m_scratch(scratch.data()), m_how{{static_cast<detail::bits_of<sizeof(T)>>(detail::to_mask(mask))}} {}
  template <typename Group, typename Ptr>
  detail::enable_group_value<Group, void> operator()(Group g, Ptr first, Ptr last) {
    const auto n = static_cast<std::size_t>(last - first);
    std::byte* free = m_scratch;
    T* const other = detail::take_scratch<T>(free, n);
    detail::radix_jointly(g, m_how.digits, first, n, other,
                          detail::take_scratch<std::uint32_t>(free, method::digits_type::values * n));
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::scratch_bytes<T>(range_size) + method::counter_bytes(range_size);
  }

private:
  std::byte* m_scratch;
  method m_how;
};

template <typename T, sorting_order Order = sorting_order::ascending, std::size_t ElementsPerWorkItem = 1,
          unsigned int BitsPerPass = 4>
class group_sorter
    : public detail::value_sorter<T, ElementsPerWorkItem,
                                  detail::radix_method<T, Order == sorting_order::descending, BitsPerPass>> {
  using method = detail::radix_method<T, Order == sorting_order::descending, BitsPerPass>;

public:
  template <std::size_t Extent>
  group_sorter(sycl::span<std::byte, Extent> scratch,
               const std::bitset<sizeof(T) * CHAR_BIT> mask = ~std::bitset<sizeof(T) * CHAR_BIT>())
      : detail::value_sorter<T, ElementsPerWorkItem, method>(
            scratch.data(), {{static_cast<detail::bits_of<sizeof(T)>>(detail::to_mask(mask))}}) {}
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::scratch_bytes<T>(range_size * ElementsPerWorkItem) + method::counter_bytes(range_size);
  }
};

template <typename T, typename U, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned int BitsPerPass = 4>
class group_key_value_sorter : public detail::key_value_sorter<
                                   T, U, ElementsPerWorkItem,
                                   detail::radix_method<T, Order == sorting_order::descending, BitsPerPass>> {
  using method = detail::radix_method<T, Order == sorting_order::descending, BitsPerPass>;

public:
  template <std::size_t Extent>
  group_key_value_sorter(sycl::span<std::byte, Extent> scratch,
                         const std::bitset<sizeof(T) * CHAR_BIT> mask = ~std::bitset<sizeof(T) * CHAR_BIT>())
      : detail::key_value_sorter<T, U, ElementsPerWorkItem, method>(
            scratch.data(), {{static_cast<detail::bits_of<sizeof(T)>>(detail::to_mask(mask))}}) {}
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::scratch_bytes<detail::keyed<T, U>>(range_size * ElementsPerWorkItem) +
           method::counter_bytes(range_size);
  }
};

} // namespace radix_sorters

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
