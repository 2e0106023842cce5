#include "image_format/fuse_opencl.hpp"

#include "devices/api/spirv_data.hpp"
#include "image_format/opencl_text.hpp"

#include <algorithm>
#include <cctype>

namespace prism::image_format {

namespace {

/// Returns the text after the last parameter of a kernel that checks its loops.
std::string end_of_checked_parameters() { return ' ' + std::string(fault_parameters) + ')'; }

constexpr std::string_view element_index = "element_index";

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

/// Replaces the work-item's place by that of a range whose work-item `element_index` is alone in its group.
/// Returns an empty text if the body asks for more.
std::string as_element(std::string body) {
  const auto replace = [&](std::string_view query, std::string_view first, std::string_view other) {
    for (std::size_t at = body.find(query); at != std::string::npos; at = body.find(query, at)) {
      const std::string_view by = body.compare(at + query.size(), 2, "0)") == 0 ? first : other;
      body.replace(at, query.size() + 2, by);
    }
  };
  replace(std::string(global_id_macro) + "(", element_index, "0u");
  replace("get_group_id(", element_index, "0u");
  replace("get_local_id(", "0u", "0u");
  replace("get_local_size(", "1u", "1u");
  for (const char* query : {"get_global_", "get_num_groups(", "get_sub_group", "get_enqueued_"})
    if (body.find(query) != std::string::npos) return {};
  return body;
}

std::string memory_name(std::uint32_t memory) { return "removed" + std::to_string(memory); }

constexpr std::string_view private_array = "prism_private_array";

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
  text_fuser(std::span<const opencl_part> parts, std::string_view entry, std::uint32_t argument_bytes,
             const std::optional<computed_element>& element)
      : m_parts(parts), m_entry(entry), m_words((argument_bytes + 7) / 8), m_element(element) {}

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
    for (std::size_t p = 0; p < m_parts.size(); ++p) {
      if (calls_elements(p)) define_elements(p);
      if (!add_part(p))
        return refused("the text of " + std::string(m_parts[p].record->display_name) +
                       " has an unexpected form");
    }
    write_kernel();
    return std::move(m_out);
  }

private:
  static fused_text refused(const std::string& why) {
    fused_text out;
    out.refusal = why;
    return out;
  }

  bool calls_elements(std::size_t p) const { return m_element && p + 1 == m_parts.size(); }
  bool is_element(std::size_t p) const { return m_element && !calls_elements(p); }

  /// The kernel that calls elements keeps its attributes, in front of the fused kernel.
  std::size_t find_kernel(std::size_t p, std::size_t& name) {
    const std::string_view text = m_parts[p].text;
    std::size_t begin = text.find(calls_elements(p) ? kernel_word : kernel_words);
    if (begin == std::string_view::npos) return begin;
    name = text.find(void_word, begin) + void_word.size();
    if (!calls_elements(p)) return begin;
    m_kernel = text.substr(begin, name - begin);
    if (begin > private_array.size() &&
        text.substr(begin - private_array.size() - 1).starts_with(private_array)) {
      begin -= private_array.size() + 1;
      m_has_array = true;
    }
    return begin;
  }

