// Kernels built again for the values they are launched with (specialise_decision.hpp), on one device: what is watched, built in
// the background, timed and kept. Where a kernel has a work-group function and plain text, the faster of the two comes first.
// A kernel that is not watched costs one load and a branch; one that is costs a comparison of its captured integers, under a
// lock of its own until all is decided.
//
// A launch that is timed runs on a queue of its own that measures, between its own queue's last command and a barrier there, since
// measuring is a property of drivers' queues and slows some of them down a lot.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/images/program_cache.hpp"
#include "runtime/specialise/specialise_decision.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace prism::schedule {

class command;
class device_entry;
class lane;
struct prepared_kernel;

class specialiser {
public:
  explicit specialiser(device_entry& device) : m_device(device) {}

  /// After how many launches with the same values; 0: kernels are watched on request only.
  static void watch_all(unsigned launches) noexcept;
  static bool watches() noexcept { return s_watches.load(std::memory_order_relaxed); }
  /// PRISM_SPECIALISE.
  static void read_environment();

  /// The launch may get another build of its kernel, and `command` may be timed. After the captured block is complete.
  void look(prepared_kernel& kernel, command& command);
  /// From its next launch on the kernel is watched, and its values are wanted at once.
  void request(const image::kernel_record& record);
  /// What is known of records that go away.
  std::vector<std::shared_ptr<void>> forget(const image::kernel_record* first, std::uint64_t count);
  /// Times that have come in meanwhile are looked at.
  void collect();
  void report(std::vector<specialised_kernel>& into);

  class timed_launch;

private:
  struct variant;
  struct kernel_state;
  using state_ref = std::shared_ptr<kernel_state>;

  state_ref state_of(const image::kernel_record& record);
  void fill_in(kernel_state& state, const char* name);
  void keep_text(kernel_state& state, const images::built_kernel& faster);
  void choose_general(kernel_state& state, const images::built_kernel& general);
  void fill_in_values(kernel_state& state, const images::built_kernel& general);
  const images::built_kernel* choose_text(const state_ref& state, prepared_kernel& kernel, command& command);
  void recall(kernel_state& state, image::kind kind);
  void give_up_unstable(kernel_state& state);
  static bool use(const variant& fit, prepared_kernel& kernel);
  void begin_trial(const std::shared_ptr<variant>& what, prepared_kernel& kernel, command& command, const state_ref& state);
  void begin_build(const state_ref& state, const std::shared_ptr<variant>& what, const prepared_kernel& kernel);
  void build(const state_ref& state, const std::shared_ptr<variant>& what, const devices::launch_shape& shape);
  void collect(kernel_state& state);
  void conclude(kernel_state& state, variant& what);
  std::vector<state_ref> states();

  static std::atomic<bool> s_watches;
  device_entry& m_device;
  std::shared_mutex m_mutex;
  std::unordered_map<const image::kernel_record*, state_ref> m_states;
  std::mutex m_queue_mutex;
  std::unique_ptr<devices::queue> m_queue; // of timed launches, made at first need
};

/// Of one command; the command asks it for what the driver says of the launch.
class specialiser::timed_launch {
public:
  timed_launch(specialiser& by, state_ref state, std::shared_ptr<variant> what, build_side side);
  ~timed_launch();
  timed_launch(const timed_launch&) = delete;
  /// In place of the lane's queue's submit, with the lane locked.
  std::uint64_t submit(lane& on, std::span<const devices::command> commands, std::span<const devices::timeline_point> waits);
  std::optional<devices::device_error> failure() const;

private:
  specialiser& m_by;
  state_ref m_state;
  std::shared_ptr<variant> m_what;
  build_side m_side;
  devices::timeline_point m_point;
};

} // namespace prism::schedule
