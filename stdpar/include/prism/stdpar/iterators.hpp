// Which calls run on the device, and what their kernels read and write.
#pragma once

#include <prism/stdpar/memory.hpp>

#include <execution>
#include <iterator>
#include <memory>
#include <type_traits>

namespace prism::stdpar {

using policy = std::execution::parallel_unsequenced_policy;

template <typename Iterator>
using value_of = typename std::iterator_traits<Iterator>::value_type;

/// Whether kernels may use the iterator: any element at once, values that devices can hold.
template <typename Iterator, typename = void>
struct runs_on_devices : std::false_type {};
template <typename Iterator>
struct runs_on_devices<Iterator, std::void_t<typename std::iterator_traits<Iterator>::iterator_category>>
    : std::bool_constant<std::is_base_of_v<std::random_access_iterator_tag,
                                           typename std::iterator_traits<Iterator>::iterator_category> &&
                         sycl::is_device_copyable_v<value_of<Iterator>> &&
                         sycl::is_device_copyable_v<Iterator>> {};

/// The same for the iterators that an algorithm writes through: each element is an object of its own, which
/// the bits of std::vector<bool> are not.
template <typename Iterator>
struct writes_on_devices
    : std::bool_constant<runs_on_devices<Iterator>::value &&
                         std::is_lvalue_reference_v<typename std::iterator_traits<Iterator>::reference>> {};

/// The result type of an overload that takes part only for such iterators.
template <typename Result, bool Condition>
using result_if = std::enable_if_t<Condition, Result>;
template <typename Result, typename... In>
using if_read = result_if<Result, (runs_on_devices<In>::value && ...)>;
template <typename Result, typename Out, typename... In>
using if_written = result_if<Result, writes_on_devices<Out>::value && (runs_on_devices<In>::value && ...)>;

/// Pointers, and the iterators of std::vector, std::array, std::string and std::span, which are pointers
/// inside.
template <typename Iterator>
struct is_contiguous : std::is_pointer<Iterator> {};
template <typename Pointer, typename Container>
struct is_contiguous<__gnu_cxx::__normal_iterator<Pointer, Container>> : std::true_type {};

template <typename Pointer, typename Container>
Pointer pointer_of(const __gnu_cxx::__normal_iterator<Pointer, Container>& iterator) {
  return iterator.base();
}
template <typename T>
T* pointer_of(T* pointer) {
  return pointer;
}

/// The form of the iterator in kernels: a pointer where its elements are contiguous. Checks that the device
/// can access them.
template <typename Iterator>
auto in_kernel(const char* algorithm, const Iterator& first) {
  if constexpr (is_contiguous<Iterator>::value) {
    const auto pointer = pointer_of(first);
    require_shared(algorithm, pointer);
    return pointer;
  } else {
    return first;
  }
}

/// Runs body(i) for each i below n, and waits.
template <typename Body>
void for_each_index(std::size_t n, const Body& body) {
  queue().parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { body(i[0]); }).wait_and_throw();
}

/// Element i of a random-access iterator.
template <typename Iterator>
decltype(auto) at(const Iterator& first, std::size_t i) {
  return first[static_cast<typename std::iterator_traits<Iterator>::difference_type>(i)];
}

template <typename Iterator>
std::size_t count_of(const Iterator& first, const Iterator& last) {
  return static_cast<std::size_t>(last - first);
}

} // namespace prism::stdpar
