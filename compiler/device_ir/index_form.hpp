// Integers as sums of products of values that a launch knows: ids and sizes of work-items, and words of the
// captured block. Used to prove which element a work-item accesses. A value that is one of two such sums, as
// std::max(i, 1) is, counts as a factor of its own kind; alternatives_of resolves it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "devices/api/element_wise.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// A factor of a product.
enum class atom_kind : unsigned char {
  group_id,
  local_size,
  local_id,
  group_count,
  global_id,
  extent,
  word,
  choice
};
struct index_atom {
  atom_kind kind;
  std::uint32_t number;    // the dimension; of a word its offset in the captured block; an index in choices()
  std::uint32_t bytes = 0; // size of a word
  auto operator<=>(const index_atom&) const = default;
};

/// A sum modulo 2^64. It maps each product of atoms (sorted) to its factor.
using index_form = std::map<std::vector<index_atom>, std::uint64_t>;

/// Combines ids and sizes: group_id * local_size + local_id = global_id, group_count * local_size = extent.
index_form fold_ids(index_form form);

/// A value that is one of two, in each work-item.
struct index_choice {
  enum class kind { maximum, minimum, either } what;
  index_form first, second;
};

/// What a launch must keep so that a form is the value: it fits a signed integer of 32 bits, or is not
/// negative.
struct index_check {
  image::index_bound bound;
  index_form form;
};

/// One form that a value may have. The values of all alternatives lie between the least value of those that
/// bound the start and the greatest of those that bound the end.
struct index_alternative {
  index_form form;
  std::uint32_t bounds; // image::bounds_begin, image::bounds_end
};

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
  /// The checks that the forms since the last call need.
  std::vector<index_check> take_checks() { return std::exchange(m_checks, {}); }
  /// Resolves the choices in a form. Empty if they are too many, or multiplied with each other.
  std::optional<std::vector<index_alternative>> alternatives_of(const index_form& form);

private:
  std::optional<index_form> of(const llvm::Value* value, unsigned depth);
  std::optional<index_form> widened(const llvm::Value* value, bool is_signed, unsigned depth);
  std::optional<index_form> query(const llvm::CallInst& call) const;
  std::optional<index_form> choice(index_choice::kind what, const std::optional<index_form>& first,
                                   const std::optional<index_form>& second);
  /// `widened_as`: whether 32-bit values are widened as signed ones; empty for 64-bit values.
  std::optional<index_form> selected(const llvm::SelectInst& select, std::optional<bool> widened_as,
                                     unsigned depth);
  std::optional<index_form> called(const llvm::CallInst& call, unsigned depth);
  std::optional<index_form> shifted_down(const llvm::Value* value, std::uint64_t by, unsigned depth);
  bool fits_narrow(const index_form& form);
  bool check(const index_form& form, image::index_bound bound);
  bool has_id(const index_form& form) const;

  const llvm::Function& m_kernel;
  bool m_narrow = false;
  std::vector<step> m_narrow_steps;
  std::vector<index_choice> m_choices;
  std::vector<index_check> m_checks;
};

} // namespace prism::compiler
