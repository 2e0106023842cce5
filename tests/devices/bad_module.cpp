// A backend module for the registry's tests. Each build of it is either right or wrong in the one way that
// its definition names.
#include "devices/api/backend.hpp"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace prism::devices;

namespace {

std::vector<std::unique_ptr<device>> open_nothing() { return {}; }

[[maybe_unused]] probe_result crash() {
  std::signal(SIGSEGV, SIG_DFL); // a sanitizer's handler would turn the signal into an exit
  std::raise(SIGSEGV);
  return {};
}

[[maybe_unused]] probe_result hang() {
  for (;;) pause();
}

[[maybe_unused]] std::vector<std::unique_ptr<device>> abort_when_opened() { std::abort(); }

[[maybe_unused]] backend make() {
  backend b;
  b.name = "module";
  b.display_name = "a module for tests";
  b.open = open_nothing;
#if defined(PRISM_MODULE_WRONG_VERSION)
  b.version = 77;
#elif defined(PRISM_MODULE_WRONG_SIZE)
  b.struct_size = 8;
#elif defined(PRISM_MODULE_WRONG_LIBRARY)
  b.library = "another standard library";
#elif defined(PRISM_MODULE_NO_NAME)
  b.name = nullptr;
#elif defined(PRISM_MODULE_NO_OPEN)
  b.open = nullptr;
#elif defined(PRISM_MODULE_DUPLICATE)
  b.name = "record"; // the test created this name before
#elif defined(PRISM_MODULE_CRASHING)
  b.name = "crashing";
  b.probe = crash;
#elif defined(PRISM_MODULE_ABORTING)
  b.name = "aborting";
  b.open = abort_when_opened;
#elif defined(PRISM_MODULE_HANGING)
  b.name = "hanging";
  b.probe = hang;
#endif
  return b;
}

} // namespace

#if !defined(PRISM_MODULE_NO_ENTRY)
extern "C" __attribute__((visibility("default"))) const backend* prism_backend_entry() {
#if defined(PRISM_MODULE_NULL_ENTRY)
  return nullptr;
#else
  static const backend b = make();
  return &b;
#endif
}
#endif
