#include "devices/opencl/interop.hpp"

#include "devices/opencl/device.hpp"

#include <algorithm>

namespace prism::devices::opencl {
namespace {

/// A value of a clGet…Info function.
template <typename T, typename Query, typename Object, typename Name>
T query(Query ask, Object object, Name what, const char* asked) {
  T value{};
  check(ask(object, what, sizeof value, &value, nullptr), asked);
  return value;
}

/// For all cl_kernels that the program made: setting arguments and launching must be one step.
std::mutex& kernel_arguments() {
  static std::mutex mutex;
  return mutex;
}

std::string build_log(const entry_points& api, cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS)
    return {};
  std::string log(bytes, '\0');
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  return log.c_str();
}

} // namespace

// ---- kernels

adopted_kernel::adopted_kernel(context_ptr context, cl_device_id device, kernel_handle made)
    : m_context(std::move(context)), m_device(device), m_kernel(std::move(made)) {}

kernel_limits adopted_kernel::limits() const {
  const auto ask = [this]<typename T>(cl_kernel_work_group_info what, T missing) -> std::uint64_t {
    T value{};
    const cl_int code = m_context->api.clGetKernelWorkGroupInfo(m_kernel.get(), m_device, what, sizeof value,
                                                                &value, nullptr);
    return code == CL_SUCCESS ? value : missing;
  };
  kernel_limits found;
  found.max_group_size = ask(CL_KERNEL_WORK_GROUP_SIZE, std::size_t{1});
  found.preferred_multiple = ask(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, std::size_t{1});
  found.private_bytes = ask(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong{0});
  found.local_bytes = ask(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong{0});
  return found;
}

void adopted_kernel::set_one(const native_argument& argument) {
  const cl_uint index = argument.index;
  const auto& api = m_context->api;
  cl_int code = CL_SUCCESS;
  const auto* memory = static_cast<const opencl_memory*>(argument.object);
  if (argument.what == native_argument::kind::value) {
    code = api.clSetKernelArg(m_kernel.get(), index, argument.value.size(), argument.value.data());
  } else if (argument.what == native_argument::kind::local) {
    code = api.clSetKernelArg(m_kernel.get(), index, argument.offset, nullptr);
  } else if (memory ? memory->address() != 0 : argument.offset != 0) {
    const std::uint64_t address = (memory ? memory->address() : 0) + argument.offset;
    if (!api.clSetKernelArgSVMPointer && !m_context->usm && !m_context->set_pointer)
      throw device_error(
          error_category::unsupported, "",
          "pass a pointer to a native kernel: this OpenCL driver has no shared virtual memory");
    code = m_context->set_address(m_kernel.get(), index, address);
  } else {
    if (argument.offset != 0)
      throw device_error(error_category::unsupported, "",
                         "pass a range of a buffer to a native kernel: without shared virtual memory an "
                         "argument is a whole memory object; pass the whole buffer and the offset");
    const cl_mem object = memory ? memory->buffer() : nullptr;
    code = api.clSetKernelArg(m_kernel.get(), index, sizeof object, object ? &object : nullptr);
  }
  if (code != CL_SUCCESS)
    throw make_error(code, "set argument " + std::to_string(index) + " of a native kernel");
}

std::unique_lock<std::mutex> adopted_kernel::set(const std::vector<native_argument>& arguments) {
  std::unique_lock lock(kernel_arguments());
  for (const native_argument& argument : arguments) set_one(argument);
  return lock;
}

opencl_interop::kernel_facts opencl_interop::facts_of_kernel(void* kernel) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_kernel>(kernel);
  std::size_t bytes = 0;
  check(api.clGetKernelInfo(object, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &bytes), "query a kernel's name");
  std::string name(bytes, '\0');
  check(api.clGetKernelInfo(object, CL_KERNEL_FUNCTION_NAME, bytes, name.data(), nullptr),
        "query a kernel's name");
  name.resize(bytes ? bytes - 1 : 0);
  return {
      std::move(name),
      query<cl_uint>(api.clGetKernelInfo, object, CL_KERNEL_NUM_ARGS, "query a kernel's number of arguments"),
      query<cl_program>(api.clGetKernelInfo, object, CL_KERNEL_PROGRAM, "query a kernel's program")};
}

