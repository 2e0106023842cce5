#include "runtime/observe/program_line.hpp"

namespace prism {

std::string text_of(const source_line& at) { return at.file == nullptr ? std::string() : at.file + (':' + std::to_string(at.line)); }

/// Clang tells where a lambda is in the name of its type: "(lambda at app.cpp:12:3)".
std::string schedule::line_of(const command_group& group) {
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

} // namespace prism
