// Which machine for which job, and why: applies policies to a described fleet; needs no device. usage:
// 08_choose_a_device [fleet.yaml]
#include <prism/prism.hpp>

#include <iostream>

#ifndef PRISM_SAMPLES // set by CMakeLists.txt
#define PRISM_SAMPLES "samples"
#endif

int main(int argc, char** argv) {
  try {
    const auto fleet = prism::load_devices(argc > 1 ? argv[1] : PRISM_SAMPLES "/fleet/fleet.yaml");
    prism::workload align; // Smith-Waterman over a million reads
    align.operation = "smith-waterman";
    align.flops = 4.5e12;
    align.bytes = 1e9;
    align.bytes_to_move = 1e8;
    align.items = 1e6;
    const char* const policies[] = {
        "priority=speed",
        "priority=speed; max_cost_per_hour=5",
        "priority=cost; max_latency=1s",
        "priority=energy",
        "priority=throughput; require=fp64; max_power=450",
        "priority=cost; require=fp64,memory>=64GiB; forbid=NVIDIA",
    };
    for (const char* text : policies)
      std::cout << prism::select(prism::parse_policy(text), align, fleet).explain() << '\n';

    const prism::advice together = prism::advise(align, 1'000'000, fleet);
    std::cout << together.reason << '\n';
    for (const prism::share& s : together.shares)
      std::cout << "  " << fleet[s.device].name << ": " << s.count << " reads\n";

    try {
      prism::select(prism::parse_policy("require=fp64,time_travel"), align, fleet);
      return 1;
    } catch (const prism::no_candidate& none) {
      std::cout << '\n' << none.what();
    }
    return 0;
  } catch (const sycl::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
