#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>

#include <time.h>

namespace bench {

namespace {

double now(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

} // namespace

spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) { // interpolates linearly
    const double place = part * double(values.size() - 1);
    const auto low = std::size_t(place);
    const auto high = std::min(low + 1, values.size() - 1);
    return values[low] + (place - double(low)) * (values[high] - values[low]);
  };
  return {at(0.5), at(0.25), at(0.75)};
}

times timed(const std::function<void()>& work) {
  const double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
  work();
  const double wall_end = now(CLOCK_MONOTONIC);
  return {wall_end - wall, now(CLOCK_PROCESS_CPUTIME_ID) - processor};
}

times thread_timed(const std::function<void()>& work) {
  const double start = now(CLOCK_THREAD_CPUTIME_ID);
  work();
  const double spent = now(CLOCK_THREAD_CPUTIME_ID) - start;
  return {spent, spent};
}

void until_idle() {
  constexpr timespec pause{0, 1'000'000};
  constexpr double idle = 0.05; // of a processor
  for (const double begin = now(CLOCK_MONOTONIC); now(CLOCK_MONOTONIC) - begin < 0.5;) {
    const double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    nanosleep(&pause, nullptr);
    if (now(CLOCK_PROCESS_CPUTIME_ID) - processor < idle * (now(CLOCK_MONOTONIC) - wall)) return;
  }
}

series alternate(int rounds, const std::function<times()>& ours, const std::function<times()>& theirs) {
  ours();
  theirs();
  series all;
  for (int round = 0; round < rounds; ++round) {
    until_idle();
    all.ours.push_back(ours());
    until_idle();
    all.theirs.push_back(theirs());
  }
  return all;
}

} // namespace bench
