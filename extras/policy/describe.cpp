#include "extras/policy/describe.hpp"

#include <algorithm>

namespace prism::policy {

namespace {

using devices::capabilities;
using devices::device_type;

/// The name in requirements of a feature of the image format, and the version that a device with the feature
/// has.
struct named_feature {
  image::feature bit;
  const char* name;
  int version;
};
constexpr named_feature named_features[] = {
    {image::fp16, "fp16", 1},
    {image::fp64, "fp64", 1},
    {image::int8, "int8", 1},
    {image::int16, "int16", 1},
    {image::int64, "int64", 1},
    {image::int64_atomics, "int64_atomics", 1},
    {image::float_atomic_add, "float_atomic_add", 1},
    {image::addresses, "addresses", 1},
    {image::memory_model, "memory_model", 1},
    {image::sub_groups, "subgroups", 2}, // 1: sub-groups; 2: also shuffles and ballots
    {image::signed_zero_inf_nan, "signed_zero_inf_nan", 1},
    {image::fp16_storage, "fp16_storage", 1},
    {image::fused_multiply_add, "fused_multiply_add", 1},
    {image::clock_sub_group, "clock_sub_group", 1},
    {image::clock_device, "clock_device", 1},
    {image::cooperative_matrix, "cooperative_matrix", 1},
};

const char* type_name(device_type type) {
  switch (type) {
    case device_type::cpu: return "cpu";
    case device_type::gpu: return "gpu";
    case device_type::accelerator: return "accelerator";
    case device_type::custom: return "custom";
  }
  return "custom";
}

bool has(const capabilities& c, image::feature f) { return (c.features & f) != 0; }
bool runs_on_the_cpu(const capabilities& c) { return c.type == device_type::cpu || c.software; }

bool has_extension(const capabilities& c, std::initializer_list<const char*> any) {
  return std::any_of(any.begin(), any.end(), [&](const char* name) {
    return std::find(c.extensions.begin(), c.extensions.end(), name) != c.extensions.end();
  });
}

void add_features(const capabilities& c, device_description& d) {
  const auto add = [&](const char* name, int version) { d.features.push_back({name, version, {}}); };
  for (const named_feature& f : named_features)
    if (has(c, f.bit)) add(f.name, f.version);
  const std::uint32_t widest =
      c.sub_group_sizes.empty() ? 1 : *std::max_element(c.sub_group_sizes.begin(), c.sub_group_sizes.end());
  if (!has(c, image::sub_groups) && widest > 1) add("subgroups", 1);
  if (c.usm_device) add("usm_device", 1);
  if (c.usm_host) add("usm_host", 1);
  if (c.usm_shared) add("usm_shared", 1);
  if (c.usm_system) add("usm_system", 1);
  if (c.profiling) add("profiling", 1);
  add("async_execution",
      c.out_of_order ? 2 : 1); // 1: every queue is asynchronous; 2: commands of a queue can overlap
  add("multi_device", 1);      // a program can use several devices
  if (runs_on_the_cpu(c))
    add("simd_level", static_cast<int>(std::max(1u, c.vector_widths_native[4]))); // floats per vector
  if (has_extension(c, {"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix",
                        "cl_intel_subgroup_matrix_multiply_accumulate", "cl_qcom_ml_ops"}))
    add("tensor_cores", 1);
}

/// Estimates the rates of a device without measurements: each vector unit starts one multiply-add per cycle.
void estimate_rates(const capabilities& c, device_description& d) {
  const double clock = c.max_clock_mhz != 0 ? c.max_clock_mhz / 1000.0 : runs_on_the_cpu(c) ? 2.0 : 1.0;
  const double gpu_lanes = 64; // per compute unit; the large vendors have 64 to 128
  const auto rate = [&](double lanes) { return c.compute_units * clock * 2 * lanes; };
  const double lanes = runs_on_the_cpu(c) ? std::max(1u, c.vector_widths_native[4]) : gpu_lanes;
  d.peak_gflops["fp32"] = rate(lanes);
  d.peak_gflops["int32"] = rate(lanes);
  if (has(c, image::fp64))
    d.peak_gflops["fp64"] =
        rate(runs_on_the_cpu(c) ? std::max(1u, c.vector_widths_native[5]) : gpu_lanes / 32);
  if (has(c, image::fp16))
    d.peak_gflops["fp16"] = rate(runs_on_the_cpu(c) ? std::max(1u, c.vector_widths_native[6]) : gpu_lanes);
  if (has(c, image::int8)) d.peak_gflops["int8"] = rate(lanes);
  if (has(c, image::int16)) d.peak_gflops["int16"] = rate(lanes);
  if (has(c, image::int64)) d.peak_gflops["int64"] = rate(lanes / 2);
  const bool cpu = runs_on_the_cpu(c);
  if (c.global_cache != 0)
    d.memory_hierarchy.push_back({"cache", c.global_cache, cpu ? 20.0 * c.compute_units : 1000.0});
  d.memory_hierarchy.push_back({"global", std::max<std::uint64_t>(c.global_memory, 1), cpu ? 10.0 : 200.0});
  d.transfer_gbps = c.host_visible || c.adopt_host_memory ? 0 : cpu ? 5.0 : 10.0;
  const bool host = c.platform_name == "PRISM host";
  d.launch_latency_us = host ? 2 : cpu ? 40 : 15;
  d.build_ms = host ? 0 : 50; // the program contains the host's kernels
  d.estimated = {"peak_gflops", "memory_hierarchy.bandwidth_gbps", "launch_latency_us", "build_ms",
                 "transfer_gbps"};
}

} // namespace

device_description describe(const capabilities& c, const device_place& where) {
  device_description d;
  d.name = c.name;
  d.device_type = c.software && c.type == device_type::gpu ? "cpu" : type_name(c.type);
  d.vendor = c.vendor;
  d.driver = c.driver_version;
  d.platform = c.platform_name + ", " + c.platform_version;
  d.physical_id = c.physical_id;
  d.backend = where.backend;
  d.compute_units = c.compute_units;
  d.executes_on = where.backend + ":" + std::to_string(where.index);
  d.only_when_named = where.only_when_named;
  add_features(c, d);
  estimate_rates(c, d);
  d.limits = {{"index", where.index},
              {"max_group_size", c.max_group_size},
              {"max_allocation", c.max_allocation},
              {"max_argument_bytes", c.max_argument_bytes},
              {"local_memory", c.local_memory},
              {"cache_line", c.cache_line},
              {"max_clock_mhz", c.max_clock_mhz},
              {"max_sub_group_size", c.sub_group_sizes.empty() ? 1
                                                               : *std::max_element(c.sub_group_sizes.begin(),
                                                                                   c.sub_group_sizes.end())}};
  return d;
}

} // namespace prism::policy
