// The sample provider with one error; the kit must find each. Each module links it with a name of an error,
// which is the module's name too.
#include <prism/provider.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#define prism_provider_entry naive_entry
extern "C" const prism_provider* prism_provider_entry(void);
#undef prism_provider_entry

extern "C" __attribute__((visibility("hidden"))) const char prism_wrong_name[];

namespace {

/// Whether this module is to have the error, of which `name` is the name.
bool has(const char* name) { return std::strcmp(prism_wrong_name, name) == 0; }

const prism_provider& right() { return *naive_entry(); }
std::atomic<int> runs{0};
bool closed = false;
struct wrapped_plan {
  prism_provider_plan* right;
  prism_provider_operation what;
};
wrapped_plan* wrapped(const prism_provider_plan* plan) {
  return reinterpret_cast<wrapped_plan*>(const_cast<prism_provider_plan*>(plan));
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  if (has("crashes")) *static_cast<volatile int*>(nullptr) = 0;
  if (has("hangs"))
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  return right().open(state, version, why);
}
void query(prism_provider_state* state, const prism_provider_device* device,
           const prism_provider_operation* what, prism_provider_support* answer) {
  right().query(state, device, what, answer);
  if (has("takes-contradictions")) answer->supported = 1;
  if (has("gives-no-reason")) answer->reason[0] = 0;
}
prism_status plan(prism_provider_state* state, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  if (has("plan-refuses"))
    if (what->operation == PRISM_GEMM) return PRISM_FAILED;
  auto* made = new wrapped_plan{nullptr, *what};
  const prism_status status = right().plan(state, device, what, &made->right, why);
  if (status != PRISM_OK) return delete made, status;
  return *out = reinterpret_cast<prism_provider_plan*>(made), PRISM_OK;
}

template <typename T>
void add(const prism_provider_memory& m, std::int64_t at, T value) {
  auto* const p = static_cast<T*>(static_cast<void*>(static_cast<char*>(m.pointer) + m.offset)) + at;
  *p += value;
}
/// Adds to element `at` of the last operand.
void add_to_last(const wrapped_plan& plan, const prism_provider_run* run, std::int64_t at, double value) {
  const int last = plan.what.operand_count - 1;
  plan.what.operand[0].type == PRISM_F32 ? add(run->memory[last], at, float(value))
                                         : add(run->memory[last], at, value);
}

/// One scratch memory shared by all threads, which holds the operands while a plan runs: an error that
/// concurrent runs show.
prism_status run_shared(const wrapped_plan& plan, const prism_provider_run* run, prism_message* why) {
  static std::vector<prism_provider_memory> scratch(PRISM_MAX_OPERANDS);
  for (int i = 0; i < plan.what.operand_count; ++i) scratch[std::size_t(i)] = run->memory[i];
  std::this_thread::yield();
  prism_provider_run mine = *run;
  mine.memory = scratch.data();
  return right().run(plan.right, &mine, why);
}

prism_status run(const prism_provider_plan* made, const prism_provider_run* run, prism_message* why) {
  const wrapped_plan& plan = *wrapped(made);
  prism_provider_run mine = *run;
  if (has("takes-no-thread")) mine.threads = 1;
  if (has("computes-refused")) mine.native = PRISM_NATIVE_HOST;
  if (has("closes-for-all"))
    if (closed) return PRISM_FAILED;
  if (has("shares-state")) return run_shared(plan, run, why);
  if (has("takes-more-threads")) {
    std::thread helper([&] { right().run(plan.right, &mine, why); });
    return helper.join(), PRISM_OK;
  }
  if (has("reads-overwritten"))
    if (mine.beta[0] == 0) mine.beta[0] = 1e-300;
  const prism_status status = right().run(plan.right, &mine, why);
  const prism_provider_operand& last = plan.what.operand[plan.what.operand_count - 1];
  bool some = status == PRISM_OK;
  for (int d = 0; d < last.rank; ++d) some = some && last.extent[d] > 0;
  if (!some) return status;
  if (has("wrong-value")) add_to_last(plan, run, 0, 0.001);
  if (has("writes-outside")) add_to_last(plan, run, -1, 1);
  if (has("rounds-by-chance")) add_to_last(plan, run, 0, ++runs % 2 ? 4e-7 : 0);
  return status;
}
void drop(prism_provider_plan* plan) {
  right().drop(wrapped(plan)->right);
  delete wrapped(plan);
}
void close(prism_provider_state* state) {
  closed = true;
  right().close(state);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static prism_provider table = right();
  table.open = open, table.query = query, table.plan = plan, table.run = run, table.drop = drop,
  table.close = close;
  table.name = prism_wrong_name;
  if (has("wrong-abi")) table.abi = PRISM_PROVIDER_ABI + 1;
  if (has("wrong-size")) table.struct_size = sizeof(prism_provider) - 8;
  if (has("no-function")) table.run = nullptr;
  if (has("odd-name")) table.name = "Odd Name";
  return &table;
}
