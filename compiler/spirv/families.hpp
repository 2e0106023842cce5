// Which memory each pointer of a kernel means, and how that memory is laid out in SPIR-V.
//
// Pointers that may meet (through phi, select, getelementptr, comparison or memory) are one family. The
// global family are 64-bit addresses. Any other family is an array variable, its pointers 32-bit byte offsets
// into it: all of workgroup memory is one array, allocas and constant tables are one array a family.
// Constants alone that are no few words are no variable but data of the module (devices/api/spirv_data.hpp),
// read at addresses: drivers that keep arrays in registers or write all elements at the begin need time that
// grows with the square of the size. An array's element is the type all accesses share, else an unsigned
// integer of the narrowest access; wider accesses are made of several elements.
//
// Found by unification (Steensgaard's points-to analysis), near linear. What unification cannot keep apart is
// refused.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler::spirv {

enum class memory_space : std::uint8_t { global, workgroup, arena, data };

inline constexpr std::uint64_t data_alignment = 64;

struct allocation {
  const llvm::Value* root = nullptr; // alloca or constant global
  std::uint32_t offset = 0;          // bytes from the start of the family's array
};

struct family {
  memory_space space = memory_space::global;
  llvm::Type* element =
      nullptr; // float or double when all accesses have that type; else integers of element_bytes
  std::uint32_t element_bytes = 1; // power of two
  std::uint32_t size = 0;          // bytes; of arenas and data only
  std::uint32_t begin = 0;         // of data: where it begins in the module's, a multiple of data_alignment
  std::uint32_t bias = 0;          // what the pointer to byte 0 is: not 0 where null must differ from it
  bool has_atomics = false;
  std::vector<allocation> allocations;
};

/// The largest piece that an access of `bytes` bytes at alignment `align` can be made of.
std::uint32_t access_piece(std::uint64_t bytes, std::uint64_t align);

class families {
public:
  /// Throws `refused`.
  families(const llvm::Function& kernel, const llvm::DataLayout& layout);

  /// The family of a pointer that is no null and no undefined value.
  const family& of(const llvm::Value* pointer) const;
  /// True when nothing but the value null is known of the pointer: nothing can be accessed through it.
  bool is_nowhere(const llvm::Value* pointer) const;
  std::uint32_t offset_of(const llvm::Value* root) const;
  const std::deque<family>& all() const { return m_families; }
  /// Whether some are data of the module.
  bool has_data() const { return m_data_size != 0; }

private:
  using node = unsigned;
  struct node_data {
    node parent = 0;
    node contents = none; // what pointers kept in this memory point to
    bool global = false, workgroup = false, arena = false;
    bool kept = false;                         // such a pointer is stored in memory or becomes an integer
    bool null = false;                         // meets null
    const llvm::Instruction* reason = nullptr; // an instruction that joined two of them
    std::vector<const llvm::Value*> roots;
    std::uint32_t piece = 0; // narrowest access, 0 when none
    llvm::Type* type = nullptr;
    bool one_type = true;
    std::uint32_t atomic_bytes = 0;            // 4, 8 or, for both, 12
    const llvm::Instruction* atomic = nullptr; // one of them
    family* result = nullptr;
  };
  static constexpr node none = ~0u;

  node make();
  node find(node n) const;
  node join(node a, node b, const llvm::Instruction* reason);
  node contents(node n);
  node node_of(const llvm::Value* pointer);
  void visit(const llvm::Instruction& instruction);
  void join_operand(node with, const llvm::Value* operand, const llvm::Instruction& reason);
  void access(const llvm::Value* pointer, llvm::Type* type, std::uint64_t align, bool atomic,
              const llvm::Instruction& at);
  void integers_stay_integers(const llvm::Function& kernel);
  void lay_out(node_data& data);

  const llvm::DataLayout& m_layout;
  mutable std::vector<node_data> m_nodes;
  llvm::DenseMap<const llvm::Value*, node> m_node_of;
  llvm::DenseMap<const llvm::Value*, std::uint32_t> m_offsets;
  std::deque<family> m_families;
  family m_global;
  std::uint64_t m_data_size = 0;
};

} // namespace prism::compiler::spirv
