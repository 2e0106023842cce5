// What the rows of the operations library need: memory of a device, a pinned implementation, short calls.
#pragma once

#include "bench/checked_queue.hpp"
#include "bench/measure.hpp"

#include <prism/blas.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

/// Memory of the device while it lives; all elements are 1, or copied.
template <typename T>
class device_array {
public:
  device_array(sycl::queue& queue, std::size_t count)
      : m_queue(queue), m_data(sycl::malloc_device<T>(count, queue)) {
    queue.fill(m_data, T(1), count).wait();
  }
  device_array(sycl::queue& queue, const std::vector<T>& from) : device_array(queue, from.size()) {
    queue.copy(from.data(), m_data, from.size()).wait();
  }
  ~device_array() { free_or_leave(m_data, m_queue); }
  device_array(const device_array&) = delete;
  T* data() const { return m_data; }

private:
  sycl::queue& m_queue;
  T* m_data;
};

/// Calls of the operation take the implementation `provider` while it lives.
struct pinned {
  std::string operation;
  pinned(const char* name, const char* provider) : operation(name) { prism::blas::pin(operation, provider); }
  ~pinned() { prism::blas::pin(operation, ""); }
};

/// So many calls that a clock sees them.
inline std::size_t calls_of(double seconds_of_one) {
  return std::size_t(std::max(1.0, 1e-3 / seconds_of_one));
}

} // namespace bench
