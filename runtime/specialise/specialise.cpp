#include "runtime/specialise/specialise.hpp"

#include "runtime/device/device_entry.hpp"
#include "runtime/execution/driver_queue.hpp"
#include "runtime/launch/builds.hpp"
#include "runtime/launch/retired_programs.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace prism::schedule {

namespace {

constexpr unsigned most_variants = 4; // of a kernel on a device
constexpr unsigned most_launches_of_a_trial = 1000; // of the texts: it holds up all else
constexpr unsigned launches_on_request = 2; // what comes once only is worth nothing
constexpr std::uint64_t most_alignment = 64; // a cache line; more is of no use, and would only make launches differ
constexpr const char* results_note = "specialised", *text_note = "plain text";
constexpr const char* plain_text = "plain OpenCL C, without the work-group function";

constinit std::atomic<unsigned> launches_before{0}; // 0: on request only

std::string microseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", ns / 1e3);
  return text;
}

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

} // namespace

struct specialiser::variant {
  enum class phase { remembered, building, trial, kept, rejected, failed };
  struct launch {
    devices::timeline_point point;
    build_side side;
  };
  phase now = phase::building;
  value_set set;
  images::known_values known;
  std::shared_ptr<images::known_program> program; // null of the plain text, which the program cache keeps
  const images::built_kernel* built = nullptr;
  bool is_plain = false;
  // Of the plain text: the work-group function for the same group size, which drivers build plain text for anyway. May be null.
  std::shared_ptr<images::known_program> rival;
  unsigned launches = 0; // of the plain text: since it is tried
  build_trial trial;
  bool has_shape = false; // of the launches that are timed: all are of one size
  devices::extent3 groups{}, local{};
  std::vector<launch> in_flight;
  build_trial::result result;
  std::string failure;

  bool decided() const { return now == phase::kept || now == phase::rejected || now == phase::failed; }
  bool takes(const devices::dispatch_command& d) const {
    return built != nullptr && d.local[0] * d.local[1] * d.local[2] <= std::max<std::uint64_t>(built->limits.max_group_size, 1);
  }
  void take(std::shared_ptr<images::known_program> made) {
    program = std::move(made);
    built = program != nullptr ? &program->kernel : nullptr;
  }
  void fix_shape(const devices::dispatch_command& d) {
    groups = d.groups;
    local = d.local;
    has_shape = true;
  }
  std::string text() const { return is_plain ? plain_text : known.text(); }
};

struct specialiser::kernel_state {
  const image::kernel_record* record = nullptr;
  std::once_flag filled;
  std::string kernel;
  const images::built_kernel* asked = nullptr; // what launches come with
  std::shared_ptr<variant> plain;              // beside a work-group function: the text without it
  // The faster of the two, once that is known; what builds for values are measured against. What follows is written before.
  std::atomic<const images::built_kernel*> general{nullptr};
  std::string refusal; // why there are no builds for values
  // The numbers of a launch, in this order: integers, the work-group's size, alignments.
  std::vector<image::kernel_constant> values;
  bool with_local = false;
  std::vector<std::uint32_t> slots; // the offsets of those whose alignment counts
  std::atomic<bool> requested{false};
  std::atomic<bool> settled{false}; // nothing below changes any more
  std::mutex mutex;
  std::optional<value_watch> watch;
  std::vector<std::shared_ptr<variant>> variants;

  std::size_t count() const { return values.size() + (with_local ? 3 : 0) + slots.size(); }
  /// False when the launch's block is too short, or its slots are not bound.
  bool read(const devices::dispatch_command& d, std::uint64_t* numbers) const {
    for (const image::kernel_constant& v : values) {
      if (v.offset + v.bytes > d.arguments.size()) return false;
      std::uint64_t number = 0;
      std::memcpy(&number, d.arguments.data() + v.offset, v.bytes);
      *numbers++ = number;
    }
    for (int i = 0; with_local && i < 3; ++i) *numbers++ = d.local[i];
    if (!slots.empty() && d.slots.size() != slots.size()) return false;
    for (std::size_t i = 0; i < slots.size(); ++i) *numbers++ = std::min(alignment_of(d.slots[i]), most_alignment);
    return true;
  }
  images::known_values known_of(const value_set& set) const {
    images::known_values known;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (set[i]) known.integers.push_back({values[i], *set[i]});
    std::size_t at = values.size();
    if (with_local && set[at] && set[at + 1] && set[at + 2]) known.local = {*set[at], *set[at + 1], *set[at + 2]};
    if (with_local) at += 3;
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (set[at + i] && *set[at + i] > 1) known.alignments.push_back({slots[i], *set[at + i]});
    return known;
  }
};

