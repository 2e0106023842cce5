// PRISM_CHECK=access: memory that two commands use at the same time as far as anybody has said, one of them writing; memory
// that is freed, or changed by the host, while a command may still use it; memory that belongs to a live buffer and is used
// otherwise. Decided from what is ordered (depends_on, in-order queues, barriers, buffers, graphs, waits of the host), never
// from when things happen to run, so a run tells the same each time.
//
// What it cannot see: pointers inside of structures in memory, how far a kernel goes from a pointer it was given (two kernels
// conflict only where they are given the same one). Host code that reads and writes is seen where it was compiled with
// `--check=access` (host_accesses.cpp). Reports go to the log, each text once.
#pragma once

#include "runtime/execution/command.hpp"

#include <atomic>
#include <string>

namespace prism::memory {
class usm_registry;
}

namespace prism::schedule {

class access_check {
public:
  /// Null unless PRISM_CHECK asks for it.
  static access_check* active();

  struct memory_use {
    std::uint64_t base = 0, begin = 0, end = 0; // of the USM allocation, 0: the host's own memory; of the bytes
    bool writes = false;
    bool open = false; // a kernel's: it is not known how far it goes
  };
  /// Bytes that a command reads and the host must leave alone until it knows that the command is complete.
  struct watch {
    std::uint64_t begin = 0, bytes = 0, rows = 1, pitch = 0;
    std::uint64_t content = 0; // a hash of them when the command was submitted
  };
  /// What a kernel may write, as it was when the kernel was submitted: what differs afterwards the kernel has written.
  struct snapshot {
    std::uint64_t begin = 0;
    std::vector<std::byte> bytes;
    std::uint64_t end() const { return begin + bytes.size(); }
  };
  struct buffer_use {
    const void* root = nullptr;
    std::uint64_t begin = 0, end = 0;
    bool writes = false;
  };
  struct uses {
    std::string name, line; // line: "app.cpp:12" of the program; empty when it is not known
    std::vector<memory_use> memory;
    std::vector<buffer_use> buffers;
    std::vector<watch> watched;
    std::vector<snapshot> kept;
    bool unknown = false; // may write what is not listed: host tasks, pointers found in memory, kernels of other compilers
  };
  /// Adds what a command group uses.
  static void look(const memory::usm_registry& usm, const command_group& group, uses& out);

  struct place {
    const driver_queue* queue = nullptr;
    bool in_order = false, barrier = false, holds_later = false;
  };
  struct host_access {
    std::uint64_t begin = 0, end = 0;
    bool writes = false;
    const char* place = nullptr; // "app.cpp:12:5"; null: not known
  };
  /// Whether host code says what it accesses: it has once.
  static bool hears_host_code() { return s_hears.load(std::memory_order_relaxed); }
  /// Before an access of host code. Two loads where no command that nobody has waited for is near.
  static void host_code_uses(const host_access& what) {
    if (!s_hears.load(std::memory_order_relaxed)) s_hears.store(true, std::memory_order_relaxed);
    if (what.begin < s_used_end.load(std::memory_order_relaxed) && s_used_begin.load(std::memory_order_relaxed) < what.end) look_at_host_code(what);
  }

  void submitted(const command_ref& c, const place& where, const std::vector<command_ptr>& after, uses what);
  /// The host knows that it is complete.
  void waited(const command& c);
  void waited(const driver_queue& all);
  void waited_for_buffer(const void* root, std::uint64_t begin, std::uint64_t end);
  void freed(std::uint64_t base, std::uint64_t bytes);
  /// A buffer that uses the program's own memory.
  void buffer_made(const void* root, const void* host, std::uint64_t bytes);
  void buffer_gone(const void* root);
  std::size_t reports() const;

  /// While one lives on this thread commands are parts of something that is noted as a whole.
  class quiet {
  public:
    quiet();
    ~quiet();
    quiet(const quiet&) = delete;
    static bool here();

  private:
    bool m_before;
  };

private:
  struct node {
    command_ref what;
    std::uint64_t number;
    place where;
    uses used;
    std::vector<std::uint64_t> before; // numbers of all nodes that come before, rising
    std::vector<host_access> touched;  // where it may write, before anybody has waited for it
  };
  struct live_buffer {
    const void* root;
    std::uint64_t begin, end;
    std::string writer; // the last command that wrote it
  };
  void add_order(node& fresh, const node& earlier) const;
  void compare(const node& fresh, const node& earlier);
  void look_at_buffers(const node& fresh);
  void keep_watches(node& fresh);
  void look_at_watches(const node& over);
  void report(const std::string& text);

  // host_accesses.cpp
  static void look_at_host_code(const host_access& what);
  void compare(node& pending, const host_access& what);
  void report(const node& pending, const memory_use& use, const host_access& what);
  void keep_snapshots(node& fresh);
  void look_at_touched(const node& over);
  void note_used_range();
  template <typename Which>
  void forget(Which which);

  mutable std::mutex m_mutex;
  std::vector<node> m_nodes; // not yet waited for
  std::vector<live_buffer> m_buffers;
  std::uint64_t m_next = 0;
  std::vector<std::string> m_reported;
  // around all that m_nodes use
  static inline std::atomic<std::uint64_t> s_used_begin{~std::uint64_t{0}}, s_used_end{0};
  static inline std::atomic<bool> s_hears{false};
};

} // namespace prism::schedule
