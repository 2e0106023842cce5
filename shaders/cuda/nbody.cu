// Accelerations of n bodies (x, y, z, mass) by direct summation; softening 1e-2.
extern "C" __global__ void nbody(const float4* __restrict__ position, float4* __restrict__ acceleration, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 here = position[i];
  float x = 0, y = 0, z = 0;
  for (unsigned j = 0; j < n; ++j) {
    const float4 other = position[j];
    const float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
    const float scale = other.w * inverse * inverse * inverse;
    x += dx * scale;
    y += dy * scale;
    z += dz * scale;
  }
  acceleration[i] = make_float4(x, y, z, 0);
}
