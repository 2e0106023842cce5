// The libFuzzer program over prism.h (the target fuzz_c_interface).
#include "tests/bindings/c_random_calls.hpp"

#include <cstdlib>

// The host device alone, for speed; no other provider, because the address sanitizer refuses the flag with
// which PRISM opens their libraries.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  ::setenv("PRISM_DEVICE_SELECTOR", "host", 1);
  ::setenv("PRISM_PROVIDER", "prism", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  c_tests::random_calls(bytes, size, PRISM_TEST_KERNELS);
  return 0;
}
