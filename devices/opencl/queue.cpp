#include "devices/opencl/queue.hpp"

#include "devices/opencl/interop.hpp"
#include "devices/opencl/command_buffer.hpp"
#include "devices/opencl/queue_choice.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace prism::devices::opencl {
namespace {

/// clGetDeviceAndHostTimer fails on the drivers at hand. So this reads the host's clock before and after a
/// marker's end; the narrowest of several tries counts.
clock_calibration calibrate(const entry_points& api, cl_command_queue queue) {
  clock_calibration best;
  best.uncertainty_ns = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = now_ns();
    cl_event raw = nullptr;
    check(api.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &raw), "calibrate a queue's clock");
    const event_handle event(api, raw);
    check(api.clWaitForEvents(1, &raw), "calibrate a queue's clock");
    const std::uint64_t after = now_ns();
    cl_ulong end = 0;
    check(api.clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
          "calibrate a queue's clock");
    if ((after - before) / 2 >= best.uncertainty_ns) continue;
    best.uncertainty_ns = (after - before) / 2;
    best.offset_ns =
        static_cast<std::int64_t>(before + (after - before) / 2) - static_cast<std::int64_t>(end);
  }
  return best;
}

const opencl_memory* opencl(const memory* object) { return static_cast<const opencl_memory*>(object); }

/// The bytes from the first to behind the last of a side of the copy.
std::uint64_t reach_of(const copy_command& command, const location& side) {
  const std::uint64_t row = side.row_pitch ? side.row_pitch : command.row_bytes,
                      slice = side.slice_pitch ? side.slice_pitch : row * command.rows;
  return (command.slices - 1) * slice + (command.rows - 1) * row + command.row_bytes;
}

/// The bytes of a rectangle with all of its last row's pitch.
std::uint64_t room_for(const box_copy& shape, std::uint64_t row_pitch, std::uint64_t slice_pitch) {
  return (slice_pitch ? slice_pitch : row_pitch * shape.region[1]) * shape.region[2];
}

} // namespace

queue_handle make_queue(platform_context& context, cl_device_id device, const queue_options& options) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties properties = options.profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_command_queue made = context.api.clCreateCommandQueue(context.context.get(), device, properties, &code);
  if (code != CL_SUCCESS)
    throw context.error(code, options.profiling ? "create a command queue with profiling"
                                                : "create a command queue");
  return queue_handle(context.api, made);
}

opencl_queue::opencl_queue(context_ptr context, cl_device_id device, const device_traits& traits,
                           const queue_options& options)
    : opencl_queue(context, device, traits, make_queue(*context, device, options), true, options.profiling) {
  // An execution that overlaps another one has no time of its own.
  if (!options.profiling && !options.for_copies) m_most_queues = traits.driver_queues;
}

opencl_queue::opencl_queue(context_ptr context, cl_device_id device, const device_traits& traits,
                           queue_handle made, bool in_order, bool profiling)
    : m_context(std::move(context)), m_device(device), m_traits(traits), m_profiling(profiling),
      m_in_order(in_order) {
  m_queues.push_back(std::move(made));
  std::optional<clock_calibration> calibration;
  m_on = m_queues.front().get();
  if (profiling) calibration = m_calibration = calibrate(m_context->api, m_on);
  m_timeline = std::make_shared<opencl_timeline>(m_context, m_on, calibration);
}

opencl_queue::~opencl_queue() {
  const auto simulation = m_context->lock_simulation();
  for (const queue_handle& each : m_queues)
    m_context->api.clFinish(each.get()); // a lost device has nothing left to wait for
}

void* opencl_queue::native(std::string_view what) const noexcept {
  if (what != "cl_command_queue") return nullptr;
  m_is_shared.store(true, std::memory_order_relaxed);
  return m_queues.front().get();
}

