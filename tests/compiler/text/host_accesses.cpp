// With --check=access host code reports its accesses. Functions that kernels call too are reported in the
// copy that host code calls. Kernels, and variables to which no other code has a pointer, are unchanged.
#include "tests/compiler/text/kernel.hpp"

#include <cstring>
#include <numeric>

// FLAGS: -fno-inline -Xclang -mllvm -Xclang -prism-check=access
int from_both(const int* x, int i) { return x[i]; }

void run(int* y, const int* x) {
  submit<class reads>([=] { y[id()] = from_both(x, 1) + x[3]; });
}
int host_reads(const int* x) { return from_both(x, 2); }
int host_sums(const int* x) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += x[i];
  return sum;
}
void host_copies(int* y, const int* x, std::size_t bytes) { std::memcpy(y, x, bytes); }
int library_sums(const int* x) { return std::accumulate(x, x + 100, 0); }
void known_to_others(int*);
int shared_variable() {
  int number = 0;
  known_to_others(&number);
  return number;
}
int constant(int i) {
  static const int numbers[] = {3, 5, 8, 13};
  return numbers[i & 3];
}
int flag(const int* x) { return __atomic_load_n(x, __ATOMIC_ACQUIRE); }
// OPENCL: prism_k0_
// OPENCL-NOT: host_access
// SPIRV: OpEntryPoint GLCompute
// HOST: define {{[^@]*}}@_Z9from_bothPKii(
// HOST: define {{[^@]*}}@_Z10host_readsPKi(
// HOST: @_Z9from_bothPKii.checked(
// HOST: define {{[^@]*}}@_Z9host_sumsPKi(
// HOST: call void @__prism_host_access(ptr {{%\w+}}, i64 4, i32 0, ptr nonnull @prism.place
// HOST: define {{[^@]*}}@_Z11host_copiesPiPKim(
// HOST: call void @__prism_host_access(ptr %1, i64 %2, i32 0,
// HOST: call void @__prism_host_access(ptr %0, i64 %2, i32 1,
// HOST: define {{[^@]*}}@_Z12library_sumsPKi(
// HOST: call void @__prism_at(
// HOST: accumulate{{\w+}}.checked(
// HOST: define {{[^@]*}}@_Z15shared_variablev(
// HOST: i64 4, i32 0,
// HOST: define {{[^@]*}}@_Z9from_bothPKii.checked(
// HOST: call void @__prism_host_access(ptr
// HOST: define {{[^@]*@\w*}}accumulate{{\w+}}.checked(
// HOST: call void @__prism_host_access(ptr {{%\w+}}, i64 4, i32 0, ptr null)
// HOST-NOT: @_Z9from_bothPKii({{[^}]*}}host_access
// HOST-NOT: @_Z8constanti({{[^}]*}}host_access
// HOST-NOT: @_Z4flagPKi({{[^}]*}}host_access
// HOST-NOT: kernel_entry{{\w+"\([^}]*}}host_access
// HOST-NOT: clEv"({{[^}]*}}host_access
