#include "kernels/provider/run.hpp"

#include "kernels/provider/measured.hpp"
#include "kernels/provider/operation.hpp"
#include "kernels/provider/threads.hpp"

#include <prism/native.hpp>
#include <sycl/backend/opencl.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace prism::provider {
namespace {

/// All queues share one budget of processors. `some`: those of a device, which may be a part of the host.
thread_budget& host_threads(unsigned some) {
  static thread_budget budget(some);
  budget.has(some);
  return budget;
}

/// The device in the form for providers. `name` must outlive it. A cl_device_id of a whole device has no
/// reference count.
prism_provider_device described(const sycl::device& device, const std::string& name) {
  prism_provider_device out{};
  out.struct_size = sizeof out;
  out.name = name.c_str();
  out.is_cpu = device.is_cpu();
  if (device.get_backend() == sycl::backend::ext_prism_host) {
    out.native = PRISM_NATIVE_HOST;
    out.threads = device.get_info<sycl::info::device::max_compute_units>();
  } else if (device.get_backend() == sycl::backend::opencl) {
    out.native = PRISM_NATIVE_OPENCL;
    out.device = sycl::get_native<sycl::backend::opencl>(device);
  } else {
    out.native = PRISM_NATIVE_VULKAN;
  }
  return out;
}

[[noreturn]] void refuse(const open_provider& from, const prism_provider_operation& what, sycl::errc code,
                         const std::string& why) {
  throw sycl::exception(sycl::make_error_code(code), from.name + " cannot do " + text_of(what) + ": " + why);
}

} // namespace

struct device_plan::state {
  const open_provider* from;
  prism_provider_operation what;
  prism_provider_support support{};
  std::string device_name;
  prism_provider_device device{};
  prism_provider_plan* plan = nullptr;
  ~state() {
    if (plan) from->table->drop(plan);
  }
};

const open_provider& device_plan::from() const noexcept { return *m_state->from; }
const prism_provider_support& device_plan::support() const noexcept { return m_state->support; }
const prism_provider_operation& device_plan::what() const noexcept { return m_state->what; }

prism_provider_support support_on(const open_provider& from, const sycl::device& device,
                                  const prism_provider_operation& what) {
  const std::string name = device.get_info<sycl::info::device::name>();
  const prism_provider_device seen = described(device, name);
  prism_provider_support answer{};
  answer.struct_size = sizeof answer;
  if (from.serves(seen.native)) from.table->query(from.state, &seen, &what, &answer);
  else std::strcpy(answer.reason, "it does not support this kind of device");
  answer.reason[sizeof answer.reason - 1] = 0;
  return answer;
}

bool has_operation(const open_provider& from, std::int32_t operation) {
  for (const int native : {PRISM_NATIVE_HOST, PRISM_NATIVE_OPENCL, PRISM_NATIVE_VULKAN}) {
    prism_provider_device device{};
    device.struct_size = sizeof device, device.native = native, device.name = "any";
    device.threads = native == PRISM_NATIVE_HOST ? 1 : 0;
    if (!from.serves(native)) continue;
    for (const std::int32_t type :
         {PRISM_F32, PRISM_F64, PRISM_C32, PRISM_C64, PRISM_F16, PRISM_BF16, PRISM_S8})
      for (const std::int64_t n : {64, 4}) {
        const prism_provider_operation what = plain_operation(operation, type, n);
        prism_provider_support answer{};
        answer.struct_size = sizeof answer;
        from.table->query(from.state, &device, &what, &answer);
        if (answer.supported) return true;
      }
  }
  return false;
}

std::vector<ranked_provider> ranking_on(const sycl::device& device, const prism_provider_operation& what,
                                        const std::vector<candidate>& others, const std::string& pinned) {
  const char* const set = std::getenv("PRISM_PROVIDER");
  const std::string setting = set ? set : "";
  std::vector<std::string> operations;
  for (const operation_facts& facts : all_operations()) operations.push_back(facts.name);
  if (const std::string wrong = wrong_setting(setting, operations); !wrong.empty())
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), wrong);
  const pinned_name pin = pinned.empty() ? pinned_provider(setting, name_of_operation(what.operation))
                                         : pinned_name{pinned, false};
  std::vector<candidate> candidates;
  for (const open_provider* one : process_registry().all()) {
    candidate made{one->name, support_on(*one, device, what), 0};
    if (pin.is_general && one->name == pin.provider && !made.support.supported)
      made.has_operation = has_operation(*one, what.operation);
    candidates.push_back(std::move(made));
  }
  candidates.insert(candidates.end(), others.begin(), others.end());
  const double work = work_of(what);
  for (const measured_variant& one : measurements::of_process().of(measured_name(what), device, work))
    for (candidate& each : candidates)
      if (each.name == one.variant && one.items > 0)
        each.measured_ns = one.time.count() * 1e9 * std::max(work, 1.0) / one.items;
  constexpr double flops_of_unit =
      32; // approximate, per nanosecond: only its relation to the providers' overheads matters
  const double peak = flops_of_unit * device.get_info<sycl::info::device::max_compute_units>();
  return rank(candidates, 2 * work, peak, pin);
}

