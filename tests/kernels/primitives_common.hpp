// Memory and numbers for the tests of the primitives.
#pragma once

#include "tests/sycl/common.hpp"

#include <prism/primitives/execution.hpp>

#include <cstdint>
#include <vector>

namespace primitives_test {

/// USM with the lifetime of the test.
template <typename T>
class shared {
public:
  shared(sycl::queue& queue, const std::vector<T>& values) : m_queue(queue), m_size(values.size()) {
    m_data = sycl::malloc_shared<T>(m_size + 1, m_queue);
    std::copy(values.begin(), values.end(), m_data);
  }
  shared(sycl::queue& queue, std::size_t size) : shared(queue, std::vector<T>(size)) {}
  shared(const shared&) = delete;
  ~shared() { sycl::free(m_data, m_queue); }
  T* data() const { return m_data; }
  prism::vector_view<T> view() const { return {m_data, m_size}; }
  prism::vector_view<const T> constant() const { return {m_data, m_size}; }
  std::vector<T> values() const { return std::vector<T>(m_data, m_data + m_size); }

private:
  sycl::queue m_queue;
  std::size_t m_size;
  T* m_data;
};

/// Numbers without a pattern that could help an algorithm; the same at every call.
inline std::uint64_t mixed(std::uint64_t i) {
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}
template <typename T>
std::vector<T> numbers(std::size_t n, std::uint64_t below) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = T(mixed(i + 1) % below);
  return v;
}

} // namespace primitives_test

#define SKIP_WITHOUT_USM(queue) SKIP_WITHOUT(queue, usm_shared_allocations)
