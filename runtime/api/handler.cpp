// Command groups: collects the calls of the command group function, validates them, and submits the command
// to the runtime.
#include "devices/api/element_wise.hpp"
#include "devices/api/kernel_counts.hpp"
#include "runtime/api/command_group.hpp"
#include "runtime/api/reference.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

/// As the program wrote it: in SYCL's order, where x is last, and with the launch's number of dimensions.
std::string text(const std::uint64_t v[3], const kernel_launch& launch) {
  int shown = std::max(launch.dimensions, 1);
  for (int d = shown; d < 3; ++d)
    if (launch.global[d] != 1 || (!launch.is_range && launch.local[d] != 1)) shown = d + 1;
  std::string out = "{";
  for (int d = shown - 1; d >= 0; --d) out += std::to_string(v[d]) + (d ? ", " : "}");
  return out;
}

bool multiplies(const std::uint64_t v[3]) {
  std::uint64_t product = 0;
  return !__builtin_mul_overflow(v[0], v[1], &product) && !__builtin_mul_overflow(product, v[2], &product) &&
         product <= std::uint64_t(INT64_MAX);
}

/// Converts a launch with a number of work-groups to an nd_range. If no work-group size is given, it is the
/// size that the kernel requires, else 256 work-items or the device's limit.
kernel_launch with_work_groups(const kernel_launch& launch, const prism::devices::capabilities& info) {
  constexpr std::uint64_t usual[3][3] = {{256, 1, 1}, {32, 8, 1}, {8, 8, 4}};
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  const prism::image::kernel_record* record = slot ? slot->record : nullptr;
  kernel_launch out = launch;
  out.group_dimensions = 0;
  if (launch.chooses_group && record && record->required_local_size[0] != 0) {
    std::copy(record->required_local_size, record->required_local_size + 3, out.local);
  } else if (launch.chooses_group) {
    std::copy(usual[launch.group_dimensions - 1], usual[launch.group_dimensions - 1] + 3, out.local);
    for (int d = 0; d < 3; ++d)
      while (out.local[d] > info.max_local_size[static_cast<std::size_t>(d)]) out.local[d] /= 2;
    while (out.local[0] * out.local[1] * out.local[2] > info.max_group_size)
      *std::max_element(out.local, out.local + 3) /= 2;
  }
  for (int d = 0; d < 3; ++d)
    if (__builtin_mul_overflow(launch.global[d], out.local[d], &out.global[d]))
      out.global[d] = ~std::uint64_t{0}; // rejected later as too many
  return out;
}

bool items_of_ranges_have_ids = false; // set before main, or when a library is loaded

} // namespace

void give_items_of_ranges_ids() noexcept { items_of_ranges_have_ids = true; }

// ---- accessors

bool handler_impl::is_local(std::uint64_t token) const {
  return std::any_of(m_locals.begin(), m_locals.end(),
                     [&](const prism::local_memory& l) { return l.token == token; });
}

bool handler_impl::is_channel(std::uint64_t token) const {
  return std::any_of(m_channels.begin(), m_channels.end(),
                     [&](const auto& c) { return c->token() == token; });
}

handler_impl::use* handler_impl::find(std::uint64_t token) {
  for (use& u : m_uses) {
    if (u.token == token) return &u;
  }
  return nullptr;
}

void handler_impl::add(std::uint64_t token, std::shared_ptr<buffer_impl> buffer,
                       const access_request& request) {
  const std::uint64_t alignment = m_queue->device()->info().base_alignment;
  if (buffer->is_part() && alignment && buffer->byte_offset() % alignment != 0) {
    throw_error(errc::invalid,
                "accessor: the sub-buffer starts at byte " + std::to_string(buffer->byte_offset()) +
                    ", which " + describe(*m_queue->device()) + " cannot address; start at a multiple of " +
                    std::to_string(alignment) + " bytes (info::device::mem_base_addr_align is in bits)");
  }
  const property_list& properties = buffer->properties();
  if (properties.has_property<property::buffer::context_bound>() &&
      !access_impl::get(properties.get_property<property::buffer::context_bound>().get_context())
           ->holds(m_queue->device())) {
    throw_error(
        errc::invalid,
        "accessor: the buffer is bound to a context (property::buffer::context_bound) that does not have " +
            describe(*m_queue->device()) + "; use a queue of one of its devices");
  }
  m_uses.push_back({token, std::move(buffer), request});
}

