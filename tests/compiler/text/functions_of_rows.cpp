// A work-item that calls a mathematical function for each element of its row executes an iteration together
// with its neighbours, as vectors, though their elements are far from each other.
#include <sycl/sycl.hpp>

void sums(sycl::queue& q, const float* x, float* y, std::size_t n) {
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += sycl::tanh(x[i * 64 + j]);
    y[i] = sum;
  });
}

// HOST: .whole.v4(
// HOST: @llvm.masked.gather.v16f32
// HOST: fmul <16 x float>
