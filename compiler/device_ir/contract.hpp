// The contract between the shared pipeline (passes/pipeline.hpp) and an emitter (opencl/, spirv/).
//
// A module given to an emitter is a private copy: the emitter may change or destroy it. It holds
//
//   one defined function  `void @<entry>(ptr %closure)`, the kernel; no call to a defined function remains;
//   constant globals      with initialisers made of scalars, arrays and structs; undef is read as zero. They
//                         hold no pointers: generic_pointers.cpp turned those of the program into numbers;
//   declarations          of the reserved and math functions listed below, and of nothing else.
//
// The data layout is the host's (64-bit pointers), so all structure offsets are fixed. Every pointer has LLVM
// address space 0. `pointer_spaces` (device_ir/pointer_space.hpp) finds which memory it points to, and may be
// run again after any change of the function. `pointer_spaces::of(p)` never returns `mixed` for a module
// handed to an emitter.
//
// Types: i1, i8, i16, i32, i64, half, float, double, ptr. There are no vectors and no aggregate SSA values
// (no insertvalue or extractvalue). i1 is never loaded or stored. Earlier passes turned other integers into
// these, and refused bfloat and x86_fp80. Instructions:
//
//   ret void, br, unreachable (an emitter ends the work-item there); no switch, invoke, indirectbr
//   alloca of constant size, in the entry block only (dynamic alloca was refused)
//   load, store of the types above, volatile allowed, at least naturally aligned (others were split into
//     pieces); `!invariant.load` is set on loads from the captured block
//   load atomic, store atomic of i32 and i64
//   cmpxchg i32, i64, the failure order never stronger; its two results are read by extractvalue (the one
//     exception)
//   atomicrmw i32, i64: xchg add sub and or xor max min umax umin; float, double: fadd (fsub became fadd of
//     the negation, others became loops). All atomics are device scope, on global or local memory only
//   getelementptr (any source type; constant-fold offsets with the data layout), phi, select, icmp (pointers
//     too), fcmp (all predicates), integer and float arithmetic (frem became a call of fmod), shifts (by less
//     than the width), casts (trunc zext sext fptrunc fpext fp[su]int [su]itofp ptrtoint inttoptr bitcast);
//     ptrtoint and inttoptr only i64
//   no freeze, undef or poison (undef became zero)
//
// Constant expressions: only getelementptr of a constant global as an operand (use
// `accumulateConstantOffset`). Intrinsics: fabs sqrt floor ceil trunc rint (float, double, half), fmuladd
// (float, double). `fmuladd` may be contracted; nothing else may, unless the instruction has fast-math flags.
// fma is a math function. `__prism_local_arena()` and `__prism_group_scratch(n)` both return the start of the
// arena. The runtime adds static_local_bytes (128-byte aligned) to the offsets that it writes into the
// captured block.
//
// Calls: reserved functions of kernel_abi.hpp, with every `dimension`, `order`, `scope` and `fence` argument
// constant (`fence` instructions became __prism_fence); and math functions that support/math_table.hpp calls
// native for the target. All others were replaced by functions of compiler/builtins and inlined.
//
// Removed by earlier passes: memcpy and its like, lifetime, assume, debug, traps, min/max, saturating and
// overflow arithmetic, funnel shifts, bswap, bitreverse, copysign, is.fpclass, ptrmask, and for Vulkan ctlz,
// cttz, ctpop (for OpenCL ctlz and ctpop of i32 and i64 remain). LLVM may make such intrinsics again in
// passes that an emitter runs itself; the emitter must lower those.
//
// Debug locations remain: `source_location(instruction)` of support/diagnose.hpp gives file:line of the
// user's code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/support/target.hpp"
#include "devices/api/image.hpp"
#include "devices/api/kernel_constants.hpp"

namespace llvm {
class Constant;
class Function;
class Module;
}

namespace prism::compiler {

/// A hidden argument at the end of the captured block; see image::hidden_argument. `key` is a constant of the
/// host module.
struct hidden_fact {
  image::hidden_kind what;
  std::uint32_t offset, size;
  llvm::Constant* key = nullptr;
};

/// A source location at which an index is checked; see image::index_check.
struct index_site {
  std::uint32_t offset, what; // of its record in the block; the arguments of __prism_index_is_inside
  std::string location;
};

/// What is known about a kernel in addition to its code. It is the same for every target, and fixed once the
/// shared pipeline has run.
/// Of the functions that compute an element of other kernels (sycl/detail/kernel_abi.hpp).
inline constexpr const char* element_call = "__prism_element_";
/// Of the functions that sum the products of four bytes each.
inline constexpr const char* dot_product_call = "__prism_dot4_";

struct kernel_facts {
  std::string entry;                // the function's name in the images, a C identifier
  std::string display_name;         // demangled, for messages
  std::uint32_t argument_bytes = 0; // size of the captured block, hidden arguments included
  std::uint32_t closure_bytes = 0;  // size of the kernel object, at its start
  std::uint32_t static_local_bytes =
      0; // hidden scratch at the start of the local arena (__prism_group_scratch)
  bool uses_local_memory = false;
  bool uses_barrier = false;
  bool uses_group_operation = false;
  bool uses_sub_group = false;
  bool calls_elements = false;  // of other kernels
  bool writes_captures = false; // each work-item has a copy of the captured block
  std::uint32_t required_local_size[3] = {0, 0, 0};
  bool is_alone() const {
    return required_local_size[0] == 1 && required_local_size[1] == 1 && required_local_size[2] == 1;
  } // in its group: the only work-item
  std::uint32_t required_sub_group_size = 0;
  std::uint64_t required_aspects = 0; // image::kernel_record::required_aspects
  std::uint32_t order_flags = 0;      // image::sums_by_sub_group, image::sums_atomically
  std::vector<image::pointer_slot>
      slots; // words of the captured block that are loaded as pointers and used as addresses
  std::vector<hidden_fact> hidden;
  std::vector<image::kernel_constant> constants; // captured integers that an emitter makes replaceable
  /// Whether an emitter also makes the alignments of the slots' pointers replaceable.
  bool replaces_alignments = false;
  std::vector<index_site> index_sites; // only of programs compiled with index checks
  bool needs_addresses = false;        // some pointers come from elsewhere: feature `addresses`
};

} // namespace prism::compiler
