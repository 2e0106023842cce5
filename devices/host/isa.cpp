#include "devices/host/isa.hpp"

#include "devices/api/image.hpp"

#include <cstdlib>
#include <cstring>
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

// The level of this processor. Kernels of static constructors may run before it is written and then use the
// baseline.
extern "C" __attribute__((visibility("default"))) int __prism_host_isa;
int __prism_host_isa = prism::image::host_isa::baseline;

namespace prism::devices::host {
namespace {

int widest_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto has_v3 = [] {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
           __builtin_cpu_supports("movbe") && __builtin_cpu_supports("f16c");
  };
  const auto has_v4 = [] {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  };
  if (has_v3()) return has_v4() ? image::host_isa::v4 : image::host_isa::v3;
#elif defined(__aarch64__) && defined(__linux__)
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) != 0) return image::host_isa::sve;
#endif
  return image::host_isa::baseline;
}

struct level {
  int number;
  const char *asked, *name;
};
constexpr level levels[] = {{image::host_isa::baseline, "baseline", "baseline"},
                            {image::host_isa::sve, "sve", "AArch64 with SVE"},
                            {image::host_isa::v3, "v3", "x86-64-v3"},
                            {image::host_isa::v4, "v4", "x86-64-v4"}};

/// Levels of another processor architecture have other versions.
bool processor_has(const level& wanted) {
  const int widest = widest_of_processor();
  return wanted.number == image::host_isa::baseline || wanted.number == widest ||
         (wanted.number == image::host_isa::v3 && widest == image::host_isa::v4);
}

/// Null for an unknown name.
const level* asked_level() {
  const char* text = std::getenv("PRISM_HOST_ISA");
  const bool any = text == nullptr || *text == '\0';
  const int widest = widest_of_processor();
  for (const level& each : levels)
    if (any ? each.number == widest : std::strcmp(text, each.asked) == 0) return &each;
  return nullptr;
}

__attribute__((constructor)) void choose() {
  if (const level* wanted = asked_level(); wanted != nullptr && processor_has(*wanted))
    __prism_host_isa = wanted->number;
}

} // namespace

void check_isa() {
  const level* wanted = asked_level();
  const std::string text = std::getenv("PRISM_HOST_ISA") ? std::getenv("PRISM_HOST_ISA") : "";
  if (wanted == nullptr)
    throw device_error(error_category::invalid, "",
                       "PRISM_HOST_ISA=" + text + ": no such level; known are baseline, v3, v4 and sve");
  if (!processor_has(*wanted))
    throw device_error(error_category::unsupported, "",
                       "PRISM_HOST_ISA=" + text + ": this processor does not support all of " + wanted->name +
                           "; leave the variable unset to use what it supports");
}

std::uint32_t vector_bytes() {
  switch (__prism_host_isa) {
    case image::host_isa::v4: return 64;
    case image::host_isa::v3: return 32;
    default: return 16;
  }
}

} // namespace prism::devices::host
