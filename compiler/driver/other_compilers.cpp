#include "compiler/driver/other_compilers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace prism::driver {

namespace {

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Options that are always on here, and promises that PRISM does not need.
bool is_without_effect(std::string_view argument) {
  static constexpr std::array words = {"-fsycl",
                                       "-fsycl-rdc",
                                       "-fno-sycl-rdc",
                                       "-fsycl-unnamed-lambda",
                                       "-fno-sycl-unnamed-lambda",
                                       "-fsycl-id-queries-fit-in-int",
                                       "-fno-sycl-id-queries-fit-in-int",
                                       "-fsycl-early-optimizations",
                                       "-fno-sycl-early-optimizations",
                                       "-fsycl-dead-args-optimization",
                                       "-fno-sycl-dead-args-optimization",
                                       "-fsycl-device-code-split",
                                       "-fno-sycl-device-code-split",
                                       "-fsycl-device-lib-jit-link"};
  static constexpr std::array prefixes = {"-fsycl-device-code-split=",
                                          "-fsycl-max-parallel-link-jobs=",
                                          "-sycl-std=",
                                          "-Wsycl-", // warnings that only DPC++ has
                                          "-Wno-sycl-",
                                          "--acpp-targets=",
                                          "--hipsycl-targets=",
                                          "--opensycl-targets="};
  return std::find(words.begin(), words.end(), argument) != words.end() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return begins_with(argument, prefix); });
}

/// Options whose values are for the compiler of one device. Here that is the driver's compiler, at run time.
bool is_for_a_device_compiler(std::string_view argument) {
  for (const char* prefix : {"-Xsycl-target-backend", "-Xsycl-target-frontend", "-Xsycl-target-linker"})
    if (argument == prefix || begins_with(argument, std::string(prefix) + "=")) return true;
  return argument == "-Xs";
}

/// Why prism++ cannot do what the option asks for, which the build would miss; null for other options.
const char* refusal(std::string_view argument) {
  struct entry {
    const char* prefix;
    const char* reason;
  };
  static constexpr entry entries[] = {
      {"-fsycl-device-only", "device code is a part of the object; PRISM_DUMP_IR=folder writes it to files"},
      {"-fsycl-host-only", "use --targets=host, or another C++ compiler with PRISM's headers"},
      {"-fsycl-link", "device code is linked with the program, without a step of its own"},
      {"-fsycl-add-targets=", "images of other compilers cannot be added to a program"},
      {"-fsycl-force-target=", "images of other compilers cannot be read"},
      {"-fsycl-help", "kernels are compiled by each device's driver when the program runs"},
      {"-fintelfpga", "there is no FPGA compiler; leave the option out to compile for other devices"}};
  for (const entry& each : entries)
    if (begins_with(argument, each.prefix)) return each.reason;
  return nullptr;
}

std::string ignored(const std::string& argument, const char* reason) {
  return "'" + argument + "' is ignored: " + reason;
}

} // namespace

std::optional<translation> translate(const std::string& argument) {
  if (is_without_effect(argument)) return translation{};
  if (const char* reason = refusal(argument))
    throw std::invalid_argument("'" + argument + "' is not supported: " + reason);
  if (is_for_a_device_compiler(argument))
    return translation{{}, true, ignored(argument, "each device's driver compiles the kernels at run time")};
  if (argument == "-fp-model")
    return translation{{}, true, ignored(argument, "write -fp-model=fast, precise or strict")};
  if (argument == "-fno-sycl")
    return translation{{}, false, ignored(argument, "prism++ always compiles SYCL")};
  if (argument == "-xHost") return translation{{"-march=native"}, false, ""};
  if (argument == "-ipo") return translation{{"-flto"}, false, ""};
  if (argument == "-qopenmp" || argument == "-fiopenmp") return translation{{"-fopenmp"}, false, ""};
  if (argument == "-qopenmp-simd") return translation{{"-fopenmp-simd"}, false, ""};
  if (begins_with(argument, "-fp-model=")) {
    const std::string model = argument.substr(std::string_view("-fp-model=").size());
    if (model == "fast" || model == "precise" || model == "strict")
      return translation{{"-ffp-model=" + model}, false, ""};
    return translation{{}, false, ignored(argument, "known are fast, precise and strict")};
  }
  for (const char* prefix :
       {"-fsycl-", "-fno-sycl-", "-Xsycl-", "-Xs-", "-ftarget-compile-fast", "-ftarget-export-symbols",
        "-ftarget-register-alloc-mode", "--acpp-", "--hipsycl-", "--opensycl-"})
    if (begins_with(argument, prefix) && !begins_with(argument, "-fsycl-targets="))
      return translation{{}, false, ignored(argument, "it is an option of another SYCL compiler")};
  return std::nullopt;
}

bool is_target_of_others(const std::string& name) {
  for (const char* word : {"spir", "generic", "native_cpu", "omp", "cpu", "opencl_cpu", "opencl_gpu"})
    if (name == word) return true;
  for (const char* prefix :
       {"spir64", "spirv64", "nvptx64", "amdgcn", "intel_gpu_", "nvidia_gpu_", "amd_gpu_", "native_cpu-"})
    if (begins_with(name, prefix)) return true;
  return false;
}

} // namespace prism::driver
