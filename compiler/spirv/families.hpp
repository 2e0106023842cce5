// The memory that each pointer of a kernel refers to, and the layout of that memory in SPIR-V.
//
// Pointers that may meet (through phi, select, getelementptr, comparison or memory) form one family. The
// global family consists of 64-bit addresses. Any other family is an array variable, and its pointers are
// 32-bit byte offsets into it. All of work-group memory is one array; allocas and constant tables are one
// array per family. Constants of more than a few words are not variables but data of the module
// (devices/api/spirv_data.hpp), read through addresses: drivers that keep arrays in registers, or that write
// all elements at the start, need time that grows with the square of the size. An array's element has the
// type that all accesses share, else it is an unsigned integer of the narrowest access; wider accesses use
// several elements.
//
// Found by unification (Steensgaard's points-to analysis), in near linear time. Cases that unification cannot
// separate are refused.
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
  /// Float or double if all accesses have that type; otherwise null: integers of element_bytes.
  llvm::Type* element = nullptr;
  std::uint32_t element_bytes = 1; // power of two
  std::uint32_t size = 0;          // bytes; only of arenas and data
  std::uint32_t begin = 0;         // of data: the offset in the module's data, a multiple of data_alignment
  std::uint32_t bias = 0;          // the number for a pointer to byte 0: not 0 if null must differ from it
  bool has_atomics = false;
  std::vector<allocation> allocations;
};

/// The largest piece that can compose an access of `bytes` bytes with alignment `align`.
std::uint32_t access_piece(std::uint64_t bytes, std::uint64_t align);

class families {
public:
  /// Throws `refused`.
  families(const llvm::Function& kernel, const llvm::DataLayout& layout);

  /// The family of a pointer that is not null or undefined.
  const family& of(const llvm::Value* pointer) const;
  /// True if the pointer can only be null: no access through it is defined.
  bool is_nowhere(const llvm::Value* pointer) const;
  std::uint32_t offset_of(const llvm::Value* root) const;
  const std::deque<family>& all() const { return m_families; }
  /// Whether some constants are data of the module.
  bool has_data() const { return m_data_size != 0; }

private:
  using node = unsigned;
  struct node_data {
    node parent = 0;
    node contents = none; // the family of pointers stored in this memory
    bool global = false, workgroup = false, arena = false;
    bool is_stored = false;                    // such a pointer is stored in memory or becomes an integer
    bool null = false;                         // may be null
    const llvm::Instruction* reason = nullptr; // an instruction that unified two of them
    std::vector<const llvm::Value*> roots;
    std::uint32_t piece = 0; // narrowest access; 0: no access
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
  void visit_matrix(const llvm::CallInst& call, llvm::StringRef name);
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
