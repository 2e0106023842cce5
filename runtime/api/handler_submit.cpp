// The end of a command group: appends hidden arguments and requirements to the collected command, and submits
// it with its comparisons and its output.
#include "devices/api/element_wise.hpp"
#include "runtime/api/command_group.hpp"
#include "runtime/api/reference.hpp"

#include <cstring>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace detail {

std::uint64_t handler_impl::open_channel(std::size_t bytes) {
  m_channels.push_back(bytes ? std::make_shared<output_channel>(bytes) : take_channel(*m_queue->device()));
  return m_channels.back()->token();
}

/// Opens a block for the index checks of `kernel`. The kernel is then launched with work-item ids.
std::uint64_t handler_impl::open_fault_channel(prism::kernel_command& kernel,
                                               const prism::image::hidden_argument& checks) {
  int dimensions = 3;
  while (dimensions > 1 && kernel.global[dimensions - 1] == 1) --dimensions;
  index_fault_source source{&checks, kernel.name, describe(*m_queue->device()), dimensions};
  m_channels.push_back(std::make_shared<output_channel>(checks.size, std::move(source)));
  kernel.body.range = nullptr;
  return m_channels.back()->token();
}

prism::requirement requirement_of(const buffer_impl& buffer, const access_request& request,
                                  std::uint64_t token, bool claims_regions) {
  prism::requirement r;
  r.buffer = buffer.node();
  r.mode = engine_mode(request);
  // Pointers of a ranged accessor can also reach the rest of the buffer, so require all of it, unless no_init
  // discards the old data.
  const bool whole = !claims_regions && !request.no_init;
  r.region = engine_box(whole ? buffer.shape() : request.region);
  if (whole) r.stated = engine_box(request.region);
  r.token = token;
  r.byte_offset = request.byte_offset;
  return r;
}

void handler_impl::finish_requirements() {
  if (m_host_task) m_host_task->pointers.reserve(m_uses.size());
  for (const use& u : m_uses) {
    if (u.is_side) continue;
    prism::requirement r = requirement_of(*u.buffer, u.request, u.token, m_group.claims_regions);
    if (m_host_task) {
      m_host_task->pointers.push_back({u.token, u.request.byte_offset});
      r.on_host = u.request.place == target::host_task || !m_host_task->is_interop;
      if (r.on_host) r.host_pointer = &m_host_task->pointers.back().first;
      else r.device_memory = &m_host_task->pointers.back().memory;
    }
    m_group.requirements.push_back(std::move(r));
  }
  for (const auto& channel : m_channels) {
    prism::requirement r;
    r.buffer = channel->buffer();
    r.mode = prism::access_mode::read_write;
    r.region.extent[2] = channel->bytes();
    r.token = channel->token();
    r.is_output = true;
    m_group.requirements.push_back(std::move(r));
  }
}

void handler_impl::finish_kernel(prism::kernel_command& kernel) {
  const prism::image::kernel_record* record = kernel.slot->record;
  // A kernel without a usable image has no list of hidden arguments either. The host device can run it
  // nevertheless.
  const auto has_data = [](const prism::image::kernel_image& image) {
    return image.data != nullptr &&
           static_cast<std::uint32_t>(image.image_kind) < prism::image::first_data_kind;
  };
  if (!record || std::none_of(record->images, record->images + record->image_count, has_data)) {
    return finish_kernel_without_record(kernel);
  }
  if (record->hidden_count == 0 || kernel.captured.size() != record->closure_bytes)
    return; // for another size, the submission throws
  const constant_values values = m_bundle ? m_bundle->values() : m_constants;
  kernel.captured.resize(record->argument_bytes);
  for (std::uint32_t i = 0; i < record->hidden_count; ++i) {
    const prism::image::hidden_argument& hidden = record->hidden[i];
    std::byte* const place = kernel.captured.data() + hidden.offset;
    if (hidden.what == prism::image::hidden_kind::output) {
      const std::uint64_t token = open_channel(0);
      std::memcpy(place, &token, sizeof token);
      continue;
    }
    if (hidden.what == prism::image::hidden_kind::index_faults) {
      const std::uint64_t token = open_fault_channel(kernel, hidden);
      std::memcpy(place, &token, sizeof token);
      continue;
    }
    if (hidden.what == prism::image::hidden_kind::device_global) {
      prism::requirement r;
      r.buffer = guarded(
          [&] { return prism::device_global_on(m_queue->device()->node(), hidden.key, hidden.size); });
      r.mode = prism::access_mode::read_write;
      r.region.extent[2] = hidden.size;
      r.token = prism::new_token();
      std::memcpy(place, &r.token, sizeof r.token);
      m_group.requirements.push_back(std::move(r));
      continue;
    }
    const auto set = values.find(hidden.key);
    std::memcpy(place, set == values.end() ? hidden.key : set->second.data(), hidden.size);
  }
}