std::uint64_t handler_impl::bind(const impl_ptr<buffer_impl>& buffer, const access_request& request) {
  check_access(*buffer, request);
  const std::uint64_t token = accessor_token(request.no_init, false);
  add(token, buffer, request);
  return token;
}

void handler_impl::bind_placeholder(std::uint64_t token) {
  if (token == 0 || find(token)) return;
  std::optional<placeholder> found = find_placeholder(token);
  if (!found) {
    throw_error(errc::invalid,
                "handler::require: the accessor is neither a placeholder nor of this command group (its "
                "group has ended, or its buffer was destroyed)");
  }
  add(token, std::move(found->buffer), found->request);
}

std::uint64_t handler_impl::bind_local(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t token = prism::new_token();
  m_locals.push_back({token, bytes, alignment});
  return token;
}

void handler_impl::need_local(const prism::local_memory& local) {
  const std::uint64_t available = m_queue->device()->info().local_memory;
  if (local.bytes == uncountable)
    throw_error(errc::memory_allocation,
                "local_accessor: the group asks for more bytes of local memory than can be counted; " +
                    describe(*m_queue->device()) + " has " + std::to_string(available));
  m_local_bytes += (local.bytes + local.alignment - 1) / local.alignment * local.alignment;
  if (local.bytes > available || m_local_bytes > available) {
    throw_error(errc::memory_allocation, "local_accessor: the group uses " + std::to_string(m_local_bytes) +
                                             " bytes of local memory, " + describe(*m_queue->device()) +
                                             " has " + std::to_string(available));
  }
}

std::vector<prism::local_memory> handler_impl::locals_of(const kernel_launch& launch) const {
  std::vector<prism::local_memory> used;
  const auto* bytes = static_cast<const std::byte*>(launch.bytes);
  for (const prism::local_memory& local : m_locals) {
    bool is_captured = false;
    for (std::size_t at = 0; at + 8 <= launch.size && !is_captured; at += 8)
      is_captured = std::memcmp(bytes + at, &local.token, 8) == 0;
    if (is_captured) used.push_back(local);
  }
  return used;
}

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

std::uint64_t handler_impl::bind_stream(std::size_t text) {
  // A short operand needs three words for a text of one or two bytes.
  constexpr std::size_t overhead = 8, most = std::size_t(1) << 30;
  return open_channel(sizeof(output_block) + std::min(text, most / overhead) * overhead +
                      standard_output_bytes / 16);
}

void handler_impl::set_constant(const void* id, const void* value, std::size_t bytes) {
  if (m_bundle) {
    throw_error(
        errc::invalid,
        "handler::set_specialization_constant: the command group uses the values of its kernel bundle; "
        "set them in the bundle's input state");
  }
  const auto* first = static_cast<const std::byte*>(value);
  m_constants[id].assign(first, first + bytes);
}
void handler_impl::get_constant(const void* id, void* value, std::size_t bytes) const {
  if (m_bundle) {
    throw_error(
        errc::invalid,
        "handler::get_specialization_constant: the command group uses the values of its kernel bundle; "
        "get them from the bundle");
  }
  const auto found = m_constants.find(id);
  std::memcpy(value, found == m_constants.end() ? id : found->second.data(), bytes);
}
void handler_impl::use_bundle(std::shared_ptr<kernel_bundle_impl> bundle) {
  if (bundle->context() != m_queue->context()) {
    throw_error(errc::invalid,
                "handler::use_kernel_bundle: the bundle belongs to another context than the queue");
  }
  if (!m_constants.empty()) {
    throw_error(errc::invalid,
                "handler::use_kernel_bundle: the command group has set specialisation constants itself; set "
                "them in the bundle's input state instead");
  }
  m_bundle = std::move(bundle);
}

void handler_impl::depends_on(const event& what) {
  const auto& impl = access_impl::get(what);
  if (impl->node()) return m_named_nodes.push_back(impl->node());
  if (!impl->command()) return;
  m_group.dependencies.push_back(impl->command());
  m_named_events.push_back(std::shared_ptr<event_impl>(impl));
}

// ---- commands

void handler_impl::claim(const char* name) {
  if (m_command) {
    throw_error(errc::invalid, std::string("handler: a command group has one command; this one has ") +
                                   m_command + ", " + name +
                                   " cannot be added; submit the second one separately");
  }
  m_command = name;
}