/// Of one command.
class specialiser::timed_launch final : public submission_method {
public:
  timed_launch(specialiser& by, state_ref state, std::shared_ptr<variant> what, build_side side);
  ~timed_launch() override;
  timed_launch(const timed_launch&) = delete;
  /// In place of the command's own queue's submit, with the queue locked.
  std::uint64_t submit(driver_queue& on, std::span<const devices::command> commands, std::span<const devices::timeline_point> waits) override;
  std::optional<devices::device_error> failure() const override;

private:
  specialiser& m_by;
  state_ref m_state;
  std::shared_ptr<variant> m_what;
  build_side m_side;
  devices::timeline_point m_point;
};

void specialiser::watch_all(unsigned launches) noexcept {
  launches_before.store(launches, std::memory_order_relaxed);
}

bool specialiser::watches_all() noexcept { return launches_before.load(std::memory_order_relaxed) != 0; }

void specialiser::read_environment() {
  const auto text = support::set_value_of(support::variables::specialise);
  if (!text || !support::is_on(support::variables::specialise)) return;
  unsigned launches = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), launches);
  if (failed == std::errc() && end == text->data() + text->size()) return watch_all(launches);
  support::log(support::level::warn, "PRISM_SPECIALISE=" + *text + " is not understood: off or a number of launches; it counts as off");
}

namespace {

/// Its builds for known values give the same bits.
bool takes_values(const image::kernel_record& record, image::kind kind, const devices::capabilities& info) {
  const std::optional<image::kernel_constants> found = image::constants_of(record);
  return found && found->serves(kind) && ((found->flags & image::has_float_arithmetic) == 0 || info.exact_constants);
}

/// Why no build for known values can be made or trusted; empty when it can.
std::string refusal_of(const image::kernel_record& record, const images::built_kernel& built, device_entry& device) {
  const devices::capabilities& info = device.info();
  if (device.is_host()) return "the host device has no compiler while a program runs";
  if (!built.refusal.empty()) return built.refusal;
  if (!info.profiling) return "the driver measures no times";
  const std::optional<image::kernel_constants> found = image::constants_of(record);
  if (!found || (found->count == 0 && !found->serves(built.image_kind))) return "it captures nothing that its image can be told";
  if (!found->serves(built.image_kind)) {
    if ((found->flags & image::folds_functions) != 0 && built.image_kind != image::kind::vulkan_spirv)
      return "it calls functions that the driver's compiler may compute otherwise than the device";
    if ((found->flags & image::may_contract) != 0)
      return "it has x * y + z, which the driver may round once or twice and differently in each build; compile it with -ffp-contract=off";
    return "its image takes no known values";
  }
  if ((found->flags & image::has_float_arithmetic) != 0 && !info.exact_constants)
    return "it computes with floating-point numbers, and the driver computes constant ones otherwise than others";
  return {};
}

/// A work-group function and the plain text may be measured against each other where both give the same bits: sub-groups have
/// other sizes there.
bool may_be_plain(const image::kernel_record& record, const images::built_kernel& built, const devices::capabilities& info) {
  if (built.image_kind != image::kind::opencl_c_group || !built.refusal.empty() || !info.profiling) return false;
  if ((record.flags & image::uses_sub_group) != 0 || record.required_sub_group_size != 0) return false;
  const std::optional<image::kernel_constants> found = image::constants_of(record);
  return found && (found->flags & image::may_contract) == 0;
}

} // namespace

void specialiser::fill_in(kernel_state& state, const char* name) {
  state.kernel = name;
  state.asked = &program_of(m_device, *state.record);
  if (!may_be_plain(*state.record, *state.asked, m_device.info())) return choose_general(state, *state.asked);
  std::vector<earlier_result> earlier;
  if (const auto note = m_device.programs().load_note(*state.record, state.asked->image_kind, text_note)) earlier = read_results(*note, 0);
  if (!earlier.empty() && !earlier.front().keep) return choose_general(state, *state.asked);
  state.plain = std::make_shared<variant>();
  state.plain->is_plain = true;
  state.plain->now = variant::phase::remembered; // to be built at a launch, whose sizes it wants
  if (!earlier.empty()) state.plain->result = {true, earlier.front().ratio, 0, 0};
}

