// Programs on devices other than the host (fused.hpp).
#include "kernels/array/fused.hpp"

#include "kernels/array/node.hpp"

#include <sycl/sycl.hpp>

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
  add_number(form, std::int64_t(p.fold));
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

/// Functions of complex numbers are not interpreted: a kernel that chooses among all of them takes llvmpipe
/// half a minute to build, and one of an expression's functions less than a second.
bool has_only_pieces(arithmetic kind, const program& p) {
  return kind >= arithmetic::single_complex && has_functions(p);
}

/// Why the program is always interpreted; empty if it need not be.
std::string obstacle(const program& p) {
  if (p.size < least_size) return "it has less than " + std::to_string(least_size) + " elements";
  if (p.size >= most_size) return "it has 2^31 elements or more";
  return {};
}

/// A fold of elements that are in memory as they are folded.
bool is_plain_fold(arithmetic kind, const program& p) {
  return p.fold != fold_op::none && has_plain_elements(p, type_of(kind));
}

/// Memory for the length of a call; commands of the device that use it again come later on its queue.
class temporary_memory {
public:
  temporary_memory(device_state& device, std::size_t bytes) : m_device(device) {
    data = device.allocate(bytes, m_size_class);
  }
  temporary_memory(const temporary_memory&) = delete;
  ~temporary_memory() { m_device.free(data, m_size_class); }
  char* data;

private:
  device_state& m_device;
  int m_size_class = 0;
};

/// Folds elements in memory, in chunks.
void fold_in_chunks(device_state& device, arithmetic kind, const program& p, const program* rest,
                    const program_array& elements) {
  with_number(kind, [&]<typename T>(std::type_identity<T>) {
    program of_elements = p;
    of_elements.leaf[0] = elements, of_elements.leaves = 1;
    program* const slot = device.next_program(of_elements, rest);
    device.submitted(slot, p.fold < fold_op::first_minimum
                               ? launch_chunk_fold<T>(device.queue, slot, of_elements)
                               : launch_chunk_extreme<T>(device.queue, slot, of_elements));
  });
}

/// The same in the order of other devices.
void fold_elements(device_state& device, arithmetic kind, const program& p, const program* rest,
                   const program_array& elements) {
  with_number(kind, [&]<typename T>(std::type_identity<T>) {
    program of_elements = p;
    of_elements.leaf[0] = elements, of_elements.leaves = 1;
    program* const slot = device.next_program(of_elements, rest);
    device.submitted(slot, launch_element_fold<T>(device.queue, slot, of_elements));
  });
}

} // namespace

fused_launches::fused_launches(const sycl::device& device) : m_choice(guessed_step(device)) {}

launch_report fused_launches::interpret(device_state& device, arithmetic kind, const program& p,
                                        const program* rest) {
  program* const slot = device.next_program(p, rest);
  const sycl::event event = launch(device, kind, slot, p);
  device.submitted(slot, event);
  if (p.size >= least_size && m_timed.size() < most_timed)
    m_timed.push_back({event, kernel_of(kind, p), steps_of(p)});
  return {1, false};
}

void fused_launches::read_times() {
  using namespace sycl::info;
  while (!m_timed.empty()) {
    const timed_launch first = m_timed.front();
    if (first.event.get_info<event::command_execution_status>() != event_command_status::complete) return;
    m_timed.pop_front();
    try {
      const auto begin = first.event.get_profiling_info<event_profiling::command_start>(),
                 end = first.event.get_profiling_info<event_profiling::command_end>();
      m_choice.interpreted(first.kernel, first.steps, double(end - begin) * 1e-9);
    } catch (const sycl::exception&) { // it failed, and has no times; its queue reports that
    }
  }
}

/// Stores the elements of an expression, then folds them.
launch_report fused_launches::store_and_fold(device_state& device, arithmetic kind, const program& p,
                                             const program* rest) {
  const dtype own = type_of(kind);
  const temporary_memory elements(device, std::size_t(p.size) * size_of(own));
  program compute = p;
  compute.fold = fold_op::none;
  compute.result = {elements.data, {1}, std::int32_t(own), 1};
  m_graphs.run(device.queue, kind, compute, false, nullptr);
  return launch_report{1, true} += fold_stored(device, kind, p, rest, compute.result);
}

/// Folds elements in memory.
launch_report fused_launches::fold_stored(device_state& device, arithmetic kind, const program& p,
                                          const program* rest, const program_array& elements) {
  device.busy = true;
  if (device.takes_chunks) fold_in_chunks(device, kind, p, rest, elements);
  else fold_elements(device, kind, p, rest, elements);
  return {1, false};
}

std::optional<launch_report> fused_launches::submit_fused(device_state& device, arithmetic kind,
                                                          const program& p, const program* rest,
                                                          bool only_built) {
  device.busy = true;
  const fused_fold fold{device.takes_chunks, rest,
                        rest != nullptr && !device.takes_chunks ? device.counters() : nullptr};
  try {
    if (!m_graphs.run(device.queue, kind, p, only_built, p.fold == fold_op::none ? nullptr : &fold))
      return std::nullopt;
    return launch_report{1, false};
  } catch (const sycl::exception& refused) { // the kernels are too many for one launch
    if (p.fold == fold_op::none || refused.code() != sycl::errc::kernel_not_supported) throw;
    return store_and_fold(device, kind, p, rest);
  }
}

launch_report fused_launches::submit(device_state& device, arithmetic kind, const program& p,
                                     const program* rest) {
  const bool is_stored = p.fold != fold_op::none &&
                         (device.takes_chunks ? is_plain_fold(kind, p) || folds_lines(p, type_of(kind))
                                              : is_plain_fold(kind, p) && p.size >= least_size);
  if (is_stored && wanted() != setting::interpreted) return fold_stored(device, kind, p, rest, p.leaf[0]);
  if (has_only_pieces(kind, p)) return *submit_fused(device, kind, p, rest, false);
  const setting by_user = wanted();
  if (by_user == setting::interpreted || !obstacle(p).empty()) return interpret(device, kind, p, rest);
  if (by_user == setting::fused) return *submit_fused(device, kind, p, rest, false);
  read_times();
  const std::string form = form_of(kind, p);
  const double cost = m_choice.interpreted_seconds(kernel_of(kind, p), steps_of(p));
  const build_choice::verdict verdict = m_choice.next(form, cost);
  if (verdict == build_choice::verdict::interpreted) return interpret(device, kind, p, rest);
  const auto begin = std::chrono::steady_clock::now();
  const bool only_built = verdict == build_choice::verdict::fused_if_built;
  const std::optional<launch_report> done = submit_fused(device, kind, p, rest, only_built);
  if (!done) return interpret(device, kind, p, rest);
  m_choice.recorded(form, seconds(std::chrono::steady_clock::now() - begin).count(), !only_built);
  return *done;
}

std::string fused_launches::explain(arithmetic kind, const program& p) const {
  if (has_only_pieces(kind, p))
    return "one kernel made of its steps, because functions of complex numbers are not interpreted";
  const setting by_user = wanted();
  if (by_user == setting::interpreted) return "interpreted, because PRISM_ARRAY_KERNELS=interpreted";
  if (const std::string why = obstacle(p); !why.empty()) return "interpreted, because " + why;
  if (by_user == setting::fused) return "one kernel made of its steps, because PRISM_ARRAY_KERNELS=fused";
  return m_choice.explain(form_of(kind, p), m_choice.interpreted_seconds(kernel_of(kind, p), steps_of(p)));
}

} // namespace prism::array_detail
