// Programs on devices other than the host (fused.hpp).
#include "kernels/array/fused.hpp"

#include "kernels/array/node.hpp"
#include "kernels/array/pieces.hpp"

#include <sycl/sycl.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>

namespace prism::array_detail {

namespace {

using seconds = std::chrono::duration<double>;

/// Launches of fewer elements are interpreted; they cost little more than a launch.
constexpr std::int64_t least_size = 4096;
/// From here on the proof that each work-item accesses its own elements fails.
constexpr std::int64_t most_size = std::int64_t(1) << 31;
constexpr std::size_t most_timed = 16;

/// A guess until the first launch is measured: seconds for one step of one element.
double guessed_step(const sycl::device& device) {
  if (device.is_gpu()) return 5e-11;
  return device.get_backend() == sycl::backend::ext_prism_vulkan ? 2e-7 : 4e-9; // drivers on processors
}

double steps_of(const program& p) { return double(p.size) * (p.steps + 2 * p.leaves + 2); }

bool has_functions(const program& p) {
  for (int s = 0; s < p.steps; ++s)
    if (is_function(p.list[s].op)) return true;
  return false;
}

int kernel_of(arithmetic kind, const program& p) { return 2 * int(kind) + has_functions(p); }

void add_number(std::string& to, std::int64_t number) { to += char('0' + number); }

/// What the driver builds: steps, types and how the arrays lie, without pointers, extents and numbers.
std::string form_of(arithmetic kind, const program& p) {
  std::string form;
  const auto add_array = [&](const program_array& a) {
    add_number(form, a.type);
    add_number(form, a.is_flat ? 0 : std::min(p.rank, 3));
  };
  for (const std::int64_t n : {std::int64_t(kind), std::int64_t(p.root), std::int64_t(p.constants)})
    add_number(form, n);
  for (int s = 0; s < p.steps; ++s) {
    const step& each = p.list[s];
    for (const std::int64_t n : {int(each.op), int(each.to), int(each.a), int(each.b), int(each.c)})
      add_number(form, n);
  }
  if (p.fold == fold_op::none) add_array(p.result);
  for (int k = 0; k < p.leaves; ++k) add_array(p.leaf[k]);
  return form;
}

enum class setting { automatic, fused, interpreted };

setting wanted() {
  static const setting value = [] {
    const char* const text = std::getenv("PRISM_ARRAY_KERNELS");
    if (!text || !*text || std::string_view(text) == "auto") return setting::automatic;
    if (std::string_view(text) == "fused") return setting::fused;
    if (std::string_view(text) == "interpreted") return setting::interpreted;
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          std::string("PRISM_ARRAY_KERNELS is auto, fused or interpreted, not '") + text +
                              "'");
  }();
  return value;
}

/// Why the program is always interpreted; empty if it need not be.
std::string obstacle(arithmetic kind, const program& p) {
  if (p.size < least_size) return "it has less than " + std::to_string(least_size) + " elements";
  if (p.size >= most_size) return "it has 2^31 elements or more";
  for (int s = 0; s < p.steps; ++s)
    if (!has_step_piece(kind, p.list[s].op)) return "functions of complex numbers are not fused";
  return {};
}

/// A fold of elements that are in memory as they are folded.
bool is_plain_fold(arithmetic kind, const program& p) {
  return has_fold_piece(p.fold) && p.steps == 0 && p.root == first_leaf && p.leaf[0].is_flat &&
         p.leaf[0].type == std::int32_t(type_of(kind));
}

/// Records the steps of `p`, whose elements go to p.result.
template <typename T>
void record_program(piece_recorder& recorder, arithmetic kind, const program& p) {
  const dtype own = type_of(kind);
  std::array<piece_value, name_count> values;
  for (int k = 0; k < p.leaves; ++k)
    values[std::size_t(first_leaf + k)] = convert_pieces(recorder, load_piece(recorder, p.leaf[k]), own);
  for (int k = 0; k < p.constants; ++k)
    values[std::size_t(first_constant + k)] = number_piece<T>(recorder, k);
  for (int s = 0; s < p.steps; ++s) {
    const step& now = p.list[s];
    values[now.to] = step_piece<T>(recorder, now.op, values[now.a], values[now.b], values[now.c]);
  }
  const piece_value root = values[std::size_t(p.root)];
  store_piece(recorder, p.result, convert_pieces(recorder, root, dtype(p.result.type)));
}

/// Runs the steps of `p` as one graph; `only_built`: only if the driver has built it before, else it returns
/// false.
template <typename T>
bool run_steps(device_state& device, arithmetic kind, const program& p, bool only_built) {
  // A queue of its own: a user may submit to the device's queue while this one records.
  sycl::queue recording(device.queue.get_context(), device.queue.get_device(),
                        sycl::property::queue::in_order());
  command_graph graph(recording);
  graph.begin_recording(recording);
  piece_recorder recorder(recording, p);
  record_program<T>(recorder, kind, p);
  graph.end_recording();
  const property::graph::perform_fusion fusion;
  if (only_built && !graph.is_built(fusion)) return false;
  auto ready = graph.finalize(fusion);
  execute_graph(device.queue, ready);
  return true;
}

template <typename T>
bool run_fused(device_state& device, arithmetic kind, const program& p, bool only_built) {
  if (is_plain_fold(kind, p)) {
    launch_fold<T>(device.queue, reinterpret_cast<const T*>(p.leaf[0].data), p);
    return true;
  }
  if (p.fold == fold_op::none) return run_steps<T>(device, kind, p, only_built);
  int size_class = 0;
  program compute = p; // the elements; then their fold
  compute.fold = fold_op::none;
  compute.result = {
      device.allocate(std::size_t(p.size) * sizeof(T), size_class), {1}, std::int32_t(type_of(kind)), 1};
  const bool ran = run_steps<T>(device, kind, compute, only_built);
  if (ran && has_fold_piece(p.fold))
    launch_fold<T>(device.queue, reinterpret_cast<const T*>(compute.result.data), p);
  else if (ran) {
    program* const slot = device.next_program();
    *slot = p;
    slot->steps = slot->constants = 0;
    slot->leaves = 1;
    slot->leaf[0] = compute.result;
    slot->root = first_leaf;
    device.submitted(slot, launch(device.queue, kind, slot, *slot, false));
  }
  device.free(compute.result.data, size_class); // commands that use it again come later on the queue
  return ran;
}

} // namespace

