#include "runtime/observe/source_line.hpp"

namespace prism {

std::string text_of(const source_line& at) {
  return at.file == nullptr ? std::string() : at.file + (':' + std::to_string(at.line));
}

namespace runtime {

namespace {

/// Clang includes the location of a lambda in the name of its type: "(lambda at app.cpp:12:3)".
std::string line_of_lambda(std::string_view type) {
  constexpr std::string_view start = "(lambda at ";
  const std::size_t begin = type.find(start);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = type.substr(begin + start.size());
  return std::string(rest.substr(0, rest.rfind(':', rest.find(')'))));
}

void describe(const request& what, command_origin& to) {
  using kind = command_origin::kind;
  struct {
    command_origin& to;
    void operator()(const empty_request&) const { to.what = kind::nothing; }
    void operator()(const kernel_command& k) const {
      to.what = kind::kernel;
      const bool is_named = k.name != nullptr && *k.name != '\0';
      if (is_named) to.name = k.name;
      else if (k.slot != nullptr && k.slot->record != nullptr) to.name = k.slot->record->display_name;
      to.functor = k.functor;
    }
    void operator()(const copy_request& c) const {
      to.what = kind::copy;
      to.count = c.bytes;
    }
    void operator()(const fill_request&) const { to.what = kind::fill; }
    void operator()(const update_host_request&) const { to.what = kind::update_host; }
    void operator()(const host_task_request&) const { to.what = kind::host_task; }
    void operator()(const native_kernel_request&) const { to.what = kind::native_kernel; }
  } const fill{to};
  std::visit(fill, what);
}

} // namespace

std::string command_origin::text() const {
  switch (what) {
    case kind::nothing: return "nothing";
    case kind::kernel: return name != nullptr ? name : "kernel";
    case kind::copy:
      return "copy " + (count != 0 ? std::to_string(count) + " B" : std::string("of a buffer"));
    case kind::fill: return "fill";
    case kind::update_host: return "update the host's copy";
    case kind::host_task: return "host task";
    case kind::native_kernel: return "native kernel";
    case kind::host_accessor: return "host accessor";
    case kind::graph: return "a graph's " + std::to_string(count) + " commands";
  }
  return {};
}

std::string command_origin::place() const {
  if (file != nullptr) return text_of(source_line{file, line});
  return functor != nullptr ? line_of_lambda(functor) : std::string();
}

std::string command_origin::description() const {
  const std::string at = place();
  return (what == kind::nothing ? "a command" : text()) + (at.empty() ? at : " (" + at + ')');
}

command_origin origin_of(const command_group& group) {
  command_origin out;
  describe(group.what, out);
  out.file = group.line.file;
  out.line = group.line.line;
  return out;
}

std::string label_of(const request& what) {
  command_origin out;
  describe(what, out);
  return out.text();
}

} // namespace runtime

std::string line_of(const command_group& group) { return runtime::origin_of(group).place(); }

} // namespace prism
