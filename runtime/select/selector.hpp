// PRISM_DEVICE_SELECTOR: which devices a process sees and in which order. Pure functions of the expression
// and plain facts about the devices; tested by tables. Grammar:
//
//   expression := term (';' term)*
//   term       := ['!'] subject (':' qualifier)*
//   subject    := a backend's name | gpu | cpu | accelerator | custom | '*'
//   qualifier  := index within the backend | gpu | cpu | accelerator | custom | 'name=' text
//
// A term takes the devices that match all of its parts, in their fixed order; terms are in order of
// preference; an excluding term removes wherever it stands. With excluding terms alone all others remain.
// Case does not matter.
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
  std::vector<devices::device_type> types; // all must hold
  std::vector<std::size_t> indexes;        // all must hold
  std::vector<std::string> name_parts;     // each a part of the device's or the platform's name, or of the
                                           // platform's version ("PoCL" stands nowhere else)
  std::string text;                        // as written
};

/// what() shows the expression, the position and what to write instead.
class selector_error : public std::runtime_error {
public:
  selector_error(std::size_t position, const std::string& what)
      : std::runtime_error(what), m_position(position) {}
  std::size_t position() const noexcept { return m_position; } // 0-based, in the expression

private:
  std::size_t m_position;
};

/// Throws selector_error. `backends`: names that may stand as a subject.
std::vector<term> parse_selector(std::string_view expression, std::span<const std::string> backends);
/// Whether a device of that backend could pass: others need not be opened.
bool may_use(std::span<const term> terms, std::string_view backend);
/// Positions in `facts`, most preferred first. An empty list of terms selects all in their order.
std::vector<std::size_t> apply_selector(std::span<const term> terms, std::span<const device_fact> facts);
/// The message for a selector that matches nothing.
std::string nothing_matches(std::string_view expression, std::span<const device_fact> facts);

/// Real GPU, then host, then OpenCL on the CPU; below zero: only when named (software Vulkan, tools such as
/// record).
double default_score(const device_fact& fact, int backend_priority);

const char* type_name(devices::device_type type);

} // namespace prism::select
