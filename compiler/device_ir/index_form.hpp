// Integers as sums of products of values that a launch knows: ids and sizes of work-items, and words of the
// captured block. Used to prove which element a work-item accesses.
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
  std::uint32_t number;    // the dimension; for a word its offset in the captured block
  std::uint32_t bytes = 0; // size of a word
  auto operator<=>(const index_atom&) const = default;
};

/// A sum modulo 2^64. It maps each product of atoms (sorted) to its factor.
using index_form = std::map<std::vector<index_atom>, std::uint64_t>;

/// Combines ids and sizes: group_id * local_size + local_id = global_id, group_count * local_size = extent.
index_form fold_ids(index_form form);

class index_forms {
public:
  explicit index_forms(const llvm::Function& kernel) : m_kernel(kernel) {}
  /// Empty if the value has no such form.
  std::optional<index_form> of(const llvm::Value* value) { return of(value, 0); }
  /// True if the forms hold only for fewer than 2^31 work-items, because ids passed through 32 bits.
  bool is_narrow() const { return m_narrow; }
  /// A dimension, and the factor by which its ids were multiplied in 32 bits. The factor must equal the
  /// launch's step in that dimension.
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
