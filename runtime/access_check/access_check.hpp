// PRISM_CHECK=access. Reports memory that two commands use without an order between them, if one of them
// writes it; memory that the host frees or changes while a command may still use it; and memory of a live
// buffer that is accessed without the buffer.
//
// The check only considers declared order (depends_on, in-order queues, barriers, buffers, graphs, waits of
// the host), never the actual times of execution. So each run of a program reports the same.
//
// Limits: it does not see pointers stored in memory, and does not know how far a kernel accesses memory from
// a given pointer (two kernels conflict only if they are given the same pointer). Accesses of host code are
// seen if the code was compiled with `--check=access` (host_accesses.cpp). Reports go to the log; each text
// is reported once.
#pragma once

#include "runtime/access_check/access_uses.hpp"
#include "runtime/observe/observer.hpp"

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace prism::runtime {

class access_check final : public observe::observer {
public:
  explicit access_check(const memory::usm_registry& usm) : m_usm(usm) {}

  using uses = access_uses;
  using memory_use = access_uses::memory_use;
  using watch = access_uses::watch;
  using snapshot = access_uses::snapshot;
  using buffer_use = access_uses::buffer_use;

  struct queue_order {
    const void* queue = nullptr;
    bool in_order = false, barrier = false, holds_later = false;
  };
  using host_access = host_code_access;

  std::uint32_t interests() const noexcept override {
    return observe::submissions | observe::waits | observe::allocations;
  }
  std::shared_ptr<observe::follower> submitting(const observe::submission_event& event) override;
  void waited(const observe::wait_event& event) override;
  void allocation_changed(const observe::allocation_event& event) override;
  /// Called for an access of host code that may use memory of a command that no thread has waited for.
  void look_at_host_code(const host_access& what);

private:
  class checked_submission;
  void submitted(const command_ptr& c, const queue_order& where, std::span<const command_ptr> after,
                 uses what, std::uint64_t removals);
  struct freed_memory {
    std::uint64_t base, bytes;
    const command_node* by; // the host task that frees it; null: the host
  };
  void freed(const freed_memory& what);
  static std::string described(const freed_memory& what);
  void look_at_users(const freed_memory& what, std::span<const std::uint64_t> complete);
  void buffer_made(const void* root, std::uint64_t begin, std::uint64_t bytes);
  void buffer_destroyed(const void* root);
  struct node {
    command_ptr what;
    std::uint64_t number;
    queue_order where;
    uses used;
    std::vector<std::uint64_t> before; // numbers of all nodes ordered before it, ascending
    // host accesses to memory that it may write, made before any thread waited for it
    std::vector<host_access> touched;
  };
  struct live_buffer {
    const void* root;
    std::uint64_t begin, end;
    std::string writer; // the last command that wrote it
  };
  void add_order(node& fresh, const node& earlier) const;
  void compare(const node& fresh, const node& earlier);
  void compare_commands(std::span<const graph_command> graph);
  void look_at_buffers(const node& fresh);
  void prune_watches(uses& fresh);
  void look_at_watches(const node& over);
  void report(const std::string& text);

  // host_accesses.cpp
  void compare(node& pending, const host_access& what);
  void report(const node& pending, const memory_use& use, const host_access& what);
  void prune_snapshots(node& fresh);
  void look_at_touched(const node& over);
  void record_used_range();
  template <typename Which>
  void forget(Which which);

  mutable std::mutex m_mutex;
  std::vector<node> m_nodes; // no thread has waited for them
  std::vector<live_buffer> m_buffers;
  std::vector<freed_memory> m_freed_early;  // by host tasks whose submission is not reported yet
  std::uint64_t m_next = 0, m_removals = 0; // m_removals: how often commands were removed from m_nodes
  std::vector<std::string> m_reported;
  const memory::usm_registry& m_usm;
};

/// Creates the check if PRISM_CHECK requests it, otherwise returns null. Called once, by the process runtime.
access_check* check_accesses_if_asked(const memory::usm_registry& usm);
/// The check made by check_accesses_if_asked; null: none.
access_check* active_access_check() noexcept;

} // namespace prism::runtime
