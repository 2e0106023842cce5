// Which copies of the host's kernels run. prism++ compiles each host kernel for several levels of the x86-64 processor
// supplement (unless the command line asks for one that has them already, or does not optimise); the word below picks one
// at each call.
#pragma once

namespace prism::host_isa {

inline constexpr int baseline = 0, v3 = 3, v4 = 4; // v3: AVX2, FMA; v4: AVX-512

/// Name of the word: `int`, one of the levels, written once before main. Defined by the runtime, read by kernels.
inline constexpr const char* word_name = "__prism_host_isa";

} // namespace prism::host_isa
