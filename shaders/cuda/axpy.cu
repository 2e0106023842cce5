// y = a x + y over n floats, one for each thread.
extern "C" __global__ void axpy(const float* __restrict__ x, float* __restrict__ y, float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
