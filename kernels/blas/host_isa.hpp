// The instruction sets for which ordinary C++ files of the operations are compiled, and which of them this
// processor has. Code of one set is a file of its own, which shares no inline function with another one: a
// linker would take either.
#pragma once

namespace prism::host_isa {

/// Instruction sets with the bytes of their registers: wider vectors would be lowered to several of them, and
/// their shuffles to one move for each element.
struct baseline { ///< SSE2, NEON
  static constexpr int vector_bytes = 16;
};
struct v3 { ///< x86-64-v3: AVX2
  static constexpr int vector_bytes = 32;
};
struct v4 { ///< x86-64-v4: AVX-512
  static constexpr int vector_bytes = 64;
};

enum class level : char { baseline, v3, v4 };
/// The processor's, or that of PRISM_HOST_ISA where it is less, as for the host device's kernels.
level best();

} // namespace prism::host_isa