void handler_impl::finish_kernel_without_record(prism::kernel_command& kernel) {
  if (m_queue->device()->where() != backend::ext_prism_host) return; // the submission throws
  const auto append = [&](prism::image::hidden_kind what, const void* key, const void* value,
                          std::size_t bytes) {
    const std::size_t offset = (kernel.captured.size() + 15) / 16 * 16;
    kernel.captured.resize(offset + bytes);
    std::memcpy(kernel.captured.data() + offset, value, bytes);
    kernel.hidden.push_back(
        {what, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes), 0, key});
  };
  for (const auto& [id, value] : m_bundle ? m_bundle->values() : m_constants) {
    append(prism::image::hidden_kind::specialization_constant, id, value.data(), value.size());
  }
  auto output = m_queue->outputs().take();
  output_block* const block = output->block();
  append(prism::image::hidden_kind::output, nullptr, &block, sizeof block);
  m_group.keep_alive.push_back(std::move(output));
}

prism::command_ptr handler_impl::submit_printing(const prism::command_ptr& after) {
  struct printing {
    std::vector<std::shared_ptr<output_channel>> channels;
    std::vector<void*> blocks;
    std::shared_ptr<device_impl> device;
  };
  auto state = std::make_shared<printing>();
  state->channels = std::move(m_channels);
  state->blocks.resize(state->channels.size());
  state->device = m_queue->device();
  prism::command_group group;
  group.dependencies.push_back(after);
  for (std::size_t i = 0; i < state->channels.size(); ++i) {
    prism::requirement r;
    r.buffer = state->channels[i]->buffer();
    r.mode = prism::access_mode::read;
    r.region.extent[2] = state->channels[i]->bytes();
    r.on_host = true;
    r.host_pointer = &state->blocks[i];
    group.requirements.push_back(std::move(r));
  }
  group.what = prism::host_task_request{[state] {
    for (std::size_t i = 0; i < state->blocks.size(); ++i) {
      if (!state->channels[i]->print(state->blocks[i]))
        give_back_channel(*state->device, std::move(state->channels[i]));
    }
  }};
  return guarded([&] { return prism::submit(m_queue->node(), std::move(group)); }, m_queue->context());
}

std::vector<verified_use> handler_impl::buffers_to_compare() const {
  std::vector<verified_use> out;
  for (const use& u : m_uses)
    if (!u.is_side)
      out.push_back({u.token, u.buffer, u.buffer->byte_offset() + u.request.byte_offset, u.request.no_init});
  return out;
}

prism::command_ptr handler_impl::submit_engine() {
  if (auto* kernel = std::get_if<prism::kernel_command>(&m_group.what)) finish_kernel(*kernel);
  finish_requirements();
  for (const use& u : m_uses) u.buffer->root().used_by(m_queue);
  return guarded([&] {
    if (!verifies()) return prism::submit(m_queue->node(), std::move(m_group));
    m_group.claims_regions = false; // verification compares whole buffers
    return submit_verified(m_queue->node(), std::move(m_group), buffers_to_compare(), m_verified);
  }, m_queue->context());
}

handler_impl::origin handler_impl::as_origin() const {
  const auto* const kernel = std::get_if<prism::kernel_command>(&m_group.what);
  return kernel == nullptr ? origin{} : origin{kernel->name, kernel->functor, m_group.line};
}

event handler_impl::submit() {
  if (m_queue->is_recording() || !m_named_nodes.empty()) return record();
  if (m_graph) return submit_graph();
  const prism::source_line line = m_group.line;
  const origin first_kernel = as_origin();
  prism::command_ptr end = submit_engine(), first, last;
  const auto verify = [&](prism::command_ptr verified) {
    if (!verified) return;
    if (!first) first = end;
    last = std::exchange(end, std::move(verified));
  };
  verify(std::move(m_verified));
  for (const auto& group : m_then) {
    if (!first) first = end;
    handler_impl next(m_queue);
    next.m_group.dependencies.push_back(std::move(end));
    next.m_constants = m_constants;
    next.m_group.line = line;
    next.m_origin = first_kernel;
    group(next.facade());
    end = next.submit_engine();
    last = nullptr;
    verify(std::move(next.m_verified));
    m_channels.insert(m_channels.end(), next.m_channels.begin(), next.m_channels.end());
  }
  if (!m_channels.empty()) {
    if (!last) last = end;
    if (!first) first = last;
    end = submit_printing(end);
  }
  auto made = std::allocate_shared<event_impl>(prism::pool::allocator<event_impl>(), std::move(end),
                                               m_queue->origin(), std::move(first), std::move(last));
  if (!m_named_events.empty()) made->set_named(std::move(m_named_events));
  return access_impl::make<event>(std::move(made));
}

}
}
} // namespace sycl::_V1::detail
