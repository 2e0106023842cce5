// Calls of pow disappear for small known exponents and for bases that are powers of two. Calls with larger
// exponents stay.
#include "sycl/khr/split_headers/half.hpp"
#include "sycl/khr/split_headers/math.hpp"
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, double* d, const int* n) {
  submit<class float_powers>([=] {
    const float v = x[id()];
    float sum = sycl::pow(v, 2.0f) + sycl::pow(v, 0.5f) + sycl::pow(v, -1.5f) + sycl::pown(v, 3) + sycl::powr(v, -4.0f) + sycl::rootn(v, 2) + std::pow(v, 5) +
                sycl::pow(2.0f, v) + sycl::pow(0.25f, v) + sycl::pow(10.0f, v) + sycl::exp2(float(n[id()])) + sycl::ldexp(v, -3) + float(sycl::pow(sycl::half(v), sycl::half(7)));
    for (int k = 0; k < 4; ++k) sum += sycl::pow(v, float(k) - 0.5f);
    y[id()] = sum;
  });
  submit<class double_powers>([=] {
    const double v = d[id()];
    d[id()] = sycl::pow(v, 2.0) + sycl::pown(v, 16) + sycl::powr(v, 8.5) + sycl::rootn(v, -2) + std::pow(v, -7.0) + sycl::pow(2.0, double(n[id()])) + v / 8.0;
  });
}
// OPENCL-NOT: {{\bpow[nr]?\(}}
// OPENCL-NOT: {{\bldexp\(}}
// OPENCL: sqrt(
// OPENCL: exp2(
// OPENCL: exp10(
// OPENCL-NOT: {{v\d+ / as_double}}
// GROUP-NOT: call {{[^\n]*}}@{{(llvm\.)?}}pow
// GROUP-NOT: call {{[^\n]*}}@{{(llvm\.)?}}ldexp
