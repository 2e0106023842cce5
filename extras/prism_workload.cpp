// <prism/workload_of.hpp>: finds the compiler's counts in a kernel's record.
#include "extras/policy/counted_workload.hpp"
#include "runtime/api/impl.hpp"
#include "runtime/api/kernel_impl.hpp"

#include <prism/workload_of.hpp>

#include <cstring>

namespace prism {

workload workload_of(const sycl::kernel_id& kernel, double items, double trips) {
  const auto& id = sycl::detail::access_impl::get(kernel);
  if (!(items >= 0) || !(trips >= 0))
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          std::string("workload_of(") + kernel.get_name() +
                              "): items and trips must be numbers from 0");
  const image::kernel_record* record = id->record();
  for (std::uint32_t i = 0; record != nullptr && i < record->image_count; ++i) {
    const image::kernel_image& entry = record->images[i];
    image::kernel_counts counts;
    if (entry.image_kind != image::kernel_counts_kind || entry.size != sizeof counts) continue;
    std::memcpy(&counts, entry.data, sizeof counts);
    if (counts.version == image::kernel_counts_version)
      return policy::workload_from(counts, kernel.get_name(), items, trips);
  }
  throw sycl::exception(
      sycl::make_error_code(sycl::errc::feature_not_supported),
      std::string("workload_of(") + kernel.get_name() +
          "): the kernel has no counts; compile the file that holds it with this version's prism++");
}

} // namespace prism
