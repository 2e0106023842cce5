// How each value that lives across a cut is carried over it.
#pragma once

#include "compiler/workgroup/regions.hpp"
#include "llvm/ADT/MapVector.h"

namespace prism::compiler {

enum class carried : unsigned char {
  again, // made of ids, sizes, the captured block and values kept once: computed again
  once,  // the same for all work-items
  each,  // a place for each work-item
};

/// A place in the memory that is kept per work-item: at offset x items + size x item.
struct kept_place {
  std::uint32_t offset = 0, size = 0;
};

struct carried_value {
  carried how = carried::each;
  kept_place place; // of `each`
  llvm::Value* base =
      nullptr; // of a pointer kept as its distance from this pointer, which can be computed again
};

class kept_values {
public:
  /// `together`: whether values that all work-items share may be kept once.
  kept_values(llvm::Function& kernel, const region_map& regions, unsigned cut_count,
              const uniform_values& uniform, bool together);

  const carried_value& of(const llvm::Instruction* value) const {
    return m_values.find(const_cast<llvm::Instruction*>(value))->second;
  }
  bool is_kept_once(const llvm::Instruction& value) const {
    const auto found = m_values.find(const_cast<llvm::Instruction*>(&value));
    return found != m_values.end() && found->second.how == carried::once;
  }
  const llvm::MapVector<llvm::Instruction*, carried_value>& all() const { return m_values; }
  const llvm::MapVector<llvm::Instruction*, kept_place>& arrays() const { return m_arrays; }
  /// Adds a place for each work-item; before spill_bytes is asked.
  kept_place add_place(std::uint32_t size);
  std::uint32_t spill_bytes() const { return m_bytes; }

  /// The type a value has in memory: a byte for i1, the distance for pointers with a base.
  static llvm::Type* stored_type(const llvm::Instruction& value, const carried_value& how);

private:
  bool can_compute_from_shared(llvm::Instruction& value, const region_map& regions, unsigned cut_count) const;

  llvm::MapVector<llvm::Instruction*, carried_value> m_values;
  llvm::MapVector<llvm::Instruction*, kept_place> m_arrays;
  std::uint32_t m_bytes = 0;
};

/// Whether a value is the same whenever the work-item computes it and cheap enough for that: see
/// carried::again, without values kept once.
bool can_compute_again(const llvm::Value& value);

} // namespace prism::compiler
