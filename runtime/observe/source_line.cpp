#include "runtime/observe/source_line.hpp"

namespace prism {

std::string text_of(const source_line& at) {
  return at.file == nullptr ? std::string() : at.file + (':' + std::to_string(at.line));
}

/// Clang includes the location of a lambda in the name of its type: "(lambda at app.cpp:12:3)".
std::string line_of(const command_group& group) {
  if (group.line.file != nullptr) return text_of(group.line);
  const auto* kernel = std::get_if<kernel_command>(&group.what);
  if (kernel == nullptr || kernel->functor == nullptr) return {};
  constexpr std::string_view start = "(lambda at ";
  const std::string_view type = kernel->functor;
  const std::size_t begin = type.find(start);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = type.substr(begin + start.size());
  return std::string(rest.substr(0, rest.rfind(':', rest.find(')'))));
}

std::string runtime::label_of(const request& what) {
  struct {
    std::string operator()(const empty_request&) const { return "nothing"; }
    std::string operator()(const kernel_command& k) const {
      if (k.name != nullptr && *k.name != '\0') return k.name;
      return k.slot != nullptr && k.slot->record != nullptr ? k.slot->record->display_name : "kernel";
    }
    std::string operator()(const copy_request& c) const {
      return "copy " + (c.bytes != 0 ? std::to_string(c.bytes) + " B" : std::string("of a buffer"));
    }
    std::string operator()(const fill_request&) const { return "fill"; }
    std::string operator()(const update_host_request&) const { return "update the host's copy"; }
    std::string operator()(const host_task_request&) const { return "host task"; }
    std::string operator()(const native_kernel_request&) const { return "native kernel"; }
  } const name;
  return std::visit(name, what);
}

} // namespace prism
