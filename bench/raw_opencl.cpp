// The raw OpenCL side: plain handles, one context and queue. Kernels set their arguments once, launches each
// time.
#include "bench/raw_opencl.hpp"

#include "bench/opencl_side.hpp"

namespace bench {

namespace {

class opencl_set final : public kernel_set {
public:
  opencl_set(const workload& work, cl_device_id device, const std::string& shaders)
      : m_side(device, shaders), m_x(m_side.memory(work.x)), m_x2(m_side.memory(work.x2)),
        m_left(m_side.memory(work.left)), m_right(m_side.memory(work.right)),
        m_bodies(m_side.memory(work.bodies)), m_turns(m_side.memory(work.turns)),
        m_sums(m_side.memory(nullptr, workload::reduce_groups)) {
    for (kernel_id kernel : all_kernels)
      m_out[std::size_t(kernel)] = kernel == kernel_id::axpy
                                       ? m_side.memory(work.y)
                                       : m_side.memory(nullptr, workload::output_size(kernel));
  }

  void start(kernel_id kernel) override {
    constexpr std::size_t group = workload::group;
    const kernel_handle& what = built(kernel);
    switch (kernel) {
      case kernel_id::axpy:
      case kernel_id::triad: launch(what, {workload::vector_size, 1}, {group, 1}, 1); break;
      case kernel_id::fft:
        launch(what, {workload::fft_count * workload::fft_group, 1}, {workload::fft_group, 1}, 1);
        break;
      case kernel_id::gemm:
        launch(what, {workload::matrix_size, workload::matrix_size}, {workload::tile, workload::tile}, 2);
        break;
      case kernel_id::nbody: launch(what, {workload::body_count, 1}, {group, 1}, 1); break;
      case kernel_id::scan:
        launch(m_scan_sums, {workload::reduce_groups * group, 1}, {group, 1}, 1);
        [[fallthrough]];
      case kernel_id::histogram:
      case kernel_id::reduce: launch(what, {workload::reduce_groups * group, 1}, {group, 1}, 1); break;
      case kernel_id::stencil:
        launch(what, {workload::field_side, workload::field_side}, {group, 1}, 2);
        break;
    }
  }
  void wait() override { check(clFinish(m_side.queue()), "clFinish"); }
  std::vector<float> result(kernel_id kernel) override {
    std::vector<float> written(workload::output_size(kernel));
    check(clEnqueueReadBuffer(m_side.queue(), out(kernel), CL_TRUE, 0, written.size() * sizeof(float),
                              written.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return result_of(kernel, std::move(written));
  }

private:
  cl_mem out(kernel_id kernel) const { return m_out[std::size_t(kernel)].get(); }
  /// Builds the kernel's program at its first use, as PRISM does.
  const kernel_handle& built(kernel_id kernel) {
    kernel_handle& made = m_kernels[std::size_t(kernel)];
    if (!made.get()) {
      made = m_side.kernel(name_of(kernel));
      give_arguments(kernel);
    }
    return made;
  }
  void give_arguments(kernel_id kernel) {
    constexpr cl_uint size = workload::vector_size, chunk = workload::chunk;
    switch (kernel) {
      case kernel_id::axpy: arguments(kernel, m_x.get(), out(kernel), cl_float(workload::a), size); break;
      case kernel_id::fft: arguments(kernel, m_x.get(), m_turns.get(), out(kernel)); break;
      case kernel_id::gemm:
        arguments(kernel, m_left.get(), m_right.get(), out(kernel), cl_uint(workload::matrix_size));
        break;
      case kernel_id::histogram:
      case kernel_id::reduce: arguments(kernel, m_x.get(), out(kernel), size); break;
      case kernel_id::nbody:
        arguments(kernel, m_bodies.get(), out(kernel), cl_uint(workload::body_count));
        break;
      case kernel_id::scan:
        arguments(kernel, m_x.get(), m_sums.get(), out(kernel), chunk);
        m_scan_sums = m_side.kernel("scan_sums");
        set(m_scan_sums, 0, m_x.get());
        set(m_scan_sums, 1, m_sums.get());
        set(m_scan_sums, 2, chunk);
        break;
      case kernel_id::stencil:
        arguments(kernel, m_x.get(), out(kernel), cl_uint(workload::field_side));
        break;
      case kernel_id::triad:
        arguments(kernel, m_x.get(), m_x2.get(), out(kernel), cl_float(workload::a), size);
        break;
    }
  }
  template <typename... Values>
  void arguments(kernel_id kernel, const Values&... values) const {
    cl_uint index = 0;
    (set(m_kernels[std::size_t(kernel)], index++, values), ...);
  }
  void launch(const kernel_handle& kernel, std::array<std::size_t, 2> global,
              std::array<std::size_t, 2> local, cl_uint dimensions) const {
    check(clEnqueueNDRangeKernel(m_side.queue(), kernel.get(), dimensions, nullptr, global.data(),
                                 local.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

  opencl_side m_side;
  memory_handle m_x, m_x2, m_left, m_right, m_bodies, m_turns, m_sums;
  std::array<memory_handle, all_kernels.size()> m_out;
  kernel_handle m_scan_sums;
  std::array<kernel_handle, all_kernels.size()> m_kernels;
};

class raw_submitter final : public submitter {
public:
  raw_submitter(cl_device_id device, const std::string& shaders, std::size_t items)
      : m_side(device, shaders), m_items(items), m_x(m_side.memory(std::vector<float>(items))),
        m_y(m_side.memory(std::vector<float>(items))), m_kernel(m_side.kernel("axpy")) {}
  void submit(std::size_t count) override {
    const std::size_t global = m_items;
    for (std::size_t i = 0; i < count; ++i) {
      set(m_kernel, 0, m_x.get());
      set(m_kernel, 1, m_y.get());
      set(m_kernel, 2, cl_float(workload::a));
      set(m_kernel, 3, cl_uint(m_items));
      check(clEnqueueNDRangeKernel(m_side.queue(), m_kernel.get(), 1, nullptr, &global, nullptr, 0, nullptr,
                                   nullptr),
            "clEnqueueNDRangeKernel");
    }
    check(clFlush(m_side.queue()), "clFlush");
  }
  void finish() override { check(clFinish(m_side.queue()), "clFinish"); }

private:
  opencl_side m_side;
  std::size_t m_items;
  memory_handle m_x, m_y;
  kernel_handle m_kernel;
};

#ifdef cl_khr_command_buffer
/// One command buffer of many launches, in order because its queue is.
class raw_replayer final : public submitter {
public:
  raw_replayer(cl_device_id device, const std::string& shaders, std::size_t items, std::size_t launches)
      : m_side(device, shaders), m_x(m_side.memory(std::vector<float>(items))),
        m_y(m_side.memory(std::vector<float>(items))), m_kernel(m_side.kernel("axpy")),
        m_platform(platform_of(device)) {
    set(m_kernel, 0, m_x.get());
    set(m_kernel, 1, m_y.get());
    set(m_kernel, 2, cl_float(workload::a));
    set(m_kernel, 3, cl_uint(items));
    find("clEnqueueCommandBufferKHR", m_enqueue);
    find("clReleaseCommandBufferKHR", m_release);
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn launch;
    clFinalizeCommandBufferKHR_fn finalize;
    find("clCreateCommandBufferKHR", create);
    find("clCommandNDRangeKernelKHR", launch);
    find("clFinalizeCommandBufferKHR", finalize);
    const cl_command_buffer_properties_khr again[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                      CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_queue queue = m_side.queue();
    cl_int status = CL_SUCCESS;
    m_commands = create(1, &queue, again, &status);
    check(status, "clCreateCommandBufferKHR");
    for (std::size_t i = 0; i < launches; ++i)
      check(launch(m_commands, nullptr, nullptr, m_kernel.get(), 1, nullptr, &items, nullptr, 0, nullptr,
                   nullptr, nullptr),
            "clCommandNDRangeKernelKHR");
    check(finalize(m_commands), "clFinalizeCommandBufferKHR");
  }
  ~raw_replayer() override {
    clFinish(m_side.queue());
    m_release(m_commands);
  }
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i)
      check(m_enqueue(0, nullptr, m_commands, 0, nullptr, nullptr), "clEnqueueCommandBufferKHR");
    check(clFlush(m_side.queue()), "clFlush");
  }
  void finish() override { check(clFinish(m_side.queue()), "clFinish"); }

private:
  static cl_platform_id platform_of(cl_device_id device) {
    cl_platform_id out = nullptr;
    check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(out), &out, nullptr), "clGetDeviceInfo");
    return out;
  }
  template <typename Function>
  void find(const char* name, Function& out) const {
    out = reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(m_platform, name));
    if (out == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
  }

  opencl_side m_side;
  memory_handle m_x, m_y;
  kernel_handle m_kernel;
  cl_platform_id m_platform;
  cl_command_buffer_khr m_commands = nullptr;
  clEnqueueCommandBufferKHR_fn m_enqueue;
  clReleaseCommandBufferKHR_fn m_release;
};

bool has_command_buffers(cl_device_id device) {
  std::size_t bytes = 0;
  if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &bytes) != CL_SUCCESS) return false;
  std::string text(bytes, ' ');
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, text.data(), nullptr);
  return text.find("cl_khr_command_buffer") != std::string::npos;
}
#endif

} // namespace

std::unique_ptr<kernel_set> make_opencl_set(const workload& work, const std::string& device_name,
                                            const std::string& shaders) {
  cl_device_id device = find_opencl_device(device_name);
  return device ? std::make_unique<opencl_set>(work, device, shaders) : nullptr;
}

std::unique_ptr<submitter> make_opencl_submitter(const std::string& device_name, const std::string& shaders,
                                                 std::size_t items) {
  cl_device_id device = find_opencl_device(device_name);
  return device ? std::make_unique<raw_submitter>(device, shaders, items) : nullptr;
}

std::unique_ptr<submitter> make_opencl_replayer(const std::string& device_name, const std::string& shaders,
                                                std::size_t items, std::size_t launches) {
  cl_device_id device = find_opencl_device(device_name);
#ifdef cl_khr_command_buffer
  if (device && has_command_buffers(device))
    return std::make_unique<raw_replayer>(device, shaders, items, launches);
#endif
  return nullptr;
}

} // namespace bench
