#include "runtime/specialise/specialise.hpp"

#include "runtime/images/fixed_order.hpp"
#include "runtime/device/device_state.hpp"
#include "runtime/launch/retired_programs.hpp"
#include "runtime/specialise/build_rules.hpp"
#include "runtime/specialise/kernel_state.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <charconv>

namespace prism::runtime {

namespace {

constexpr unsigned most_variants = 4;               // for a kernel on a device
constexpr unsigned most_launches_of_a_trial = 1000; // between the texts: this trial delays all others
constexpr unsigned launches_on_request = 2;         // values that occur only once are not worth a build

constinit std::atomic<unsigned> launches_before{0}; // 0: on request only

} // namespace

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
  support::log(support::level::warn, "PRISM_SPECIALISE=" + *text +
                                         " is not understood and ignored; use off or a number of launches");
}

void specialiser::fill_in(kernel_state& state, const char* name) {
  state.kernel = name;
  state.asked = &program_of(m_device, *state.record);
  if (!may_be_plain(*state.record, *state.asked, m_device.info())) return choose_general(state, *state.asked);
  std::vector<earlier_result> earlier;
  if (const auto stored = m_device.programs().load_result(*state.record, state.asked->image_kind, text_name))
    earlier = read_results(*stored, 0);
  if (!earlier.empty() && !earlier.front().keep) return choose_general(state, *state.asked);
  state.plain = std::make_shared<variant>();
  state.plain->is_plain = true;
  state.plain->now = variant::phase::remembered; // built at a launch, because its sizes are needed
  if (!earlier.empty()) state.plain->result = {true, earlier.front().ratio, 0, 0};
}

/// Ends the trial of the plain text.
void specialiser::use_text(kernel_state& state, const images::built_kernel& faster) {
  if (state.plain->rival != nullptr)
    m_device.retired().add({std::exchange(state.plain->rival, nullptr)}); // launches of it may be in flight
  choose_general(state, faster);
}

/// Call with the state locked.
void specialiser::choose_general(kernel_state& state, const images::built_kernel& general) {
  fill_in_values(state, general);
  state.general.store(&general, std::memory_order_release);
}

void specialiser::fill_in_values(kernel_state& state, const images::built_kernel& general) {
  state.refusal = refusal_of(*state.record, general, m_device);
  if (!state.refusal.empty()) {
    support::log(support::level::info, "specialise: kernel \"" + state.kernel + "\" on " + m_device.label() +
                                           " is not specialised: " + state.refusal);
    return;
  }
  const image::kernel_constants found = *image::constants_of(*state.record);
  state.values.assign(found.entries, found.entries + found.count);
  state.with_local = general.image_kind == image::kind::opencl_c_group;
  if (general.image_kind != image::kind::vulkan_spirv) // Vulkan: an alignment is a literal there
    for (std::uint32_t i = 0; i < state.record->slot_count; ++i)
      state.slots.push_back(state.record->slots[i].offset);
  const unsigned after =
      state.requested.load() ? launches_on_request : launches_before.load(std::memory_order_relaxed);
  state.watch.emplace(state.count(), after, most_variants);
  recall(state, general.image_kind);
}

/// Loads the results of earlier processes.
void specialiser::recall(kernel_state& state, image::kind kind) {
  const auto stored = m_device.programs().load_result(*state.record, kind, results_name);
  if (!stored) return;
  for (earlier_result& r : read_results(*stored, state.count())) {
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
    state_ref& slot = m_states[&record];
    if (slot == nullptr) {
      slot = std::make_shared<kernel_state>();
      slot->record = &record;
    }
    found = slot;
  }
  return found;
}

void specialiser::request(const image::kernel_record& record) { state_of(record)->requested.store(true); }

std::unique_ptr<submission_method> specialiser::choose(prepared_kernel& kernel, driver_queue& on) {
  launch_choice launch{kernel, on, nullptr};
  if (kernel.record != nullptr && kernel.runs) look(launch);
  return std::move(launch.method);
}

