// sycl::device::create_sub_devices, and the queries about partitions.
#include "runtime/api/sub_devices.hpp"

#include <algorithm>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

using info::partition_affinity_domain;
using info::partition_property;
using prism::devices::affinity_domain;

constexpr struct {
  affinity_domain domain;
  partition_affinity_domain name;
  const char* text;
} domains[] = {{affinity_domain::numa, partition_affinity_domain::numa, "numa"},
               {affinity_domain::l4_cache, partition_affinity_domain::L4_cache, "L4_cache"},
               {affinity_domain::l3_cache, partition_affinity_domain::L3_cache, "L3_cache"},
               {affinity_domain::l2_cache, partition_affinity_domain::L2_cache, "L2_cache"},
               {affinity_domain::l1_cache, partition_affinity_domain::L1_cache, "L1_cache"},
               {affinity_domain::next, partition_affinity_domain::next_partitionable, "next_partitionable"}};

std::vector<std::uint32_t> units_of(const prism::devices::partition& how) {
  if (const auto* equal = std::get_if<prism::devices::partition_equally>(&how)) return {equal->units};
  if (const auto* counted = std::get_if<prism::devices::partition_by_counts>(&how)) return counted->units;
  return {};
}

[[noreturn]] void refuse(const device_impl& device, const std::string& how) {
  throw_error(errc::feature_not_supported,
              "create_sub_devices: " + describe(device) + " cannot be partitioned by " + how +
                  "; info::device::partition_properties lists the supported ways");
}

std::vector<device> listed(const std::vector<std::shared_ptr<device_impl>>& sub_devices) {
  std::vector<device> out;
  for (const auto& sub_device : sub_devices) out.push_back(access_impl::make<device>(sub_device));
  return out;
}

} // namespace

std::vector<partition_property> partition_properties_of(const prism::devices::partition_support& partitions) {
  std::vector<partition_property> out;
  if (partitions.equally) out.push_back(partition_property::partition_equally);
  if (partitions.by_counts) out.push_back(partition_property::partition_by_counts);
  if (!partitions.domains.empty()) out.push_back(partition_property::partition_by_affinity_domain);
  return out;
}

std::vector<partition_affinity_domain>
affinity_domains_of(const prism::devices::partition_support& partitions) {
  std::vector<partition_affinity_domain> out;
  for (const affinity_domain each : partitions.domains) {
    for (const auto& row : domains)
      if (row.domain == each) out.push_back(row.name);
  }
  return out;
}

std::vector<std::shared_ptr<device_impl>>
device_impl::create_sub_devices(const std::shared_ptr<device_impl>& whole,
                                const prism::devices::partition& how, partition_property property,
                                partition_affinity_domain domain) {
  const std::vector<std::uint32_t> units = units_of(how);
  const std::lock_guard lock(whole->m_mutex);
  for (const made_sub_devices& made : whole->m_made)
    if (made.property == property && made.domain == domain && made.units == units) return made.devices;
  made_sub_devices made{property, domain, units, {}};
  for (prism::device_node* node : guarded([&] { return prism::create_sub_devices(whole->node(), how); })) {
    auto one = std::make_shared<device_impl>(*node, whole->platform());
    one->m_origin = std::make_unique<const sub_device_origin>(sub_device_origin{whole, property, domain});
    made.devices.push_back(std::move(one));
  }
  whole->m_made.push_back(made);
  return made.devices;
}

std::vector<std::shared_ptr<device_impl>> device_impl::sub_devices() const {
  std::vector<std::shared_ptr<device_impl>> out;
  {
    const std::lock_guard lock(m_mutex);
    for (const made_sub_devices& made : m_made)
      out.insert(out.end(), made.devices.begin(), made.devices.end());
  }
  for (std::size_t i = 0, own = out.size(); i < own; ++i) {
    const auto more = out[i]->sub_devices();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

} // namespace detail

std::vector<device> device::divide_equally(std::size_t count) const {
  const auto& c = m_impl->info();
  if (!c.partitions.equally) detail::refuse(*m_impl, "partition_equally");
  if (count == 0 || count > c.compute_units) {
    detail::throw_error(errc::invalid, "create_sub_devices: " + std::to_string(count) +
                                           " compute units for each sub-device of " +
                                           detail::describe(*m_impl) + ", which has " +
                                           std::to_string(c.compute_units));
  }
  return detail::listed(detail::device_impl::create_sub_devices(
      m_impl, prism::devices::partition_equally{std::uint32_t(count)},
      info::partition_property::partition_equally, info::partition_affinity_domain::not_applicable));
}

std::vector<device> device::divide_by_counts(const std::vector<std::size_t>& counts) const {
  const auto& c = m_impl->info();
  if (!c.partitions.by_counts) detail::refuse(*m_impl, "partition_by_counts");
  prism::devices::partition_by_counts parts;
  std::uint64_t total = 0;
  for (const std::size_t count : counts) {
    if (count == 0) continue; // the standard: a count of zero creates no sub-device
    total = count > c.compute_units ? count : total + count;
    if (total > c.compute_units) break;
    parts.units.push_back(std::uint32_t(count));
  }
  if (total > c.compute_units || parts.units.size() > c.partitions.max_sub_devices) {
    detail::throw_error(errc::invalid, "create_sub_devices: the counts exceed the limits of " +
                                           detail::describe(*m_impl) + ": " +
                                           std::to_string(c.compute_units) + " compute units for at most " +
                                           std::to_string(c.partitions.max_sub_devices) + " sub-devices");
  }
  if (total == 0) return {};
  return detail::listed(
      detail::device_impl::create_sub_devices(m_impl, parts, info::partition_property::partition_by_counts,
                                              info::partition_affinity_domain::not_applicable));
}

std::vector<device> device::divide_by_affinity(info::partition_affinity_domain domain) const {
  const auto& can = m_impl->info().partitions.domains;
  for (const auto& row : detail::domains) {
    if (row.name != domain) continue;
    if (std::find(can.begin(), can.end(), row.domain) == can.end()) {
      detail::refuse(*m_impl, std::string("partition_by_affinity_domain with ") + row.text);
    }
    return detail::listed(detail::device_impl::create_sub_devices(
        m_impl, row.domain, info::partition_property::partition_by_affinity_domain, domain));
  }
  detail::refuse(*m_impl, "partition_by_affinity_domain without a domain");
}

}
} // namespace sycl::_V1
