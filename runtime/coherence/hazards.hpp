// The commands that a new command must wait for because of the bytes it uses: the last writers and the
// readers since then, by byte interval of one buffer. Disjoint intervals (sub-buffers) do not conflict.
// Completed users are removed. The caller must lock the buffer.
#pragma once

#include "runtime/execution/completable.hpp"
#include "runtime/memory/coherence_map.hpp"

#include <vector>

namespace prism::runtime {

struct hazard {
  completable_ref on;
  bool data = false; // it wrote bytes that this command uses, so its failure makes this command fail
};

using hazard_list = small_vector<hazard, 4>;
using released_list = small_vector<completable_ref, 8>;

class hazards {
public:
  /// Appends the unfinished commands that a new use must wait for, and writers of bytes that it reads whose
  /// failure the program has not received yet. `touched`: memories that the command or its copies use. A
  /// command that copies into one of them must complete first, even if both commands only read.
  void collect(memory::interval bytes, bool reads, bool writes, memory::memory_set touched, hazard_list& out);
  /// Registers a use after collect. `pending_copies`: memories that the command's copies write to.
  void add(memory::interval bytes, bool writes, memory::memory_set pending_copies, completable_ref user);
  /// The memory was another buffer's, whose command may not have completed: a command that touches the memory
  /// must wait for it, whether it failed or not.
  void add_former(memory::memory_id memory, completable_ref user);
  /// The unfinished ones among these that no registered command waits for.
  void former_users(std::vector<completable_ref>& out) const;
  /// The memory is no longer the buffer's.
  void forget_former(memory::memory_id memory);
  /// The last writer of some bytes of the interval, if it failed; null if all of them are valid.
  completable_ref failed_writer(memory::interval bytes) const;
  /// All unfinished users of the interval, and the former ones that none of these waits for.
  void users(memory::interval bytes, std::vector<completable_ref>& out) const;
  std::size_t size() const { return m_ordering.size() + m_readers.size(); }

private:
  struct use {
    memory::interval bytes;
    bool writes;
    memory::memory_set pending_copies;
    completable_ref user;
  };
  using uses = std::vector<use>;
  static void forget_covered(uses& list, memory::interval bytes, const completable_ref& but,
                             released_list& released);
  static void forget_known_finished(uses& list, released_list& released);
  void shrink_failed(memory::interval written);
  // Writers, and readers whose copies write to some memory: later readers may have to wait for these. Failed
  // writers stay until their bytes are written again.
  uses m_ordering;
  uses m_readers; // all other readers; readers need not wait for them
  struct former_use {
    memory::memory_id memory;
    completable_ref user;
    bool is_awaited = false; // by a command that uses the memory now
  };
  std::vector<former_use> m_former;
  std::size_t m_prune_at = 16;
};

} // namespace prism::runtime
