// Launches kernels that write into one buffer of int, and reads the result back.
#pragma once

#include "tests/sycl/common.hpp"

#include <vector>

namespace prism_test {

/// The elements of the buffer; waits for the kernels that write them.
template <typename T>
std::vector<T> contents(sycl::buffer<T>& b) {
  sycl::host_accessor a(b, sycl::read_only);
  return {a.begin(), a.end()};
}

/// The elements of a buffer of n times -1 after `launch(handler, accessor)`.
template <typename Launch>
std::vector<int> run(std::size_t n, Launch launch) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), -1); });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    launch(h, a);
  });
  return contents(b);
}

} // namespace prism_test
