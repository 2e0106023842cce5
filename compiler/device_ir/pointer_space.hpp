// Which memory each pointer of a kernel points to: a forward data-flow analysis over one function.
//
// Roots: the kernel's argument (the captured block), alloca, constant globals, __prism_local_arena and
// __prism_group_scratch. A pointer that is loaded, or made from an integer that does not come from one of
// these, is global. The analysis follows pointers through memory in which they are stored: it distinguishes
// allocas, but treats work-group memory and global memory as one location each. Cost: linear in the
// function's size times the height of the lattice.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

enum class pointer_space : unsigned char {
  none,     // null or undefined only: no access through it is defined
  captured, // the captured block: read only, the same for all work-items
  global,
  local,    // the work-group's arena
  constant, // a constant global variable of the module
  private_, // alloca
  mixed,    // more than one of these
};

const char* name_of(pointer_space space);

/// The pointer through which a load, a store or an atomic operation accesses memory; null for other
/// instructions.
const llvm::Value* accessed_pointer(const llvm::Instruction& instruction);

/// Whether values of the type contain pointers, so that a constant of it may point to other constants.
bool has_pointers(const llvm::Type& type);
/// The constants that the kernel's instructions use, once each.
llvm::SmallSetVector<llvm::GlobalVariable*, 4> named_constants(const llvm::Function& kernel);

class pointer_spaces {
public:
  explicit pointer_spaces(const llvm::Function& kernel);
  pointer_space of(const llvm::Value* pointer) const;

private:
  void visit(const llvm::Instruction& instruction);
  void raise(const llvm::Value* value, pointer_space space);
  pointer_space of_integer(const llvm::Value* integer, unsigned depth) const;
  pointer_space stored_at(const llvm::Value* address) const;
  pointer_space loaded_from(const llvm::Value* address) const;
  void record_stored(const llvm::Value* address, pointer_space space);
  void raise_stored(pointer_space& stored, pointer_space space);

  pointer_space unknown_or(pointer_space space) const;

  llvm::DenseMap<const llvm::Value*, pointer_space> m_space;
  llvm::DenseMap<const llvm::Value*, pointer_space> m_stored; // alloca -> join of the pointers stored in it
  pointer_space m_stored_in_any = pointer_space::none;        // stored through pointers to several allocas
  pointer_space m_stored_private = pointer_space::none;       // join of all allocas
  pointer_space m_stored_local = pointer_space::none, m_stored_global = pointer_space::none;
  bool m_constants_hold_pointers = false; // to other constants
  bool m_changed = false;
  bool m_unknown_is_global = false;
};

} // namespace prism::compiler
