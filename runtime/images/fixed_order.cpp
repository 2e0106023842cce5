#include "runtime/images/fixed_order.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace prism::images {

namespace {

struct copies {
  std::shared_mutex mutex;
  std::unordered_map<const image::kernel_record*, std::unique_ptr<image::kernel_record>> of;
};
copies& all() {
  static auto& made = *new copies; // modules are unloaded after static objects are destroyed
  return made;
}

} // namespace

std::string why_no_fixed_order(const image::kernel_record* record, bool on_host) {
  if (record == nullptr || (record->flags & image::has_fixed_order) == 0)
    return "prism++ did not compile it, so the order of its sums is not known";
  if (record->flags & image::sums_atomically)
    return "its work-items add floating-point numbers atomically, in any order; use sycl::reduction";
  if (record->flags & image::sums_by_sub_group)
    return "it combines floating-point numbers over sub-groups, which have other sizes on other devices; use "
           "the work-group";
  if (record->flags & image::is_reassociated)
    return "it was compiled with -ffast-math, which lets the compiler reorder its sums";
  if (on_host && (record->flags & image::contracts_on_host) != 0)
    return "the host's code was compiled for processors with a fused multiply-add and uses it; compile it "
           "for the baseline, or with prism++ --reproducible";
  return {};
}

const image::kernel_record* known_fixed_order_of(const image::kernel_record& record) {
  const std::shared_lock lock(all().mutex);
  const auto at = all().of.find(&record);
  return at != all().of.end() ? at->second.get() : nullptr;
}

const image::kernel_record& fixed_order_of(const image::kernel_record& record) {
  if (const image::kernel_record* known = known_fixed_order_of(record)) return *known;
  const std::unique_lock lock(all().mutex);
  auto& copy = all().of[&record];
  if (copy == nullptr) {
    copy = std::make_unique<image::kernel_record>(record);
    copy->flags |= image::asks_fixed_order;
    if (copy->content_hash != 0) copy->content_hash ^= 0x9e3779b97f4a7c15; // any constant
  }
  return *copy;
}

void forget_fixed_orders(const image::kernel_record* first, std::uint64_t count) {
  const std::unique_lock lock(all().mutex);
  for (std::uint64_t i = 0; !all().of.empty() && i < count; ++i) all().of.erase(first + i);
}

} // namespace prism::images