/// Also adds the waits for points up to `after` in other driver queues.
void opencl_queue::choose_driver_queue(std::uint64_t after) {
  const std::uint64_t last = m_timeline->last();
  if (m_queues.size() == 1 && (m_most_queues == 1 || after >= last)) return;
  // The program's own commands are ordered with those of the first driver queue only.
  const bool uses_first = m_is_shared.load(std::memory_order_relaxed);
  if (uses_first) after = last;
  const std::uint64_t completed = m_timeline->completed();
  m_number = uses_first ? 0 : choose_queue(m_tails, completed, after, m_most_queues);
  if (m_number == m_queues.size()) {
    m_queues.push_back(make_queue(*m_context, m_device, {}));
    m_tails.push_back(0);
    m_timeline->add_queue(m_queues.back().get());
  }
  m_on = m_queues[m_number].get();
  add_waits(*m_timeline, after, m_number);
}

void opencl_queue::add_waits(const opencl_timeline& of, std::uint64_t up_to, std::size_t except) {
  of.pending_events(up_to, except, m_waits);
  m_wait_list.clear();
  for (const event_handle& each : m_waits) m_wait_list.push_back(each.get());
}

std::uint64_t opencl_queue::record(std::uint64_t submitted, std::optional<device_error> failed) {
  m_tails[m_number] =
      m_timeline->record(m_events, m_number, submitted, std::move(failed), std::move(m_check));
  return m_tails[m_number];
}

/// After a kernel's illegal access the next call fails with any code (NVIDIA); only a flush reports the
/// cause.
device_error opencl_queue::error_of_call(cl_int code, const std::string& asked) {
  if (const cl_int state = m_context->api.clFlush(m_on); category_of(state) == error_category::lost)
    return m_context->error(state, asked);
  return m_context->error(code, asked);
}

void opencl_queue::collect_waits(std::span<const timeline_point> waits) {
  m_waits.clear();
  m_wait_list.clear();
  for (const timeline_point& wait : waits) {
    if (wait.owner == m_timeline.get() || wait.value == 0) continue;
    const auto& other = static_cast<const opencl_timeline&>(*wait.owner);
    assert(&other.shared() == m_context.get());
    const std::size_t before = m_waits.size();
    add_waits(other, wait.value, most_driver_queues);
    if (m_waits.size() != before) other.flush(); // else neither queue might start
  }
}

std::uint64_t opencl_queue::submit(std::span<const command> commands, std::span<const timeline_point> waits) {
  return submit_in_order(commands, waits, m_timeline->last());
}

std::uint64_t opencl_queue::submit_after(command_list& commands, std::span<const timeline_point> waits,
                                         std::uint64_t after) {
  return submit_in_order(commands, waits, after);
}

std::uint64_t opencl_queue::submit_in_order(std::span<const command> commands,
                                            std::span<const timeline_point> waits, std::uint64_t after) {
  const auto simulation = m_context->lock_simulation();
  m_context->check_not_lost("submit commands");
  const std::uint64_t submitted = m_profiling ? now_ns() : 0;
  collect_waits(waits);
  choose_driver_queue(after);
  m_events.clear();
  m_check.reset();
  std::optional<device_error> failed;
  try {
    for (const command& next : commands) std::visit([this](const auto& what) { enqueue(what); }, next);
    if (m_events.empty()) enqueue_marker();
    if (m_check) read_fault_word();
  } catch (const device_error& error) {
    if (m_events.empty()) {
      m_waits.clear();
      throw;
    }
    failed = error; // earlier commands of this submission are in the queue already
    m_check.reset();
  }
  m_waits.clear();
  return record(submitted, std::move(failed));
}

std::uint64_t opencl_queue::execute(command_buffer& what, std::span<const timeline_point> waits) {
  auto& recorded = static_cast<opencl_command_buffer&>(what);
  // A command buffer is recorded for in-order queues without profiling; PoCL 3.1 would report only the times
  // of its last marker.
  if (m_profiling || !m_in_order) return submit(recorded.commands(), waits);
  collect_waits(waits);
  choose_driver_queue(m_timeline->last());
  m_events.clear();
  m_check.reset();
  try {
    enqueue_call("run a command buffer", [&](cl_uint count, const cl_event* list, cl_event* event) {
      return recorded.enqueue(m_on, count, list, event);
    });
  } catch (const device_error&) {
    m_waits.clear();
    throw;
  }
  m_waits.clear();
  return record(0, std::nullopt);
}

