// <prism/spirv_kernel.hpp>: makes kernel records, as the compiler writes them, for SPIR-V modules of the
// program. There is one record for each module, entry point and layout of arguments. Records are never
// destroyed, because the programs built from them are not either.
#include "devices/api/image.hpp"
#include "runtime/api/command_group.hpp"
#include "runtime/support/read_file.hpp"

#include <prism/spirv_kernel.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <string_view>

namespace prism {

namespace {

[[noreturn]] void invalid_module(const std::string& text) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "spirv_kernel: " + text);
}

constexpr const char* not_for_others =
    "it is a SPIR-V module of the program, which runs only on Vulkan devices";

/// The facts about a module that its launch needs (SPIR-V specification, section 3).
struct module_facts {
  bool has_entry = false,
       is_size_given = false; // is_size_given: specialisation constants set the work-group size
  std::uint32_t local_size[3] = {0, 0, 0};
  std::uint64_t features = 0;
  std::string entries;
};

std::string_view text_at(std::span<const std::uint32_t> words) {
  const auto* const first = reinterpret_cast<const char*>(words.data());
  return {first, static_cast<std::size_t>(std::find(first, first + words.size_bytes(), '\0') - first)};
}

void read_instruction(std::span<const std::uint32_t> words, const std::string& entry, module_facts& facts) {
  constexpr std::uint32_t op_entry_point = 15, op_execution_mode = 16, op_capability = 17, op_decorate = 71;
  constexpr std::uint32_t gl_compute = 5, local_size = 17, built_in = 11, workgroup_size = 25;
  constexpr std::pair<std::uint32_t, std::uint64_t> capabilities[] = {
      {9, image::fp16},           {10, image::fp64},  {11, image::int64},
      {12, image::int64_atomics}, {22, image::int16}, {39, image::int8}};
  const std::uint32_t op = words[0] & 0xffffu;
  if (op == op_entry_point && words.size() > 3 && words[1] == gl_compute) {
    const std::string_view name = text_at(words.subspan(3));
    facts.has_entry = facts.has_entry || name == entry;
    facts.entries += (facts.entries.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  } else if (op == op_execution_mode && words.size() == 6 && words[2] == local_size) {
    std::copy(words.begin() + 3, words.end(), facts.local_size);
  } else if (op == op_decorate && words.size() == 4 && words[2] == built_in && words[3] == workgroup_size) {
    facts.is_size_given = true;
  } else if (op == op_capability && words.size() == 2) {
    for (const auto& [number, feature] : capabilities)
      if (words[1] == number) facts.features |= feature;
  }
}

module_facts facts_of(std::span<const std::uint32_t> words, const std::string& entry) {
  if (words.size() < 5 || words[0] != 0x07230203u)
    invalid_module("the words are not SPIR-V in this machine's byte order: the first is not 0x07230203");
  module_facts facts;
  for (std::size_t at = 5; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at)
      invalid_module("the module is damaged at word " + std::to_string(at));
    read_instruction(words.subspan(at, length), entry, facts);
    at += length;
  }
  if (!facts.has_entry)
    invalid_module("the module has no compute entry point \"" + entry + "\"" +
                   (facts.entries.empty() ? "; it has no entry points" : "; it has " + facts.entries));
  return facts;
}

std::uint64_t hash_of(std::uint64_t h, const void* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    h = (h ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ull; // FNV-1a
  return h;
}

/// The kernel record for one module and one layout of arguments.
struct layout_record {
  image::kernel_record record{};
  image::kernel_image images[3]{};
  std::vector<image::pointer_slot> slots;
  image::kernel_slot slot{};
};

} // namespace

namespace detail {

class spirv_module {
public:
  spirv_module(std::vector<std::uint32_t> words, std::string entry)
      : m_words(std::move(words)), m_entry(std::move(entry)), m_facts(facts_of(m_words, m_entry)) {}

  /// Returns the same object for equal words and entry. It is never destroyed.
  static std::shared_ptr<const spirv_module> of(const std::vector<std::uint32_t>& words,
                                                const std::string& entry) {
    static auto& all = *new std::map<std::pair<std::vector<std::uint32_t>, std::string>,
                                     std::shared_ptr<const spirv_module>>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const spirv_module>& found = all[{words, entry}];
    try {
      if (!found) found = std::make_shared<const spirv_module>(words, entry);
    } catch (...) {
      all.erase({words, entry});
      throw;
    }
    return found;
  }

  const char* name() const noexcept { return m_entry.c_str(); }

