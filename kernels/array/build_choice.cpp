// Decides whether a fused launch saves more time than its build takes (fused.hpp).
#include "kernels/array/fused.hpp"

#include <algorithm>

namespace prism::array_detail {

const build_choice::form_record& build_choice::known(const std::string& form) const {
  static const form_record nothing;
  const auto found = m_forms.find(form);
  return found == m_forms.end() ? nothing : found->second;
}

build_choice::verdict build_choice::verdict_of(const form_record& form, double seconds) const {
  if (seconds < m_record) return verdict::interpreted;
  if (form.is_built || form.spent + seconds >= m_build) return verdict::fused;
  return form.was_asked ? verdict::interpreted : verdict::fused_if_built;
}

build_choice::verdict build_choice::next(const std::string& form, double seconds) {
  form_record& record = m_forms[form];
  const verdict out = verdict_of(record, seconds);
  if (out != verdict::fused) record.spent += seconds;
  record.was_asked |= out == verdict::fused_if_built;
  return out;
}

void build_choice::interpreted(int kernel, double steps, double seconds) {
  const double each = seconds / steps;
  m_steps[kernel] = m_is_measured[kernel] ? (m_steps[kernel] + each) / 2 : each;
  m_is_measured[kernel] = true;
}

void build_choice::recorded(const std::string& form, double seconds, bool by_driver) {
  form_record& record = m_forms[form];
  const bool is_first = !record.is_built;
  record.is_built = true;
  if (is_first && !by_driver) return;
  double& mean = is_first ? m_build : m_record;
  mean = (mean + seconds) / 2;
  m_build = std::max(m_build, m_record);
}

std::string build_choice::explain(const std::string& form, double seconds) const {
  const auto milliseconds = [](double s) { return std::to_string(std::int64_t(s * 1e3 + 0.5)) + " ms"; };
  const form_record& record = known(form);
  switch (verdict_of(record, seconds)) {
    case verdict::fused: return "one kernel made of its steps";
    case verdict::fused_if_built:
      return "one kernel made of its steps, if the driver has built it before; else interpreted";
    default: break;
  }
  if (seconds < m_record)
    return "interpreted, because it takes no longer than to record a kernel made of its steps";
  return "interpreted: this launch takes about " + milliseconds(seconds) +
         ", earlier ones of the same form took " + milliseconds(record.spent) +
         ", and the build of a kernel made of the steps takes about " + milliseconds(m_build);
}

} // namespace prism::array_detail
