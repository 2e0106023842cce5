// Accelerations of n bodies (x, y, z, mass) by direct summation; softening 1e-2.
__kernel void nbody(__global const float4* position, __global float4* acceleration, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float4 here = position[i];
  float x = 0, y = 0, z = 0;
  for (uint j = 0; j < n; ++j) {
    const float4 other = position[j];
    const float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
    const float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + 1e-2f);
    const float scale = other.w * inverse * inverse * inverse;
    x += dx * scale;
    y += dy * scale;
    z += dz * scale;
  }
  acceleration[i] = (float4)(x, y, z, 0);
}
