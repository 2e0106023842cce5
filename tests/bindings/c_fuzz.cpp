// The libFuzzer program over prism.h (the target fuzz_c_interface).
#include "tests/bindings/c_random_calls.hpp"

#include <cstdlib>
#include <dlfcn.h>

// Providers open their libraries with RTLD_DEEPBIND, at which the address sanitizer ends the program. Here
// they find no library instead.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* file, int flags) noexcept {
  if ((flags & RTLD_DEEPBIND) != 0) return nullptr;
  using function = void* (*)(const char*, int);
  static const auto next = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "dlopen"));
  return next(file, flags);
}
// Drivers do not free all memory before the process ends.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  ::setenv("PRISM_DEVICE_SELECTOR", "host", 1); // for speed
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  c_tests::random_calls(bytes, size, PRISM_TEST_KERNELS);
  return 0;
}
