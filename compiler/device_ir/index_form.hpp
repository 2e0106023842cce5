// Integers as sums of products of what a launch knows: ids and sizes of work-items and words of the captured
// block. For proofs about which element a work-item accesses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// A factor of a product.
enum class atom_kind : unsigned char { group_id, local_size, local_id, group_count, global_id, extent, word };
struct index_atom {
  atom_kind kind;
  std::uint32_t number;    // the dimension; of a word its offset in the captured block
  std::uint32_t bytes = 0; // of a word
  auto operator<=>(const index_atom&) const = default;
};

/// Sums modulo 2^64: product of atoms (sorted) -> factor.
using index_form = std::map<std::vector<index_atom>, std::uint64_t>;

/// The kernel's own ids are put together: group_id * local_size + local_id = global_id, group_count *
/// local_size = extent.
index_form fold_ids(index_form form);

class index_forms {
public:
  explicit index_forms(const llvm::Function& kernel) : m_kernel(kernel) {}
  /// Nothing when the value is made otherwise.
  std::optional<index_form> of(const llvm::Value* value) { return of(value, 0); }
  /// What was said holds only while the number of work-items is below 2^31: ids went through 32 bits.
  bool is_narrow() const { return m_narrow; }
  /// A dimension and what its ids were multiplied by in 32 bits: must be that dimension's step in the launch.
  struct step {
    std::uint32_t dimension;
    std::vector<index_atom> product;
  };
  const std::vector<step>& narrow_steps() const { return m_narrow_steps; }

private:
  std::optional<index_form> of(const llvm::Value* value, unsigned depth);
  std::optional<index_form> widened(const llvm::Value* value, bool is_signed, unsigned depth);
  std::optional<index_form> query(const llvm::CallInst& call) const;
  bool fits_narrow(const index_form& form);

  const llvm::Function& m_kernel;
  bool m_narrow = false;
  std::vector<step> m_narrow_steps;
};

} // namespace prism::compiler
