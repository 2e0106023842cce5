// The operations of `prism-bench --forms` over storage buffers, one for each work-item. The macro OPERATION names one;
// A, B and C are the types of the elements of the three buffers.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, set = 0, binding = 0) readonly buffer first { A a[]; };
layout(std430, set = 0, binding = 1) buffer second { B b[]; };
layout(std430, set = 0, binding = 2) buffer third { C c[]; };

const uint width = 1024, count = width * width;

void axpy(uint i) { b[i] = B(A(3) * a[i] + b[i]); }
#ifdef IS_FLOAT
void stencil(uint i) {
  if (i > 0 && i < count - 1) c[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
}
void transpose(uint i) { c[i % width * width + i / width] = a[i]; }
void branchy(uint i) {
  const float v = a[i];
  if (v > 30.0) c[i] = sqrt(v);
  else if (v > 10.0) c[i] = v * v - 1.0;
  else c[i] = -v;
}
void by_rows(uint i) {
  float sum = 0;
  for (uint j = 0; j < width; ++j) sum += a[i * width + j] * b[j];
  c[i] = sum;
}
void by_columns(uint i) {
  float sum = 0;
  for (uint j = 0; j < width; ++j) sum += a[j * width + i] * b[j];
  c[i] = sum;
}
#endif
#ifdef IS_GATHER
void gather(uint i) { c[i] = a[b[i]]; }
#endif
#ifdef IS_HISTOGRAM
void histogram(uint i) { atomicAdd(b[a[i] & 255], 1); }
#endif
#ifdef IS_DOT
/// Each work-group of 256 adds its grid-stride share, by a tree in shared memory, into c[group].
shared C part[256];
void dot_product(uint i) {
  const uint l = gl_LocalInvocationIndex;
  C own = C(0);
  for (uint k = i; k < count; k += gl_NumWorkGroups.x * gl_WorkGroupSize.x) own += a[k] * b[k];
  part[l] = own;
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    barrier();
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) c[gl_WorkGroupID.x] = part[0];
}
#endif

void main() { OPERATION(gl_GlobalInvocationID.x); }
