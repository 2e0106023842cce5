#include "call.hpp"

namespace prism::netlib {

service& service::of_process() {
  static auto* const only = [] {
    auto* const made = new service; // never destroyed: the count is printed at the end
    std::atexit([] {
      const service& all = of_process();
      std::uint64_t sum = 0;
      for (const auto& [name, count] : all.served) sum += count;
      std::fprintf(stderr,
                   PRISM_NETLIB_LIBRARY ": %llu calls served on %s:", static_cast<unsigned long long>(sum),
                   all.queue.get_device().get_info<sycl::info::device::name>().c_str());
      for (const auto& [name, count] : all.served)
        std::fprintf(stderr, " %s %llu", name.c_str(), static_cast<unsigned long long>(count));
      std::fputs("\n", stderr);
    });
    return made;
  }();
  return *only;
}

void fail(const char* routine, const std::exception& error) {
  std::fprintf(stderr, PRISM_NETLIB_LIBRARY ": %s: %s\n", routine, error.what());
  std::abort();
}

void call::run(bool makes_rotation) try {
  service& all = service::of_process();
  const std::lock_guard lock(all.mutex);
  if (!m_is_step) ++all.served[m_routine];
  finish(makes_rotation ? blas::detail::run_rotg(all.queue, m_request, {})
                        : blas::detail::run(all.queue, m_request, {}));
} catch (const std::exception& error) {
  fail(m_routine, error);
}

} // namespace prism::netlib