void specialiser::look(launch_choice& launch) {
  prepared_kernel& kernel = launch.kernel;
  const state_ref state = state_of(*kernel.record);
  if (launches_before.load(std::memory_order_relaxed) == 0 &&
      !state->requested.load(std::memory_order_relaxed))
    return;
  std::call_once(state->filled, [&] {
    const std::lock_guard lock(state->mutex); // against threads that report
    fill_in(*state, kernel.name);
  });
  if (kernel.dispatch.object != state->asked->object) return;
  const images::built_kernel* const general = choose_text(state, launch);
  if (general == nullptr || !state->refusal.empty()) return;
  small_vector<std::uint64_t, 48> space;
  space.resize(state->count());
  if (!state->read(kernel.dispatch, space.data())) return;
  const std::span<const std::uint64_t> numbers(space.data(), space.size());
  if (state->resolved.load(std::memory_order_acquire)) {
    for (const auto& v : state->variants)
      if (v->now == variant::phase::accepted && matches(v->set, numbers) && use(*v, kernel)) return;
    return;
  }
  const std::lock_guard lock(state->mutex);
  collect(*state);
  for (const auto& v : state->variants) {
    if (!matches(v->set, numbers)) continue;
    if (v->now == variant::phase::remembered) {
      v->take(m_device.programs().get_known(*state->record, general->image_kind, v->known, true));
      v->now = v->program != nullptr ? variant::phase::accepted : variant::phase::building;
      if (v->program == nullptr) begin_build(state, v, kernel);
    }
    if (v->now == variant::phase::accepted) use(*v, kernel);
    else if (v->now == variant::phase::trial) begin_trial(v, launch, state);
    state->watch->matched();
    break;
  }
  const bool is_known = std::any_of(state->variants.begin(), state->variants.end(),
                                    [&](const auto& v) { return matches(v->set, numbers); });
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
  const bool decided =
      std::all_of(state->variants.begin(), state->variants.end(), [](const auto& v) { return v->decided(); });
  if (state->watch->over() && decided) state->resolved.store(true, std::memory_order_release);
}

/// Chooses the image that specialised builds start from. Returns null while it is not known or does not fit;
/// then the launch needs no change.
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
        plain->failure = "it was not measured: too few launches of one size with times from the driver";
        use_text(*state, *state->asked);
      }
    }
    general = state->general.load(std::memory_order_relaxed);
    if (general == nullptr) return nullptr;
  }
  if (general == state->asked) return general;
  return use(*state->plain, kernel) ? general : nullptr;
}

/// Rejects builds for values that changed too often: they are unlikely to be launched again.
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

std::vector<specialiser::state_ref> specialiser::states() {
  const std::shared_lock lock(m_mutex);
  std::vector<state_ref> all;
  for (const auto& [record, state] : m_states) all.push_back(state);
  return all;
}

void specialiser::collect() {
  for (const state_ref& state : states()) {
    const std::lock_guard lock(state->mutex);
    if (!state->resolved.load()) collect(*state);
  }
}

std::vector<std::shared_ptr<void>> specialiser::forget(const image::kernel_record* first,
                                                       std::uint64_t count) {
  std::vector<std::shared_ptr<void>> dropped;
  const std::unique_lock lock(m_mutex);
  const auto drop = [&](const image::kernel_record* record) {
    if (const auto at = m_states.find(record); at != m_states.end()) {
      dropped.push_back(std::move(at->second));
      m_states.erase(at);
    }
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    drop(first + i);
    drop(images::known_fixed_order_of(first[i]));
  }
  return dropped;
}

void specialiser::report(std::vector<specialised_kernel>& into) {
  collect();
  for (const state_ref& state : states()) {
    const std::lock_guard lock(state->mutex);
    if (state->asked == nullptr) continue; // not launched since it was requested
    using kind = specialised_kernel::state;
    if (!state->refusal.empty())
      into.push_back({state->kernel, m_device.label(), kind::refused, {}, state->refusal, 0});
    small_vector<std::shared_ptr<variant>, 8> all(state->variants.begin(), state->variants.end());
    if (state->plain != nullptr) all.insert(all.begin(), state->plain);
    for (const auto& v : all) {
      specialised_kernel one{state->kernel, m_device.label(), kind::building, v->text(), {}, v->result.ratio};
      switch (v->now) {
        case variant::phase::building: break;
        case variant::phase::trial: one.what = kind::measuring; break;
        case variant::phase::accepted: one.what = kind::kept; break;
        case variant::phase::remembered: one.what = v->is_plain ? kind::building : kind::kept; break;
        case variant::phase::rejected:
          one.what = kind::rejected;
          one.reason = !v->failure.empty() ? v->failure
                                           : "it was not faster: " + ratio_text(v->result.ratio) +
                                                 (v->is_plain ? " of the work-group function's time"
                                                              : " of the general build's time");
          break;
        case variant::phase::failed: one.what = kind::refused; one.reason = v->failure;
      }
      into.push_back(std::move(one));
    }
  }
}

} // namespace prism::runtime
