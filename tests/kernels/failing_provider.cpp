// A provider that reports the highest speed for float products on the host, and fails whenever it runs.
#include <prism/provider.h>

#include <cstdio>

struct prism_provider_state {};
struct prism_provider_plan {};

namespace {

prism_provider_state the_state;
prism_provider_plan the_plan;

prism_status open(prism_provider_state** state, const char** version, prism_message*) {
  *state = &the_state, *version = nullptr;
  return PRISM_OK;
}
void query(prism_provider_state*, const prism_provider_device* device, const prism_provider_operation* what,
           prism_provider_support* answer) {
  answer->supported = device->native == PRISM_NATIVE_HOST && what->operation == PRISM_GEMM &&
                      what->operand[0].type == PRISM_F32;
  if (!answer->supported) std::snprintf(answer->reason, sizeof answer->reason, "float products on the host");
  answer->efficiency = 1, answer->overhead_ns = 1, answer->most_threads = 1;
}
prism_status plan(prism_provider_state*, const prism_provider_device*, const prism_provider_operation*,
                  prism_provider_plan** out, prism_message*) {
  *out = &the_plan;
  return PRISM_OK;
}
prism_status run(const prism_provider_plan*, const prism_provider_run*, prism_message* why) {
  std::snprintf(why->text, sizeof why->text, "its processor is on fire");
  return PRISM_FAILED;
}
void drop(prism_provider_plan*) {}
void close(prism_provider_state*) {}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_HOST,
                                    "failing",
                                    "1",
                                    "nothing",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