fused_launches::fused_launches(const sycl::device& device) : m_choice(guessed_step(device)) {}

void fused_launches::interpret(device_state& device, arithmetic kind, const program& p) {
  program* const slot = device.next_program();
  *slot = p;
  const sycl::event event = launch(device.queue, kind, slot, p, false);
  device.submitted(slot, event);
  if (p.size >= least_size && m_timed.size() < most_timed)
    m_timed.push_back({event, kernel_of(kind, p), steps_of(p)});
}

void fused_launches::read_times() {
  using namespace sycl::info;
  while (!m_timed.empty()) {
    const timed_launch& first = m_timed.front();
    if (first.event.get_info<event::command_execution_status>() != event_command_status::complete) return;
    const auto begin = first.event.get_profiling_info<event_profiling::command_start>(),
               end = first.event.get_profiling_info<event_profiling::command_end>();
    m_choice.interpreted(first.kernel, first.steps, double(end - begin) * 1e-9);
    m_timed.pop_front();
  }
}

bool fused_launches::submit_fused(device_state& device, arithmetic kind, const program& p, bool only_built) {
  device.busy = true;
  switch (kind) {
    case arithmetic::integer: return run_fused<std::int64_t>(device, kind, p, only_built);
    case arithmetic::unsigned_integer: return run_fused<std::uint64_t>(device, kind, p, only_built);
    case arithmetic::single: return run_fused<float>(device, kind, p, only_built);
    case arithmetic::real: return run_fused<double>(device, kind, p, only_built);
    case arithmetic::single_complex: return run_fused<pair<float>>(device, kind, p, only_built);
    default: return run_fused<pair<double>>(device, kind, p, only_built);
  }
}

void fused_launches::submit(device_state& device, arithmetic kind, const program& p) {
  const setting by_user = wanted();
  if (by_user == setting::interpreted || !obstacle(kind, p).empty()) return interpret(device, kind, p);
  if (by_user == setting::fused || is_plain_fold(kind, p)) {
    submit_fused(device, kind, p, false);
    return;
  }
  read_times();
  const std::string form = form_of(kind, p);
  const double cost = m_choice.interpreted_seconds(kernel_of(kind, p), steps_of(p));
  const build_choice::verdict verdict = m_choice.next(form, cost);
  if (verdict == build_choice::verdict::interpreted) return interpret(device, kind, p);
  const auto begin = std::chrono::steady_clock::now();
  const bool only_built = verdict == build_choice::verdict::fused_if_built;
  if (submit_fused(device, kind, p, only_built))
    m_choice.recorded(form, seconds(std::chrono::steady_clock::now() - begin).count(), !only_built);
  else interpret(device, kind, p);
}

std::string fused_launches::explain(arithmetic kind, const program& p) const {
  const setting by_user = wanted();
  if (by_user == setting::interpreted) return "interpreted, because PRISM_ARRAY_KERNELS=interpreted";
  if (const std::string why = obstacle(kind, p); !why.empty()) return "interpreted, because " + why;
  if (by_user == setting::fused) return "one kernel made of its steps, because PRISM_ARRAY_KERNELS=fused";
  return m_choice.explain(form_of(kind, p), m_choice.interpreted_seconds(kernel_of(kind, p), steps_of(p)));
}

} // namespace prism::array_detail
