// prism-probe <backend>: tries a backend's driver in a process of its own and prints one line with the verdict. The
// runtime starts it when a driver is new (devices/probe.hpp); people may too.
#include "devices/probe.hpp"
#include "devices/registry.hpp"

#include <cstdio>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: prism-probe <backend>\n");
    return 2;
  }
  const auto line = prism::devices::to_text(prism::devices::probe_in_process(argv[1])) + "\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  _exit(0); // a driver that crashes only while the process ends works otherwise
}
