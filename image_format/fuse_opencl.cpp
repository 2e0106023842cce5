#include "image_format/fuse_opencl.hpp"

#include "devices/api/spirv_data.hpp"
#include "image_format/opencl_text.hpp"

#include <algorithm>
#include <cctype>

namespace prism::image_format {

namespace {

/// Returns the text after the last parameter of a kernel that checks its loops.
std::string end_of_checked_parameters() { return ' ' + std::string(fault_parameters) + ')'; }

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Adds the number of the part to every name of PRISM's in the text.
std::string with_own_names(std::string_view text, std::size_t part) {
  const std::string own = std::string(own_names) + std::to_string(part) + "_";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins =
        text.substr(at, own_names.size()) == own_names && (at == 0 || !is_letter(text[at - 1]));
    out += begins ? own : std::string(1, text[at]);
    at += begins ? own_names.size() : 1;
  }
  return out;
}

/// The pointer expression `(vN)` or `(__global T*)(vN)` that an access ends with.
struct access_text {
  std::size_t begin = 0, end = 0; // from the address space to after the parenthesis around the variable
  std::string type;               // "prism_float", "half"
};

/// Finds the next access to global memory at or after `from`: `__global T*)(vN)` after a parenthesis.
bool next_access(const std::string& body, std::size_t from, access_text& found) {
  for (std::size_t at = body.find(global_space, from); at != std::string::npos;
       at = body.find(global_space, at + 1)) {
    std::size_t end = at + global_space.size();
    while (end < body.size() && is_letter(body[end])) ++end;
    if (body.compare(end, 3, "*)(") != 0) continue; // a declaration
    found.type = body.substr(at + global_space.size(), end - at - global_space.size());
    if (found.type == "uchar") continue; // a conversion of pointers
    found.begin = at;
    found.end = body.find(')', end + 3);
    if (found.end == std::string::npos) return false;
    ++found.end;
    return true;
  }
  return false;
}

std::string memory_name(std::uint32_t memory) { return "removed" + std::to_string(memory); }

/// Replaces accesses to removed memory by accesses to private memory. Returns an empty text if the accesses
/// do not match part.places.
std::string without_memory(std::string body, const opencl_part& part) {
  std::size_t at = 0;
  for (const image::element_place& place : part.places) {
    access_text access;
    if (!next_access(body, at, access)) return {};
    at = access.end;
    const auto removed = std::find_if(part.removed.begin(), part.removed.end(),
                                      [&](const removed_slot& r) { return r.slot == place.slot; });
    if (removed == part.removed.end()) continue;
    const std::string own = "__private " + access.type + "*)((__private uchar*)" +
                            memory_name(removed->memory) + " + " + std::to_string(place.byte) + ")";
    body.replace(access.begin, access.end - access.begin, own);
    at = access.begin + own.size();
  }
  access_text rest;
  return next_access(body, at, rest) ? std::string() : body;
}

class text_fuser {
public:
  text_fuser(std::span<const opencl_part> parts, std::string_view entry, std::uint32_t argument_bytes)
      : m_parts(parts), m_entry(entry), m_words((argument_bytes + 7) / 8) {}

  fused_text run() {
    std::size_t slots = 0;
    for (const opencl_part& part : m_parts) slots += part.record->slot_count - part.removed.size();
    if (slots > opencl_pointer_slots)
      return refused("the fused kernel would capture more pointers than OpenCL kernels accept");
    m_out.by_value = passes_by_value(std::uint64_t(m_words) * 8, slots);
    for (const opencl_part& part : m_parts)
      if (part.text.find(image::spirv_data::mark) != std::string_view::npos)
        return refused("the constants of " + std::string(part.record->display_name) +
                       " are too large for the driver's constant memory");
    for (std::size_t p = 0; p < m_parts.size(); ++p)
      if (!add_part(p))
        return refused("the text of " + std::string(m_parts[p].record->display_name) +
                       " has an unexpected form");
    write_kernel();
    return std::move(m_out);
  }

private:
  static fused_text refused(const std::string& why) {
    fused_text out;
    out.refusal = why;
    return out;
  }

