#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"

namespace bench {

namespace {

constexpr std::size_t items = 64, batch = 200;

class usm_submitter final : public submitter {
public:
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

class buffer_submitter final : public submitter {
public:
  explicit buffer_submitter(const sycl::device& device)
      : m_queue(device, sycl::property::queue::in_order{}), m_zero(items), m_x(m_zero), m_y(sycl::range<1>(items)) {}
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) submit_buffers(m_queue, m_x, m_y);
  }
  void finish() override { m_queue.wait_and_throw(); }

private:
  sycl::queue m_queue;
  const std::vector<float> m_zero;
  sycl::buffer<float> m_x, m_y;
};

/// Per submission; the device's own work is outside of the measured thread and of the measured time.
times each(submitter& side) {
  times spent = thread_timed([&] { side.submit(batch); });
  side.finish();
  spent.wall /= batch;
  spent.processor /= batch;
  return spent;
}

} // namespace

void measure_submission(report& out, const options& how, const sycl::device& device) try {
  const std::string name = device.get_info<sycl::info::device::name>();
  usm_submitter usm(device);
  buffer_submitter buffers(device);
  out.add({"submission", "buffers", label(device), "a command group with two accessors", "a USM kernel of PRISM",
           alternate(how.rounds, [&] { return each(buffers); }, [&] { return each(usm); }), {goal::kind::excess, 2e-6}});
  if (device.get_backend() == sycl::backend::ext_prism_host) return; // no raw calls to compare with
  const bool opencl = device.get_backend() == sycl::backend::opencl;
  const auto raw = opencl ? make_opencl_submitter(name, how.shaders, items) : make_vulkan_submitter(name, how.shaders, items);
  if (!raw) return out.skip("submission", label(device), "the raw API finds no device of this name");
  out.add({"submission", "usm", label(device), "queue::parallel_for on USM",
           opencl ? "clSetKernelArg and clEnqueueNDRangeKernel" : "record a command buffer and vkQueueSubmit",
           alternate(how.rounds, [&] { return each(usm); }, [&] { return each(*raw); }),
           {goal::kind::excess, opencl ? 1e-6 : 3e-6}});
} catch (const std::exception& error) {
  out.skip("submission", label(device), error.what(), true);
}

} // namespace bench
