// <prism/specialise.hpp>: the public functions over runtime/specialise/specialise.
#include "runtime/api/kernel_impl.hpp"

#include <prism/specialise.hpp>

namespace prism {

void specialise(const sycl::device& device, const std::vector<sycl::kernel_id>& kernels) {
  using sycl::detail::access_impl;
  const auto& on = access_impl::get(device);
  sycl::detail::guarded([&] {
    for (const sycl::kernel_id& id : kernels) {
      const auto& kernel = access_impl::get(id);
      if (const std::string refusal = kernel->refusal(*on); !refusal.empty())
        sycl::detail::throw_error(sycl::errc::kernel_not_supported, "specialise: kernel \"" + kernel->name() +
                                                                        "\" on " + describe(*on) + ": " +
                                                                        refusal);
      if (kernel->record() != nullptr) specialise_kernel(on->node(), *kernel->record());
    }
  });
}

std::vector<specialisation> specialisations() {
  std::vector<specialisation> all;
  for (specialised_kernel& one : specialised_kernels())
    all.push_back({std::move(one.kernel), std::move(one.device), static_cast<specialisation::state>(one.what),
                   std::move(one.values), std::move(one.reason), one.ratio});
  return all;
}

} // namespace prism
