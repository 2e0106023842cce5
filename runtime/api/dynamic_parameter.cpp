// Dynamic parameters: their values, the uses that a command group states, and the changes of nodes.
#include "runtime/api/dynamic_value.hpp"

#include "runtime/api/command_group.hpp"
#include "runtime/api/graph_impl.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

dynamic_value::state state_of(const dynamic_bytes& from) {
  const auto* first = static_cast<const std::byte*>(from.bytes);
  return {{first, first + from.size}, from.items};
}

/// A number that marks one argument: no address, accessor's token or other argument has this value.
std::uint64_t new_mark() {
  static std::atomic<std::uint32_t> last{0};
  return std::uint64_t{0x9d1c5a3e} << 32 | ++last;
}

/// The command group of a part, for a change of the part.
template <typename Request, typename Change>
void change_group(graph_part& part, const Change& change) {
  auto group = std::make_shared<prism::command_group>(*part.group);
  change(*group, std::get<Request>(group->what));
  part.group = std::move(group);
}

void write_requirement(graph_contents& to, const dynamic_use& use, const std::vector<std::byte>& accessor) {
  const placeholder now = placeholder_of(accessor);
  check_buffer(*now.buffer, to.device);
  graph_part& part = to.parts[use.part];
  auto group = std::make_shared<prism::command_group>(*part.group);
  for (prism::requirement& r : group->requirements)
    if (r.token == use.token) r = requirement_of(*now.buffer, now.request, use.token, group->claims_regions);
  part.group = std::move(group);
  if (part.compared)
    for (compared_buffer& each : *part.compared)
      if (each.use.token == use.token)
        each = {
            {use.token, nullptr, now.buffer->byte_offset() + now.request.byte_offset, now.request.no_init},
            now.buffer};
  to.buffers[use.buffer] = now.buffer;
}

} // namespace

placeholder placeholder_of(const std::vector<std::byte>& accessor) {
  std::uint64_t token = 0;
  std::memcpy(&token, accessor.data(), sizeof token);
  auto found = find_placeholder(token);
  if (!found)
    throw_error(errc::invalid, "dynamic_parameter: the accessor is not a placeholder, or its buffer was "
                               "destroyed; make it without a handler");
  return std::move(*found);
}

dynamic_value::dynamic_value(const dynamic_bytes& initial)
    : m_kind(initial.what), m_alignment(initial.alignment), m_now(state_of(initial)) {
  if (m_kind == dynamic_bytes::kind::accessor) placeholder_of(m_now.bytes);
}

dynamic_value::state dynamic_value::now() const {
  const std::lock_guard lock(m_mutex);
  return m_now;
}

void dynamic_value::add_graph(const std::shared_ptr<modifiable_graph>& graph) {
  const std::lock_guard lock(m_mutex);
  const auto is_it = [&](const auto& each) { return each.lock() == graph; };
  if (std::none_of(m_graphs.begin(), m_graphs.end(), is_it)) m_graphs.push_back(graph);
}

void dynamic_value::change(const dynamic_bytes& to) {
  const state wanted = state_of(to);
  if (m_kind == dynamic_bytes::kind::accessor) placeholder_of(wanted.bytes);
  std::vector<std::shared_ptr<modifiable_graph>> graphs;
  state before;
  {
    const std::lock_guard lock(m_mutex);
    before = std::exchange(m_now, wanted); // nodes that are added meanwhile have the new value
    for (const auto& each : m_graphs)
      if (auto graph = each.lock()) graphs.push_back(std::move(graph));
  }
  const auto write_all = [&](const state& value, std::size_t count) {
    for (std::size_t g = 0; g < count; ++g)
      graphs[g]->replace_uses(
          *this, [&](graph_contents& contents, const dynamic_use& use) { write(contents, use, value); });
  };
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    try {
      graphs[g]->replace_uses(
          *this, [&](graph_contents& contents, const dynamic_use& use) { write(contents, use, wanted); });
    } catch (...) {
      write_all(before, g);
      const std::lock_guard lock(m_mutex);
      m_now = before;
      throw;
    }
  }
}

