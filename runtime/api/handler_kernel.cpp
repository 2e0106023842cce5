// The kernel of a command group: validates a launch for the queue's device and makes the group's command from
// it.
#include "devices/api/kernel_counts.hpp"
#include "runtime/api/command_group.hpp"
#include "runtime/engine/kernel.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <prism/reproducible.hpp>
#include <sycl/device.hpp>

#include <algorithm>
#include <cstring>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

/// As the program wrote it: in SYCL's order, where x is last, and with the launch's number of dimensions.
std::string text(const std::uint64_t v[3], const kernel_launch& launch) {
  int shown = std::max(launch.dimensions, 1);
  for (int d = shown; d < 3; ++d)
    if (launch.global[d] != 1 || (!launch.is_range && launch.local[d] != 1)) shown = d + 1;
  std::string out = "{";
  for (int d = shown - 1; d >= 0; --d) out += std::to_string(v[d]) + (d ? ", " : "}");
  return out;
}

bool multiplies(const std::uint64_t v[3]) {
  std::uint64_t product = 0;
  return !__builtin_mul_overflow(v[0], v[1], &product) && !__builtin_mul_overflow(product, v[2], &product) &&
         product <= std::uint64_t(INT64_MAX);
}

/// Converts a launch with a number of work-groups to an nd_range. If no work-group size is given, it is the
/// size that the kernel requires, else 256 work-items or the device's limit.
kernel_launch with_work_groups(const kernel_launch& launch, const prism::devices::capabilities& info) {
  constexpr std::uint64_t usual[3][3] = {{256, 1, 1}, {32, 8, 1}, {8, 8, 4}};
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  const prism::image::kernel_record* record = slot ? slot->record : nullptr;
  kernel_launch out = launch;
  out.group_dimensions = 0;
  if (launch.chooses_group && record && record->required_local_size[0] != 0) {
    std::copy(record->required_local_size, record->required_local_size + 3, out.local);
  } else if (launch.chooses_group) {
    std::copy(usual[launch.group_dimensions - 1], usual[launch.group_dimensions - 1] + 3, out.local);
    for (int d = 0; d < 3; ++d)
      while (out.local[d] > info.max_local_size[static_cast<std::size_t>(d)]) out.local[d] /= 2;
    while (out.local[0] * out.local[1] * out.local[2] > info.max_group_size)
      *std::max_element(out.local, out.local + 3) /= 2;
  }
  for (int d = 0; d < 3; ++d)
    if (__builtin_mul_overflow(launch.global[d], out.local[d], &out.global[d]))
      out.global[d] = ~std::uint64_t{0}; // rejected later as too many
  return out;
}

bool items_of_ranges_have_ids = false; // set before main, or when a library is loaded

} // namespace

void give_items_of_ranges_ids() noexcept { items_of_ranges_have_ids = true; }

void handler_impl::need_local(const prism::local_memory& local) {
  const std::uint64_t available = m_queue->device()->info().local_memory;
  if (local.bytes == uncountable)
    throw_error(errc::memory_allocation,
                "local memory: the group asks for more bytes of local memory than can be counted; " +
                    describe(*m_queue->device()) + " has " + std::to_string(available));
  m_local_bytes += (local.bytes + local.alignment - 1) / local.alignment * local.alignment;
  if (local.bytes > available || m_local_bytes > available) {
    throw_error(errc::memory_allocation, "local memory: the group uses " + std::to_string(m_local_bytes) +
                                             " bytes of local memory, " + describe(*m_queue->device()) +
                                             " has " + std::to_string(available));
  }
}

void choose_local_range(const handler& group, const std::uint64_t global[3], int dimensions,
                        std::uint64_t local[3]) {
  constexpr std::uint64_t most[3][3] = {{256, 1, 1}, {32, 256, 1}, {8, 8, 256}};
  const device on = group.prism_device();
  const range<3> limits = on.get_info<info::device::max_work_item_sizes<3>>();
  std::uint64_t left = std::min<std::uint64_t>(256, on.get_info<info::device::max_work_group_size>());
  for (int d = 0; d < 3; ++d) {
    local[d] = 1;
    if (d >= dimensions) continue;
    std::uint64_t size = std::min(
        {left, most[dimensions - 1][d], std::uint64_t{limits[static_cast<std::size_t>(2 - d)]}, global[d]});
    while (size > 1 && global[d] % size != 0) --size;
    local[d] = std::max<std::uint64_t>(size, 1);
    left /= local[d];
  }
}