/// The measuring of the texts is over.
void specialiser::keep_text(kernel_state& state, const images::built_kernel& faster) {
  if (state.plain->rival != nullptr) m_device.retired().add({std::exchange(state.plain->rival, nullptr)}); // launches of it may be in flight
  choose_general(state, faster);
}

/// With the state locked.
void specialiser::choose_general(kernel_state& state, const images::built_kernel& general) {
  fill_in_values(state, general);
  state.general.store(&general, std::memory_order_release);
}

void specialiser::fill_in_values(kernel_state& state, const images::built_kernel& general) {
  state.refusal = refusal_of(*state.record, general, m_device);
  if (!state.refusal.empty()) {
    support::log(support::level::info, "specialise: kernel \"" + state.kernel + "\" on " + m_device.label() + " stays as it is: " + state.refusal);
    return;
  }
  const image::kernel_constants found = *image::constants_of(*state.record);
  state.values.assign(found.entries, found.entries + found.count);
  state.with_local = general.image_kind == image::kind::opencl_c_group;
  if (general.image_kind != image::kind::vulkan_spirv) // there an alignment is a literal
    for (std::uint32_t i = 0; i < state.record->slot_count; ++i) state.slots.push_back(state.record->slots[i].offset);
  const unsigned after = state.requested.load() ? launches_on_request : launches_before.load(std::memory_order_relaxed);
  state.watch.emplace(state.count(), after, most_variants);
  recall(state, general.image_kind);
}

/// What earlier processes found out.
void specialiser::recall(kernel_state& state, image::kind kind) {
  const auto note = m_device.programs().load_note(*state.record, kind, results_note);
  if (!note) return;
  for (earlier_result& r : read_results(*note, state.count())) {
    auto known = std::make_shared<variant>();
    known->now = r.keep ? variant::phase::remembered : variant::phase::rejected;
    known->known = state.known_of(r.set);
    known->set = std::move(r.set);
    known->result.keep = r.keep;
    known->result.ratio = r.ratio;
    state.variants.push_back(std::move(known));
  }
}

specialiser::state_ref specialiser::state_of(const image::kernel_record& record) {
  state_ref found;
  {
    const std::shared_lock lock(m_mutex);
    if (const auto at = m_states.find(&record); at != m_states.end()) found = at->second;
  }
  if (found == nullptr) {
    const std::unique_lock lock(m_mutex);
    state_ref& place = m_states[&record];
    if (place == nullptr) {
      place = std::make_shared<kernel_state>();
      place->record = &record;
    }
    found = place;
  }
  return found;
}

void specialiser::request(const image::kernel_record& record) {
  state_of(record)->requested.store(true);
}

std::unique_ptr<submission_method> specialiser::choose(prepared_kernel& kernel, driver_queue& on) {
  launch_choice launch{kernel, on, nullptr};
  if (kernel.record != nullptr && kernel.runs) look(launch);
  return std::move(launch.method);
}

