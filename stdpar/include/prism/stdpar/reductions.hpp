// reduce, transform_reduce, count, any_of, min_element, find and their relatives, by the reductions of
// <prism/primitives.hpp>. The standard lets an implementation combine elements in any order.
#pragma once

#include <prism/stdpar/iterators.hpp>

#include <prism/primitives/reduce.hpp>

#include <functional>
#include <utility>

namespace prism::stdpar {

/// The standard requires operators that commute.
template <typename Operator>
struct commuting {
  Operator op;
  template <typename A, typename B>
  auto operator()(const A& a, const B& b) const {
    return op(a, b);
  }
};

/// What a primitive reads: get(i).
template <typename Get>
struct computed_source {
  Get get;
  struct bound {
    Get get;
    static constexpr bool is_near() { return true; }
    Get near() const { return get; }
    Get far() const { return get; }
  };
  bound bind(sycl::handler&) const { return {get}; }
};

} // namespace prism::stdpar

namespace prism::primitives {
template <typename Operator>
struct commutes<prism::stdpar::commuting<Operator>> : std::true_type {};
} // namespace prism::primitives

namespace prism::stdpar {

/// init op get(0) op get(1) ...; n > 0.
template <typename R, typename Get, typename Operator>
R reduce_elements(std::size_t n, const Get& get, const R& init, const Operator& op) {
  const result<R> sum;
  primitives::detail::reduce_from(primitives::execution(queue()), n, computed_source<Get>{get},
                                  vector_view<R>(sum.get(), 1), init, commuting<Operator>{op}, {})
      .wait_and_throw();
  return *sum.get();
}

/// The smallest index below n for which holds(i); n if there is none.
template <typename Holds>
std::size_t first_index(std::size_t n, const Holds& holds) {
  return reduce_elements(n, [=](std::size_t i) { return holds(i) ? i : n; }, n,
                         [](std::size_t a, std::size_t b) { return a < b ? a : b; });
}

/// The index of the element before which `before` orders no other; of equal ones the first, or with `Last`
/// the last. n > 0.
template <bool Last, typename Iterator, typename Compare>
std::size_t extreme_index(std::size_t n, const Iterator& in, const Compare& before) {
  return reduce_elements(n, [](std::size_t i) { return i; }, std::size_t(0),
                         [=](std::size_t a, std::size_t b) {
    if (before(at(in, a), at(in, b))) return a;
    if (before(at(in, b), at(in, a))) return b;
    return (a < b) != Last ? a : b;
  });
}

} // namespace prism::stdpar