void handler_impl::set(prism::request what, const char* name) {
  claim(name);
  m_group.what = std::move(what);
}

void handler_impl::check_nd_range(const kernel_launch& launch) const {
  const prism::devices::capabilities& info = m_queue->device()->info();
  const auto refuse = [&](const std::string& why) {
    throw_error(errc::nd_range, std::string("parallel_for(nd_range) of ") + launch.name + ": " + why);
  };
  std::uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.local[d] == 0) {
      refuse("the local range " + text(launch.local, launch) + " contains a zero");
    }
    if (launch.global[d] % launch.local[d] != 0) {
      refuse("the local range " + text(launch.local, launch) + " does not divide the global range " +
             text(launch.global, launch) + "; round the global range up and test the id in the kernel");
    }
    if (launch.local[d] > info.max_group_size || (items *= launch.local[d]) > info.max_group_size) {
      refuse("a work-group of " + text(launch.local, launch) + " items is too large for " +
             describe(*m_queue->device()) + ", whose limit is " + std::to_string(info.max_group_size) +
             " (info::device::max_work_group_size)");
    }
    if (launch.local[d] > info.max_local_size[static_cast<std::size_t>(d)]) {
      const std::uint64_t limit[3] = {info.max_local_size[0], info.max_local_size[1], info.max_local_size[2]};
      refuse("the local range " + text(launch.local, launch) + " exceeds the limits " + text(limit, launch) +
             " of " + describe(*m_queue->device()));
    }
  }
}

void handler_impl::check_tokens(const kernel_launch& launch) {
  const auto* bytes = static_cast<const std::byte*>(launch.bytes);
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  const prism::image::kernel_record* record = slot ? slot->record : nullptr;
  for (std::size_t at = 0; at + 8 <= launch.size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    if (!prism::is_token(word) || !prism::token_was_given(word) || find(word) || is_channel(word)) continue;
    if (is_local(word)) {
      if (!launch.is_range) continue;
      throw_error(errc::kernel_argument,
                  std::string("the kernel ") + launch.name +
                      " uses a local_accessor without work-groups; launch it with an nd_range");
    }
    // Padding may contain old stack data, including tokens of earlier groups. If the compiler recorded which
    // words are pointers, ignore the other words.
    if (record && std::none_of(record->slots, record->slots + record->slot_count,
                               [&](const auto& each) { return each.offset == at; }))
      continue;
    if (token_says_placeholder(word)) {
      throw_error(errc::kernel_argument,
                  std::string("the kernel ") + launch.name +
                      " uses a placeholder accessor that was not bound: call handler::require");
    }
    throw_error(errc::kernel_argument,
                std::string("the kernel ") + launch.name +
                    " uses an accessor that was made for another command group, or whose buffer "
                    "was destroyed; make it with this group's handler");
  }
  for (const use& u : m_uses) {
    if (u.request.place == target::host_task) {
      throw_error(errc::kernel_argument, std::string("the command group of kernel ") + launch.name +
                                             " has an accessor for host tasks; use target::device");
    }
  }
}

/// Checks the attributes of the kernel and of the functions that it calls: aspects, work-group and sub-group
/// sizes.
void handler_impl::check_attributes(const kernel_launch& launch) {
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  const prism::image::kernel_record* record = slot ? slot->record : nullptr;
  if (!record || (record->required_aspects == 0 && record->required_sub_group_size == 0 &&
                  record->required_local_size[0] == 0))
    return;
  const std::string why = attribute_refusal(*m_queue->device(), *record);
  if (!why.empty())
    throw_error(errc::kernel_not_supported, std::string("the kernel ") + launch.name + " on " +
                                                describe(*m_queue->device()) + ": " + why);
}

/// "dot: combines partial results": the second kernel of a reduction, after the first one, which has the
/// program's name. Valid until the process ends, as names of kernels are.
static const char* name_of_continuation(const char* first) {
  static std::mutex mutex;
  static auto& names = *new std::map<const char*, std::string>; // as many as kernels with reductions
  const std::lock_guard lock(mutex);
  std::string& name = names[first];
  if (name.empty()) name = std::string(first) + ": combines partial results";
  return name.c_str();
}

