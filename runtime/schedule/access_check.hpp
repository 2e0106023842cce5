// PRISM_CHECK=access: USM that two commands use at the same time as far as anybody has said, one of them writing, and USM
// that is freed while a command may still use it. Decided from what is ordered (depends_on, in-order queues, barriers, buffers,
// graphs, waits of the host), never from when things happen to run, so a run tells the same each time.
//
// What it cannot see: pointers inside of structures in memory, how far a kernel goes from a pointer it was given (two kernels
// conflict only where they are given the same one), host code. Reports go to the log, each pair of names once.
#pragma once

#include "runtime/schedule/command.hpp"

#include <string>

namespace prism::schedule {

class access_check {
public:
  /// Null unless PRISM_CHECK asks for it.
  static access_check* active();

  struct usm_use {
    std::uint64_t base = 0, begin = 0, end = 0; // of the allocation; of the bytes
    bool writes = false;
    bool open = false; // a kernel's: it is not known how far it goes
  };
  struct buffer_use {
    const void* root = nullptr;
    std::uint64_t begin = 0, end = 0;
    bool writes = false;
  };
  struct uses {
    std::string name;
    std::vector<usm_use> usm;
    std::vector<buffer_use> buffers;
  };
  /// Adds what a command group uses.
  static void look(const command_group& group, uses& out);

  struct place {
    const lane* queue = nullptr;
    bool in_order = false, barrier = false, holds_later = false;
  };
  void submitted(const command_ref& c, const place& where, const std::vector<command_ptr>& after, uses what);
  /// The host knows that it is complete.
  void waited(const command& c);
  void waited(const lane& all);
  void waited_for_buffer(const void* root, std::uint64_t begin, std::uint64_t end);
  void freed(std::uint64_t base, std::uint64_t bytes);
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
  };
  void add_order(node& fresh, const node& earlier) const;
  void compare(const node& fresh, const node& earlier);
  void report(const std::string& text);
  template <typename Which>
  void forget(Which which);

  mutable std::mutex m_mutex;
  std::vector<node> m_nodes; // not yet waited for
  std::uint64_t m_next = 0;
  std::vector<std::string> m_reported;
};

} // namespace prism::schedule
