#include "devices/wrap/stack.hpp"

#include "devices/wrap/fault.hpp"
#include "devices/wrap/mask.hpp"
#include "devices/wrap/trace.hpp"

#include <atomic>

namespace prism::devices::wrap {

namespace {

std::atomic<description_reader> the_reader{nullptr};

[[noreturn]] void refuse(const std::string& text, std::size_t at, const std::string& why) {
  throw device_error(error_category::invalid, "",
                     "wrappers \"" + text + "\": at position " + std::to_string(at + 1) + ": " + why);
}

description read_description(const std::string& arguments) {
  const description_reader read = the_reader;
  if (read == nullptr)
    throw device_error(error_category::invalid, "",
                       "described(" + arguments + "): this program cannot read descriptions");
  return read(arguments);
}

/// Reports wrong arguments when the text is read, not when a device is opened.
void check(const wrapper& w) {
  if (w.kind == "mask") read_mask(w.arguments);
  if (w.kind == "fault") read_faults(w.arguments);
}

} // namespace

void set_description_reader(description_reader read) { the_reader = read; }

std::vector<wrapper> read_wrappers(const std::string& text) {
  std::vector<wrapper> out;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const std::size_t open = text.find('(', at), close = text.find(')', at);
    if (open == text.npos || close == text.npos || close < open)
      refuse(text, at, "expected mask(...), trace(...), fault(...) or described(...)");
    wrapper w{"", text.substr(at, open - at), text.substr(open + 1, close - open - 1)};
    if (const std::size_t colon = w.kind.find(':'); colon != w.kind.npos) {
      w.backend = w.kind.substr(0, colon);
      w.kind.erase(0, colon + 1);
    }
    if (w.kind != "mask" && w.kind != "trace" && w.kind != "fault" && w.kind != "described")
      refuse(text, at,
             "there is no wrapper \"" + w.kind +
                 "\"; expected mask(...), trace(...), fault(...) or described(...)");
    check(w);
    out.push_back(std::move(w));
    at = close + 1;
  }
  return out;
}

std::unique_ptr<device> wrapped(std::unique_ptr<device> whole, const std::string& backend,
                                const std::vector<wrapper>& by) {
  for (const wrapper& w : by) {
    if (!w.backend.empty() && w.backend != backend) continue;
    if (w.kind == "mask") whole = make_masked(std::move(whole), read_mask(w.arguments));
    else if (w.kind == "fault") whole = make_faulty(std::move(whole), read_faults(w.arguments));
    else if (w.kind == "trace") whole = make_traced(std::move(whole), trace_to(w.arguments));
    else whole = make_described(std::move(whole), read_description(w.arguments));
  }
  return whole;
}

} // namespace prism::devices::wrap
