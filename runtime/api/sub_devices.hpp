// Converts a device's partitions to SYCL's partition properties.
#pragma once

#include "runtime/api/impl.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

std::vector<info::partition_property>
partition_properties_of(const prism::devices::partition_support& partitions);
std::vector<info::partition_affinity_domain>
affinity_domains_of(const prism::devices::partition_support& partitions);

}
}
} // namespace sycl::_V1::detail