std::vector<prism::local_memory> handler_impl::locals_of(const kernel_launch& launch) const {
  std::vector<prism::local_memory> used;
  const auto* bytes = static_cast<const std::byte*>(launch.bytes);
  for (const prism::local_memory& local : m_locals) {
    bool is_captured = false;
    for (std::size_t at = 0; at + 8 <= launch.size && !is_captured; at += 8)
      is_captured = std::memcmp(bytes + at, &local.token, 8) == 0;
    if (is_captured) used.push_back(local);
  }
  return used;
}

void handler_impl::check_nd_range(const kernel_launch& launch) const {
  const prism::devices::capabilities& info = m_queue->device()->info();
  const auto refuse = [&](const std::string& why) {
    throw_error(errc::nd_range, std::string("parallel_for(nd_range) of ") + launch.name + ": " + why);
  };
  std::uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.local[d] == 0) {
      refuse("the local range " + text(launch.local, launch) + " contains a zero");
    }
    if (launch.global[d] % launch.local[d] != 0) {
      refuse("the local range " + text(launch.local, launch) + " does not divide the global range " +
             text(launch.global, launch) + "; round the global range up and test the id in the kernel");
    }
    if (launch.local[d] > info.max_group_size || (items *= launch.local[d]) > info.max_group_size) {
      refuse("a work-group of " + text(launch.local, launch) + " items is too large for " +
             describe(*m_queue->device()) + ", whose limit is " + std::to_string(info.max_group_size) +
             " (info::device::max_work_group_size)");
    }
    if (launch.local[d] > info.max_local_size[static_cast<std::size_t>(d)]) {
      const std::uint64_t limit[3] = {info.max_local_size[0], info.max_local_size[1], info.max_local_size[2]};
      refuse("the local range " + text(launch.local, launch) + " exceeds the limits " + text(limit, launch) +
             " of " + describe(*m_queue->device()));
    }
    if (launch.synchronises_all && launch.global[d] != launch.local[d]) {
      refuse("the kernel has the property use_root_sync, with which a launch has one work-group (the query "
             "max_num_work_group_sync), but the global range is " +
             text(launch.global, launch) + " and the local range " + text(launch.local, launch));
    }
  }
}

void handler_impl::check_tokens(const kernel_launch& launch) {
  const auto* bytes = static_cast<const std::byte*>(launch.bytes);
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  const prism::image::kernel_record* record = slot ? slot->record : nullptr;
  for (std::size_t at = 0; at + 8 <= launch.size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    if (!prism::is_token(word) || !prism::token_was_given(word) || find(word) || is_channel(word)) continue;
    if (is_local(word)) {
      if (!launch.is_range) continue;
      throw_error(errc::kernel_argument,
                  std::string("the kernel ") + launch.name +
                      " uses a local_accessor without work-groups; launch it with an nd_range");
    }
    // Padding may contain old stack data, including tokens of earlier groups. If the compiler recorded which
    // words are pointers, ignore the other words.
    if (record && std::none_of(record->slots, record->slots + record->slot_count,
                               [&](const auto& each) { return each.offset == at; }))
      continue;
    if (token_says_placeholder(word)) {
      throw_error(errc::kernel_argument,
                  std::string("the kernel ") + launch.name +
                      " uses a placeholder accessor that was not bound: call handler::require");
    }
    throw_error(errc::kernel_argument,
                std::string("the kernel ") + launch.name +
                    " uses an accessor that was made for another command group, or whose buffer "
                    "was destroyed; make it with this group's handler");
  }
  for (const use& u : m_uses) {
    if (u.request.place == target::host_task) {
      throw_error(errc::kernel_argument, std::string("the command group of kernel ") + launch.name +
                                             " has an accessor for host tasks; use target::device");
    }
  }
}

/// Checks the attributes of the kernel and of the functions that it calls: aspects, work-group and sub-group
/// sizes.
void handler_impl::check_attributes(const kernel_launch& launch) {
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  const prism::image::kernel_record* record = slot ? slot->record : nullptr;
  if (!record || (record->required_aspects == 0 && record->required_sub_group_size == 0 &&
                  record->required_local_size[0] == 0))
    return;
  const std::string why = attribute_refusal(*m_queue->device(), *record);
  if (!why.empty())
    throw_error(errc::kernel_not_supported, std::string("the kernel ") + launch.name + " on " +
                                                describe(*m_queue->device()) + ": " + why);
}

/// "dot: combines partial results": the second kernel of a reduction, after the first one, which has the
/// program's name. Valid until the process ends, as names of kernels are.
static const char* name_of_continuation(const char* first) {
  static std::mutex mutex;
  static auto& names = *new std::map<const char*, std::string>; // as many as kernels with reductions
  const std::lock_guard lock(mutex);
  std::string& name = names[first];
  if (name.empty()) name = std::string(first) + ": combines partial results";
  return name.c_str();
}