  bool add_part(std::size_t p) {
    const opencl_part& part = m_parts[p];
    const std::size_t begin = part.text.find(kernel_words), head_end = part.text.find(end_of_head, begin);
    if (begin == std::string_view::npos || head_end == std::string_view::npos ||
        (part.record->flags & image::arguments_by_value) == 0)
      return false;
    std::string head =
        "static void " + std::string(part.text.substr(begin + kernel_words.size(),
                                                      head_end + 1 - begin - kernel_words.size()));
    const std::string checked = end_of_checked_parameters();
    const bool checks_loops = head.size() > checked.size() && head.ends_with(checked);
    head.resize(head.size() - (checks_loops ? checked.size() : 1));
    for (const std::uint32_t memory : memories_of(part)) head += ", __private ulong* " + memory_name(memory);
    head += checks_loops ? checked : ")";
    std::string body(part.text.substr(head_end + 1));
    if (!part.removed.empty()) {
      body = without_memory(std::move(body), part);
      if (body.empty()) return false;
    }
    m_out.text += with_own_names(std::string(part.text.substr(0, begin)) + head + body, p);
    m_checks_loops = m_checks_loops || checks_loops;
    add_call(p, with_own_names(part.record->entry, p), checks_loops);
    return true;
  }

  static std::vector<std::uint32_t> memories_of(const opencl_part& part) {
    std::vector<std::uint32_t> out;
    for (const removed_slot& removed : part.removed)
      if (std::find(out.begin(), out.end(), removed.memory) == out.end()) out.push_back(removed.memory);
    return out;
  }

  void add_call(std::size_t p, const std::string& function, bool checks_loops) {
    const opencl_part& part = m_parts[p];
    const std::string own = std::to_string(p), block = "part" + own;
    m_calls += "  prism_" + own + "_block " + block + ";\n";
    for (std::uint32_t w = 0; w < std::max((part.record->argument_bytes + 7) / 8, 1u); ++w) {
      const std::string from = std::to_string(part.offset / 8 + w);
      m_calls += "  " + block + ".w[" + std::to_string(w) + "] = " +
                 (m_out.by_value ? "block.w[" + from + "]" : "((__global const ulong*)block)[" + from + "]") +
                 ";\n";
    }
    m_calls += "  " + function + "(" + block;
    for (std::uint32_t s = 0; s < part.record->slot_count; ++s) {
      const bool is_removed = std::any_of(part.removed.begin(), part.removed.end(),
                                          [&](const removed_slot& r) { return r.slot == s; });
      const std::string n = std::to_string(m_slots);
      m_calls += is_removed ? ", (__global uchar*)0, 0ul" : ", base" + n + ", offset" + n;
      if (is_removed) continue;
      m_parameters += slot_parameters(m_slots);
      ++m_slots;
    }
    for (const std::uint32_t memory : memories_of(part)) m_calls += ", " + memory_name(memory);
    m_calls += checks_loops ? " prism_fault_arguments);\n" : ");\n";
    for (const removed_slot& removed : part.removed) declare(removed);
    // Through an integer operation, so that the next kernel gets rounded values even if the driver contracts.
    for (const std::uint32_t memory : memories_of(part))
      for (std::uint32_t w = 0; w < words_of(memory); ++w)
        m_calls += "  " + memory_name(memory) + "[" + std::to_string(w) + "] ^= zero;\n";
  }

  std::uint32_t words_of(std::uint32_t memory) const { return m_memory_words[memory]; }
  void declare(const removed_slot& removed) {
    if (m_memory_words.size() <= removed.memory) m_memory_words.resize(removed.memory + 1);
    if (m_memory_words[removed.memory] == 0) {
      m_memory_words[removed.memory] = (removed.stride + 7) / 8;
      m_memories += "  ulong " + memory_name(removed.memory) + "[" +
                    std::to_string((removed.stride + 7) / 8) + "] = {0};\n";
    }
  }

  void write_kernel() {
    std::string& text = m_out.text;
    if (m_checks_loops)
      text += "#ifdef PRISM_LOOP_LIMIT\n#define prism_fault_arguments " + std::string(fault_arguments_text) +
              "\n#define prism_fault_parameters " + std::string(fault_parameters_text) +
              "\n#else\n#define prism_fault_arguments\n#define prism_fault_parameters\n#endif\n";
    if (m_out.by_value) text += block_type(std::uint64_t(m_words) * 8);
    text += std::string(kernel_words) + std::string(m_entry) + "(" + block_parameter(m_out.by_value) +
            m_parameters + (m_checks_loops ? end_of_checked_parameters() : ")") + " {\n";
    if (!m_memories.empty()) text += "  const ulong zero = get_work_dim() >> 2;\n" + m_memories;
    text += m_calls + "}\n";
  }

  std::span<const opencl_part> m_parts;
  std::string_view m_entry;
  std::uint32_t m_words;
  fused_text m_out;
  std::string m_calls, m_parameters, m_memories;
  std::vector<std::uint32_t> m_memory_words;
  std::size_t m_slots = 0;
  bool m_checks_loops = false;
};

} // namespace

fused_text fuse_opencl(std::span<const opencl_part> parts, std::string_view entry,
                       std::uint32_t argument_bytes) {
  return text_fuser(parts, entry, argument_bytes).run();
}

} // namespace prism::image_format
