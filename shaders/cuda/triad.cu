// z = x + a y over n floats, one for each thread: BabelStream's triad.
extern "C" __global__ void triad(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z,
                                 float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + a * y[i];
}
