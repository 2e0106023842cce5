// Co-execution: divides one range of items among several devices, predicts whether that pays, and executes
// it. divide() and advise() are pure. The division by predicted speed is that of divisible load theory: all
// devices finish at the same time (V. Bharadwaj, D. Ghose, T. Robertazzi, "Divisible load theory: a new
// paradigm for load scheduling in distributed systems", Cluster Computing 6(1), 2003).
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>
#include <sycl/queue.hpp>

#include <functional>
#include <optional>

namespace prism {

class performance_model;

enum class distribution {
  by_ratio,  // fixed shares by strategy::ratios
  predicted, // fixed shares by advise(): all devices finish at the same time
  dynamic,   // equal chunks; each goes to the next free device
  guided,    // chunks in proportion to the measured speed of the device and to the remaining items
  two_ended, // guided; the first device takes items from the front, the others from the back
};

struct strategy {
  prism::distribution distribution = distribution::guided;
  std::vector<double> ratios;  // by_ratio: one per device, not negative, with any sum
  std::size_t granularity = 1; // shares and chunks, except for the last, are multiples of it
  std::size_t chunk =
      0; // dynamic: items in a chunk, fewer near the end; 0: a sixteenth of a device's even share
  // by_ratio, predicted: the fraction of the items that is held in reserve. Devices that finish their share
  // first take guided chunks of the reserve, so speeds that differ from the expected ones by as much do not
  // make the other devices wait. From 0 to less than 1; 0: no reserve. Unset: for by_ratio an eighth, because
  // the speed of a device varies between runs; for predicted advice::reserve.
  std::optional<double> reserve;
  // The model of earlier runs of workload::operation. `predicted` divides by its predictions, and co_execute
  // records the runs of all distributions in it. The caller owns it and must not use it during the call. Its
  // items are the items of the range. If the pattern is missing, co_execute registers it.
  performance_model* model = nullptr;
  // A device takes no chunk that it would finish later than the other devices could finish all remaining
  // items.
};

struct share {
  std::size_t device = 0, first = 0, count = 0;
  friend bool operator==(const share& a, const share& b) noexcept {
    return a.device == b.device && a.first == b.first && a.count == b.count;
  }
};

/// Divides 0..items into consecutive shares in proportion to the weights. Empty shares are left out. Throws
/// sycl::exception (invalid) if no weight is positive.
std::vector<share> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity = 1);

struct advice {
  bool divides = false; // true: the division is faster than the best device alone
  std::string reason;   // one sentence with the figures
  std::size_t best_alone = 0;
  seconds alone{0}, together{0};
  std::vector<share> shares; // one per device, or one for best_alone
  double efficiency = 0; // of the division: the time if all devices worked all the time without overheads,
                         // divided by `together`
  double reserve = 0; // of the division: the fraction that distribution::predicted holds in reserve; smaller
                      // for more certain predictions
};
/// The cost of each additional device: the coordination of its share.
inline constexpr seconds coordination{20e-6};
/// Advises to divide only if that saves at least 5 % of the time. Of several devices with the same
/// physical_id only the fastest is used, since they share hardware. If `model` has the pattern
/// workload::operation, its predictions are used. Throws no_candidate if no device can do the work.
advice advise(const workload& work, std::size_t items, const std::vector<device_description>& devices,
              std::size_t granularity = 1, const performance_model* model = nullptr);

/// The report of co_execute.
struct co_report {
  struct part {
    std::string device;
    std::size_t items = 0, chunks = 0;
    seconds busy{0}; // by the device's profiling, without waiting times
    double rate() const noexcept { return busy.count() > 0 ? static_cast<double>(items) / busy.count() : 0; }
  };
  std::vector<part> parts;
  seconds wall{0};
  std::size_t held_back = 0; // items that were not part of the initial shares, if there were initial shares
  /// Returns the mean busy time of the devices divided by the longest busy time: 1 if all finished together.
  double balance() const noexcept;
  /// Returns the time that an ideal division would take at the measured rates, divided by the wall time. The
  /// best possible value is 1.
  double efficiency() const noexcept;
  std::string text() const;
};

/// The comparison of a prediction with the run.
struct hindsight {
  double error =
      0; // relative error of the predicted time: 0.2 means that the run took 20 % longer or shorter
  bool right =
      false; // the division was at least as fast as the fastest device alone, at the speed that it showed
  std::string text;
};
/// Compares the advice `decided` with the report `happened`. Both must be for the same items on the same
/// devices.
hindsight compare(const advice& decided, const co_report& happened);

/// Calls `part(handler, first, count)` for consecutive ranges of 0..items, each time for one command group on
/// one of the queues, and waits. The work runs on internal queues with the same devices and contexts. Buffers
/// move as the accessors request: use a ranged accessor (or a sub-buffer) for each range, so that only its
/// bytes move. Unlike in other command groups, other commands may use at the same time the elements that a
/// ranged accessor leaves out. The result of a reduction is combined from all ranges, unless the reduction
/// has initialize_to_identity. After all queues are idle, the first error is thrown. `whole`: the whole job,
/// for distribution::predicted and strategy::model; with it the first guided chunks are larger.
/// distribution::predicted divides the range among all queues, even if their devices share hardware.
co_report co_execute(std::vector<sycl::queue> queues, std::size_t items, const strategy& how,
                     const std::function<void(sycl::handler&, std::size_t first, std::size_t count)>& part,
                     const workload& whole = {});

/// Simulates co_execute with the same rules on described devices. Each range takes as long as predict()
/// returns, and is submitted while the previous one runs. Busy times and wall time are in simulated time.
/// `speeds`: the actual speed of each device relative to the prediction, unknown to the division; empty: 1
/// for all. The model is read but not updated. Throws as co_execute and advise do.
co_report rehearse(const workload& whole, std::size_t items, const strategy& how,
                   const std::vector<device_description>& devices, const std::vector<double>& speeds = {});

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
