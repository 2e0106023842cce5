// <prism/selection.hpp> and <prism/description.hpp>: the public classes over the pure decisions of
// extras/policy. Reports invalid arguments as sycl::exception.
#include "extras/policy/description_file.hpp"
#include "extras/policy/explain.hpp"
#include "extras/policy/policy_text.hpp"
#include "extras/policy/problem.hpp"

#include <prism/selection.hpp>

namespace prism {

namespace {

template <typename Call>
auto as_sycl(Call&& call) {
  try {
    return call();
  } catch (const policy::file_problem& p) {
    throw description_error(p.what(), p.file(), p.line(), p.column(), p.key());
  } catch (const policy::problem& p) {
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), p.what());
  }
}

std::vector<candidate> judge_all(const execution_policy& policy, const workload& work,
                                 const std::vector<device_description>& devices) {
  return policy::candidates_of(policy::decider(policy, devices), policy::job_of(work), devices);
}

} // namespace

std::vector<device_description> load_devices(const std::string& file) {
  return as_sycl([&] { return policy::read_devices_file(file); });
}
std::vector<device_description> parse_devices(const std::string& text, const std::string& name) {
  return as_sycl([&] { return policy::read_devices(text, name); });
}
std::string to_yaml(const std::vector<device_description>& devices) { return policy::write_yaml(devices); }
std::string to_json(const std::vector<device_description>& devices) { return policy::write_json(devices); }
execution_policy parse_policy(const std::string& text) {
  return as_sycl([&] { return policy::read_policy(text); });
}

prediction predict(const device_description& device, const workload& work) {
  return as_sycl(
      [&] { return policy::predict_on(policy::machine_of(device), policy::job_of(work)).predicted; });
}

selection select(const execution_policy& policy, const workload& work,
                 std::vector<device_description> devices) {
  return as_sycl([&] {
    const policy::decider by(policy, devices);
    const policy::job job = policy::job_of(work);
    const std::size_t best = by.choose(job);
    if (best == policy::decider::none) {
      auto all = policy::candidates_of(by, job, devices);
      const std::string text = policy::table(policy, work, all, devices);
      throw no_candidate(text, std::move(all));
    }
    selection s;
    s.m_policy = policy;
    s.m_work = work;
    s.m_index = best;
    s.m_predicted = by.judge(best, job).time.predicted;
    s.m_devices = std::make_shared<const std::vector<device_description>>(std::move(devices));
    return s;
  });
}

std::vector<candidate> selection::candidates() const { return judge_all(m_policy, m_work, *m_devices); }
std::string selection::explain() const { return policy::table(m_policy, m_work, candidates(), *m_devices); }
std::string selection::to_json() const { return policy::table_json(m_policy, m_work, candidates()); }

std::string explain(const execution_policy& policy, const workload& work,
                    const std::vector<device_description>& devices) {
  return as_sycl([&] { return policy::table(policy, work, judge_all(policy, work, devices), devices); });
}
std::string explain_json(const execution_policy& policy, const workload& work,
                         const std::vector<device_description>& devices) {
  return as_sycl([&] { return policy::table_json(policy, work, judge_all(policy, work, devices)); });
}

struct chooser::prepared {
  std::vector<device_description> devices;
  policy::decider by;
};

chooser::chooser(const execution_policy& policy, std::vector<device_description> devices) {
  m_prepared = as_sycl([&] {
    policy::decider by(policy, devices);
    return std::unique_ptr<const prepared>(new prepared{std::move(devices), std::move(by)});
  });
}
chooser::~chooser() = default;
chooser::chooser(chooser&&) noexcept = default;
chooser& chooser::operator=(chooser&&) noexcept = default;
std::size_t chooser::choose(const workload& work) const {
  return as_sycl([&] { return m_prepared->by.choose(policy::job_of(work)); });
}
const std::vector<device_description>& chooser::devices() const noexcept { return m_prepared->devices; }

} // namespace prism
