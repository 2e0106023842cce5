#include "step.hpp"

namespace prism::netlib {

void step::run() try {
  service& all = service::of_process();
  const std::lock_guard lock(all.mutex);
  finish(linalg::detail::run(all.queue, m_request, {}));
} catch (const std::exception& error) {
  fail(m_routine, error);
}

} // namespace prism::netlib
