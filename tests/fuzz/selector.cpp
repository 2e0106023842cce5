// The reader of device selectors; see parsers.hpp.
#include "runtime/select/selector.hpp"

#include <set>
#include <stdexcept>

namespace prism_fuzz {

void selector(const std::string& bytes) {
  using namespace prism::select;
  static const std::vector<std::string> backends{"host", "opencl", "vulkan"};
  static const std::vector<device_fact> facts = [] {
    std::vector<device_fact> made;
    for (const std::string& b : backends)
      for (std::size_t i = 0; i < 3; ++i)
        made.push_back({b, i, "PoCL", "llvmpipe", prism::devices::device_type::cpu, i == 2});
    return made;
  }();
  try {
    const auto terms = parse_selector(bytes, backends);
    const auto order = apply_selector(terms, facts);
    if (std::set<std::size_t>(order.begin(), order.end()).size() != order.size())
      throw std::logic_error("a device is selected twice");
    for (std::size_t i : order)
      if (i >= facts.size() || !may_use(terms, facts[i].backend))
        throw std::logic_error("a selected device does not match the terms");
    if (order.empty() && nothing_matches(bytes, facts, {}).empty())
      throw std::logic_error("nothing matches, but there is no error text");
  } catch (const selector_error& refusal) {
    if (refusal.position() > bytes.size() || *refusal.what() == '\0')
      throw std::logic_error("the error has no position");
  }
}

} // namespace prism_fuzz
