// <prism/scope.hpp>: decisions over the devices of this process, and default devices of scopes.
#include "extras/policy/counted_workload.hpp"
#include "runtime/api/extension_points.hpp"
#include "runtime/api/impl.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <prism/devices.hpp>
#include <prism/scope.hpp>

#include <algorithm>

namespace prism {

namespace {

using sycl::detail::access_impl;
using sycl::detail::device_impl;
using device_ref = std::shared_ptr<device_impl>;

thread_local std::vector<device_ref> scopes;

struct process_default {
  std::mutex mutex;
  device_ref asked;
  bool environment_read = false;
  device_ref from_environment;
};
process_default& the_default() {
  static auto* instance = new process_default; // never destroyed: used until the process ends
  return *instance;
}

} // namespace

struct device_selector::state {
  std::vector<sycl::device> devices;
  std::vector<int> ranks; // one per device of `devices`
  prism::selection made;
};

workload typical_workload() { return policy::typical_workload(); }

device_selector selector(const execution_policy& policy, const workload& work) {
  std::vector<sycl::device> devices = sycl::device::get_devices();
  prism::selection made = select(policy, work, describe_for(policy, devices));
  std::vector<int> ranks(devices.size(), -1);
  for (const candidate& c : made.candidates())
    if (c.fits) ranks[c.index] = static_cast<int>(devices.size() - c.rank);
  device_selector out;
  out.m_state = std::make_shared<const device_selector::state>(
      device_selector::state{std::move(devices), std::move(ranks), std::move(made)});
  return out;
}

int device_selector::operator()(const sycl::device& candidate) const {
  const auto at = std::find(m_state->devices.begin(), m_state->devices.end(), candidate);
  return at == m_state->devices.end()
             ? -1
             : m_state->ranks[static_cast<std::size_t>(at - m_state->devices.begin())];
}
const selection& device_selector::selection() const noexcept { return m_state->made; }
sycl::device device_selector::device() const { return m_state->devices[m_state->made.index()]; }

device_selector by_name(const std::string& name) {
  execution_policy p;
  std::vector<std::string> wanted;
  for (std::size_t begin = 0, end = 0; end < name.size(); begin = end + 1) {
    end = std::min(name.find(';', begin), name.size());
    const std::string_view term = support::trim(std::string_view(name).substr(begin, end - begin));
    if (term.empty()) continue;
    if (term.front() == '!') p.forbid.emplace_back(support::trim(term.substr(1)));
    else wanted.emplace_back(term);
  }
  if (wanted.size() > 1) {
    p.prefer = std::move(wanted);
    p.only_preferred = true;
  } else if (!wanted.empty()) p.require = std::move(wanted);
  else if (p.forbid.empty()) p.require = {name};
  return selector(p);
}

device_selector prefer(const std::vector<std::string>& names) {
  execution_policy p;
  p.prefer = names;
  p.only_preferred = true;
  return selector(p);
}

int execution_policy::operator()(const sycl::device& candidate) const { return selector(*this)(candidate); }

scoped_device::scoped_device(const sycl::device& device) { scopes.push_back(access_impl::get(device)); }
scoped_device::~scoped_device() { scopes.pop_back(); }

void set_default(const sycl::device& device) {
  const std::lock_guard lock(the_default().mutex);
  the_default().asked = access_impl::get(device);
}
void set_default(const execution_policy& policy) { set_default(selector(policy).device()); }
void set_default(const std::string& name) { set_default(by_name(name).device()); }
void clear_default() {
  const std::lock_guard lock(the_default().mutex);
  the_default().asked = nullptr;
}

} // namespace prism

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

/// Returns the default device: of the innermost scope of this thread, else of set_default, else of
/// PRISM_POLICY. If PRISM_POLICY is invalid, every call throws.
std::shared_ptr<device_impl> default_by_policy() {
  if (!prism::scopes.empty()) return prism::scopes.back();
  prism::process_default& process = prism::the_default();
  {
    const std::lock_guard lock(process.mutex);
    if (process.asked) return process.asked;
    if (process.environment_read) return process.from_environment;
  }
  std::shared_ptr<device_impl> chosen; // chosen without the lock, since opening devices takes long
  if (const auto text = prism::support::set_value_of(prism::support::variables::policy)) {
    try {
      chosen = access_impl::get(prism::selector(prism::parse_policy(*text)).device());
    } catch (const prism::no_candidate& none) {
      throw_error(errc::runtime, "PRISM_POLICY=\"" + *text + "\": " + none.what());
    } catch (const sycl::exception& wrong) {
      throw_error(errc::invalid, "PRISM_POLICY: " + std::string(wrong.what()));
    }
  }
  const std::lock_guard lock(process.mutex);
  process.environment_read = true;
  process.from_environment = chosen;
  return chosen;
}

[[maybe_unused]] const bool provides_default = (set_default_device_provider(&default_by_policy), true);

} // namespace

}
}
} // namespace sycl::_V1::detail