void specialiser::look(launch_choice& launch) {
  prepared_kernel& kernel = launch.kernel;
  const state_ref state = state_of(*kernel.record);
  if (launches_before.load(std::memory_order_relaxed) == 0 && !state->requested.load(std::memory_order_relaxed)) return;
  std::call_once(state->filled, [&] {
    const std::lock_guard lock(state->mutex); // against those that report
    fill_in(*state, kernel.name);
  });
  if (kernel.dispatch.object != state->asked->object) return;
  const images::built_kernel* const general = choose_text(state, launch);
  if (general == nullptr || !state->refusal.empty()) return;
  small_vector<std::uint64_t, 48> space;
  space.resize(state->count());
  if (!state->read(kernel.dispatch, space.data())) return;
  const std::span<const std::uint64_t> numbers(space.data(), space.size());
  if (state->settled.load(std::memory_order_acquire)) {
    for (const auto& v : state->variants)
      if (v->now == variant::phase::kept && matches(v->set, numbers) && use(*v, kernel)) return;
    return;
  }
  const std::lock_guard lock(state->mutex);
  collect(*state);
  for (const auto& v : state->variants) {
    if (!matches(v->set, numbers)) continue;
    if (v->now == variant::phase::remembered) {
      v->take(m_device.programs().get_known(*state->record, general->image_kind, v->known, true));
      v->now = v->program != nullptr ? variant::phase::kept : variant::phase::building;
      if (v->program == nullptr) begin_build(state, v, kernel);
    }
    if (v->now == variant::phase::kept) use(*v, kernel);
    else if (v->now == variant::phase::trial) begin_trial(v, launch, state);
    state->watch->matched();
    break;
  }
  const bool is_known = std::any_of(state->variants.begin(), state->variants.end(), [&](const auto& v) { return matches(v->set, numbers); });
  if (!is_known) {
    auto wanted = state->watch->launch(numbers);
    give_up_unstable(*state);
    if (wanted) {
      const auto made = std::make_shared<variant>();
      made->known = state->known_of(*wanted);
      made->set = std::move(*wanted);
      state->variants.push_back(made);
      begin_build(state, made, kernel);
    }
  }
  const bool decided = std::all_of(state->variants.begin(), state->variants.end(), [](const auto& v) { return v->decided(); });
  if (state->watch->over() && decided) state->settled.store(true, std::memory_order_release);
}

/// The image that builds for values start from; null while it is not known or does not fit, when the launch is as it should be already.
const images::built_kernel* specialiser::choose_text(const state_ref& state, launch_choice& launch) {
  prepared_kernel& kernel = launch.kernel;
  const images::built_kernel* general = state->general.load(std::memory_order_acquire);
  if (general == nullptr) {
    const std::lock_guard lock(state->mutex);
    collect(*state);
    const std::shared_ptr<variant>& plain = state->plain;
    if (plain->now == variant::phase::remembered) {
      plain->fix_shape(kernel.dispatch);
      begin_build(state, plain, kernel);
    } else if (plain->now == variant::phase::trial) {
      begin_trial(plain, launch, state);
      if (++plain->launches == most_launches_of_a_trial) {
        plain->now = variant::phase::rejected;
        plain->failure = "it was not measured: too few launches of one size that the driver gives times for";
        keep_text(*state, *state->asked);
      }
    }
    general = state->general.load(std::memory_order_relaxed);
    if (general == nullptr) return nullptr;
  }
  if (general == state->asked) return general;
  return use(*state->plain, kernel) ? general : nullptr;
}

/// Builds for values that turned out to change all the time: nobody will launch them again.
void specialiser::give_up_unstable(kernel_state& state) {
  for (const auto& v : state.variants) {
    if (v->decided() || v->now == variant::phase::remembered) continue;
    for (std::size_t i = 0; i < v->set.size() && v->now != variant::phase::rejected; ++i) {
      if (!v->set[i] || state.watch->is_stable(i)) continue;
      v->now = variant::phase::rejected;
      v->failure = "one of its values changes too often";
      state.watch->rejected();
    }
  }
}

bool specialiser::use(const variant& fit, prepared_kernel& kernel) {
  if (!fit.takes(kernel.dispatch)) return false;
  kernel.dispatch.object = fit.built->object;
  return true;
}

/// Timed launches have all one size, or their times would say nothing.
void specialiser::begin_trial(const std::shared_ptr<variant>& what, launch_choice& launch, const state_ref& state) {
  prepared_kernel& kernel = launch.kernel;
  variant& fit = *what;
  const devices::dispatch_command& d = kernel.dispatch;
  driver_queue& on = launch.on;
  if (!fit.takes(d) || on.is_foreign() || (!on.measures() && !m_device.raw().can_wait_for(on.points()))) return;
  if (!fit.has_shape) fit.fix_shape(d);
  if (fit.groups != d.groups || fit.local != d.local) return;
  const auto side = fit.trial.next();
  if (!side) return;
  if (*side == build_side::specialised) use(fit, kernel);
  else if (fit.rival != nullptr) kernel.dispatch.object = fit.rival->kernel.object;
  launch.method = std::make_unique<timed_launch>(*this, state, what, *side);
}

void specialiser::begin_build(const state_ref& state, const std::shared_ptr<variant>& what, const prepared_kernel& kernel) {
  what->now = variant::phase::building;
  support::log(support::level::info, "specialise: kernel \"" + state->kernel + "\" on " + m_device.label() + " is built " +
                                         (what->is_plain ? "as " : "for ") + what->text());
  m_builds.add({{&m_device, state->record, [this, state, what, shape = shape_of(kernel.dispatch)] { build(state, what, shape); }}});
}