void opencl_queue::enqueue_marker() {
  enqueue_call("enqueue a marker", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return m_context->api.clEnqueueMarkerWithWaitList(m_on, count, list, event);
  });
}

void opencl_queue::enqueue(const copy_command& command) {
  const box_copy shape = shape_of(command);
  if (shape.bytes == 0) return;
  if (m_context->usm && copies_usm(command)) return enqueue_usm_copy(command, shape);
  const auto* from = opencl(command.from.object);
  const auto* to = opencl(command.to.object);
  const auto begin_of = [](const location& host) {
    return reinterpret_cast<std::uint64_t>(host.host) + host.offset;
  };
  if (m_context->reads_early && !from)
    m_context->to_host.wait_for(begin_of(command.from), reach_of(command, command.from));
  const auto written = [&] {
    if (m_context->reads_early && !to)
      m_context->to_host.add(begin_of(command.to), reach_of(command, command.to), m_events.back().get());
  };
  // The rectangle functions do not accept two host sides, and within one cl_mem only equal pitches.
  const bool both_host = !from && !to && (!shape.linear || !m_traits.coarse_svm());
  if (both_host || (from && to && !shape.linear && from->buffer() == to->buffer()))
    return copy_through_staging(command, shape.bytes);
  if (shape.linear) {
    enqueue_linear(command, shape.bytes);
    return written();
  }
  if ((from && room_for(shape, shape.from_row_pitch, shape.from_slice_pitch) > from->size()) ||
      (to && room_for(shape, shape.to_row_pitch, shape.to_slice_pitch) > to->size()))
    return enqueue_without_last_row(command);
  for (std::uint64_t part = 0; part < shape.parts; ++part) enqueue_rectangle(command, shape, part);
  written();
}

/// NVIDIA's driver refuses rectangles in buffers that are smaller than all rows with their whole pitch,
/// although the last row may be shorter: that row is a copy of its own.
void opencl_queue::enqueue_without_last_row(const copy_command& command) {
  copy_command first = command, last = command;
  const auto skip = [&](location& side) {
    const std::uint64_t row = side.row_pitch && command.rows > 1 ? side.row_pitch : command.row_bytes;
    const std::uint64_t slice = side.slice_pitch ? side.slice_pitch : row * command.rows;
    side.offset += command.slices > 1 ? slice * (command.slices - 1) : row * (command.rows - 1);
  };
  skip(last.from), skip(last.to);
  if (command.slices > 1) --first.slices, last.slices = 1;
  else --first.rows, last.rows = 1;
  enqueue(first);
  enqueue(last);
}

void opencl_queue::copy_through_staging(const copy_command& command, std::uint64_t bytes) {
  location packed;
  packed.object = take_staging(bytes, true).memory.get();
  packed.row_pitch = command.row_bytes;
  packed.slice_pitch = command.row_bytes * command.rows;
  enqueue(copy_command{command.from, packed, command.row_bytes, command.rows, command.slices});
  enqueue(copy_command{packed, command.to, command.row_bytes, command.rows, command.slices});
}