  bool add_part(std::size_t p) {
    const opencl_part& part = m_parts[p];
    std::size_t name = 0;
    const std::size_t begin = find_kernel(p, name), head_end = part.text.find(end_of_head, name);
    if (begin == std::string_view::npos || head_end == std::string_view::npos ||
        (part.record->flags & image::arguments_by_value) == 0)
      return false;
    std::string head = (is_element(p) ? "static __attribute__((always_inline)) void " : "static void ") +
                       std::string(part.text.substr(name, head_end + 1 - name));
    const std::string checked = end_of_checked_parameters();
    const bool checks_loops = head.size() > checked.size() && head.ends_with(checked);
    head.resize(head.size() - (checks_loops ? checked.size() : 1));
    for (const std::uint32_t memory : memories_of(part)) head += ", __private ulong* " + memory_name(memory);
    if (is_element(p)) head += ", const uint " + std::string(element_index);
    const std::string passed = calls_elements(p) ? m_element_parameters : std::string();
    if (is_element(p) && checks_loops) return false; // its faults would be the calling kernel's
    std::string body(part.text.substr(head_end + 1));
    if (is_element(p)) body = as_element(std::move(body));
    if (body.empty()) return false;
    if (!part.removed.empty()) {
      body = without_memory(std::move(body), part);
      if (body.empty()) return false;
    }
    m_out.text += with_own_names(std::string(part.text.substr(0, begin)) + head, p) + passed +
                  with_own_names((checks_loops ? checked : ")") + body, p);
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
    std::string& blocks = is_element(p) ? m_blocks : m_calls;
    blocks += "  prism_" + own + "_block " + block + ";\n";
    if (is_element(p)) pass_to_elements("const prism_" + own + "_block " + block, block, block);
    for (std::uint32_t w = 0; w < std::max((part.record->argument_bytes + 7) / 8, 1u); ++w) {
      const opencl_part& source = w < part.range_words ? m_parts.front() : part;
      const std::string from = std::to_string(source.offset / 8 + w);
      blocks += "  " + block + ".w[" + std::to_string(w) + "] = " +
                (m_out.by_value ? "block.w[" + from + "]" : "((__global const ulong*)block)[" + from + "]") +
                ";\n";
    }
    m_calls += "  " + function + "(" + block;
    for (std::uint32_t s = 0; s < part.record->slot_count; ++s) {
      const bool is_removed = std::any_of(part.removed.begin(), part.removed.end(),
                                          [&](const removed_slot& r) { return r.slot == s; });
      const std::string n = std::to_string(m_slots), base = "base" + n, offset = "offset" + n,
                        prefix = is_element(p) ? "element_" : "";
      m_calls += is_removed ? ", (__global uchar*)0, 0ul" : ", " + prefix + base + ", " + prefix + offset;
      if (is_removed) continue;
      m_parameters += slot_parameters(m_slots);
      if (is_element(p))
        for (const auto& [type, name] : {std::pair("__global uchar* ", base), std::pair("ulong ", offset)})
          pass_to_elements(type + prefix + name, prefix + name, name);
      ++m_slots;
    }
    for (const std::uint32_t memory : memories_of(part)) m_calls += ", " + memory_name(memory);
    if (is_element(p)) m_calls += ", " + std::string(element_index);
    if (calls_elements(p)) m_calls += m_kernel_arguments;
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

  /// The functions of elements, and the kernel that calls them, get a parameter for what the fused kernel
  /// has.
  void pass_to_elements(const std::string& parameter, const std::string& name, const std::string& of_kernel) {
    m_element_parameters += ", " + parameter;
    m_element_arguments += ", " + name;
    m_kernel_arguments += ", " + of_kernel;
  }

  /// Writes the function that computes an element, with a macro for part `caller` by each name of its calls.
  void define_elements(std::size_t caller) {
    const std::string words = std::to_string((m_element->stride + 7) / 8),
                      memory = memory_name(m_element->memory);
    m_out.text += "static __attribute__((always_inline)) void prism_compute_element(const uint " +
                  std::string(element_index) + ", __private ulong* made" + m_element_parameters +
                  ") {\n  const ulong zero = get_work_dim() >> 2;\n" + m_memories + m_calls;
    for (std::size_t w = 0; w < (m_element->stride + 7) / 8; ++w)
      m_out.text += "  made[" + std::to_string(w) + "] = " + memory + "[" + std::to_string(w) + "];\n";
    m_out.text += "}\n";
    m_memories.clear();
    m_calls.clear();
    constexpr std::pair<std::string_view, std::string_view> types[] = {
        {"f32", "float"}, {"f64", "double"}, {"i64", "ulong"}};
    for (const auto& [name, type] : types) {
      const std::string called = "prism_element_" + std::string(name);
      if (m_parts[caller].text.find(called) == std::string_view::npos) continue;
      m_out.text += "static __attribute__((always_inline)) " + std::string(type) + " " + called +
                    "(const uint index, const uint part" + m_element_parameters + ") {\n  ulong made[" +
                    words + "];\n  prism_compute_element(index, made" + m_element_arguments +
                    ");\n  return " + bits_as(type) + ";\n}\n#define " + with_own_names(called, caller) +
                    "(index, part) " + called + "(index, part" + m_element_arguments + ")\n";
    }
  }

  static std::string bits_as(std::string_view type) {
    if (type == "ulong") return "made[part]";
    if (type == "double") return "as_double(made[part])";
    return "as_float((uint)(made[part / 2] >> (part % 2 * 32)))";
  }

  void write_kernel() {
    std::string& text = m_out.text;
    if (m_checks_loops)
      text += "#ifdef PRISM_LOOP_LIMIT\n#define prism_fault_arguments " + std::string(fault_arguments_text) +
              "\n#define prism_fault_parameters " + std::string(fault_parameters_text) +
              "\n#else\n#define prism_fault_arguments\n#define prism_fault_parameters\n#endif\n";
    if (m_out.by_value) text += block_type(std::uint64_t(m_words) * 8);
    if (m_has_array) // the device's build options may define it
      text += "#ifndef prism_private_array\n#define prism_private_array\n#endif\nprism_private_array ";
    text += m_kernel + std::string(m_entry) + "(" + block_parameter(m_out.by_value) + m_parameters +
            (m_checks_loops ? end_of_checked_parameters() : ")") + " {\n";
    if (!m_memories.empty()) text += "  const ulong zero = get_work_dim() >> 2;\n" + m_memories;
    text += m_blocks + m_calls + "}\n";
  }

  std::span<const opencl_part> m_parts;
  std::string_view m_entry;
  std::uint32_t m_words;
  const std::optional<computed_element>& m_element;
  std::string m_kernel{kernel_words}; // the words before the fused kernel's name
  std::string m_blocks, m_element_parameters, m_element_arguments, m_kernel_arguments;
  bool m_has_array = false;
  fused_text m_out;
  std::string m_calls, m_parameters, m_memories;
  std::vector<std::uint32_t> m_memory_words;
  std::size_t m_slots = 0;
  bool m_checks_loops = false;
};

} // namespace

fused_text fuse_opencl(std::span<const opencl_part> parts, std::string_view entry,
                       std::uint32_t argument_bytes, const std::optional<computed_element>& element) {
  return text_fuser(parts, entry, argument_bytes, element).run();
}

} // namespace prism::image_format
