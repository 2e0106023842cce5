// Background builds and measurements of their launches: the part of the specialiser that decides by times.
#include "runtime/device/device_state.hpp"
#include "runtime/execution/driver_queue.hpp"
#include "runtime/launch/background_builds.hpp"
#include "runtime/launch/retired_programs.hpp"
#include "runtime/specialise/build_rules.hpp"
#include "runtime/specialise/kernel_state.hpp"
#include "runtime/specialise/specialise.hpp"
#include "runtime/specialise/timed_launch.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cstdio>

namespace prism::runtime {

namespace {

std::string microseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", ns / 1e3);
  return text;
}

} // namespace

/// All timed launches must have the same size, otherwise their times cannot be compared.
void specialiser::begin_trial(const std::shared_ptr<variant>& what, launch_choice& launch,
                              const state_ref& state) {
  prepared_kernel& kernel = launch.kernel;
  variant& fit = *what;
  const devices::dispatch_command& d = kernel.dispatch;
  driver_queue& on = launch.on;
  if (!fit.takes(d) || on.is_native() || (!on.measures() && !m_device.raw().can_wait_for(on.points())))
    return;
  if (!fit.has_shape) fit.fix_shape(d);
  if (fit.groups != d.groups || fit.local != d.local) return;
  const auto side = fit.trial.next();
  if (!side) return;
  if (*side == build_side::specialised) use(fit, kernel);
  else if (fit.rival != nullptr) kernel.dispatch.object = fit.rival->kernel.object;
  launch.method = std::make_unique<timed_launch>(m_device.raw(), m_measures, state, what, *side);
}

void specialiser::begin_build(const state_ref& state, const std::shared_ptr<variant>& what,
                              const prepared_kernel& kernel) {
  what->now = variant::phase::building;
  support::log(support::level::info, "specialise: kernel \"" + state->kernel + "\" on " + m_device.label() +
                                         " is built " + (what->is_plain ? "as " : "for ") + what->text());
  m_builds.add({{&m_device, state->record,
                 [this, state, what, shape = shape_of(kernel.dispatch)] { build(state, what, shape); }}});
}

void specialiser::build(const state_ref& state, const std::shared_ptr<variant>& what,
                        const devices::launch_shape& shape) {
  std::shared_ptr<images::known_program> program; // for the plain text: its rival
  const images::built_kernel* plain = nullptr;
  std::string failure;
  try {
    if (what->is_plain) {
      plain = &m_device.programs().get_without_group(*state->record,
                                                     "it is measured without its work-group function");
      failure = plain->refusal;
      if (((plain->features ^ state->asked->features) & image::addresses) != 0)
        failure = "it binds its pointers differently"; // the launch's pointers are already bound
      if (failure.empty()) plain->object->prepare(shape);
      const bool is_measured =
          failure.empty() && !what->result.keep; // otherwise an earlier process measured it as faster
      if (is_measured && takes_values(*state->record, state->asked->image_kind, m_device.info()))
        program =
            m_device.programs().get_known(*state->record, state->asked->image_kind, {{}, shape.local}, false);
      if (program != nullptr) program->kernel.object->prepare(shape);
    } else {
      program = m_device.programs().get_known(*state->record, state->general.load()->image_kind, what->known,
                                              false);
      if (program != nullptr) program->kernel.object->prepare(shape);
      else failure = "there is no image for it";
    }
  } catch (const std::exception& e) { // the general build remains in use
    failure = e.what();
  }
  const std::lock_guard lock(state->mutex);
  if (what->now != variant::phase::building) return; // rejected in the meantime
  what->failure = failure;
  what->now = !failure.empty()    ? variant::phase::failed
              : what->result.keep ? variant::phase::accepted
                                  : variant::phase::trial;
  if (what->is_plain) {
    what->built = plain;
    what->rival = std::move(program);
    if (what->now != variant::phase::trial)
      use_text(*state, what->now == variant::phase::accepted ? *plain : *state->asked);
  } else {
    what->take(std::move(program));
  }
  if (failure.empty()) return;
  support::log(support::level::warn, "specialise: kernel \"" + state->kernel + "\" on " + m_device.label() +
                                         " cannot be built " + (what->is_plain ? "as " : "for ") +
                                         what->text() + ": " + failure);
}

/// Call with the state locked.
void specialiser::collect(kernel_state& state) {
  small_vector<std::shared_ptr<variant>, 8> all(state.variants.begin(), state.variants.end());
  if (state.plain != nullptr) all.push_back(state.plain);
  for (const auto& v : all) {
    std::erase_if(v->in_flight, [&](const variant::launch& l) {
      if (l.point.owner->completed() < l.point.value) return false;
      try {
        if (l.point.owner->failure(l.point.value))
          throw devices::device_error(devices::error_category::other, "", "");
        const devices::profile times = l.point.owner->times(l.point.value);
        if (times.ended_ns > times.started_ns)
          v->trial.add(l.side, double(times.ended_ns - times.started_ns));
        else v->trial.lost(l.side); // shorter than the resolution of the driver's clock
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
  if (what.result.general_ns <= 0) what.failure = "its launches are shorter than the driver can measure";
  what.now = what.result.keep ? variant::phase::accepted : variant::phase::rejected;
  if (!what.result.keep && !what.is_plain) {
    state.watch->rejected();
    m_device.retired().add({what.program}); // launches of it may be in flight
    what.take(nullptr);
  }
  support::log(support::level::info, "specialise: kernel \"" + state.kernel + "\" on " + m_device.label() +
                                         (what.is_plain ? " as " : " for ") + what.text() + ": " +
                                         microseconds(what.result.specialised_ns) + " against " +
                                         microseconds(what.result.general_ns) + ", " +
                                         ratio_text(what.result.ratio) +
                                         (what.result.keep ? ": used" : ": not used"));
  if (what.is_plain) {
    if (what.failure.empty())
      m_device.programs().store_result(*state.record, state.asked->image_kind, text_name,
                                       write_results({{{}, what.result.keep, what.result.ratio}}));
    return use_text(state, what.result.keep ? *what.built : *state.asked);
  }
  std::vector<earlier_result> all;
  for (const auto& v : state.variants)
    if (v->failure.empty() && (v->now == variant::phase::accepted || v->now == variant::phase::rejected ||
                               v->now == variant::phase::remembered))
      all.push_back({v->set, v->result.keep, v->result.ratio});
  m_device.programs().store_result(*state.record, state.general.load()->image_kind, results_name,
                                   write_results(all));
}

} // namespace prism::runtime