std::shared_ptr<kernel> opencl_interop::adopt_kernel(void* kernel) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_kernel>(kernel);
  check_context(query<cl_context>(api.clGetKernelInfo, object, CL_KERNEL_CONTEXT, "query a kernel's context"),
                "use a kernel");
  check(api.clRetainKernel(object), "retain a kernel");
  return std::make_shared<adopted_kernel>(m_context, m_device, kernel_handle(api, object));
}

// ---- programs

opencl_interop::program_state opencl_interop::state_of_program(void* program) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_program>(program);
  const auto build = [&](cl_program_build_info what, auto& value) {
    check(api.clGetProgramBuildInfo(object, m_device, what, sizeof value, &value, nullptr),
          "query a program's state");
  };
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  build(CL_PROGRAM_BINARY_TYPE, type);
  if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) return program_state::executable;
  return type == CL_PROGRAM_BINARY_TYPE_NONE ? program_state::source : program_state::object;
}

void* opencl_interop::advance_program(void* program, program_state to) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_program>(program);
  const program_state now = state_of_program(program);
  cl_int code = CL_SUCCESS;
  cl_program made = object;
  if (now == program_state::object && to == program_state::executable) {
    made = api.clLinkProgram(m_context->context.get(), 1, &m_device, nullptr, 1, &object, nullptr, nullptr,
                             &code);
  } else {
    if (now == program_state::source && to == program_state::executable)
      code = api.clBuildProgram(object, 1, &m_device, nullptr, nullptr, nullptr);
    else if (now == program_state::source && to == program_state::object)
      code = api.clCompileProgram(object, 1, &m_device, nullptr, 0, nullptr, nullptr, nullptr, nullptr);
    if (code == CL_SUCCESS) check(api.clRetainProgram(object), "retain a program");
  }
  if (code == CL_SUCCESS) return made;
  const std::string log = build_log(api, object, m_device);
  if (made != object && made) api.clReleaseProgram(made);
  throw device_error(error_category::build, make_error(code, "").driver_code(),
                     "build a native program:\n" + log);
}

// ---- contexts, queues, memory

void opencl_interop::check_context(cl_context found, const char* asked) const {
  if (found != m_context->context.get())
    throw device_error(error_category::invalid, "",
                       std::string(asked) +
                           ": it belongs to another cl_context; make the SYCL context from that one");
}

std::vector<opencl_interop::adopted_device> opencl_interop::adopt_context(void* context) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_context>(context);
  std::size_t bytes = 0;
  check(api.clGetContextInfo(object, CL_CONTEXT_DEVICES, 0, nullptr, &bytes), "query a context's devices");
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  check(api.clGetContextInfo(object, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr),
        "query a context's devices");
  std::vector<adopted_device> out;
  if (devices.empty()) return out;
  const auto platform = device_property<cl_platform_id>(api, devices.front(), CL_DEVICE_PLATFORM);
  check(api.clRetainContext(object), "retain a context");
  auto shared = std::make_shared<platform_context>(api, platform, devices, context_handle(api, object));
  for (cl_device_id each : devices) out.push_back({each, std::make_unique<opencl_device>(shared, each)});
  return out;
}

opencl_interop::queue_facts opencl_interop::facts_of_queue(void* queue) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_command_queue>(queue);
  const auto properties = query<cl_command_queue_properties>(
      api.clGetCommandQueueInfo, object, CL_QUEUE_PROPERTIES, "query a queue's properties");
  return {query<cl_device_id>(api.clGetCommandQueueInfo, object, CL_QUEUE_DEVICE, "query a queue's device"),
          query<cl_context>(api.clGetCommandQueueInfo, object, CL_QUEUE_CONTEXT, "query a queue's context"),
          (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0,
          (properties & CL_QUEUE_PROFILING_ENABLE) != 0};
}

