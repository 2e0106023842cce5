// One range over several devices: how to divide it, whether that pays, and doing it. Dividing and advising
// are pure; the division by predicted speed is that of divisible load theory (V. Bharadwaj, D. Ghose, T.
// Robertazzi, "Divisible load theory: a new paradigm for load scheduling in distributed systems", Cluster
// Computing 6(1), 2003): all finish together.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>
#include <sycl/queue.hpp>

#include <functional>
#include <optional>

namespace prism {

class performance_model;

enum class distribution {
  by_ratio,  // strategy::ratios, beforehand
  predicted, // by advise(): all finish at the same time
  dynamic,   // equal chunks, taken by whoever is free
  guided,    // chunks that shrink with what is left and are as large as a device showed itself fast
  two_ended, // guided, the first device from the front, the others from the back
};

struct strategy {
  prism::distribution distribution = distribution::guided;
  std::vector<double> ratios;  // by_ratio: one a device, from 0, any sum
  std::size_t granularity = 1; // shares and chunks are multiples, but the last
  std::size_t chunk =
      0; // dynamic: items in a chunk, fewer near the end; 0: a sixteenth of a device's even share
  // by_ratio, predicted: this part of the items is held back and goes, by guided chunks, to whoever is done
  // with its share first, so that speeds which differ that much from the expected ones do not make the others
  // wait. From 0 to less than 1; 0: the shares are all there is, whoever waits. Unset: an eighth of by_ratio,
  // because no device is as fast in every run; advice::reserve of predicted.
  std::optional<double> reserve;
  // What earlier runs of workload::operation showed: predicted divides by it, and co_execute tells it what
  // each device showed of any distribution. It stays the caller's and is used by this call alone. Items of
  // the range are those of the pattern, which is registered if it is not there.
  performance_model* model = nullptr;
  // No device takes a chunk that it would finish later than the others could finish everything.
};

struct share {
  std::size_t device = 0, first = 0, count = 0;
  friend bool operator==(const share& a, const share& b) noexcept {
    return a.device == b.device && a.first == b.first && a.count == b.count;
  }
};

/// Consecutive shares in proportion to the weights, none of them empty. Throws sycl::exception (invalid)
/// without a positive weight.
std::vector<share> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity = 1);

struct advice {
  bool divides = false; // whether dividing pays
  std::string reason;   // one sentence with the figures
  std::size_t best_alone = 0;
  seconds alone{0}, together{0};
  std::vector<share> shares; // of the division, or the one share of best_alone
  double efficiency = 0;     // of the division: against all devices working all the time without overheads
  double reserve =
      0; // of a division: what distribution::predicted holds back, the less the surer the figures are
};
/// Each device beside the first costs the coordination of its part.
inline constexpr seconds coordination{20e-6};
/// Divides only where that wins at least a twentieth of the time. Of devices with the same physical_id the
/// fastest alone counts: they are ways to the same hardware. With a model that knows workload::operation its
/// predictions are used. Throws no_candidate when no device can do the work.
advice advise(const workload& work, std::size_t items, const std::vector<device_description>& devices,
              std::size_t granularity = 1, const performance_model* model = nullptr);

/// What co_execute did.
struct co_report {
  struct part {
    std::string device;
    std::size_t items = 0, chunks = 0;
    seconds busy{0}; // as the device's profiling has it, so nothing that it waited for
    double rate() const noexcept { return busy.count() > 0 ? static_cast<double>(items) / busy.count() : 0; }
  };
  std::vector<part> parts;
  seconds wall{0};
  std::size_t held_back = 0; // items that no device had as its own from the start, when the others had one
  /// Mean of the times that the devices were busy, over the longest: 1 when all finished together.
  double balance() const noexcept;
  /// Items a second that each device did alone, summed, times the wall time, over the items: 1 is the best
  /// possible division.
  double efficiency() const noexcept;
  std::string text() const;
};

/// A decision against what happened.
struct hindsight {
  double error = 0; // of the predicted time: 0.2 means that it took a fifth longer or shorter
  bool right =
      false; // the division was at least as fast as the fastest device alone, at the speed that it showed
  std::string text;
};
/// `decided` for the run that `happened` reports: the same items on the same devices.
hindsight compare(const advice& decided, const co_report& happened);

/// Runs `part(handler, first, count)` for consecutive parts of 0..items on the queues, each part one command
/// group, and waits. Buffers move as accessors ask: give each part a ranged accessor (or a sub-buffer), so
/// that only its bytes move; unlike in other command groups, what its ranged accessors leave out others may
/// use at the same time. A reduction's result is combined from all parts, unless they initialise it. The
/// first error is thrown after all queues came to rest. The work goes to queues of its own on the same
/// devices and contexts. `whole`: the whole job, for distribution::predicted and strategy::model; guided
/// chunks start larger with it. By prediction the queues divide the range even where they are ways to the
/// same hardware: they were given.
co_report co_execute(std::vector<sycl::queue> queues, std::size_t items, const strategy& how,
                     const std::function<void(sycl::handler&, std::size_t first, std::size_t count)>& part,
                     const workload& whole = {});

/// What co_execute would do, in simulated time: its own rules on described devices, each part as long as
/// predict() says and submitted while the one before it runs. Busy times and the wall are of the simulated
/// clock. `speeds`: how many times as fast as predicted each device is in truth, which the division does not
/// know; empty: as predicted. A model is asked and told nothing. Throws as co_execute and advise do.
co_report rehearse(const workload& whole, std::size_t items, const strategy& how,
                   const std::vector<device_description>& devices, const std::vector<double>& speeds = {});

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
