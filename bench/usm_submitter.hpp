// Launches of a small kernel on USM, and what they cost their thread.
#pragma once

#include "bench/measure.hpp"
#include "bench/sycl_kernels.hpp"

#include <new>

namespace bench {

class usm_submitter final : public submitter {
public:
  static constexpr std::size_t items = 64;
  explicit usm_submitter(const sycl::device& device)
      : m_queue(device, sycl::property::queue::in_order{}), m_x(sycl::malloc_device<float>(items, m_queue)),
        m_y(sycl::malloc_device<float>(items, m_queue)) {
    if (!m_x || !m_y) throw std::bad_alloc();
  }
  ~usm_submitter() override {
    sycl::free(m_x, m_queue);
    sycl::free(m_y, m_queue);
  }
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) submit_usm(m_queue, m_x, m_y, items);
  }
  void finish() override { m_queue.wait_and_throw(); }

private:
  sycl::queue m_queue;
  float *m_x, *m_y;
};

/// Per part of the submissions; the device's own work is outside of the measured thread and of the measured time.
inline times each(submitter& side, std::size_t submissions = 200, double parts = 200) {
  times spent = thread_timed([&] { side.submit(submissions); });
  side.finish();
  spent.wall /= parts;
  spent.processor /= parts;
  return spent;
}

} // namespace bench