device_plan best_plan(const sycl::device& device, const prism_provider_operation& what) {
  const std::vector<ranked_provider> ranking = ranking_on(device, what);
  if (!ranking.empty() && ranking.front().reason.empty())
    return device_plan(*process_registry().find(ranking.front().name), device, what);
  throw sycl::exception(sycl::make_error_code(sycl::errc::kernel_not_supported),
                        "no provider can do " + text_of(what) +
                            (ranking.empty() ? ": none was found; PRISM_PROVIDER_PATH names folders"
                                             : ": " + explained(ranking)));
}

std::shared_ptr<const device_plan::state> device_plan::planned(const open_provider& from,
                                                               std::shared_ptr<state> made,
                                                               const prism_provider_operation& what) {
  made->from = &from, made->what = what;
  if (!made->support.supported) refuse(from, what, sycl::errc::kernel_not_supported, made->support.reason);
  if (made->support.workspace_bytes != 0)
    refuse(from, what, sycl::errc::feature_not_supported,
           "it needs a workspace, which PRISM does not provide yet");
  prism_message why{sizeof why, {}};
  const prism_status status = from.table->plan(from.state, &made->device, &made->what, &made->plan, &why);
  if (status == PRISM_OUT_OF_MEMORY) refuse(from, what, sycl::errc::memory_allocation, why.text);
  if (status != PRISM_OK) refuse(from, what, sycl::errc::kernel_not_supported, why.text);
  return made;
}

device_plan::device_plan(const open_provider& from, const sycl::device& device,
                         const prism_provider_operation& what) {
  if (const std::string wrong = contradiction_in(what); !wrong.empty())
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), wrong);
  auto made = std::make_shared<state>();
  made->device_name = device.get_info<sycl::info::device::name>();
  made->device = described(device, made->device_name);
  made->support = support_on(from, device, what);
  m_state = planned(from, std::move(made), what);
}

std::optional<device_plan> device_plan::of_host(const prism_provider_operation& what,
                                                const std::string& pinned, unsigned threads) {
  if (pinned == "prism") return {};
  auto made = std::make_shared<state>();
  made->device_name = "host";
  made->device.struct_size = sizeof made->device;
  made->device.native = PRISM_NATIVE_HOST, made->device.is_cpu = 1;
  made->device.name = made->device_name.c_str();
  made->device.threads = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const open_provider* best = nullptr;
  for (const open_provider* one : process_registry().all()) {
    if (!one->serves(PRISM_NATIVE_HOST) || (!pinned.empty() && one->name != pinned)) continue;
    prism_provider_support answer{};
    answer.struct_size = sizeof answer;
    one->table->query(one->state, &made->device, &what, &answer);
    if (answer.supported && (!best || answer.efficiency > made->support.efficiency))
      best = one, made->support = answer;
  }
  if (!best) return {};
  device_plan out;
  out.m_state = planned(*best, std::move(made), what);
  return out;
}

void device_plan::submit(sycl::handler& group, const double (&alpha)[2], const double (&beta)[2],
                         const std::vector<std::uint64_t>& offset) const {
  if (offset.size() != std::size_t(m_state->what.operand_count))
    refuse(*m_state->from, m_state->what, sycl::errc::invalid, std::to_string(offset.size()) + " offsets");
  const std::array<double, 2> first{alpha[0], alpha[1]}, second{beta[0], beta[1]};
  group.prism_native([plan = *this, first, second, offset](const prism::native_work& now) -> void* {
    return plan.run_in(now, {first[0], first[1]}, {second[0], second[1]}, offset);
  });
}

void device_plan::run_here(void* const* first) const {
  prism::native_argument arguments[PRISM_MAX_OPERANDS] = {};
  const auto count = std::size_t(m_state->what.operand_count);
  for (std::size_t i = 0; i < count; ++i) arguments[i].pointer = first[i];
  prism::native_work now;
  now.arguments = arguments, now.argument_count = count;
  constexpr double none[2] = {};
  run_in(now, none, none, std::vector<std::uint64_t>(count));
}

void* device_plan::run_in(const prism::native_work& now, const double (&alpha)[2], const double (&beta)[2],
                          const std::vector<std::uint64_t>& offset) const {
  prism_provider_memory memory[PRISM_MAX_OPERANDS] = {};
  for (std::size_t i = 0; i < now.argument_count && i < offset.size(); ++i) {
    const prism::native_argument& a = now.arguments[i];
    memory[i] = a.object ? prism_provider_memory{nullptr, a.object, 0, a.offset + offset[i]}
                         : prism_provider_memory{a.pointer, nullptr, 0, offset[i]};
  }
  const unsigned of_device = std::max(1u, m_state->device.threads);
  const thread_budget::grant granted(host_threads(of_device),
                                     std::min(of_device, m_state->support.most_threads));
  void* done = nullptr;
  prism_provider_run run{};
  run.struct_size = sizeof run;
  run.native = m_state->device.native;
  std::memcpy(run.alpha, alpha, sizeof alpha);
  std::memcpy(run.beta, beta, sizeof beta);
  run.threads = granted.threads();
  run.memory = memory;
  run.queue = now.queue;
  run.queue_is_in_order = now.queue_is_in_order;
  run.waits = now.waits;
  run.wait_count = std::uint32_t(now.wait_count);
  run.done = &done;
  prism_message why{sizeof why, {}};
  if (const prism_status status = m_state->from->table->run(m_state->plan, &run, &why); status != PRISM_OK)
    throw std::runtime_error(m_state->from->name + " failed at " + text_of(m_state->what) + " with status " +
                             std::to_string(status) + ": " + why.text);
  return done;
}

} // namespace prism::provider
