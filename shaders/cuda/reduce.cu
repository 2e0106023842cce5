// Partial sums: each block of 256 adds its grid-stride share of n floats into partial[block].
extern "C" __global__ void __launch_bounds__(256)
reduce(const float* __restrict__ x, float* __restrict__ partial, unsigned n) {
  __shared__ float sums[256];
  const unsigned l = threadIdx.x, stride = gridDim.x * 256;
  float sum = 0;
  for (unsigned i = blockIdx.x * 256 + l; i < n; i += stride) sum += x[i];
  sums[l] = sum;
  __syncthreads();
  for (unsigned half_size = 128; half_size > 0; half_size /= 2) {
    if (l < half_size) sums[l] += sums[l + half_size];
    __syncthreads();
  }
  if (l == 0) partial[blockIdx.x] = sums[0];
}
