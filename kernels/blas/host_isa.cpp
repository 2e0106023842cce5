#include "kernels/blas/host_isa.hpp"

#include <cstdlib>
#include <string_view>

namespace prism::host_isa {
namespace {

level found() {
#if PRISM_HOST_IS_X86_64
  const char* const set = std::getenv("PRISM_HOST_ISA");
  const std::string_view name = set != nullptr ? set : "";
  const bool has_v3 = name != "baseline" && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
             has_v4 = has_v3 && name != "v3" && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return level::v4;
  if (has_v3) return level::v3;
#endif
  return level::baseline;
}

} // namespace

level best() {
  static const level out = found();
  return out;
}

} // namespace prism::host_isa