void specialiser::build(const state_ref& state, const std::shared_ptr<variant>& what, const devices::launch_shape& shape) {
  std::shared_ptr<images::known_program> program; // of the plain text: its rival
  const images::built_kernel* plain = nullptr;
  std::string failure;
  try {
    if (what->is_plain) {
      plain = &m_device.programs().get_without_group(*state->record, "it is measured without its work-group function");
      failure = plain->refusal;
      if (((plain->features ^ state->asked->features) & image::addresses) != 0) failure = "it finds its pointers otherwise"; // the launch's are bound
      if (failure.empty()) plain->object->prepare(shape);
      const bool is_measured = failure.empty() && !what->result.keep; // else an earlier process found it faster
      if (is_measured && takes_values(*state->record, state->asked->image_kind, m_device.info()))
        program = m_device.programs().get_known(*state->record, state->asked->image_kind, {{}, shape.local}, false);
      if (program != nullptr) program->kernel.object->prepare(shape);
    } else {
      program = m_device.programs().get_known(*state->record, state->general.load()->image_kind, what->known, false);
      if (program != nullptr) program->kernel.object->prepare(shape);
      else failure = "there is no image for it";
    }
  } catch (const std::exception& e) { // the general build goes on serving
    failure = e.what();
  }
  const std::lock_guard lock(state->mutex);
  if (what->now != variant::phase::building) return; // given up meanwhile
  what->failure = failure;
  what->now = !failure.empty() ? variant::phase::failed : what->result.keep ? variant::phase::kept : variant::phase::trial;
  if (what->is_plain) {
    what->built = plain;
    what->rival = std::move(program);
    if (what->now != variant::phase::trial) keep_text(*state, what->now == variant::phase::kept ? *plain : *state->asked);
  } else {
    what->take(std::move(program));
  }
  if (failure.empty()) return;
  support::log(support::level::warn, "specialise: kernel \"" + state->kernel + "\" on " + m_device.label() + " cannot be built " +
                                         (what->is_plain ? "as " : "for ") + what->text() + ": " + failure);
}

/// With the state locked.
void specialiser::collect(kernel_state& state) {
  small_vector<std::shared_ptr<variant>, 8> all(state.variants.begin(), state.variants.end());
  if (state.plain != nullptr) all.push_back(state.plain);
  for (const auto& v : all) {
    std::erase_if(v->in_flight, [&](const variant::launch& l) {
      if (l.point.owner->completed() < l.point.value) return false;
      try {
        if (l.point.owner->failure(l.point.value)) throw devices::device_error(devices::error_category::other, "", "");
        const devices::profile times = l.point.owner->times(l.point.value);
        if (times.ended_ns > times.started_ns) v->trial.add(l.side, double(times.ended_ns - times.started_ns));
        else v->trial.lost(l.side); // below what the driver's clock tells
      } catch (const devices::device_error&) {
        v->trial.lost(l.side);
      }
      return true;
    });
    if (v->now == variant::phase::trial && v->trial.complete()) conclude(state, *v);
  }
}

void specialiser::conclude(kernel_state& state, variant& what) {
  what.result = what.trial.judge();
  if (what.result.general_ns <= 0) what.failure = "the driver gives no times for launches as short as its";
  what.now = what.result.keep ? variant::phase::kept : variant::phase::rejected;
  if (!what.result.keep && !what.is_plain) {
    state.watch->rejected();
    m_device.retired().add({what.program}); // launches of it may be in flight
    what.take(nullptr);
  }
  support::log(support::level::info, "specialise: kernel \"" + state.kernel + "\" on " + m_device.label() + (what.is_plain ? " as " : " for ") + what.text() + ": " +
                                         microseconds(what.result.specialised_ns) + " against " + microseconds(what.result.general_ns) + ", " +
                                         ratio_text(what.result.ratio) + (what.result.keep ? ": kept" : ": not kept"));
  if (what.is_plain) {
    if (what.failure.empty()) m_device.programs().store_note(*state.record, state.asked->image_kind, text_note, write_results({{{}, what.result.keep, what.result.ratio}}));
    return keep_text(state, what.result.keep ? *what.built : *state.asked);
  }
  std::vector<earlier_result> all;
  for (const auto& v : state.variants)
    if (v->failure.empty() && (v->now == variant::phase::kept || v->now == variant::phase::rejected || v->now == variant::phase::remembered))
      all.push_back({v->set, v->result.keep, v->result.ratio});
  m_device.programs().store_note(*state.record, state.general.load()->image_kind, results_note, write_results(all));
}