void dynamic_value::write(graph_contents& to, const dynamic_use& use, const state& value) const {
  graph_part& part = to.parts[use.part];
  if (m_kind == dynamic_bytes::kind::accessor) write_requirement(to, use, value.bytes);
  switch (use.what) {
    case dynamic_use::place::requirement: return;
    case dynamic_use::place::range: return set_range(to, "dynamic_parameter::update", *value.items);
    case dynamic_use::place::captured:
      return change_group<prism::kernel_command>(part, [&](auto&, prism::kernel_command& kernel) {
        std::byte* const place = kernel.captured.data() + use.offset;
        std::copy(value.bytes.begin(), value.bytes.end(), place);
        if (use.token != 0) std::memcpy(place, &use.token, sizeof use.token);
      });
    case dynamic_use::place::argument: break;
  }
  if (use.token != 0) return; // the argument names the requirement
  change_group<prism::native_kernel_request>(part, [&](auto&, prism::native_kernel_request& kernel) {
    for (prism::native_kernel_argument& each : kernel.arguments) {
      if (each.index != use.index) continue;
      if (m_kind == dynamic_bytes::kind::value) each.value = value.bytes;
      else std::memcpy(&each.pointer, value.bytes.data(), sizeof each.pointer);
    }
  });
}

// ---- in command groups

std::shared_ptr<modifiable_graph> handler_impl::graph() const {
  if (m_into) return m_into;
  if (auto recorder = m_queue->recorded_by()) return recorder;
  return m_named_nodes.empty() ? nullptr : m_named_nodes.front()->graph.lock();
}

void handler_impl::refuse_outside_graph(const char* asked) const {
  if (graph()) return;
  throw_error(errc::invalid, std::string(asked) +
                                 ": the command group is not for a graph; dynamic parameters "
                                 "are for graphs");
}

std::uint64_t handler_impl::bind_dynamic(const std::shared_ptr<dynamic_value>& what) {
  if (what->kind() != dynamic_bytes::kind::accessor) return 0;
  for (const dynamic_use& each : m_dynamic)
    if (each.from == what && each.token != 0) return each.token;
  placeholder bound = placeholder_of(what->now().bytes);
  const std::uint64_t token = accessor_token(bound.request.no_init, false);
  add(token, std::move(bound.buffer), bound.request);
  return token;
}

std::uint64_t handler_impl::capture(const std::shared_ptr<dynamic_value>& what, void* bytes) {
  refuse_outside_graph("dynamic_parameter::in");
  dynamic_use use;
  use.from = what;
  use.token = bind_dynamic(what);
  use.mark = new_mark();
  use.index = std::max<std::size_t>(sizeof use.mark, what->alignment());
  const dynamic_value::state now = what->now();
  std::memcpy(bytes, now.bytes.data(), now.bytes.size());
  if (use.token != 0) std::memcpy(bytes, &use.token, sizeof use.token);
  m_dynamic.push_back(use);
  return use.mark;
}

void handler_impl::set_dynamic_range(const std::shared_ptr<dynamic_value>& what, void* bytes) {
  refuse_outside_graph("dynamic_parameter::as_range");
  const dynamic_value::state now = what->now();
  std::memcpy(bytes, now.bytes.data(), now.bytes.size());
  dynamic_use use;
  use.from = what;
  use.what = dynamic_use::place::range;
  m_dynamic.push_back(std::move(use));
}

