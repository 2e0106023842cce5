// What a command must wait for because of the bytes it uses: the last writers and the readers since, by byte interval
// of one buffer. Disjoint intervals (sub-buffers) do not conflict. Completed users are forgotten. The caller holds the
// buffer's lock.
#pragma once

#include "runtime/memory/ledger.hpp"

#include <memory>
#include <vector>

namespace prism::graph {

/// What hazards know of a command.
class node {
public:
  virtual ~node() = default;
  virtual bool finished() const = 0;
};
using node_ref = std::shared_ptr<node>;

struct hazard {
  node_ref on;
  bool data = false; // it wrote what this command uses: its failure is this command's failure too
};

class hazards {
public:
  /// Appends the unfinished commands that a new use must wait for. `touched`: memories that the command or its copies
  /// use; a command that copies into one of them must come first even if both only read.
  void collect(memory::interval bytes, bool reads, bool writes, memory::memory_set touched, std::vector<hazard>& out);
  /// Registers a use after collect. `arrivals`: memories that the command's copies fill.
  void add(memory::interval bytes, bool writes, memory::memory_set arrivals, node_ref who);
  /// All unfinished users of the interval.
  void users(memory::interval bytes, std::vector<node_ref>& out) const;
  std::size_t size() const { return m_uses.size(); }

private:
  struct use {
    memory::interval bytes;
    bool writes;
    memory::memory_set arrivals;
    node_ref who;
  };
  void forget_finished(std::vector<node_ref>& released);
  std::vector<use> m_uses;
  std::size_t m_prune_at = 16;
};

} // namespace prism::graph
