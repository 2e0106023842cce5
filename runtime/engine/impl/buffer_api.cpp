// Buffers: creation, host access and reading back, for the SYCL classes.
#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/coherence/make_buffer.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/support/text.hpp"

#include <cstring>

namespace prism {

using namespace runtime;

namespace {

void report_wait(const buffer_view& view) {
  const memory::interval claim = view.claim();
  const buffer_span bytes{view.root().get(), claim.begin, claim.end};
  if (observe::wants(observe::waits)) observe::waited({.bytes = &bytes});
}

/// A live host accessor: a command that completes when this object is destroyed.
class live_host_access final : public host_access {
public:
  live_host_access(command_ref c, buffer_ptr buffer, void* data)
      : m_command(std::move(c)), m_buffer(std::move(buffer)), m_data(data) {}
  ~live_host_access() override { m_command->release(); }
  void* data() const override { return m_data; }

private:
  command_ref m_command;
  buffer_ptr m_buffer;
  void* m_data;
};

void refuse_failed_bytes(const std::exception_ptr& failed) {
  if (failed != nullptr)
    throw error(error_code::runtime,
                "the buffer's bytes are not valid on the host, because a command that wrote them failed: " +
                    support::text_of(failed) + "; write them again before you read them");
}

std::shared_ptr<live_host_access> access_on_host(const buffer_ptr& owner, buffer_node& node, access_mode mode,
                                                 const box& region, memory::copy_reason why,
                                                 const source_line& line) {
  enter();
  const deferred_release later; // destructors of finished work run without locks
  buffer_view& view = view_of(node);
  use_list uses(1);
  buffer_use& use = uses.front();
  use.buffer = &view;
  use.where = view.checked(region);
  use.reads = mode_reads(mode);
  use.writes = mode_writes(mode);
  use.on_host = true;
  use.why = why;
  use.accepts_failed = why == memory::copy_reason::write_back; // the queue reports the failure
  const auto c = make_command(nullptr, host_access_work{});
  c->set_origin({.file = line.file, .line = line.line, .what = command_origin::kind::host_accessor});
  if (observe::wants(observe::transfers)) c->set_label({}, text_of(line));
  std::shared_ptr<live_host_access> made;
  dependency_list before;
  try {
    buffer_plan plan(nullptr, uses);
    if (use.reads && !use.accepts_failed) refuse_failed_bytes(plan.failure_of_bytes(use));
    plan.make(false);
    auto* bytes = static_cast<std::byte*>(plan.host_pointer(use));
    made = std::make_shared<live_host_access>(c, owner, bytes == nullptr ? nullptr : bytes + view.offset());
    plan.commit(c);
    before = c->waits_for();
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
  for (const dependency& d : before)
    if (!d.on->runs_on_this_thread()) d.on->wait();
  report_wait(view);
  try {
    for (const dependency& d : before)
      if (d.data && d.on->failure() != nullptr) {
        d.on->pass_on_failure();
        refuse_failed_bytes(d.on->failure());
      }
  } catch (...) { // the bytes stay invalid, although a command would have written them
    c->fail(std::current_exception());
    throw;
  }
  return made;
}

} // namespace

buffer_ptr create_buffer(const buffer_options& options) {
  try {
    return make_buffer(enter().devices(), options);
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
}

buffer_ptr create_sub_buffer(const buffer_ptr& parent, std::uint64_t byte_offset,
                             const buffer_options& options) {
  const buffer_view& whole = view_of(*parent);
  const memory::shape shape = shape_of(options);
  if (byte_offset > whole.bytes() || shape.bytes() > whole.bytes() - byte_offset)
    throw error(error_code::invalid, "a sub-buffer of " + std::to_string(shape.bytes()) + " bytes at byte " +
                                         std::to_string(byte_offset) + " leaves its buffer of " +
                                         std::to_string(whole.bytes()) + " bytes");
  const std::uint64_t offset = whole.offset() + byte_offset;
  const bool same = offset == 0 && shape == whole.root()->geometry();
  return std::make_shared<buffer_view>(whole.root(), offset, shape, options.element_bytes, same);
}

void end_of_buffer(buffer_node& buffer) {
  if (observe::wants(observe::allocations))
    observe::allocation_changed(
        {.what = observe::allocation_event::kind::buffer_destroyed, .buffer = view_of(buffer).root().get()});
}

std::shared_ptr<host_access> acquire_host_access(const buffer_ptr& buffer, access_mode mode,
                                                 const box& region, const source_line& line) {
  return access_on_host(buffer, *buffer, mode, region, memory::copy_reason::host_read, line);
}

void read_back(buffer_node& buffer, void* to, const source_line& line) {
  if (buffer.bytes() == 0) return;
  buffer_view& view = view_of(buffer);
  const auto access =
      access_on_host(nullptr, buffer, access_mode::read, view.whole(), memory::copy_reason::write_back, line);
  bool empty;
  {
    const std::lock_guard lock(view.root()->mutex);
    empty = memory::unwritten(view.root()->contents, memory::whole(view.root()->geometry()));
  }
  if (to != nullptr && to != access->data() && !empty) std::memcpy(to, access->data(), buffer.bytes());
}

buffer_span span_of(const buffer_node& buffer) {
  const auto& view = static_cast<const runtime::buffer_view&>(buffer);
  const memory::interval claim = view.claim();
  return {view.root().get(), claim.begin, claim.end};
}

void wait_for_users(buffer_node& buffer) {
  buffer_view& view = view_of(buffer);
  std::vector<completable_ref> users;
  {
    const std::lock_guard lock(view.root()->mutex);
    view.root()->users.users(view.claim(), users);
  }
  for (const completable_ref& u : users)
    if (const auto c = std::static_pointer_cast<scheduled_command>(u);
        !c->is_host_access() && !c->runs_on_this_thread())
      c->wait();
  report_wait(view);
}

void leave_host_memory(buffer_node& buffer, bool before_use) {
  buffer_view& view = view_of(buffer);
  buffer_state& root = *view.root();
  const std::lock_guard lock(root.mutex);
  if (before_use && !root.allocations.objects().empty()) return;
  std::vector<completable_ref> users;
  root.users.users(view.claim(), users);
  for (const completable_ref& user : users)
    if (!user->finished()) return;
  try {
    root.allocations.leave_user_memory();
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
}

bool was_written(const buffer_node& buffer) {
  buffer_state& root = *static_cast<const buffer_view&>(buffer).root();
  const std::lock_guard lock(root.mutex);
  return root.written;
}

bool is_defined(const buffer_node& buffer) {
  buffer_state& root = *static_cast<const buffer_view&>(buffer).root();
  const std::lock_guard lock(root.mutex);
  return memory::defined(root.contents);
}

bool uses_host_pointer(const buffer_node& buffer) {
  buffer_state& root = *static_cast<const buffer_view&>(buffer).root();
  const std::lock_guard lock(root.mutex);
  return root.allocations.uses_user_memory();
}

std::vector<std::string> copy_history(const buffer_node& buffer) {
  buffer_state& root = *static_cast<const buffer_view&>(buffer).root();
  const std::lock_guard lock(root.mutex);
  std::vector<std::string> out;
  for (const buffer_state::past_copy& c : root.history)
    out.push_back(std::to_string(c.bytes) + " B " + root.memory_name(c.from) + " -> " +
                  root.memory_name(c.to) + ": " + memory::reason_text(c.why));
  return out;
}

buffer_ptr device_global_on(device_node& device, const void* object, std::uint64_t bytes) {
  enter();
  try {
    return static_cast<device_state&>(device).globals().get(object, bytes);
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
}

} // namespace prism