void opencl_queue::enqueue_linear(const copy_command& command, std::uint64_t bytes) {
  const auto& api = m_context->api;
  std::byte *from = pointer_of(command.from), *to = pointer_of(command.to);
  if (from && to && m_context->usm && copies_usm(command)) return enqueue_usm_bytes(to, from, bytes);
  if (from && to && m_traits.coarse_svm())
    return enqueue_call("copy shared virtual memory",
                        [&](cl_uint count, const cl_event* list, cl_event* event) {
      return api.clEnqueueSVMMemcpy(m_on, CL_FALSE, to, from, bytes, count, list, event);
    });
  if (command.from.object && command.to.object)
    return enqueue_call("copy device memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
      return api.clEnqueueCopyBuffer(m_on, opencl(command.from.object)->buffer(),
                                     opencl(command.to.object)->buffer(), offset_of(command.from),
                                     offset_of(command.to), bytes, count, list, event);
    });
  if (command.from.object)
    return enqueue_call("read device memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
      return api.clEnqueueReadBuffer(m_on, opencl(command.from.object)->buffer(), CL_FALSE,
                                     offset_of(command.from), bytes, to, count, list, event);
    });
  return enqueue_call("write device memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return api.clEnqueueWriteBuffer(m_on, opencl(command.to.object)->buffer(), CL_FALSE,
                                    offset_of(command.to), bytes, from, count, list, event);
  });
}

void opencl_queue::enqueue_rectangle(const copy_command& command, const box_copy& shape, std::uint64_t part) {
  const auto& api = m_context->api;
  const std::size_t none[3] = {0, 0, 0};
  const std::uint64_t from_skip = part * shape.from_step, to_skip = part * shape.to_step;
  if (command.from.object && command.to.object) {
    const std::size_t from[3] = {offset_of(command.from) + from_skip, 0, 0};
    const std::size_t to[3] = {offset_of(command.to) + to_skip, 0, 0};
    return enqueue_call("copy a box of device memory",
                        [&](cl_uint count, const cl_event* list, cl_event* event) {
      return api.clEnqueueCopyBufferRect(m_on, opencl(command.from.object)->buffer(),
                                         opencl(command.to.object)->buffer(), from, to, shape.region,
                                         shape.from_row_pitch, shape.from_slice_pitch, shape.to_row_pitch,
                                         shape.to_slice_pitch, count, list, event);
    });
  }
  if (command.from.object) {
    const std::size_t from[3] = {offset_of(command.from) + from_skip, 0, 0};
    return enqueue_call("read a box of device memory",
                        [&](cl_uint count, const cl_event* list, cl_event* event) {
      return api.clEnqueueReadBufferRect(m_on, opencl(command.from.object)->buffer(), CL_FALSE, from, none,
                                         shape.region, shape.from_row_pitch, shape.from_slice_pitch,
                                         shape.to_row_pitch, shape.to_slice_pitch,
                                         pointer_of(command.to) + to_skip, count, list, event);
    });
  }
  const std::size_t to[3] = {offset_of(command.to) + to_skip, 0, 0};
  enqueue_call("write a box of device memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return api.clEnqueueWriteBufferRect(m_on, opencl(command.to.object)->buffer(), CL_FALSE, to, none,
                                        shape.region, shape.to_row_pitch, shape.to_slice_pitch,
                                        shape.from_row_pitch, shape.from_slice_pitch,
                                        pointer_of(command.from) + from_skip, count, list, event);
  });
}

void opencl_queue::enqueue(const fill_command& command) {
  if (command.bytes == 0) return;
  const auto& api = m_context->api;
  const opencl_memory& target = *opencl(command.object);
  const std::size_t width = command.pattern.size();
  const std::size_t offset = target.buffer_offset() + command.offset;
  const std::uint64_t place = target.svm() ? target.address() + command.offset : offset;
  if (!std::has_single_bit(width) || width > 128 || place % width != 0)
    return fill_by_copies(target, command);
  if (target.is_usm()) return fill_usm(target, command);
  if (target.svm())
    return enqueue_call("fill shared virtual memory",
                        [&](cl_uint count, const cl_event* list, cl_event* event) {
      return api.clEnqueueSVMMemFill(m_on, target.svm() + command.offset, command.pattern.data(), width,
                                     command.bytes, count, list, event);
    });
  enqueue_call("fill device memory", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return api.clEnqueueFillBuffer(m_on, target.buffer(), command.pattern.data(), width, offset,
                                   command.bytes, count, list, event);
  });
}

