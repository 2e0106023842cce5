// A described fleet for tests: four machines with different strengths, so that every policy selects another
// one.
#pragma once

#include <prism/prism.hpp>

#include <gtest/gtest.h>

namespace prism_test {

inline const char* const fleet_text = R"(
schema: 1
devices:
  - name: workstation
    device_type: cpu
    compute_units: 16
    memory_hierarchy:
      - {level: L2, size_bytes: 16MiB, bandwidth_gbps: 800}
      - {level: memory, size_bytes: 64GiB, bandwidth_gbps: 50}
    features: [fp64, {name: subgroups, version: 1}]
    peak_gflops: {fp32: 1000, fp64: 500}
    launch_latency_us: 2
    watts: 100
  - name: cloud gpu
    vendor: nvidia
    device_type: gpu
    compute_units: 108
    memory_hierarchy:
      - {level: L2, size_bytes: 40MiB, bandwidth_gbps: 4000}
      - {level: HBM, size_bytes: 40GiB, bandwidth_gbps: 1500}
    features: [fp64, fp16, {name: subgroups, version: 2}, tensor_cores]
    peak_gflops: {fp32: 20000, fp64: 10000, fp16: 80000}
    launch_latency_us: 10
    transfer_gbps: 20
    price_per_hour: 4
    watts: 400
  - name: small gpu
    device_type: gpu
    compute_units: 8
    memory_hierarchy: [{level: memory, size_bytes: 4GiB, bandwidth_gbps: 100}]
    features: [fp16, {name: subgroups, version: 2}]
    peak_gflops: {fp32: 2000, fp16: 4000}
    launch_latency_us: 30
    transfer_gbps: 8
    price_per_hour: 0.5
    watts: 15
  - name: tensor unit
    device_type: accelerator
    compute_units: 2
    memory_hierarchy: [{level: HBM, size_bytes: 16GiB, bandwidth_gbps: 900}]
    features:
      - name: tensor_cores
        version: 3
        operations: [{name: gemm, data_types: [bf16, int8]}]
    peak_gflops: {bf16: 90000, fp32: 3000}
    launch_latency_us: 100
    transfer_gbps: 10
    price_per_hour: 2
    watts: 200
)";

inline std::vector<prism::device_description> fleet() {
  return prism::parse_devices(fleet_text, "fleet.yaml");
}

/// Many operations, little data.
inline prism::workload heavy() {
  prism::workload w;
  w.operation = "smith-waterman";
  w.flops = 4.5e12;
  w.bytes = 1e9;
  w.bytes_to_move = 1e8;
  w.items = 1e6;
  return w;
}
/// Few operations and little data: overheads dominate.
inline prism::workload tiny() {
  prism::workload w;
  w.flops = 1e6;
  w.bytes = 1e5;
  w.bytes_to_move = 1e5;
  w.items = 1e3;
  return w;
}

inline std::string chosen(const prism::execution_policy& policy, const prism::workload& work,
                          const std::vector<prism::device_description>& devices = fleet()) {
  return prism::select(policy, work, devices).device().name;
}

} // namespace prism_test
