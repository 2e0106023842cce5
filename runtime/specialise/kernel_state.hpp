// The state of one kernel on a device for specialisation: its variants, their trials, and the values of its
// launches.
#pragma once

#include "runtime/images/program_cache.hpp"
#include "runtime/specialise/specialise_decision.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace prism::runtime {

// Names under which results for a kernel are stored on disk.
inline constexpr const char *results_name = "specialised", *text_name = "plain text";

/// For messages: the ratio to another build's time, such as "0.93".
std::string ratio_text(double ratio);

/// A build under trial: specialised for values, or the plain text without a work-group function.
struct variant {
  enum class phase { remembered, building, trial, accepted, rejected, failed };
  struct launch {
    devices::timeline_point point;
    build_side side;
  };
  phase now = phase::building;
  value_set set;
  images::known_values known;
  std::shared_ptr<images::known_program> program; // null for the plain text, which the program cache owns
  const images::built_kernel* built = nullptr;
  bool is_plain = false;
  // Only for the plain text: the work-group function specialised for the same group size, because drivers
  // always specialise plain text for it. May be null.
  std::shared_ptr<images::known_program> rival;
  unsigned launches = 0; // of the plain text: number since its trial began
  build_trial trial;
  bool has_shape = false; // shape of the timed launches; all must have the same
  devices::extent3 groups{}, local{};
  std::vector<launch> in_flight;
  build_trial::result result;
  std::string failure;

  bool decided() const { return now == phase::accepted || now == phase::rejected || now == phase::failed; }
  bool takes(const devices::dispatch_command& d) const {
    return built != nullptr &&
           d.local[0] * d.local[1] * d.local[2] <= std::max<std::uint64_t>(built->limits.max_group_size, 1);
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
  std::string text() const {
    return is_plain ? "plain OpenCL C, without the work-group function" : known.text();
  }
};

struct kernel_state {
  static constexpr std::uint64_t most_alignment =
      64; // a cache line; larger alignments have no use and would only distinguish launches
  const image::kernel_record* record = nullptr;
  std::once_flag filled;
  std::string kernel;
  const images::built_kernel* asked = nullptr; // the build that launches request
  std::shared_ptr<variant> plain;              // if `asked` is a work-group function: the text without it
  // The faster of `asked` and `plain`, once that is known. Specialised builds are compared with it. The
  // members below are written before it.
  std::atomic<const images::built_kernel*> general{nullptr};
  std::string refusal; // why there are no specialised builds
  // The values of a launch, in this order: integers, the work-group's size, alignments.
  std::vector<image::kernel_constant> values;
  bool with_local = false;
  std::vector<std::uint32_t> slots; // offsets of the pointers whose alignment is a value
  std::atomic<bool> requested{false};
  std::atomic<bool> resolved{false}; // the members below no longer change
  std::mutex mutex;
  std::optional<value_watch> watch;
  std::vector<std::shared_ptr<variant>> variants;

  std::size_t count() const { return values.size() + (with_local ? 3 : 0) + slots.size(); }
  /// Returns false when the launch's block is too short, or its slots are not bound.
  bool read(const devices::dispatch_command& d, std::uint64_t* numbers) const {
    for (const image::kernel_constant& v : values) {
      if (v.offset + v.bytes > d.arguments.size()) return false;
      std::uint64_t number = 0;
      std::memcpy(&number, d.arguments.data() + v.offset, v.bytes);
      *numbers++ = number;
    }
    for (int i = 0; with_local && i < 3; ++i) *numbers++ = d.local[i];
    if (!slots.empty() && d.slots.size() != slots.size()) return false;
    for (std::size_t i = 0; i < slots.size(); ++i)
      *numbers++ = std::min(alignment_of(d.slots[i]), most_alignment);
    return true;
  }
  images::known_values known_of(const value_set& set) const {
    images::known_values known;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (set[i]) known.integers.push_back({values[i], *set[i]});
    std::size_t at = values.size();
    if (with_local && set[at] && set[at + 1] && set[at + 2])
      known.local = {*set[at], *set[at + 1], *set[at + 2]};
    if (with_local) at += 3;
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (set[at + i] && *set[at + i] > 1) known.alignments.push_back({slots[i], *set[at + i]});
    return known;
  }
};

} // namespace prism::runtime
