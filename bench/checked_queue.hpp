// An in-order queue that keeps its asynchronous errors and throws the first in wait_and_throw(): a kernel
// that faults fails one row, not the process.
#pragma once

#include <sycl/sycl.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace bench {

class checked_queue : public sycl::queue {
public:
  explicit checked_queue(const sycl::device& device)
      : checked_queue(device, std::make_shared<std::exception_ptr>()) {}
  void wait_and_throw() {
    sycl::queue::wait_and_throw();
    if (*m_first) std::rethrow_exception(std::exchange(*m_first, nullptr));
  }

private:
  checked_queue(const sycl::device& device, const std::shared_ptr<std::exception_ptr>& first)
      : sycl::queue(device,
                    [first](sycl::exception_list all) {
                      if (!*first && all.size() > 0) *first = *all.begin();
                    }, {sycl::property::queue::in_order{}}),
        m_first(first) {}

  std::shared_ptr<std::exception_ptr> m_first;
};

/// For destructors: a lost device has taken its memory with it, and the row has failed already.
inline void free_or_leave(void* memory, const sycl::queue& queue) noexcept {
  try {
    sycl::free(memory, queue);
  } catch (const std::exception&) {}
}

} // namespace bench
