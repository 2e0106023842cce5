// y = a x + y over n floats, one for each work-item.
__kernel void axpy(__global const float* x, __global float* y, float a, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}
