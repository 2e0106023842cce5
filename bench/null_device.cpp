// The cost of PRISM itself for a command: on the null device of samples/backends/null, which does nothing
// with it, compared with the same command passed directly to that device.
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"

#include "devices/api/backend.hpp"

#include <prism/backend.hpp>

extern "C" const prism::devices::backend* prism_backend_entry(); // of samples/backends/null/null_backend.cpp

namespace bench {

namespace {

namespace devices = prism::devices;

constexpr std::size_t items = 64;

/// A command group with two accessors.
class null_submitter final : public queue_submitter {
public:
  explicit null_submitter(const sycl::device& device)
      : m_queue(device, sycl::property::queue::in_order{}), m_x(sycl::range<1>(items)),
        m_y(sycl::range<1>(items)) {}
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) submit_buffers(m_queue, m_x, m_y);
  }
  void finish() override { m_queue.wait_and_throw(); }
  sycl::queue& queue() override { return m_queue; }

private:
  sycl::queue m_queue;
  sycl::buffer<float> m_x, m_y;
};

/// Only the launch, without PRISM's runtime.
class by_hand final : public submitter {
public:
  by_hand()
      : m_device(std::move(prism_backend_entry()->open().front())), m_queue(m_device->create_queue({})) {
    m_program = m_device->create_program({prism::image::kind::opencl_c, "", 0, nullptr, {}});
    devices::dispatch_command launch;
    launch.object = &m_program->get_kernel("axpy");
    launch.groups = {items, 1, 1};
    m_launch = launch;
  }
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) m_last = m_queue->submit({&m_launch, 1}, {});
  }
  void finish() override { m_queue->points().wait(m_last); }

private:
  std::unique_ptr<devices::device> m_device;
  std::unique_ptr<devices::queue> m_queue;
  std::unique_ptr<devices::program> m_program;
  devices::command m_launch = devices::barrier_command{};
  std::uint64_t m_last = 0;
};

} // namespace

void register_null_device() { prism::register_backend(*prism_backend_entry()); }

bool is_null_device(const sycl::device& device) {
  return device.get_info<sycl::info::device::name>() == "null device";
}

void measure_null_device(report& out, const options& how) try {
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (!is_null_device(device)) continue;
    null_submitter ours(device), fresh(device);
    by_hand theirs;
    out.add({"submission",
             "null",
             "null device",
             "a command group with two accessors on a device that does nothing",
             "a launch given to that device by hand",
             alternate(how.rounds, [&] { return each(ours); }, [&] { return each(theirs); }),
             {goal::kind::excess, 2e-6}});
    measure_flatness(out, how, "null device", ours, fresh);
    return;
  }
  out.skip("submission", "null device", "PRISM_DEVICE_SELECTOR leaves it out");
} catch (const std::exception& error) {
  out.skip("submission", "null device", error.what(), true);
}

} // namespace bench
