// prism-probe BACKEND: probes a backend's driver in a separate process and prints one line with the result.
// The runtime starts it when a driver is new (devices/probe.hpp).
#include "devices/probe.hpp"
#include "devices/registry.hpp"
#include "tools/delivered.hpp"

#include <cstdio>
#include <cstring>
#include <unistd.h>

int main(int argc, char** argv) {
  const bool help = argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
  if (argc != 2 || help) {
    std::fputs("usage: prism-probe BACKEND\n"
               "Probes one backend's driver and prints one line: prism-probe 1, usable or unusable, devices, "
               "reason.\n"
               "examples: prism-probe opencl        prism-probe vulkan\n",
               help ? stdout : stderr);
    return help ? prism::delivered("prism-probe", 0) : 2;
  }
  const auto line = prism::devices::to_text(prism::devices::probe_in_process(argv[1])) + "\n";
  std::fputs(line.c_str(), stdout);
  _exit(prism::delivered("prism-probe",
                         0)); // no exit handlers: a driver that crashes only at process exit is usable
}
