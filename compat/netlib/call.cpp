#include "call.hpp"

namespace prism::netlib {

service& service::of_process() {
  static auto* const only = [] {
    auto* const made = new service; // never destroyed: the count is printed at the end
    std::atexit([] {
      const service& all = of_process();
      std::uint64_t sum = 0;
      for (const auto& [name, count] : all.served) sum += count;
      std::fprintf(stderr, "prism_blas: %llu calls served on %s:", static_cast<unsigned long long>(sum),
                   all.queue.get_device().get_info<sycl::info::device::name>().c_str());
      for (const auto& [name, count] : all.served)
        std::fprintf(stderr, " %s %llu", name.c_str(), static_cast<unsigned long long>(count));
      std::fputs("\n", stderr);
    });
    return made;
  }();
  return *only;
}

void call::run(bool makes_rotation) try {
  service& all = service::of_process();
  const std::lock_guard lock(all.mutex);
  ++all.served[m_routine];
  const auto done = makes_rotation ? blas::detail::run_rotg(all.queue, m_request, {})
                                   : blas::detail::run(all.queue, m_request, {});
  sycl::event(done).wait_and_throw();
  for (blas::detail::memory& each : m_request.operands) each.buffer.reset(); // writes results back
} catch (const std::exception& error) {
  std::fprintf(stderr, "prism_blas: %s: %s\n", m_routine, error.what());
  std::abort();
}

} // namespace prism::netlib
