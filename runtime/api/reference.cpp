#include "runtime/api/reference.hpp"

#include "runtime/api/verification_results.hpp"
#include "runtime/api/verified_launch.hpp"

#include <mutex>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

/// Returns the USM allocations that a command uses.
std::vector<const void*> allocations_of(const verification::verified_launch* launch,
                                        const prism::request& what) {
  std::vector<const void*> out;
  const auto add = [&](const prism::copy_side& side) {
    if (side.pointer == nullptr) return;
    if (const auto block = prism::usm_find(side.pointer)) out.push_back(block->base);
  };
  if (launch != nullptr) {
    for (const verification::area& each : launch->areas)
      if (each.usm != nullptr) out.push_back(each.usm);
  } else if (const auto* copy = std::get_if<prism::copy_request>(&what)) {
    add(copy->from);
    add(copy->to);
  } else if (const auto* fill = std::get_if<prism::fill_request>(&what)) {
    add(fill->to);
  }
  return out;
}

} // namespace

bool verifies() noexcept {
  static const bool is_on = [] {
    if (!verification::wanted_tolerance()) return false;
    verification::tolerance();
    verification::tally::get();
    return true;
  }();
  return is_on;
}

prism::command_ptr submit_verified(prism::queue_node& queue, prism::command_group&& group,
                                   const std::vector<verified_use>& uses, prism::command_ptr& end) {
  verification::tally& all = verification::tally::get();
  const auto launch = verification::launch_of(queue.device(), group, uses);
  const std::vector<const void*> allocations = allocations_of(launch.get(), group.what);
  const std::lock_guard alone(all.order); // no other command may be submitted between these
  for (const void* base : allocations) all.follow_last_of(base, group.dependencies);
  if (launch)
    group.dependencies.push_back(
        launch->submit_task(queue, group.dependencies, 0, [launch] { launch->save_inputs(); }));
  prism::command_ptr command = prism::submit(queue, std::move(group));
  if (launch) end = launch->submit_task(queue, {command}, 1, [launch] { launch->compare(); });
  for (const void* base : allocations) all.set_last_of(base, launch ? end : command);
  return command;
}

void wait_for_verification(const void* allocation) {
  prism::command_ptr last;
  {
    const std::lock_guard alone(verification::tally::get().order);
    last = verification::tally::get().take_last_of(allocation);
  }
  if (last) last->wait();
}

}
}
} // namespace sycl::_V1::detail
