#include "devices/opencl/command_buffer.hpp"

#include <bit>
#include <cstring>

namespace prism::devices::opencl {

namespace {

constexpr std::uint64_t flags_property = 0x1293, simultaneous_use = 1;

const opencl_memory& opencl(const location& side) { return static_cast<const opencl_memory&>(*side.object); }

struct recordable {
  bool operator()(const dispatch_command& d) const {
    if (std::holds_alternative<native_kernel>(d.target)) return false;
    const kernel_layout& layout = static_cast<const opencl_kernel&>(*d.object).layout();
    return !layout.watched && !layout.needs_addresses;
  }
  bool operator()(const copy_command& c) const {
    if (!c.from.object || !c.to.object || opencl(c.from).is_usm() || opencl(c.to).is_usm()) return false;
    // Within one cl_mem the boxes need equal pitches; allocations of a pool share a cl_mem.
    return shape_of(c).linear || opencl(c.from).buffer() != opencl(c.to).buffer();
  }
  bool operator()(const fill_command& f) const {
    const auto& target = static_cast<const opencl_memory&>(*f.object);
    const std::size_t width = f.pattern.size(), offset = target.buffer_offset() + f.offset;
    return !target.is_usm() && std::has_single_bit(width) && width <= 128 && offset % width == 0;
  }
  bool operator()(const barrier_command&) const { return true; }
};

} // namespace

std::unique_ptr<opencl_command_buffer>
opencl_command_buffer::make(const context_ptr& context, const command_buffer_calls& calls,
                            cl_command_queue recording, bool has_fine_svm,
                            std::span<const command_buffer_step> steps) {
  for (const command_buffer_step& step : steps)
    if (!std::visit(recordable(), step.what)) return nullptr;
  auto made = std::make_unique<opencl_command_buffer>(context, calls, recording, has_fine_svm);
  return made->record(steps) ? std::move(made) : nullptr;
}

opencl_command_buffer::opencl_command_buffer(context_ptr context, const command_buffer_calls& calls,
                                             cl_command_queue recording, bool has_fine_svm)
    : m_context(std::move(context)), m_calls(calls), m_recording(recording), m_has_fine_svm(has_fine_svm) {
  const std::uint64_t again[] = {flags_property, simultaneous_use,
                                 0}; // may be submitted again before its last execution has completed
  cl_int code = CL_SUCCESS;
  m_buffer = m_calls.create(1, &m_recording, again, &code);
  check(code, "create a command buffer");
}

opencl_command_buffer::~opencl_command_buffer() {
  if (m_buffer) m_calls.release(m_buffer);
}

/// Records commands without sync points, because the queue is in order. False if the driver refuses one.
bool opencl_command_buffer::record(std::span<const command_buffer_step> steps) {
  m_commands.reserve(steps.size());
  const auto recorded = [](cl_int code) {
    if (code == CL_SUCCESS) return true;
    if (category_of(code) == error_category::out_of_memory) check(code, "record a command buffer");
    return false;
  };
  for (const command_buffer_step& step : steps) {
    if (!recorded(std::visit([this](const auto& each) { return record(each); }, step.what))) return false;
    m_commands.push_back(step.what);
  }
  return recorded(m_calls.finalize(m_buffer));
}

/// By the standard, recording the launch takes the current arguments. PoCL 3.1 takes those that the cl_kernel
/// has when the buffer is enqueued, so each launch has its own cl_kernel.
cl_int opencl_command_buffer::record(const dispatch_command& command) {
  auto bound = static_cast<opencl_kernel&>(*command.object).bind();
  const launch_size size = size_of(command, bound->layout());
  if (size.empty) return CL_SUCCESS;
  bound->bind(command, bound->passes_by_value(command) ? nullptr : block_of(command), nullptr, 0);
  m_kernels.push_back(bound);
  return m_calls.launch(m_buffer, nullptr, nullptr, bound->get(), size.dimensions, nullptr, size.global,
                        size.local, 0, nullptr, nullptr, nullptr);
}

const opencl_memory* opencl_command_buffer::block_of(const dispatch_command& command) {
  const std::size_t bytes = command.arguments.size();
  auto made = m_has_fine_svm
                  ? std::make_unique<opencl_memory>(m_context, nullptr, bytes, memory_kind::buffer, 128,
                                                    block_kind::fine)
                  : std::make_unique<opencl_memory>(m_context, bytes, memory_kind::buffer, nullptr);
  if (void* direct = made->host_pointer()) std::memcpy(direct, command.arguments.data(), bytes);
  else
    check(m_context->api.clEnqueueWriteBuffer(m_recording, made->buffer(), CL_TRUE, made->buffer_offset(),
                                              bytes, command.arguments.data(), 0, nullptr, nullptr),
          "write the captured block of a recorded launch");
  m_blocks.push_back(std::move(made));
  return m_blocks.back().get();
}

cl_int opencl_command_buffer::record(const copy_command& command) {
  const box_copy shape = shape_of(command);
  if (shape.bytes == 0) return CL_SUCCESS;
  cl_mem from = opencl(command.from).buffer(), to = opencl(command.to).buffer();
  if (shape.linear)
    return m_calls.copy(m_buffer, nullptr, from, to, offset_of(command.from), offset_of(command.to),
                        shape.bytes, 0, nullptr, nullptr, nullptr);
  for (std::uint64_t part = 0; part < shape.parts; ++part) {
    const std::size_t from_origin[3] = {offset_of(command.from) + part * shape.from_step, 0, 0};
    const std::size_t to_origin[3] = {offset_of(command.to) + part * shape.to_step, 0, 0};
    const cl_int code = m_calls.copy_box(m_buffer, nullptr, from, to, from_origin, to_origin, shape.region,
                                         shape.from_row_pitch, shape.from_slice_pitch, shape.to_row_pitch,
                                         shape.to_slice_pitch, 0, nullptr, nullptr, nullptr);
    if (code != CL_SUCCESS) return code;
  }
  return CL_SUCCESS;
}

cl_int opencl_command_buffer::record(const fill_command& command) {
  if (command.bytes == 0) return CL_SUCCESS;
  const auto& target = static_cast<const opencl_memory&>(*command.object);
  return m_calls.fill(m_buffer, nullptr, target.buffer(), command.pattern.data(), command.pattern.size(),
                      target.buffer_offset() + command.offset, command.bytes, 0, nullptr, nullptr, nullptr);
}

} // namespace prism::devices::opencl
