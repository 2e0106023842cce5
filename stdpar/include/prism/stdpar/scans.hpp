// inclusive_scan, exclusive_scan and their forms with a function, by the scans of <prism/primitives.hpp>.
#pragma once

#include <prism/stdpar/reductions.hpp>

#include <prism/primitives/scan.hpp>

namespace prism::stdpar {

/// What a primitive writes: element i of an iterator.
template <typename Iterator>
struct iterator_sink {
  struct put {
    Iterator out;
    template <typename T>
    void operator()(std::size_t i, const T& value) const {
      at(out, i) = value;
    }
  };
  struct bound {
    Iterator out;
    static constexpr bool is_near() { return true; }
    put near() const { return {out}; }
    put far() const { return {out}; }
  };
  Iterator out;
  bound bind(sycl::handler&) const { return {out}; }
};

/// out[i] from function(in[0]) on; `start` is the value before the first element.
template <bool Exclusive, typename R, typename In, typename Out, typename Operator, typename Function>
Out scan(const char* algorithm, In first, In last, Out out, const primitives::detail::before<R>& start,
         const Operator& op, const Function& function) {
  if (first == last) return out;
  const auto in = in_kernel(algorithm, first);
  const auto to = in_kernel(algorithm, out);
  const auto get = [=](std::size_t i) { return R(function(at(in, i))); };
  const primitives::execution on(queue());
  primitives::command_chain chain(on, {});
  primitives::detail::scan_source<Exclusive, R>(
      chain, count_of(first, last), computed_source<std::remove_const_t<decltype(get)>>{get},
      iterator_sink<std::remove_const_t<decltype(to)>>{to}, start, op);
  chain.last().wait_and_throw();
  return out + (last - first);
}

} // namespace prism::stdpar

namespace std {

template <typename In, typename Out, typename Operator, typename Function, typename T>
prism::stdpar::if_written<Out, Out, In> transform_inclusive_scan(const prism::stdpar::policy&, In first,
                                                                 In last, Out out, Operator op,
                                                                 Function function, T init) {
  return prism::stdpar::scan<false, T>("std::transform_inclusive_scan", first, last, out, {true, init}, op,
                                       function);
}

template <typename In, typename Out, typename Operator, typename Function>
prism::stdpar::if_written<Out, Out, In> transform_inclusive_scan(const prism::stdpar::policy&, In first,
                                                                 In last, Out out, Operator op,
                                                                 Function function) {
  using value = decay_t<decltype(function(*first))>;
  return prism::stdpar::scan<false, value>("std::transform_inclusive_scan", first, last, out,
                                           {false, value{}}, op, function);
}

template <typename In, typename Out, typename T, typename Operator, typename Function>
prism::stdpar::if_written<Out, Out, In> transform_exclusive_scan(const prism::stdpar::policy&, In first,
                                                                 In last, Out out, T init, Operator op,
                                                                 Function function) {
  return prism::stdpar::scan<true, T>("std::transform_exclusive_scan", first, last, out, {true, init}, op,
                                      function);
}

template <typename In, typename Out, typename Operator, typename T>
prism::stdpar::if_written<Out, Out, In> inclusive_scan(const prism::stdpar::policy&, In first, In last,
                                                       Out out, Operator op, T init) {
  return prism::stdpar::scan<false, T>("std::inclusive_scan", first, last, out, {true, init}, op,
                                       prism::primitives::detail::same());
}

template <typename In, typename Out, typename Operator>
prism::stdpar::if_written<Out, Out, In> inclusive_scan(const prism::stdpar::policy&, In first, In last,
                                                       Out out, Operator op) {
  using value = prism::stdpar::value_of<In>;
  return prism::stdpar::scan<false, value>("std::inclusive_scan", first, last, out, {false, value{}}, op,
                                           prism::primitives::detail::same());
}

template <typename In, typename Out>
prism::stdpar::if_written<Out, Out, In> inclusive_scan(const prism::stdpar::policy& on, In first, In last,
                                                       Out out) {
  return inclusive_scan(on, first, last, out, plus<>());
}

template <typename In, typename Out, typename T, typename Operator>
prism::stdpar::if_written<Out, Out, In> exclusive_scan(const prism::stdpar::policy&, In first, In last,
                                                       Out out, T init, Operator op) {
  return prism::stdpar::scan<true, T>("std::exclusive_scan", first, last, out, {true, init}, op,
                                      prism::primitives::detail::same());
}

template <typename In, typename Out, typename T>
prism::stdpar::if_written<Out, Out, In> exclusive_scan(const prism::stdpar::policy& on, In first, In last,
                                                       Out out, T init) {
  return exclusive_scan(on, first, last, out, init, plus<>());
}

} // namespace std