/// OpenCL fills only with power-of-two patterns at their own alignment. For other patterns this writes the
/// first part from the host, then doubles it by copies within the memory.
void opencl_queue::fill_by_copies(const opencl_memory& target, const fill_command& command) {
  const std::size_t width = command.pattern.size();
  const std::uint64_t first =
      std::min<std::uint64_t>(command.bytes, std::max<std::size_t>(1, 65536 / width) * width);
  staging& source = take_staging(first, false);
  for (std::uint64_t done = 0; done < first; done += width)
    std::memcpy(source.host.data() + done, command.pattern.data(), width);
  auto* object = const_cast<opencl_memory*>(&target);
  copy_command write;
  write.from.host = source.host.data();
  write.to = {object, nullptr, command.offset};
  enqueue_linear(write, first);
  for (std::uint64_t done = first; done < command.bytes;) {
    const std::uint64_t more = std::min(done, command.bytes - done);
    copy_command copy;
    copy.from = {object, nullptr, command.offset};
    copy.to = {object, nullptr, command.offset + done};
    enqueue_linear(copy, more);
    done += more;
  }
}

opencl_queue::staging& opencl_queue::take_staging(std::uint64_t bytes, bool with_memory) {
  const std::uint64_t point = m_timeline->last() + 1;
  std::optional<std::uint64_t> completed; // queried only if a block might be free
  for (auto& candidate : m_staging) {
    if (candidate->busy_until == point || (candidate->memory != nullptr) != with_memory) continue;
    if (candidate->host.size() < bytes && (!candidate->memory || candidate->memory->size() < bytes)) continue;
    if (!completed) completed = m_timeline->completed();
    if (candidate->busy_until > *completed) continue;
    candidate->busy_until = point;
    return *candidate;
  }
  constexpr std::uint64_t worth_keeping = 1 << 20;
  const std::uint64_t done = m_timeline->completed();
  std::erase_if(m_staging, [&](const auto& each) {
    return each->busy_until <= done &&
           (each->memory ? each->memory->size() : each->host.size()) > worth_keeping;
  });
  auto made = std::make_unique<staging>();
  const std::uint64_t size = std::bit_ceil(std::max<std::uint64_t>(bytes, 4096));
  if (with_memory && m_traits.fine_svm()) {
    made->memory = std::make_unique<opencl_memory>(m_context, m_device, size, memory_kind::buffer, 128,
                                                   block_kind::fine);
  } else {
    if (with_memory)
      made->memory = std::make_unique<opencl_memory>(m_context, size, memory_kind::buffer, nullptr);
    made->host.resize(size);
  }
  made->busy_until = point;
  m_staging.push_back(std::move(made));
  return *m_staging.back();
}

const opencl_memory* opencl_queue::stage_captured(const dispatch_command& command) {
  const std::uint64_t bytes = command.arguments.size();
  staging& block = take_staging(bytes, true);
  if (void* direct = block.memory->host_pointer()) {
    std::memcpy(direct, command.arguments.data(), bytes);
    return block.memory.get();
  }
  std::memcpy(block.host.data(), command.arguments.data(), bytes);
  copy_command write;
  write.from.host = block.host.data();
  write.to.object = block.memory.get();
  enqueue_linear(write, bytes);
  return block.memory.get();
}

const opencl_memory& opencl_queue::fault_word() {
  if (m_fault_word) return *m_fault_word;
  static constexpr cl_uint zero = 0;
  auto made = std::make_unique<opencl_memory>(m_context, sizeof zero, memory_kind::buffer, nullptr);
  enqueue_call("clear a fault word", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return m_context->api.clEnqueueWriteBuffer(m_on, made->buffer(), CL_FALSE, 0, sizeof zero, &zero, count,
                                               list, event);
  });
  m_fault_word = std::move(made);
  return *m_fault_word;
}

void opencl_queue::read_fault_word() {
  enqueue_call("read a fault word", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return m_context->api.clEnqueueReadBuffer(m_on, m_fault_word->buffer(), CL_FALSE, 0,
                                              sizeof m_check->found, &m_check->found, count, list, event);
  });
}