bool handler_impl::fixes_order() const {
  static const bool always = [] { // a value that is not understood is not "on"
    const std::string text =
        prism::support::to_lower(prism::support::value_of(prism::support::variables::reproducible));
    return text == "1" || text == "on" || text == "true" || text == "yes";
  }();
  return always || m_queue->properties().has_property<prism::property::queue::reproducible>();
}

void handler_impl::refuse_fixed_order(const std::string& kernel, const std::string& why) const {
  const bool by_queue = m_queue->properties().has_property<prism::property::queue::reproducible>();
  throw_error(errc::kernel_not_supported,
              "the kernel " + kernel + " cannot have the same bits on every device, as " +
                  (by_queue ? "the property reproducible of its queue" : "PRISM_REPRODUCIBLE") +
                  " asks: " + why);
}

bool handler_impl::gives_fixed_order(const kernel_launch& launch) const {
  if (launch.order == sum_order::fixed || !fixes_order()) return false;
  if (launch.order == sum_order::by_device)
    refuse_fixed_order(launch.name,
                       "it is of the operations library, which has other kernels for other devices");
  const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  first_around(as_listed(m_queue->device()), [&](const auto& each) {
    const std::string why =
        prism::fixed_order_refusal(each->node(), slot != nullptr ? slot->record : nullptr);
    if (!why.empty()) refuse_fixed_order(launch.name, why);
    return false;
  });
  return true;
}

void handler_impl::set_kernel(const kernel_launch& given) {
  kernel_launch launch = given;
  if (m_origin.name != nullptr) {
    launch.name = name_of_continuation(m_origin.name);
    launch.functor = m_origin.functor;
    m_group.line = m_origin.line;
  }
  if (launch.group_dimensions != 0) {
    m_is_hierarchical = true;
    return set_kernel(with_work_groups(launch, m_queue->device()->info()));
  }
  check_attributes(launch);
  const bool fixes = gives_fixed_order(launch);
  if (!m_arguments.empty()) {
    throw_error(errc::invalid, std::string("handler::set_arg: the kernel ") + launch.name +
                                   " is a function object, whose arguments are what it "
                                   "captures; numbered arguments are for kernel objects of make_kernel");
  }
  check_tokens(launch);
  if (m_bundle && !first_around(as_listed(m_queue->device()), [&](const auto& d) {
    return m_bundle->find(launch.slot, d.get()) != nullptr;
  })) {
    throw_error(errc::kernel_not_supported,
                std::string("the kernel bundle of the command group does not have the kernel ") +
                    launch.name + " for " + describe(*m_queue->device()));
  }
  const bool empty = std::find(launch.global, launch.global + 3, 0) != launch.global + 3;
  if (empty) { // does not run, but orders later commands
    set(prism::empty_request{}, "a kernel");
    return;
  }
  if (!multiplies(launch.global)) {
    throw_error(errc::nd_range, std::string("the kernel ") + launch.name + " has " +
                                    text(launch.global, launch) + " work-items, more than can be counted");
  }
  if (!launch.is_range) check_nd_range(launch);
  std::vector<prism::local_memory> locals = locals_of(launch);
  for (const prism::local_memory& local : locals) need_local(local);
  if (const auto* slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
      slot != nullptr && slot->record != nullptr && slot->record->static_local_bytes != 0) {
    need_local({{}, slot->record->static_local_bytes, 1}); // variables and the scratch of group algorithms
  }
  claim("a kernel");
  auto& kernel = m_group.what.emplace<prism::kernel_command>();
  kernel.slot = reinterpret_cast<const prism::image::kernel_slot*>(launch.slot);
  kernel.name = launch.name;
  if (m_functor == nullptr) m_functor = launch.functor;
  kernel.functor = m_functor;
  kernel.body.work_item = launch.body.work_item;
  if (m_channels.empty() && !items_of_ranges_have_ids)
    kernel.body.range = launch.body.range; // a stream needs the work-items' ids
  std::copy(launch.global, launch.global + 3, kernel.body.items);
  const auto* bytes = static_cast<const std::byte*>(launch.bytes);
  kernel.captured.assign(bytes, bytes + launch.size);
  kernel.is_range = launch.is_range;
  kernel.fits_group = launch.chooses_group;
  kernel.is_hierarchical = m_is_hierarchical;
  kernel.fixes_order = fixes;
  std::copy(launch.global, launch.global + 3, kernel.global.begin());
  std::copy(launch.local, launch.local + 3, kernel.local.begin());
  kernel.locals = std::move(locals);
  m_dimensions = launch.dimensions;
}

}
}
} // namespace sycl::_V1::detail
