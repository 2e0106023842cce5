#include "devices/host/isa.hpp"

#include "devices/api/image.hpp"

#include <cstdlib>
#include <cstring>

// What this processor has; kernels of static constructors may run before it is written and then take the baseline.
extern "C" __attribute__((visibility("default"))) int __prism_host_isa;
int __prism_host_isa = prism::image::host_isa::baseline;

namespace prism::devices::host {
namespace {

int level_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto has_v3 = [] {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe") && __builtin_cpu_supports("f16c");
  };
  const auto has_v4 = [] {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  };
  if (has_v3()) return has_v4() ? image::host_isa::v4 : image::host_isa::v3;
#endif
  return image::host_isa::baseline;
}

struct asked {
  int level;
  bool known;
};
asked asked_level() {
  const char* text = std::getenv("PRISM_HOST_ISA");
  if (text == nullptr || *text == '\0') return {level_of_processor(), true};
  if (std::strcmp(text, "baseline") == 0) return {image::host_isa::baseline, true};
  if (std::strcmp(text, "v3") == 0) return {image::host_isa::v3, true};
  if (std::strcmp(text, "v4") == 0) return {image::host_isa::v4, true};
  return {image::host_isa::baseline, false};
}

__attribute__((constructor)) void choose() {
  const asked wanted = asked_level();
  if (wanted.level <= level_of_processor()) __prism_host_isa = wanted.level;
}

} // namespace

const char* isa_name() {
  switch (__prism_host_isa) {
  case image::host_isa::v3: return "x86-64-v3";
  case image::host_isa::v4: return "x86-64-v4";
  default: return "baseline";
  }
}

void check_isa() {
  const asked wanted = asked_level();
  const std::string text = std::getenv("PRISM_HOST_ISA") ? std::getenv("PRISM_HOST_ISA") : "";
  if (!wanted.known)
    throw device_error(error_category::invalid, "", "PRISM_HOST_ISA=" + text + ": no such level; known are baseline, v3 and v4");
  if (wanted.level > level_of_processor())
    throw device_error(error_category::unsupported, "", "PRISM_HOST_ISA=" + text + ": this processor has not all of x86-64-" + text +
                                                            "; leave the variable unset to use what it has");
}

} // namespace prism::devices::host
