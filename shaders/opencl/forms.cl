// The operations of `prism-bench --forms`, one for each work-item; T is the type of an element.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifndef T
#define T float
#endif
#define width 1024u

__kernel void axpy(__global const T* x, __global T* y, __global T* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = (T)(3) * x[i] + y[i];
}

/// Drivers without arithmetic of halves convert them.
__kernel void axpy_half(__global const half* x, __global half* y, __global half* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) vstore_half(3.0f * vload_half(i, x) + vload_half(i, y), i, y);
}

__kernel void stencil(__global const float* x, __global const float* y, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i > 0 && i < n - 1) out[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

__kernel void transpose(__global const float* x, __global const float* y, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) out[i % width * width + i / width] = x[i];
}

__kernel void gather(__global const float* x, __global const int* places, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) out[i] = x[places[i]];
}

__kernel void histogram(__global const int* places, __global int* bins, __global int* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) atomic_inc(&bins[places[i] & 255]);
}

__kernel void branchy(__global const float* x, __global const float* y, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float v = x[i];
  if (v > 30.0f) out[i] = sqrt(v);
  else if (v > 10.0f) out[i] = v * v - 1.0f;
  else out[i] = -v;
}

__kernel void functions(__global const float* x, __global const float* y, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float v = x[i];
  out[i] = exp(v * -0.125f) * sin(v) + log(1.0f + v) * pow(v + 0.5f, 0.3f);
}

__kernel void by_rows(__global const float* matrix, __global const float* x, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (uint j = 0; j < width; ++j) sum += matrix[i * width + j] * x[j];
  out[i] = sum;
}

__kernel void by_columns(__global const float* matrix, __global const float* x, __global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float sum = 0;
  for (uint j = 0; j < width; ++j) sum += matrix[j * width + i] * x[j];
  out[i] = sum;
}

/// Each work-group of 256 adds its grid-stride share, by a tree in local memory, into out[group].
__kernel void dot_product(__global const T* x, __global const T* y, __global T* out, uint n) {
  __local T part[256];
  const uint l = get_local_id(0);
  T own = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) own += x[i] * y[i];
  part[l] = own;
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