void handler_impl::set_dynamic_argument(int index, const std::shared_ptr<dynamic_value>& what) {
  refuse_outside_graph("handler::set_arg");
  dynamic_use use;
  use.from = what;
  use.what = dynamic_use::place::argument;
  use.token = bind_dynamic(what);
  use.index = static_cast<std::size_t>(index);
  const dynamic_value::state now = what->now();
  prism::native_kernel_argument argument;
  using kind = prism::native_kernel_argument::kind;
  switch (what->kind()) {
    case dynamic_bytes::kind::accessor:
      argument.what = kind::accessor;
      argument.token = use.token;
      break;
    case dynamic_bytes::kind::pointer:
      argument.what = kind::pointer;
      std::memcpy(&argument.pointer, now.bytes.data(), sizeof argument.pointer);
      break;
    case dynamic_bytes::kind::value: argument.value = now.bytes; break;
  }
  set_argument(index, std::move(argument));
  m_dynamic.push_back(std::move(use));
}

void handler_impl::require(const std::shared_ptr<dynamic_value>& what) {
  refuse_outside_graph("handler::require");
  dynamic_use use;
  use.from = what;
  use.what = dynamic_use::place::requirement;
  use.token = bind_dynamic(what);
  m_dynamic.push_back(std::move(use));
}

/// Adds a use for each place where the kernel captured the argument.
void handler_impl::keep_captured(const dynamic_use& use, graph_contents& to) const {
  bool found = false;
  for (std::size_t p = 0; p < to.parts.size(); ++p) {
    const auto* kernel = std::get_if<prism::kernel_command>(&to.parts[p].group->what);
    if (kernel == nullptr) continue;
    const auto& bytes = kernel->captured;
    for (std::size_t at = 0; at + use.index + use.from->now().bytes.size() <= bytes.size(); at += 8) {
      if (std::memcmp(bytes.data() + at, &use.mark, sizeof use.mark) != 0) continue;
      to.dynamic.push_back(use);
      to.dynamic.back().part = p;
      to.dynamic.back().offset = at + use.index;
      found = true;
    }
  }
  if (!found)
    throw_error(errc::invalid,
                "dynamic_parameter::in: the command of " + text_of(std::nullopt, to) +
                    " is not a kernel that captures the argument; capture the object that in() "
                    "returned, not a value made from it");
}

void handler_impl::keep_dynamic_in(graph_contents& to) {
  for (dynamic_use& use : m_dynamic) {
    if (use.token != 0) use.buffer = std::size_t(find(use.token) - m_uses.data()); // as in keep_command_in
    if (to.type != prism::node_type::kernel)
      throw_error(errc::invalid, std::string("dynamic_parameter: the command is a ") + name_of(to.type) +
                                     "; only kernels can have dynamic parameters");
    if (use.what == dynamic_use::place::captured) {
      keep_captured(use, to);
      continue;
    }
    if (use.what == dynamic_use::place::range) {
      graph_contents same = to; // throws if the range could not be changed
      set_range(same, "dynamic_parameter::as_range", *use.from->now().items);
      const auto& mine = std::get<prism::kernel_command>(to.parts[0].group->what);
      const auto& asked = std::get<prism::kernel_command>(same.parts[0].group->what);
      if (mine.global != asked.global || mine.local != asked.local)
        throw_error(errc::invalid, "dynamic_parameter::as_range: " + text_of(std::nullopt, to) +
                                       " does not run over the parameter's range");
    }
    to.dynamic.push_back(use);
  }
}

impl_ptr<dynamic_value> make_dynamic_value(const dynamic_bytes& initial) {
  return std::make_shared<dynamic_value>(initial);
}
void change_dynamic_value(dynamic_value& what, const dynamic_bytes& now) { what.change(now); }
std::uint64_t capture_dynamic_value(handler& group, const impl_ptr<dynamic_value>& what, void* bytes) {
  return handler_impl::of(group).capture(what, bytes);
}
void set_dynamic_range(handler& group, const impl_ptr<dynamic_value>& what, void* bytes) {
  handler_impl::of(group).set_dynamic_range(what, bytes);
}
void set_dynamic_argument(handler& group, int index, const impl_ptr<dynamic_value>& what) {
  handler_impl::of(group).set_dynamic_argument(index, what);
}
void require_dynamic_value(handler& group, const impl_ptr<dynamic_value>& what) {
  handler_impl::of(group).require(what);
}

}
}
} // namespace sycl::_V1::detail
