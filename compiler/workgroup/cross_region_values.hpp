// Decides how each cross-region value (one that lives across a synchronization point) is preserved.
#pragma once

#include "compiler/workgroup/regions.hpp"
#include "llvm/ADT/MapVector.h"

namespace prism::compiler {

enum class carried : unsigned char {
  again, // recomputed from ids, sizes, the captured block and shared values
  once,  // shared: stored once, because it is the same for all work-items that run a region together
  each,  // in a context array, with one element per work-item
};

/// A context array: an array in the context memory with one element per work-item, at offset x items + size x
/// item.
struct context_array {
  std::uint32_t offset = 0, size = 0;
};

struct carried_value {
  carried how = carried::each;
  /// For `each`; for `once` if each sub-group keeps its own across a barrier of the group: one element per
  /// sub-group. Its size is 0 otherwise.
  context_array array;
  /// Of a pointer that is stored as its distance from this pointer, which can be recomputed.
  llvm::Value* base = nullptr;
};

class cross_region_values {
public:
  /// `uniform`: in the group, or with `by_sub_group` in each sub-group, which runs its regions by itself.
  cross_region_values(llvm::Function& kernel, const region_map& regions,
                      const std::vector<sync_point>& points, const uniform_values& uniform,
                      bool by_sub_group);

  const carried_value& of(const llvm::Instruction* value) const {
    return m_values.find(const_cast<llvm::Instruction*>(value))->second;
  }
  bool is_shared(const llvm::Instruction& value) const {
    const auto found = m_values.find(const_cast<llvm::Instruction*>(&value));
    return found != m_values.end() && found->second.how == carried::once;
  }
  const llvm::MapVector<llvm::Instruction*, carried_value>& all() const { return m_values; }
  const llvm::MapVector<llvm::Instruction*, context_array>& arrays() const { return m_arrays; }
  /// Adds a context array. All must be added before spill_bytes is read.
  context_array add_array(std::uint32_t size);
  std::uint32_t spill_bytes() const { return m_bytes; }

  /// The type of a value in memory: a byte for i1, the distance for pointers with a base.
  static llvm::Type* stored_type(const llvm::Instruction& value, const carried_value& how);

private:
  bool can_compute_from_shared(llvm::Instruction& value, const region_map& regions,
                               unsigned point_count) const;

  llvm::MapVector<llvm::Instruction*, carried_value> m_values;
  llvm::MapVector<llvm::Instruction*, context_array> m_arrays;
  std::uint32_t m_bytes = 0;
};

/// Whether a kernel whose barriers follow each other in a line, each executed once, spends most of its code
/// on values that live across them.
bool mostly_stores_values(const llvm::Function& kernel, const std::vector<sync_point>& points,
                          const region_map& regions, const cross_region_values& values);

/// Whether a work-item always computes the same value, at low cost: see carried::again, without shared
/// values.
bool can_compute_again(const llvm::Value& value);

} // namespace prism::compiler
