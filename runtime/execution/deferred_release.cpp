#include "runtime/execution/deferred_release.hpp"

#include <utility>

namespace prism::runtime {

namespace {
// Read several times for each submission. One word always fits in the static TLS block, also after dlopen.
[[gnu::tls_model("initial-exec")]] thread_local deferred_release* active_release = nullptr;
}

deferred_release::deferred_release() : m_outermost(active_release == nullptr) {
  if (m_outermost) active_release = this;
}

deferred_release::~deferred_release() {
  if (m_outermost) active_release = nullptr;
}

bool deferred_release::take(dependency_list& dependencies, keep_alive_list& retained) {
  if (active_release == nullptr) return false;
  for (dependency& d : dependencies) active_release->m_dependencies.push_back(std::move(d));
  for (std::shared_ptr<void>& k : retained) active_release->m_retained.push_back(std::move(k));
  dependencies.clear();
  retained.clear();
  return true;
}

} // namespace prism::runtime
