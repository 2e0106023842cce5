// CLBlast's provider with one error, which the macro PRISM_WRONG selects: 1 waits for the events of its wait
// list, 2 ignores them, 3 returns no event.
#define CL_TARGET_OPENCL_VERSION 120
#include <prism/provider.h>

#include <CL/cl.h>

#include <dlfcn.h>

namespace {

const prism_provider& right() {
  static const prism_provider* const table = [] {
    void* const library = dlopen(PRISM_RIGHT_PROVIDER, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<prism_provider_entry_function>(dlsym(library, PRISM_PROVIDER_ENTRY))();
  }();
  return *table;
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  prism_provider_run mine = *run;
  if (PRISM_WRONG == 1 && run->wait_count != 0)
    clWaitForEvents(run->wait_count, reinterpret_cast<const cl_event*>(run->waits));
  if (PRISM_WRONG == 2) mine.wait_count = 0;
  if (PRISM_WRONG == 3) mine.done = nullptr;
  return right().run(plan, &mine, why);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static prism_provider table = right();
  table.run = run;
  return &table;
}
