// for_each, transform, fill, generate, copy, replace: one work-item an element.
#pragma once

#include <prism/stdpar/iterators.hpp>

namespace std {

template <typename Iterator, typename Function>
prism::stdpar::if_read<void, Iterator> for_each(const prism::stdpar::policy&, Iterator first, Iterator last,
                                                Function function) {
  if (first == last) return;
  const auto in = prism::stdpar::in_kernel("std::for_each", first);
  prism::stdpar::for_each_index(prism::stdpar::count_of(first, last),
                                [=](size_t i) { function(prism::stdpar::at(in, i)); });
}

template <typename Iterator, typename Size, typename Function>
prism::stdpar::if_read<Iterator, Iterator> for_each_n(const prism::stdpar::policy& on, Iterator first,
                                                      Size count, Function function) {
  if (!(count > 0)) return first;
  for_each(on, first, first + count, function);
  return first + count;
}

template <typename In, typename Out, typename Function>
prism::stdpar::if_written<Out, Out, In> transform(const prism::stdpar::policy&, In first, In last, Out out,
                                                  Function function) {
  if (first == last) return out;
  const size_t n = prism::stdpar::count_of(first, last);
  const auto in = prism::stdpar::in_kernel("std::transform", first);
  const auto to = prism::stdpar::in_kernel("std::transform", out);
  prism::stdpar::for_each_index(
      n, [=](size_t i) { prism::stdpar::at(to, i) = function(prism::stdpar::at(in, i)); });
  return out + (last - first);
}

template <typename A, typename B, typename Out, typename Function>
prism::stdpar::if_written<Out, Out, A, B> transform(const prism::stdpar::policy&, A first, A last, B second,
                                                    Out out, Function function) {
  if (first == last) return out;
  const size_t n = prism::stdpar::count_of(first, last);
  const auto a = prism::stdpar::in_kernel("std::transform", first);
  const auto b = prism::stdpar::in_kernel("std::transform", second);
  const auto to = prism::stdpar::in_kernel("std::transform", out);
  prism::stdpar::for_each_index(n, [=](size_t i) {
    prism::stdpar::at(to, i) = function(prism::stdpar::at(a, i), prism::stdpar::at(b, i));
  });
  return out + (last - first);
}

template <typename Iterator, typename T>
prism::stdpar::if_written<void, Iterator> fill(const prism::stdpar::policy&, Iterator first, Iterator last,
                                               const T& value) {
  if (first == last) return;
  const auto to = prism::stdpar::in_kernel("std::fill", first);
  prism::stdpar::for_each_index(prism::stdpar::count_of(first, last),
                                [=, copy = value](size_t i) { prism::stdpar::at(to, i) = copy; });
}

template <typename Iterator, typename Size, typename T>
prism::stdpar::if_written<Iterator, Iterator> fill_n(const prism::stdpar::policy& on, Iterator first,
                                                     Size count, const T& value) {
  if (!(count > 0)) return first;
  fill(on, first, first + count, value);
  return first + count;
}

template <typename In, typename Out>
prism::stdpar::if_written<Out, Out, In> copy(const prism::stdpar::policy&, In first, In last, Out out) {
  if (first == last) return out;
  const auto in = prism::stdpar::in_kernel("std::copy", first);
  const auto to = prism::stdpar::in_kernel("std::copy", out);
  prism::stdpar::for_each_index(prism::stdpar::count_of(first, last),
                                [=](size_t i) { prism::stdpar::at(to, i) = prism::stdpar::at(in, i); });
  return out + (last - first);
}

template <typename In, typename Size, typename Out>
prism::stdpar::if_written<Out, Out, In> copy_n(const prism::stdpar::policy& on, In first, Size count,
                                               Out out) {
  return count > 0 ? copy(on, first, first + count, out) : out;
}

template <typename Iterator, typename Predicate, typename T>
prism::stdpar::if_written<void, Iterator> replace_if(const prism::stdpar::policy&, Iterator first,
                                                     Iterator last, Predicate predicate, const T& value) {
  if (first == last) return;
  const auto to = prism::stdpar::in_kernel("std::replace_if", first);
  prism::stdpar::for_each_index(prism::stdpar::count_of(first, last), [=, copy = value](size_t i) {
    if (predicate(prism::stdpar::at(to, i))) prism::stdpar::at(to, i) = copy;
  });
}

template <typename Iterator, typename T>
prism::stdpar::if_written<void, Iterator> replace(const prism::stdpar::policy& on, Iterator first,
                                                  Iterator last, const T& old, const T& value) {
  replace_if(on, first, last, [copy = old](const auto& each) { return each == copy; }, value);
}

} // namespace std
