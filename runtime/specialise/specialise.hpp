// Specialises kernels for the values they are launched with (specialise_decision.hpp), on one device:
// observes launches, builds in the background, measures, and uses the faster build. If a kernel has both a
// work-group function and plain text, the faster of these is determined first.
//
// A launch of a kernel that is not observed costs one load and a branch. A launch of an observed kernel
// compares its captured integers, under a lock of the kernel until all decisions are made.
#pragma once

#include "runtime/launch/build_chooser.hpp"
#include "runtime/specialise/timed_launch.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace prism::runtime {

class background_builds;

class specialiser final : public build_chooser {
public:
  specialiser(device_state& device, background_builds& background) : m_device(device), m_builds(background) {}

  /// Specialises after this many launches with the same values. 0: kernels are observed on request only.
  static void watch_all(unsigned launches) noexcept;
  static bool watches_all() noexcept;
  /// Reads PRISM_SPECIALISE.
  static void read_environment();

  std::unique_ptr<submission_method> choose(prepared_kernel& kernel, driver_queue& on) override;
  void request(const image::kernel_record& record) override;
  std::vector<std::shared_ptr<void>> forget(const image::kernel_record* first, std::uint64_t count) override;
  void collect() override;
  void report(std::vector<specialised_kernel>& into) override;

private:
  // Builds and measurements are in trials.cpp.
  /// A launch for which a build is being chosen.
  struct launch_choice {
    prepared_kernel& kernel;
    driver_queue& on;
    std::unique_ptr<submission_method> method; // null: queue::submit_after
  };
  using state_ref = std::shared_ptr<kernel_state>;

  void look(launch_choice& launch);
  state_ref state_of(const image::kernel_record& record);
  void fill_in(kernel_state& state, const char* name);
  void use_text(kernel_state& state, const images::built_kernel& faster);
  void choose_general(kernel_state& state, const images::built_kernel& general);
  void fill_in_values(kernel_state& state, const images::built_kernel& general);
  const images::built_kernel* choose_text(const state_ref& state, launch_choice& launch);
  void recall(kernel_state& state, image::kind kind);
  void give_up_unstable(kernel_state& state);
  static bool use(const variant& fit, prepared_kernel& kernel);
  void begin_trial(const std::shared_ptr<variant>& what, launch_choice& launch, const state_ref& state);
  void begin_build(const state_ref& state, const std::shared_ptr<variant>& what,
                   const prepared_kernel& kernel);
  void build(const state_ref& state, const std::shared_ptr<variant>& what,
             const devices::launch_shape& shape);
  void collect(kernel_state& state);
  void conclude(kernel_state& state, variant& what);
  std::vector<state_ref> states();

  device_state& m_device;
  background_builds& m_builds;
  std::shared_mutex m_mutex;
  std::unordered_map<const image::kernel_record*, state_ref> m_states;
  measuring_queue m_measures;
};

} // namespace prism::runtime
