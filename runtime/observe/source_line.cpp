#include "runtime/observe/source_line.hpp"

#include <mutex>
#include <vector>

namespace prism {

std::string text_of(const source_line& at) {
  return at.file == nullptr ? std::string() : at.file + (':' + std::to_string(at.line));
}

namespace runtime {

namespace {

/// Addresses of modules that were unloaded. Never destroyed.
class unloaded_texts {
public:
  static unloaded_texts& get() {
    static auto* const only = new unloaded_texts;
    return *only;
  }
  void add(std::uintptr_t begin, std::uintptr_t end) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_gone, [&](const range& r) { return r.begin >= begin && r.end <= end; });
    m_gone.push_back({begin, end, modules_unloaded.fetch_add(1, std::memory_order_relaxed) + 1});
  }
  /// Copies a text of an origin; empty if it is null or its module is unloaded.
  std::string copy(const char* text, std::uint32_t unloads_before) {
    if (text == nullptr) return {};
    const auto at = reinterpret_cast<std::uintptr_t>(text);
    const std::lock_guard lock(m_mutex);
    for (const range& r : m_gone)
      if (at >= r.begin && at < r.end && r.number > unloads_before) return {};
    return text;
  }

private:
  struct range {
    std::uintptr_t begin, end;
    std::uint32_t number; // of the unloading, from 1
  };
  std::mutex m_mutex;
  std::vector<range> m_gone;
};

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
    case kind::kernel: {
      const std::string known = unloaded_texts::get().copy(name, unloads);
      return known.empty() ? "kernel" : known;
    }
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
  unloaded_texts& texts = unloaded_texts::get();
  const std::string known = texts.copy(file, unloads);
  if (!known.empty()) return known + ':' + std::to_string(line);
  return file != nullptr ? std::string() : line_of_lambda(texts.copy(functor, unloads));
}

std::string command_origin::description() const {
  const std::string at = place(), name = what == kind::nothing ? "a command" : text();
  return at.empty() || names_place(name, at) ? name : name + " (" + at + ')';
}

bool names_place(std::string_view name, std::string_view place) {
  return !place.empty() && name.ends_with('(' + std::string(place.substr(place.rfind('/') + 1)) + ')');
}

void forget_texts_between(const void* begin, const void* end) {
  unloaded_texts::get().add(reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end));
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
