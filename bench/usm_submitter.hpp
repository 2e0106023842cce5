// Launches of a small kernel on USM.
#pragma once

#include "bench/checked_queue.hpp"
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"

#include <new>

namespace bench {

class usm_submitter final : public queue_submitter {
public:
  static constexpr std::size_t items = 64;
  explicit usm_submitter(const sycl::device& device)
      : m_queue(device), m_x(sycl::malloc_device<float>(items, m_queue)),
        m_y(sycl::malloc_device<float>(items, m_queue)) {
    if (!m_x || !m_y) throw std::bad_alloc();
  }
  ~usm_submitter() override {
    free_or_leave(m_x, m_queue);
    free_or_leave(m_y, m_queue);
  }
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) submit_usm(m_queue, m_x, m_y, items);
  }
  void finish() override { m_queue.wait_and_throw(); }
  sycl::queue& queue() override { return m_queue; }

private:
  checked_queue m_queue;
  float *m_x, *m_y;
};

} // namespace bench
