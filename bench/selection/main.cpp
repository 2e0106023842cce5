// prism-bench-selection: measures the figures of docs/selection-measured.md, and prints it. Exit status: 0
// success, 1 failed, 2 usage.
#include "bench/selection/sections.hpp"

#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "an unknown processor";
}

int usage() {
  std::fputs(
      "usage: prism-bench-selection [--quick] [--only decisions|predictions|divisions|tuning|pipeline] "
      "[--reads GENOME.fa READS.fq]\n"
      "example: prism-bench-selection --reads lambda_virus.fa.gz reads_1.fq.gz > "
      "docs/selection-measured.md\n",
      stderr);
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  bench::selection_options how;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) how.quick = true;
    else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = argv[++i];
    else if (std::strcmp(argv[i], "--reads") == 0 && i + 2 < argc)
      how.genome = argv[i + 1], how.reads = argv[i + 2], i += 2;
    else return usage();
  }
  try {
    double load[1] = {0};
    getloadavg(load, 1);
    std::printf(
        "# Selection, measured\n\n`prism-bench-selection` wrote this page on %s with %u cores, load %.1f "
        "at the start. All devices of this machine compute on these\n"
        "cores, and so did other programs: the figures show the quality of the decisions, not the speed of "
        "the devices.\n",
        processor().c_str(), std::thread::hardware_concurrency(), load[0]);
    const std::pair<const char*, std::string (*)(const bench::selection_options&)> sections[] = {
        {"decisions", [](const bench::selection_options&) { return bench::decision_section(); }},
        {"predictions", bench::prediction_section},
        {"divisions", bench::division_section},
        {"tuning", bench::tuning_section},
        {"pipeline", bench::pipeline_section},
    };
    bool any = false;
    for (const auto& [name, run] : sections) {
      if (!only.empty() && only != name) continue;
      any = true;
      std::printf("\n%s", run(how).c_str());
      std::fflush(stdout);
    }
    return any ? 0 : usage();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "prism-bench-selection: %s\n", e.what());
    return 1;
  }
}