bound_kernel& opencl_queue::bound(opencl_kernel& kernel) {
  if (m_last_kernel == kernel.id()) return *m_last_bound;
  auto found = m_bound.find(kernel.id());
  if (found == m_bound.end()) {
    std::erase_if(m_bound, [](const auto& known) { return known.second->dropped(); });
    found = m_bound.emplace(kernel.id(), kernel.bind()).first;
  }
  m_last_kernel = kernel.id();
  m_last_bound = found->second.get();
  return *m_last_bound;
}

void opencl_queue::enqueue_function(const native_launch& launch) {
  m_events.reserve(m_events.size() + 1); // so that storing the event cannot fail
  if (!m_in_order)
    m_context->check(m_context->api.clEnqueueBarrierWithWaitList(m_on, 0, nullptr, nullptr),
                     "put commands in order");
  std::vector<void*> waits(m_wait_list.begin(), m_wait_list.end());
  void* event = nullptr;
  try {
    event = (*launch.function)({m_on, m_in_order, launch.arguments, waits.data(), waits.size()});
  } catch (const device_error&) {
    throw;
  } catch (const std::exception& error) {
    throw device_error(error_category::other, "",
                       std::string("run a native command on an OpenCL queue: ") + error.what());
  }
  if (!event) return;
  m_events.emplace_back(m_context->api, static_cast<cl_event>(event));
  m_wait_list.clear(); // the queue is in order: later commands wait too
}

void opencl_queue::enqueue_native(const dispatch_command& command, const native_launch& launch) {
  if (launch.function) return enqueue_function(launch);
  auto& kernel = static_cast<adopted_kernel&>(*command.object);
  std::size_t global[3], local[3], offset[3];
  for (int i = 0; i < 3; ++i) {
    global[i] = launch.global[i];
    local[i] = launch.local[i];
    offset[i] = launch.offset[i];
  }
  const cl_uint dimensions = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
  const auto arguments_in_use = kernel.set(launch.arguments);
  enqueue_call("launch a native kernel", [&](cl_uint count, const cl_event* list, cl_event* event) {
    return m_context->api.clEnqueueNDRangeKernel(m_on, kernel.get(), dimensions, offset, global,
                                                 local[0] ? local : nullptr, count, list, event);
  });
}

void opencl_queue::enqueue(const dispatch_command& command) {
  if (const auto* native = std::get_if<native_kernel>(&command.target))
    return enqueue_native(command, *native->launch);
  bound_kernel& target = bound(static_cast<opencl_kernel&>(*command.object));
  const launch_size size = size_of(command, target.layout());
  if (size.empty) return;
  const opencl_memory* block = target.passes_by_value(command) ? nullptr : stage_captured(command);
  const opencl_memory* fault = target.watched() ? &fault_word() : nullptr;
  if (fault) m_mark = m_mark % 0x7fffffff + 1; // the top bit must be clear
  target.bind(command, block, fault, m_mark);
  cl_int code = CL_SUCCESS;
  try {
    enqueue_call("launch a kernel", [&](cl_uint count, const cl_event* list, cl_event* event) {
      return code = m_context->api.clEnqueueNDRangeKernel(m_on, target.get(), size.dimensions,
                                                          command.part.is_part ? size.offset : nullptr,
                                                          size.global, size.local, count, list, event);
    });
  } catch (const device_error& error) {
    if (code != CL_OUT_OF_RESOURCES || error.category() == error_category::lost) throw;
    throw device_error(error.category(), error.driver_code(),
                       "launch a kernel in groups of " +
                           std::to_string(size.local[0] * size.local[1] * size.local[2]) +
                           " work-items with " + std::to_string(command.local_bytes) +
                           " bytes of local memory: the device has too few registers or too little local "
                           "memory; use smaller groups");
  }
  if (!fault) return;
  if (!m_check) m_check = std::make_unique<loop_check>();
  m_check->launches.emplace_back(m_mark, target.display_name());
}

} // namespace prism::devices::opencl