std::unique_ptr<queue> opencl_interop::adopt_queue(void* queue) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_command_queue>(queue);
  const queue_facts facts = facts_of_queue(queue);
  check_context(static_cast<cl_context>(facts.context), "use a queue");
  check(api.clRetainCommandQueue(object), "retain a queue");
  return std::make_unique<opencl_queue>(m_context, m_device, m_traits, queue_handle(api, object),
                                        facts.in_order, facts.profiling);
}

void opencl_interop::check_memory(cl_mem object) const {
  check_context(query<cl_context>(m_context->api.clGetMemObjectInfo, object, CL_MEM_CONTEXT,
                                  "query a memory object's context"),
                "use memory");
}

void* opencl_interop::made_over(void* memory) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_mem>(memory);
  check_memory(object);
  // An object over an address of shared virtual memory shares its bytes; PoCL 3.1 denies it for
  // CL_MEM_USES_SVM_POINTER.
  if (!(query<cl_mem_flags>(api.clGetMemObjectInfo, object, CL_MEM_FLAGS, "query a memory object's flags") &
        CL_MEM_USE_HOST_PTR))
    return nullptr;
  return query<void*>(api.clGetMemObjectInfo, object, CL_MEM_HOST_PTR, "query a memory object's address");
}

std::unique_ptr<memory> opencl_interop::adopt_memory(void* memory) {
  const auto& api = m_context->api;
  auto* const object = static_cast<cl_mem>(memory);
  check_memory(object);
  const auto bytes =
      query<std::size_t>(api.clGetMemObjectInfo, object, CL_MEM_SIZE, "query a memory object's size");
  check(api.clRetainMemObject(object), "retain a memory object");
  return std::make_unique<opencl_memory>(m_context, memory_handle(api, object), bytes);
}

void opencl_interop::retain(std::string_view what, void* handle) {
  const auto& api = m_context->api;
  cl_int code = CL_SUCCESS; // platforms and root devices have no reference count
  if (what == "cl_context") code = api.clRetainContext(static_cast<cl_context>(handle));
  else if (what == "cl_command_queue") code = api.clRetainCommandQueue(static_cast<cl_command_queue>(handle));
  else if (what == "cl_mem") code = api.clRetainMemObject(static_cast<cl_mem>(handle));
  else if (what == "cl_program") code = api.clRetainProgram(static_cast<cl_program>(handle));
  else if (what == "cl_kernel") code = api.clRetainKernel(static_cast<cl_kernel>(handle));
  else if (what == "cl_event") code = api.clRetainEvent(static_cast<cl_event>(handle));
  check(code, "retain a native handle");
}

void opencl_interop::release(std::string_view what, void* handle) noexcept {
  const auto& api = m_context->api;
  if (what == "cl_context") api.clReleaseContext(static_cast<cl_context>(handle));
  else if (what == "cl_command_queue") api.clReleaseCommandQueue(static_cast<cl_command_queue>(handle));
  else if (what == "cl_mem") api.clReleaseMemObject(static_cast<cl_mem>(handle));
  else if (what == "cl_program") api.clReleaseProgram(static_cast<cl_program>(handle));
  else if (what == "cl_kernel") api.clReleaseKernel(static_cast<cl_kernel>(handle));
  else if (what == "cl_event") api.clReleaseEvent(static_cast<cl_event>(handle));
}

// ---- events

void opencl_interop::wait_for_event(void* event) {
  auto* object = static_cast<cl_event>(event);
  check(m_context->api.clWaitForEvents(1, &object), "wait for a native event");
}

void* opencl_interop::event_of(const timeline_point& point) {
  const auto& api = m_context->api;
  if (point.owner) {
    const auto& line = static_cast<const opencl_timeline&>(*point.owner);
    line.flush();
    if (event_handle pending = line.pending_event(point.value)) return pending.release();
  }
  cl_int code = CL_SUCCESS; // complete already, or never a command of a driver
  event_handle made(api, api.clCreateUserEvent(m_context->context.get(), &code));
  check(code, "make an event");
  check(api.clSetUserEventStatus(made.get(), CL_COMPLETE), "complete an event");
  return made.release();
}

} // namespace prism::devices::opencl