namespace std {

template <typename In, typename T, typename Operator, typename Function>
prism::stdpar::if_read<T, In> transform_reduce(const prism::stdpar::policy&, In first, In last, T init,
                                               Operator op, Function function) {
  if (first == last) return init;
  const auto in = prism::stdpar::in_kernel("std::transform_reduce", first);
  return prism::stdpar::reduce_elements(prism::stdpar::count_of(first, last), [=](size_t i) {
    return T(function(prism::stdpar::at(in, i)));
  }, init, op);
}

template <typename A, typename B, typename T, typename Operator, typename Function>
prism::stdpar::if_read<T, A, B> transform_reduce(const prism::stdpar::policy&, A first, A last, B second,
                                                 T init, Operator op, Function function) {
  if (first == last) return init;
  const auto a = prism::stdpar::in_kernel("std::transform_reduce", first);
  const auto b = prism::stdpar::in_kernel("std::transform_reduce", second);
  return prism::stdpar::reduce_elements(prism::stdpar::count_of(first, last), [=](size_t i) {
    return T(function(prism::stdpar::at(a, i), prism::stdpar::at(b, i)));
  }, init, op);
}

template <typename A, typename B, typename T>
prism::stdpar::if_read<T, A, B> transform_reduce(const prism::stdpar::policy& on, A first, A last, B second,
                                                 T init) {
  return transform_reduce(on, first, last, second, init, plus<>(), multiplies<>());
}

template <typename In, typename T, typename Operator>
prism::stdpar::if_read<T, In> reduce(const prism::stdpar::policy&, In first, In last, T init, Operator op) {
  if (first == last) return init;
  const auto in = prism::stdpar::in_kernel("std::reduce", first);
  return prism::stdpar::reduce_elements(prism::stdpar::count_of(first, last),
                                        [=](size_t i) { return T(prism::stdpar::at(in, i)); }, init, op);
}

template <typename In, typename T>
prism::stdpar::if_read<T, In> reduce(const prism::stdpar::policy& on, In first, In last, T init) {
  return reduce(on, first, last, init, plus<>());
}

template <typename In>
prism::stdpar::if_read<prism::stdpar::value_of<In>, In> reduce(const prism::stdpar::policy& on, In first,
                                                               In last) {
  return reduce(on, first, last, prism::stdpar::value_of<In>{}, plus<>());
}

template <typename In, typename Predicate>
prism::stdpar::if_read<typename iterator_traits<In>::difference_type, In>
count_if(const prism::stdpar::policy& on, In first, In last, Predicate predicate) {
  using number = typename iterator_traits<In>::difference_type;
  return transform_reduce(on, first, last, number(0), plus<>(),
                          [=](const auto& each) { return number(predicate(each) ? 1 : 0); });
}

template <typename In, typename T>
prism::stdpar::if_read<typename iterator_traits<In>::difference_type, In>
count(const prism::stdpar::policy& on, In first, In last, const T& value) {
  return count_if(on, first, last, [copy = value](const auto& each) { return each == copy; });
}

template <typename In, typename Predicate>
prism::stdpar::if_read<In, In> find_if(const prism::stdpar::policy&, In first, In last, Predicate predicate) {
  if (first == last) return last;
  const auto in = prism::stdpar::in_kernel("std::find_if", first);
  const size_t found = prism::stdpar::first_index(prism::stdpar::count_of(first, last), [=](size_t i) {
    return bool(predicate(prism::stdpar::at(in, i)));
  });
  return first + static_cast<typename iterator_traits<In>::difference_type>(found);
}

template <typename In, typename T>
prism::stdpar::if_read<In, In> find(const prism::stdpar::policy& on, In first, In last, const T& value) {
  return find_if(on, first, last, [copy = value](const auto& each) { return each == copy; });
}

template <typename In, typename Predicate>
prism::stdpar::if_read<bool, In> any_of(const prism::stdpar::policy& on, In first, In last,
                                        Predicate predicate) {
  return find_if(on, first, last, predicate) != last;
}

template <typename In, typename Predicate>
prism::stdpar::if_read<bool, In> none_of(const prism::stdpar::policy& on, In first, In last,
                                         Predicate predicate) {
  return find_if(on, first, last, predicate) == last;
}

template <typename In, typename Predicate>
prism::stdpar::if_read<bool, In> all_of(const prism::stdpar::policy& on, In first, In last,
                                        Predicate predicate) {
  return find_if(on, first, last, [=](const auto& each) { return !predicate(each); }) == last;
}

template <typename In, typename Compare>
prism::stdpar::if_read<In, In> min_element(const prism::stdpar::policy&, In first, In last, Compare before) {
  if (first == last) return last;
  const auto in = prism::stdpar::in_kernel("std::min_element", first);
  return first + static_cast<typename iterator_traits<In>::difference_type>(
                     prism::stdpar::extreme_index<false>(prism::stdpar::count_of(first, last), in, before));
}

template <typename In>
prism::stdpar::if_read<In, In> min_element(const prism::stdpar::policy& on, In first, In last) {
  return min_element(on, first, last, less<>());
}

template <typename In, typename Compare>
prism::stdpar::if_read<In, In> max_element(const prism::stdpar::policy&, In first, In last, Compare before) {
  if (first == last) return last;
  const auto in = prism::stdpar::in_kernel("std::max_element", first);
  return first +
         static_cast<typename iterator_traits<In>::difference_type>(
             prism::stdpar::extreme_index<false>(prism::stdpar::count_of(first, last), in,
                                                 [=](const auto& a, const auto& b) { return before(b, a); }));
}

template <typename In>
prism::stdpar::if_read<In, In> max_element(const prism::stdpar::policy& on, In first, In last) {
  return max_element(on, first, last, less<>());
}

} // namespace std
