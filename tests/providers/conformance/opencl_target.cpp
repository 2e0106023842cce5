// The OpenCL device of the kit, selected by a part of its name; by default PoCL's.
#define CL_TARGET_OPENCL_VERSION 120
#include "tests/providers/conformance/opencl_target.hpp"

namespace provider_test {
namespace {

std::string device_text(cl_platform_id platform, cl_device_id device) {
  char platform_name[128] = {}, device_name[128] = {};
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, nullptr);
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name - 1, device_name, nullptr);
  return std::string(platform_name) + ": " + device_name;
}

} // namespace

opencl_target::opencl_target(cl_device_id device, std::string name) : m_name(std::move(name)) {
  cl_int code = CL_SUCCESS;
  m_context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  m_queue = m_context ? clCreateCommandQueue(m_context, device, 0, &code) : nullptr;
  m_device.struct_size = sizeof m_device;
  m_device.native = PRISM_NATIVE_OPENCL;
  cl_device_type type = 0;
  clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  m_device.is_cpu = type == CL_DEVICE_TYPE_CPU;
  m_device.name = m_name.c_str();
  m_device.context = m_context;
  m_device.device = device;
}

opencl_target::~opencl_target() {
  if (m_queue) clReleaseCommandQueue(m_queue);
  if (m_context) clReleaseContext(m_context);
}

std::vector<cl_mem> opencl_target::upload(const job& what) const {
  std::vector<cl_mem> out;
  for (const operand& each : what.operands) {
    auto* const bytes = const_cast<std::byte*>(each.bytes.data());
    out.push_back(clCreateBuffer(m_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, each.bytes.size(),
                                 bytes, nullptr));
  }
  return out;
}

prism_status opencl_target::start(const prism_provider_plan* plan, const job& what,
                                  const std::vector<cl_mem>& objects, std::vector<cl_event> waits,
                                  cl_event& done, std::string& why) const {
  std::vector<prism_provider_memory> memory;
  for (std::size_t i = 0; i < objects.size(); ++i)
    memory.push_back({nullptr, objects[i], 0,
                      std::uint64_t(what.operands[i].first) *
                          prism::provider::bytes_of_type(what.operands[i].description.type)});
  if (what.in_place) memory[1] = memory[0];
  void* native_done = nullptr;
  prism_provider_run run{};
  run.struct_size = sizeof run;
  run.native = PRISM_NATIVE_OPENCL;
  run.threads = 1;
  std::copy(what.alpha, what.alpha + 2, run.alpha);
  std::copy(what.beta, what.beta + 2, run.beta);
  run.memory = memory.data();
  run.queue = m_queue;
  run.queue_is_in_order = 1;
  run.wait_count = std::uint32_t(waits.size());
  run.waits = reinterpret_cast<void* const*>(waits.data());
  run.done = &native_done;
  prism_message text{sizeof text, {}};
  const prism_status status = the_subject().table->run(plan, &run, &text);
  why = text.text;
  done = static_cast<cl_event>(native_done);
  if (status == PRISM_OK && !done) return why = "it returned no event", PRISM_FAILED;
  return status;
}

void opencl_target::download(const job& what, const std::vector<cl_mem>& objects,
                             std::vector<operand>& after) const {
  after = what.operands;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    clEnqueueReadBuffer(m_queue, objects[i], CL_TRUE, 0, after[i].bytes.size(), after[i].bytes.data(), 0,
                        nullptr, nullptr);
    clReleaseMemObject(objects[i]);
  }
  if (what.in_place) after[1].bytes = after[0].bytes;
}

prism_status opencl_target::run(const prism_provider_plan* plan, const job& what, std::uint32_t,
                                std::vector<operand>& after, std::string& why) {
  const std::vector<cl_mem> objects = upload(what);
  cl_event done = nullptr;
  prism_status status = start(plan, what, objects, {}, done, why);
  if (done) {
    if (clWaitForEvents(1, &done) != CL_SUCCESS) status = PRISM_FAILED, why = "its event ended with an error";
    clReleaseEvent(done);
  }
  download(what, objects, after);
  return status;
}

std::unique_ptr<target> make_opencl_target(std::string& why) {
  const std::string& wanted = the_subject().opencl_device;
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
  for (cl_uint p = 0; p < std::min(count, 16u); ++p) {
    cl_device_id device = nullptr;
    cl_uint devices = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, &devices) != CL_SUCCESS || devices == 0)
      continue;
    const std::string name = device_text(platforms[p], device);
    if (name.find(wanted) == name.npos) continue;
    auto made = std::make_unique<opencl_target>(device, name);
    if (made->works()) return made;
  }
  why = "there is no device with '" + wanted + "' in its name";
  return nullptr;
}

} // namespace provider_test
