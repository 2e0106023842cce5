// Host tasks: the command of one, and its accessors while it runs.
#include "runtime/api/command_group.hpp"

#include <cstring>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace detail {

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

}
}
} // namespace sycl::_V1::detail