void handler_impl::set_kernel(const kernel_launch& given) {
  kernel_launch launch = given;
  if (m_origin.name != nullptr) {
    launch.name = name_of_continuation(m_origin.name);
    launch.functor = m_origin.functor;
    m_group.line = m_origin.line;
  }
  if (launch.group_dimensions != 0) return set_kernel(with_work_groups(launch, m_queue->device()->info()));
  check_attributes(launch);
  if (!m_arguments.empty()) {
    throw_error(errc::invalid, std::string("handler::set_arg: the kernel ") + launch.name +
                                   " is a function object, whose arguments are what it "
                                   "captures; numbered arguments are for kernel objects of make_kernel");
  }
  check_tokens(launch);
  if (m_bundle && !first_around(as_listed(m_queue->device()), [&](const auto& d) {
    return m_bundle->find(launch.slot, d.get()) != nullptr;
  })) {
    throw_error(errc::kernel_not_supported,
                std::string("the kernel bundle of the command group does not have the kernel ") +
                    launch.name + " for " + describe(*m_queue->device()));
  }
  const bool empty = std::find(launch.global, launch.global + 3, 0) != launch.global + 3;
  if (empty) { // does not run, but orders later commands
    set(prism::empty_request{}, "a kernel");
    return;
  }
  if (!multiplies(launch.global)) {
    throw_error(errc::nd_range, std::string("the kernel ") + launch.name + " has " +
                                    text(launch.global, launch) + " work-items, more than can be counted");
  }
  if (!launch.is_range) check_nd_range(launch);
  std::vector<prism::local_memory> locals = locals_of(launch);
  for (const prism::local_memory& local : locals) need_local(local);
  claim("a kernel");
  auto& kernel = m_group.what.emplace<prism::kernel_command>();
  kernel.slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  kernel.name = launch.name;
  if (m_functor == nullptr) m_functor = launch.functor;
  kernel.functor = m_functor;
  kernel.body.work_item = launch.body.work_item;
  if (m_channels.empty() && !items_of_ranges_have_ids)
    kernel.body.range = launch.body.range; // a stream needs the work-items' ids
  std::copy(launch.global, launch.global + 3, kernel.body.items);
  const auto* bytes = static_cast<const std::byte*>(launch.bytes);
  kernel.captured.assign(bytes, bytes + launch.size);
  kernel.is_range = launch.is_range;
  kernel.fits_group = launch.chooses_group;
  std::copy(launch.global, launch.global + 3, kernel.global.begin());
  std::copy(launch.local, launch.local + 3, kernel.local.begin());
  kernel.locals = std::move(locals);
  m_dimensions = launch.dimensions;
}

void handler_impl::set_host_task(std::function<void(const interop_handle&)> task, void* bytes,
                                 std::size_t size, bool is_interop) {
  auto state = std::make_shared<host_task_state>();
  state->device = m_queue->device();
  state->queue = m_queue->shared_node();
  state->task = std::move(task);
  state->bytes = bytes;
  state->size = size;
  state->is_interop = is_interop;
  set(prism::host_task_request{[state] { state->run(); }}, "a host task");
  m_host_task = std::move(state);
}

prism::copy_side handler_impl::side_of(const accessor_side& accessor) {
  const auto& buffer = buffer_of(accessor);
  find(accessor.token)->is_side = true;
  prism::copy_side side;
  side.buffer = buffer->node();
  side.region = engine_box(accessor.region);
  return side;
}

const std::shared_ptr<buffer_impl>& handler_impl::buffer_of(const accessor_side& accessor) {
  use* u = find(accessor.token);
  if (!u) {
    throw_error(
        errc::invalid,
        "handler: the accessor does not belong to this command group; make it with this handler, or bind a "
        "placeholder with handler::require");
  }
  return u->buffer;
}

// ---- submission

