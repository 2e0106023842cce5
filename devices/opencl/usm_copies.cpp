// Copies and fills of unified shared memory (usm.hpp). Host and shared allocations are host memory to
// OpenCL's own functions, which have boxes. Device allocations have no cl_mem, and the extension copies bytes
// in a row only: a box is a copy for each of its rows.
#include "devices/opencl/queue.hpp"

namespace prism::devices::opencl {
namespace {

const opencl_memory* memory_of(const location& side) {
  return static_cast<const opencl_memory*>(side.object);
}

bool is_device_usm(const location& side) {
  return side.object && memory_of(side)->is_usm() && memory_of(side)->host_pointer() == nullptr;
}

/// Memory that the extension does not know.
bool is_other_memory(const location& side) { return side.object && !memory_of(side)->is_usm(); }

location as_host(location side) {
  if (!side.object || !memory_of(side)->is_usm()) return side;
  side.host = memory_of(side)->host_pointer();
  side.object = nullptr;
  return side;
}

} // namespace

void opencl_queue::enqueue_usm_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  enqueue_call("copy unified shared memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return m_context->usm.copy(m_on, CL_FALSE, to, from, bytes, count, list, event);
  });
}

void opencl_queue::enqueue_usm_copy(const copy_command& command, const box_copy& shape) {
  const bool knows_both = !is_other_memory(command.from) && !is_other_memory(command.to);
  std::byte *from = pointer_of(command.from), *to = pointer_of(command.to);
  if (shape.linear && knows_both) return enqueue_usm_bytes(to, from, shape.bytes);
  if (!is_device_usm(command.from) && !is_device_usm(command.to)) {
    copy_command host = command;
    host.from = as_host(command.from), host.to = as_host(command.to);
    return enqueue(host);
  }
  if (!knows_both) return copy_usm_through_host(command, shape.bytes);
  const auto place = [&](const location& side, std::uint64_t row, std::uint64_t slice) {
    const std::uint64_t row_pitch = side.row_pitch ? side.row_pitch : command.row_bytes,
                        slice_pitch = side.slice_pitch ? side.slice_pitch : row_pitch * command.rows;
    return slice * slice_pitch + row * row_pitch;
  };
  for (std::uint64_t slice = 0; slice < command.slices; ++slice)
    for (std::uint64_t row = 0; row < command.rows; ++row)
      enqueue_usm_bytes(to + place(command.to, row, slice), from + place(command.from, row, slice),
                        command.row_bytes);
}

void opencl_queue::copy_usm_through_host(const copy_command& command, std::uint64_t bytes) {
  location packed;
  packed.host = take_staging(bytes, false).host.data();
  packed.row_pitch = command.row_bytes;
  packed.slice_pitch = command.row_bytes * command.rows;
  enqueue(copy_command{command.from, packed, command.row_bytes, command.rows, command.slices});
  enqueue(copy_command{packed, command.to, command.row_bytes, command.rows, command.slices});
}

void opencl_queue::fill_usm(const opencl_memory& target, const fill_command& command) {
  enqueue_call("fill unified shared memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return m_context->usm.fill(m_on, target.svm() + command.offset, command.pattern.data(),
                               command.pattern.size(), command.bytes, count, list, event);
  });
}

} // namespace prism::devices::opencl
