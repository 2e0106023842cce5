// z = x + a y over n floats, one for each work-item: BabelStream's triad.
__kernel void triad(__global const float* x, __global const float* y, __global float* z, float a, uint n) {
  const uint i = get_global_id(0);
  if (i < n) z[i] = x[i] + a * y[i];
}
