// PRISM_DEVICE_SELECTOR: the devices that a process sees, and their order. Pure functions of the expression
// and of plain facts about the devices; tested with tables. Grammar:
//
//   expression := term (';' term)*
//   term       := ['!'] subject (':' qualifier)*
//   subject    := a backend's name | gpu | cpu | accelerator | custom | '*'
//   qualifier  := index within the backend | gpu | cpu | accelerator | custom | 'name=' text
//
// A term selects the devices that match all of its parts, in their fixed order. Terms are in order of
// preference. An excluding term removes devices, wherever it is in the expression. If there are only
// excluding terms, all other devices are selected. Case is ignored.
#pragma once

#include "devices/api/types.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace prism::select {

struct device_fact {
  std::string backend;
  std::size_t index = 0; // within the backend
  std::string platform_name, name;
  devices::device_type type = devices::device_type::cpu;
  bool software = false;
  std::string platform_version = {};
};

struct term {
  bool exclude = false;
  std::string backend;                     // empty: any
  std::vector<devices::device_type> types; // all must match
  std::vector<std::size_t> indexes;        // all must match
  // each must be contained in the name of the device or platform, or in the platform's version ("PoCL"
  // appears only there)
  std::vector<std::string> name_parts;
  std::string text; // as written
};

/// what() contains the expression, the position and a suggestion.
class selector_error : public std::runtime_error {
public:
  selector_error(std::size_t position, const std::string& what)
      : std::runtime_error(what), m_position(position) {}
  std::size_t position() const noexcept { return m_position; } // 0-based, in the expression

private:
  std::size_t m_position;
};

/// Throws selector_error. `backends`: names that are valid as subject.
std::vector<term> parse_selector(std::string_view expression, std::span<const std::string> backends);
/// Whether a device of this backend can be selected. Other backends need not be opened.
bool may_use(std::span<const term> terms, std::string_view backend);
/// Indices in `facts`, most preferred first. An empty list of terms selects all devices in their order.
std::vector<std::size_t> apply_selector(std::span<const term> terms, std::span<const device_fact> facts);
/// A backend without devices, and why; or one with devices and a remark about drivers that have none.
struct missing_backend {
  std::string name, reason;
};
/// The message for a selector that matches no device; for an empty one, that there is no device.
std::string nothing_matches(std::string_view expression, std::span<const device_fact> facts,
                            std::span<const missing_backend> missing);

/// Highest for a hardware GPU, then host, then OpenCL on a CPU. Negative: only if named in the selector
/// (software Vulkan, tools such as record).
double default_score(const device_fact& fact, int backend_priority);

const char* type_name(devices::device_type type);

} // namespace prism::select
