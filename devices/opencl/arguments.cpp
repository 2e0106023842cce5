#include "devices/opencl/arguments.hpp"

#include <algorithm>
#include <cstring>

namespace prism::devices::opencl {
namespace {

constexpr std::uint64_t largest_value = 1024; // of a captured block by value, see devices/api/image.hpp

} // namespace

launch_size size_of(const dispatch_command& command, const kernel_layout& layout) {
  launch_size size;
  const std::uint64_t row = layout.by_group ? 1 : command.local[0] * command.local[1] * command.local[2];
  for (cl_uint i = 0; i < 3; ++i) {
    size.local[i] = !layout.takes_size() ? command.local[i] : i == 0 ? row : 1;
    size.global[i] = size.local[i] * command.groups[i];
    size.empty = size.empty || size.global[i] == 0;
    if (size.global[i] > 1) size.dimensions = i + 1;
  }
  if (command.part.is_part) { // read by the functions that program.cpp defines
    size.dimensions = 3;
    size.offset[0] = command.part.first;
    size.offset[1] = group_counts_of(command)[command.part.dimension];
    size.offset[2] = command.part.dimension;
  }
  return size;
}

bound_kernel::bound_kernel(context_ptr context, kernel_handle instance, const opencl_kernel& owner)
    : m_context(std::move(context)), m_instance(std::move(instance)), m_name(owner.name()),
      m_layout(owner.layout()), m_constants(owner.constants()), m_argument_count(owner.argument_count()),
      m_slots(owner.layout().slot_count) {}

void bound_kernel::refuse(cl_int code, cl_uint index, const char* what) const {
  throw m_context->error(code,
                         "set argument " + std::to_string(index) + " (" + what + ") of kernel " + m_name);
}

void bound_kernel::forget() noexcept {
  m_captured.clear();
  m_block = m_constants_set = m_fault = {};
  m_local_bytes = 0;
  m_group = {0, 0, 0};
  for (slot_state& state : m_slots) state = {};
  m_named_epoch = 0;
}

bool bound_kernel::passes_by_value(const dispatch_command& command) const noexcept {
  return m_layout.known ? m_layout.by_value : command.arguments.size() <= largest_value;
}

void bound_kernel::set_value(cl_uint index, std::size_t bytes, const void* value, const char* what) {
  const cl_int code = m_context->api.clSetKernelArg(m_instance.get(), index, bytes, value);
  if (code != CL_SUCCESS) refuse(code, index, what);
}

void bound_kernel::set_base(cl_uint index, const base_key& key, base_key& last, const opencl_memory* object,
                            std::uint64_t address) {
  if (key == last) return;
  last = {};
  cl_int code = CL_SUCCESS;
  if (address) {
    code = m_context->set_address(m_instance.get(), index, address);
  } else {
    const cl_mem buffer = object ? object->buffer() : nullptr;
    // A null pointer argument is a null cl_mem, passed as its value or as a null value: all drivers accept
    // the latter.
    code = m_context->api.clSetKernelArg(m_instance.get(), index, sizeof buffer, buffer ? &buffer : nullptr);
  }
  if (code != CL_SUCCESS) refuse(code, index, "a global pointer");
  last = key;
}

void bound_kernel::bind_captured(const dispatch_command& command, const opencl_memory* block) {
  if (block) return set_base(0, {block->id(), 0, 0}, m_block, block, block->address());
  const std::size_t bytes = m_layout.known ? std::max<std::size_t>(8, (m_layout.argument_bytes + 7) / 8 * 8)
                                           : command.arguments.size();
  if (command.arguments.size() < bytes && command.arguments.size() < m_layout.argument_bytes)
    throw device_error(error_category::invalid, "",
                       "launch kernel " + m_name + ": it captures " +
                           std::to_string(m_layout.argument_bytes) + " bytes but the command carries " +
                           std::to_string(command.arguments.size()));
  if (command.arguments.size() < bytes) { // pad the last word
    std::byte padded[largest_value + 8] = {};
    std::memcpy(padded, command.arguments.data(), command.arguments.size());
    m_captured.clear();
    return set_value(0, bytes, padded, "the captured block");
  }
  if (m_captured.size() == bytes && std::memcmp(m_captured.data(), command.arguments.data(), bytes) == 0)
    return;
  m_captured.clear();
  set_value(0, bytes, command.arguments.data(), "the captured block");
  m_captured.assign(command.arguments.begin(),
                    command.arguments.begin() + static_cast<std::ptrdiff_t>(bytes));
}

namespace {
std::uint64_t address_of(const slot_binding& binding) {
  return binding.object ? static_cast<const opencl_memory&>(*binding.object).address() : binding.address;
}
} // namespace

/// NVIDIA's driver, and those with addresses of memory objects, take only pointers into memory that they
/// gave, and NVIDIA's otherwise leaves the argument unset. A number that a kernel captures where a pointer
/// may be goes as an offset from null.
slot_binding bound_kernel::accepted(const slot_binding& binding) const {
  const bool is_number = (m_context->keeps_svm_arguments || m_context->set_pointer) && !binding.object &&
                         binding.address && !m_context->svm.contains(binding.address);
  return is_number ? slot_binding{nullptr, binding.offset + binding.address, 0} : binding;
}

void bound_kernel::renew_for(const dispatch_command& command) {
  if (!m_context->keeps_svm_arguments) return;
  bool stuck = false;
  for (std::size_t i = 0; i < m_slots.size(); ++i)
    stuck = stuck || (m_slots[i].was_svm && address_of(accepted(command.slots[i])) == 0);
  if (!stuck) return;
  cl_program program = nullptr;
  m_context->check(
      m_context->api.clGetKernelInfo(m_instance.get(), CL_KERNEL_PROGRAM, sizeof program, &program, nullptr),
      "query a kernel's program");
  cl_int code = CL_SUCCESS;
  cl_kernel made = m_context->api.clCreateKernel(program, m_name.c_str(), &code);
  m_context->check(code, "create a kernel");
  m_instance = kernel_handle(m_context->api, made);
  forget();
}

void bound_kernel::bind_slot(cl_uint index, const slot_binding& bound, slot_state& state) {
  const slot_binding binding = accepted(bound);
  if (binding.object) {
    const auto& object = static_cast<const opencl_memory&>(*binding.object);
    set_base(index, {object.id(), 0, 0}, state.base, &object, object.address());
  } else {
    if (binding.address && !m_context->has_addresses())
      throw device_error(
          error_category::unsupported, "",
          "launch kernel " + m_name +
              " with a raw pointer: this OpenCL driver has neither shared virtual memory nor "
              "unified shared memory nor addresses of memory objects; use buffers and accessors");
    set_base(index, {0, binding.address, m_context->svm.epoch()}, state.base, nullptr, binding.address);
  }
  state.was_svm = state.was_svm || address_of(binding) != 0;
  const std::uint64_t offset =
      binding.offset + (binding.object ? static_cast<const opencl_memory&>(*binding.object).buffer_offset() *
                                             (binding.object->address() == 0)
                                       : 0);
  if (state.offset_set && state.offset == offset) return;
  state.offset_set = false;
  set_value(index + 1, sizeof offset, &offset, "an offset");
  state.offset = offset;
  state.offset_set = true;
}

/// Sets the size of the SYCL work-group, and memory for values of its work-items that live across barriers.
void bound_kernel::bind_group(cl_uint first, const extent3& local) {
  if (m_group == local) return;
  m_group = {0, 0, 0};
  for (cl_uint i = 0; i < 3; ++i) {
    const cl_uint size = static_cast<cl_uint>(local[i]);
    set_value(first + i, sizeof size, &size, "the size of the work-group");
  }
  if (m_layout.spill_bytes != 0)
    set_value(first + 3, local[0] * local[1] * local[2] * m_layout.spill_bytes, nullptr,
              "memory for values that live across barriers");
  m_group = local;
}

/// The extension names all allocations of a kind at once.
void bound_kernel::name_usm() {
  constexpr cl_bool yes = CL_TRUE;
  for (const cl_kernel_exec_info kind :
       {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL})
    if (const cl_int code = m_context->api.clSetKernelExecInfo(m_instance.get(), kind, sizeof yes, &yes);
        code != CL_SUCCESS)
      throw m_context->error(code, "name the unified shared memory for kernel " + m_name);
}

void bound_kernel::name(address_kind kind, cl_kernel_exec_info as) {
  const std::vector<void*> blocks = m_context->svm.blocks(kind);
  if (blocks.empty()) return;
  const cl_int code =
      m_context->api.clSetKernelExecInfo(m_instance.get(), as, blocks.size() * sizeof(void*), blocks.data());
  if (code != CL_SUCCESS)
    throw m_context->error(code,
                           "name " + std::to_string(blocks.size()) + " memory blocks for kernel " + m_name);
}

void bound_kernel::name_blocks() {
  const std::uint64_t epoch = m_context->svm.epoch();
  if (epoch == m_named_epoch) return;
  if (m_context->usm) name_usm();
  name(address_kind::svm, CL_KERNEL_EXEC_INFO_SVM_PTRS);
  name(address_kind::memory_object, exec_info_device_pointers);
  m_named_epoch = epoch;
}

void bound_kernel::bind(const dispatch_command& command, const opencl_memory* block,
                        const opencl_memory* fault, cl_uint mark) try {
  if (m_slots.size() == command.slots.size()) renew_for(command);
  cl_uint next = 0;
  if (m_layout.known || !command.arguments.empty()) {
    bind_captured(command, block);
    next = 1;
  }
  if (m_layout.known ? m_layout.has_local : command.local_bytes != 0) {
    const std::uint64_t bytes =
        std::max<std::uint64_t>({command.local_bytes, m_layout.static_local_bytes, 8});
    if (bytes != m_local_bytes) {
      m_local_bytes = 0;
      set_value(next, bytes, nullptr, "local memory");
      m_local_bytes = bytes;
    }
    ++next;
  }
  if (!m_layout.known) m_slots.resize(command.slots.size());
  const cl_uint behind = (watched() ? 2 : 0) + (m_constants ? 1 : 0) +
                         (m_layout.takes_size() ? 3 + (m_layout.spill_bytes != 0) : 0);
  if (command.slots.size() != m_slots.size() || next + 2 * command.slots.size() + behind != m_argument_count)
    throw device_error(error_category::invalid, "",
                       "launch kernel " + m_name + " of " + std::to_string(m_argument_count) +
                           " arguments: the command has " + std::to_string(next) + " and " +
                           std::to_string(command.slots.size()) + " pointer slots of two arguments each");
  for (std::size_t i = 0; i < m_slots.size(); ++i, next += 2) bind_slot(next, command.slots[i], m_slots[i]);
  if (m_constants) set_base(next++, {m_constants->id(), 0, 0}, m_constants_set, m_constants, 0);
  if (m_layout.takes_size()) {
    bind_group(next, command.local);
    next += 3;
  }
  if (watched()) {
    set_base(next, {fault->id(), 0, 0}, m_fault, fault, fault->address());
    set_value(next + 1, sizeof mark, &mark, "a mark");
  }
  if (m_layout.needs_addresses) name_blocks();
} catch (...) {
  forget();
  throw;
}

} // namespace prism::devices::opencl