  /// The work-group's size where the launch leaves it open: the module's, else a power of two that divides x.
  std::array<std::uint64_t, 3> local_for(const std::array<std::uint64_t, 3>& global) const noexcept {
    constexpr std::uint64_t usual = 64;
    if (m_facts.is_size_given || m_facts.local_size[0] == 0)
      return {std::gcd(usual, std::max<std::uint64_t>(global[0], 1)), 1, 1};
    return {m_facts.local_size[0], m_facts.local_size[1], m_facts.local_size[2]};
  }

  const image::kernel_slot* slot_for(const std::vector<std::uint32_t>& pointers, std::uint32_t bytes) const {
    const std::lock_guard lock(m_mutex);
    std::unique_ptr<layout_record>& found = m_layouts[{pointers, bytes}];
    if (!found) found = made(pointers, bytes);
    return &found->slot;
  }

private:
  std::unique_ptr<layout_record> made(const std::vector<std::uint32_t>& pointers, std::uint32_t bytes) const {
    auto out = std::make_unique<layout_record>();
    for (const std::uint32_t at : pointers)
      out->slots.push_back({at, image::slot_is_read | image::slot_is_written | image::slot_is_address});
    out->images[0] = {image::kind::vulkan_spirv,
                      0,
                      m_facts.features,
                      m_words.data(),
                      m_words.size() * sizeof(std::uint32_t),
                      nullptr,
                      0,
                      0};
    out->images[1] = {image::kind::opencl_c, 0, 0, nullptr, 0, not_for_others, 0, 0};
    out->images[2] = {image::kind::host_group, 0, 0, nullptr, 0, not_for_others, 0, 0};
    image::kernel_record& r = out->record;
    r.entry = r.display_name = m_entry.c_str();
    r.argument_bytes = r.closure_bytes = bytes;
    r.flags = image::leaves_out_host;
    r.local_element_bytes = 1;
    if (!m_facts.is_size_given) std::copy(m_facts.local_size, m_facts.local_size + 3, r.required_local_size);
    r.content_hash = hash_of(hash_of(hash_of(0xcbf29ce484222325ull, m_words.data(), m_words.size() * 4),
                                     m_entry.data(), m_entry.size()),
                             pointers.data(), pointers.size() * 4);
    r.slots = out->slots.data(), r.slot_count = static_cast<std::uint32_t>(out->slots.size());
    r.images = out->images, r.image_count = 3;
    out->slot.record = &r;
    return out;
  }

  std::vector<std::uint32_t> m_words;
  std::string m_entry;
  module_facts m_facts;
  mutable std::mutex m_mutex;
  mutable std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, std::unique_ptr<layout_record>>
      m_layouts;
};

} // namespace detail

spirv_kernel::spirv_kernel(const std::vector<std::uint32_t>& words, const std::string& entry)
    : m_module(detail::spirv_module::of(words, entry)) {}

spirv_kernel spirv_kernel::load(const std::string& file, const std::string& entry) {
  constexpr std::size_t most = 256u << 20; // bytes of a module
  const prism::support::file_bytes read = prism::support::read_file(file, most);
  if (!read.problem.empty()) invalid_module("\"" + file + "\" " + read.problem);
  const std::string& bytes = read.bytes;
  if (bytes.size() % 4 != 0)
    invalid_module("\"" + file + "\" has " + std::to_string(bytes.size()) +
                   " bytes, which is not a multiple of 4");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return spirv_kernel(words, entry);
}

void spirv_kernel::launch(sycl::handler& group, const std::array<std::uint64_t, 3>& global,
                          const std::array<std::uint64_t, 3>& local,
                          const std::vector<detail::spirv_argument>& arguments) const {
  std::vector<std::byte> block;
  std::vector<std::uint32_t> pointers;
  for (const detail::spirv_argument& a : arguments) {
    const std::size_t at = (block.size() + a.alignment - 1) / a.alignment * a.alignment;
    block.resize(at + a.bytes);
    std::memcpy(block.data() + at, a.value != nullptr ? a.value : &a.word, a.bytes);
    if (a.value == nullptr) pointers.push_back(static_cast<std::uint32_t>(at));
  }
  block.resize((block.size() + 7) / 8 * 8);
  sycl::detail::kernel_launch what{};
  what.slot = reinterpret_cast<const sycl::detail::kernel_slot*>(
      m_module->slot_for(pointers, static_cast<std::uint32_t>(block.size())));
  what.name = m_module->name();
  what.bytes = block.data(), what.size = block.size();
  std::copy(global.begin(), global.end(), what.global);
  const std::array<std::uint64_t, 3> size = local[0] == 0 ? m_module->local_for(global) : local;
  std::copy(size.begin(), size.end(), what.local);
  sycl::detail::handler_impl::of(group).set_kernel(what);
}

} // namespace prism
