// <prism/prepare.hpp>: selects the kernels. runtime/launch/builds builds them.
#include "runtime/api/kernel_impl.hpp"

#include <prism/prepare.hpp>

namespace prism {

namespace {

std::shared_ptr<preparation_node> start(const sycl::device& device,
                                        const std::vector<sycl::kernel_id>& kernels, bool named) {
  using sycl::detail::access_impl;
  const auto& on = access_impl::get(device);
  return sycl::detail::guarded([&] {
    std::vector<wanted_build> wanted;
    for (const sycl::kernel_id& id : kernels) {
      const auto& kernel = access_impl::get(id);
      const std::string refusal = kernel->refusal(*on);
      if (!refusal.empty() && named)
        sycl::detail::throw_error(sycl::errc::kernel_not_supported, "prepare: kernel \"" + kernel->name() +
                                                                        "\" on " + describe(*on) + ": " +
                                                                        refusal);
      if (refusal.empty()) wanted.push_back({&on->node(), kernel->record()});
    }
    return prepare_kernels(std::move(wanted));
  });
}

} // namespace

std::size_t preparation::kernels() const noexcept { return m_node->asked(); }
std::size_t preparation::done() const { return m_node->done(); }
void preparation::wait() const { m_node->wait(); }
std::vector<std::string> preparation::failures() const { return m_node->failures(); }

preparation prepare(const sycl::device& device) {
  return preparation(start(device, sycl::get_kernel_ids(), false));
}
preparation prepare(const sycl::device& device, const std::vector<sycl::kernel_id>& kernels) {
  return preparation(start(device, kernels, true));
}

} // namespace prism