std::vector<specialiser::state_ref> specialiser::states() {
  const std::shared_lock lock(m_mutex);
  std::vector<state_ref> all;
  for (const auto& [record, state] : m_states) all.push_back(state);
  return all;
}

void specialiser::collect() {
  for (const state_ref& state : states()) {
    const std::lock_guard lock(state->mutex);
    if (!state->settled.load()) collect(*state);
  }
}

std::vector<std::shared_ptr<void>> specialiser::forget(const image::kernel_record* first, std::uint64_t count) {
  std::vector<std::shared_ptr<void>> dropped;
  const std::unique_lock lock(m_mutex);
  for (std::uint64_t i = 0; i < count; ++i)
    if (const auto at = m_states.find(first + i); at != m_states.end()) {
      dropped.push_back(std::move(at->second));
      m_states.erase(at);
    }
  return dropped;
}

void specialiser::report(std::vector<specialised_kernel>& into) {
  collect();
  for (const state_ref& state : states()) {
    const std::lock_guard lock(state->mutex);
    if (state->asked == nullptr) continue; // not launched since
    using kind = specialised_kernel::state;
    if (!state->refusal.empty()) into.push_back({state->kernel, m_device.label(), kind::refused, {}, state->refusal, 0});
    small_vector<std::shared_ptr<variant>, 8> all(state->variants.begin(), state->variants.end());
    if (state->plain != nullptr) all.insert(all.begin(), state->plain);
    for (const auto& v : all) {
      specialised_kernel one{state->kernel, m_device.label(), kind::building, v->text(), {}, v->result.ratio};
      switch (v->now) {
      case variant::phase::building: break;
      case variant::phase::trial: one.what = kind::measuring; break;
      case variant::phase::kept: one.what = kind::kept; break;
      case variant::phase::remembered: one.what = v->is_plain ? kind::building : kind::kept; break;
      case variant::phase::rejected:
        one.what = kind::rejected;
        one.reason = !v->failure.empty() ? v->failure : "it was not faster: " + ratio_text(v->result.ratio) + (v->is_plain ? " of the work-group function's time" : " of the general build's time");
        break;
      case variant::phase::failed:
        one.what = kind::refused;
        one.reason = v->failure;
      }
      into.push_back(std::move(one));
    }
  }
}

specialiser::timed_launch::timed_launch(specialiser& by, state_ref state, std::shared_ptr<variant> what, build_side side)
    : m_by(by), m_state(std::move(state)), m_what(std::move(what)), m_side(side) {}

specialiser::timed_launch::~timed_launch() {
  if (m_point.value != 0) return;
  const std::lock_guard lock(m_state->mutex); // it was never submitted
  m_what->trial.lost(m_side);
}

std::uint64_t specialiser::timed_launch::submit(driver_queue& on, std::span<const devices::command> commands, std::span<const devices::timeline_point> waits) {
  std::uint64_t end = 0;
  if (on.measures()) {
    end = on.queue().submit(commands, waits);
    m_point = {&on.points(), end};
  } else {
    std::vector<devices::timeline_point> all(waits.begin(), waits.end());
    if (on.last_point() != 0) all.push_back({&on.points(), on.last_point()});
    const std::lock_guard lock(m_by.m_queue_mutex);
    if (m_by.m_queue == nullptr) m_by.m_queue = m_by.m_device.raw().create_queue({true});
    m_point = {&m_by.m_queue->points(), m_by.m_queue->submit(commands, all)};
    const devices::command barrier = devices::barrier_command{};
    end = on.queue().submit({&barrier, 1}, {&m_point, 1});
  }
  const std::lock_guard lock(m_state->mutex);
  m_what->in_flight.push_back({m_point, m_side});
  return end;
}

std::optional<devices::device_error> specialiser::timed_launch::failure() const {
  return m_point.value == 0 ? std::nullopt : m_point.owner->failure(m_point.value);
}

} // namespace prism::schedule
