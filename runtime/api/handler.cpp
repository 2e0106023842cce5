// sycl::handler: collects accessors, constants, dependencies and the command while the command group function
// runs. handler_kernel.cpp validates kernels, handler_submit.cpp submits the command.
#include "runtime/api/command_group.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace sycl {
inline namespace _V1 {

namespace detail {

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

void check_buffer(const buffer_impl& buffer, const std::shared_ptr<device_impl>& device) {
  const std::uint64_t alignment = device->info().base_alignment;
  if (buffer.is_part() && alignment && buffer.byte_offset() % alignment != 0) {
    throw_error(errc::invalid, "accessor: the sub-buffer starts at byte " +
                                   std::to_string(buffer.byte_offset()) + ", which " + describe(*device) +
                                   " cannot address; start at a multiple of " + std::to_string(alignment) +
                                   " bytes (info::device::mem_base_addr_align is in bits)");
  }
  const property_list& properties = buffer.properties();
  if (properties.has_property<property::buffer::context_bound>() &&
      !access_impl::get(properties.get_property<property::buffer::context_bound>().get_context())
           ->holds(device)) {
    throw_error(
        errc::invalid,
        "accessor: the buffer is bound to a context (property::buffer::context_bound) that does not have " +
            describe(*device) + "; use a queue of one of its devices");
  }
}

void handler_impl::add(std::uint64_t token, std::shared_ptr<buffer_impl> buffer,
                       const access_request& request) {
  check_buffer(*buffer, m_queue->device());
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
  impl->refuse_discarded("depends_on");
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
bool handler::prism_fixes_order() const { return m_impl.fixes_order(); }
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