void handler_impl::finish_requirements() {
  if (m_host_task) m_host_task->pointers.reserve(m_uses.size());
  for (const use& u : m_uses) {
    if (u.is_side) continue;
    prism::requirement r;
    r.buffer = u.buffer->node();
    r.mode = engine_mode(u.request);
    // Pointers of a ranged accessor can also reach the rest of the buffer, so require all of it, unless
    // no_init discards the old data.
    const bool whole = !m_group.claims_regions && !u.request.no_init;
    r.region = engine_box(whole ? u.buffer->shape() : u.request.region);
    r.token = u.token;
    r.byte_offset = u.request.byte_offset;
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

// ---- host tasks

namespace {
thread_local const host_task_state* running_task = nullptr;
}

void host_task_state::run() {
  // Replace the tokens of accessors in the task's function object by addresses. Copies elsewhere (for example
  // in a container) call resolve_host_token.
  auto* at = static_cast<std::byte*>(bytes);
  if (places) { // replace the addresses of an earlier execution
    for (const auto& [offset, number] : *places) {
      const auto address = reinterpret_cast<std::uint64_t>(static_cast<std::byte*>(pointers[number].first) +
                                                           pointers[number].byte_offset);
      std::memcpy(at + offset, &address, 8);
    }
  }
  for (std::size_t offset = 0; offset + 8 <= size; offset += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + offset, 8);
    for (const pointer& p : pointers) {
      if (word != p.token || !p.first) continue;
      if (places) places->emplace_back(offset, std::size_t(&p - pointers.data()));
      const auto address = reinterpret_cast<std::uint64_t>(static_cast<std::byte*>(p.first) + p.byte_offset);
      std::memcpy(at + offset, &address, 8);
    }
  }
  struct scope {
    const host_task_state* before = running_task;
    ~scope() { running_task = before; }
  } restore;
  running_task = this;
  handler_impl::call(*this);
}

void handler_impl::call(const host_task_state& state) {
  const interop_impl impl(state);
  state.task(interop_handle(impl));
}

void* resolve_host_token(std::uint64_t token) {
  if (running_task) {
    for (const host_task_state::pointer& p : running_task->pointers) {
      if (p.token == token && p.first) return static_cast<std::byte*>(p.first) + p.byte_offset;
    }
  }
  throw_error(errc::invalid, "accessor: it is used outside of its command; use a host_accessor on the host");
}

// ---- functions of the headers

std::uint64_t bind_accessor(handler& group, const impl_ptr<buffer_impl>& buffer,
                            const access_request& request) {
  return group.m_impl.bind(buffer, request);
}
std::uint64_t bind_local(handler& group, std::uint64_t bytes, std::uint64_t alignment) {
  return group.m_impl.bind_local(bytes, alignment);
}

std::uint64_t bind_stream(handler& group, std::size_t text) { return group.m_impl.bind_stream(text); }

const char* extract_kernel_name(const char* pretty, const kernel_slot& slot) {
  std::string name = kernel_name_in(pretty);
  // The name of an unnamed kernel is the functor's type; the compiler's label has function and line.
  const prism::image::kernel_record* record = slot.record;
  if (record && name.find("(lambda at ") != std::string::npos) name = record->display_name;
  char* copy = new char[name.size() + 1]; // one per kernel, never freed
  return static_cast<const char*>(std::memcpy(copy, name.c_str(), name.size() + 1));
}

} // namespace detail

void handler::depends_on(event what) { m_impl.depends_on(what); }
void handler::depends_on(const std::vector<event>& all) {
  for (const event& e : all) m_impl.depends_on(e);
}
void handler::prism_then(std::function<void(handler&)> group) { m_impl.then(std::move(group)); }
void handler::prism_wraps(const char* functor) { m_impl.wrap(functor); }
device handler::prism_device() const {
  return detail::access_impl::make<device>(detail::as_listed(m_impl.queue().device()));
}
void handler::prism_barrier() { m_impl.barrier(); }
void handler::ext_oneapi_barrier(const std::vector<event>& events) {
  if (events.empty()) return;
  depends_on(events);
  m_impl.hold_later();
}
void handler::prism_graph(std::shared_ptr<detail::executable_graph> graph) {
  m_impl.set_graph(std::move(graph));
}
void handler::use_kernel_bundle(const kernel_bundle<bundle_state::executable>& bundle) {
  m_impl.use_bundle(detail::access_impl::get(bundle));
}
void handler::set_constant(const void* id, const void* value, std::size_t bytes) {
  m_impl.set_constant(id, value, bytes);
}
void handler::get_constant(const void* id, void* value, std::size_t bytes) const {
  m_impl.get_constant(id, value, bytes);
}
void handler::bind_placeholder(std::uint64_t token) { m_impl.bind_placeholder(token); }
void handler::set_kernel(const detail::kernel_launch& launch) { m_impl.set_kernel(launch); }
void handler::set_host_task(std::function<void(const interop_handle&)> task, void* bytes, std::size_t size,
                            bool is_interop) {
  m_impl.set_host_task(std::move(task), bytes, size, is_interop);
}

}
} // namespace sycl::_V1
