#include "runtime/images/program_cache.hpp"

#include "image_format/source_places.hpp"
#include "runtime/images/fixed_order.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/support/log.hpp"

namespace prism::images {

std::shared_ptr<program_cache::entry> program_cache::entry_of(entry_map& entries,
                                                              const image::kernel_record& record) {
  {
    const std::shared_lock lock(m_mutex);
    const auto it = entries.find(&record);
    if (it != entries.end()) return it->second;
  }
  const std::unique_lock lock(m_mutex);
  auto& slot = entries[&record];
  if (slot == nullptr) slot = std::make_shared<entry>();
  return slot;
}

const built_kernel& program_cache::get(const image::kernel_record& record) {
  quick_entry& place = quick(record);
  // The caller keeps the kernel's module loaded, so this record is not removed in the meantime.
  if (place.record.load(std::memory_order_acquire) == &record)
    return *place.kernel.load(std::memory_order_relaxed);
  const built_kernel& made = built(m_entries, record, nullptr);
  if (place.record.load(std::memory_order_relaxed) != nullptr) return made;
  const std::unique_lock lock(m_mutex);
  if (place.record.load(std::memory_order_relaxed) == nullptr) {
    place.kernel.store(&made, std::memory_order_relaxed);
    place.record.store(&record, std::memory_order_release);
  }
  return made;
}

const built_kernel& program_cache::get_without_group(const image::kernel_record& record,
                                                     const std::string& why) {
  const excluded_kind without{image::kind::opencl_c_group, why};
  return built(m_without_group, record, &without);
}

const built_kernel& program_cache::get_for_parts(const image::kernel_record& record) {
  const image_choice choice = choose_image(record, m_device.info());
  const bool is_opencl = choice.image != nullptr && image::is_opencl_c(choice.image->image_kind);
  return is_opencl ? built(m_for_parts, record, nullptr) : get(record);
}

const built_kernel& program_cache::get_for_parts_without_group(const image::kernel_record& record,
                                                               const std::string& why) {
  const excluded_kind without{image::kind::opencl_c_group, why};
  return built(m_for_parts_without_group, record, &without);
}

const built_kernel& program_cache::built(entry_map& entries, const image::kernel_record& record,
                                         const excluded_kind* without) {
  const std::shared_ptr<entry> e = entry_of(entries, record);
  if (!e->ready.load(std::memory_order_acquire)) {
    const std::lock_guard lock(e->mutex);
    if (!e->ready.load(std::memory_order_relaxed)) {
      build(*e, record, without, &entries == &m_for_parts || &entries == &m_for_parts_without_group);
      // A failed build throws; the next launch tries again.
      e->ready.store(true, std::memory_order_release);
    }
  }
  return e->kernel; // the map owns the entry
}

program_key program_cache::key_of(const image::kernel_record& record, image::kind kind,
                                  std::string_view variant) const {
  return {"prism " + std::to_string(image::format_version) + '\n' + std::to_string(record.content_hash) +
              '\n' + record.entry + '\n' + kind_name(kind) + (variant.empty() ? "" : ", ") +
              std::string(variant),
          m_device.fingerprint()};
}

/// Loads the program from a pack or from disk; null if neither has one that the device accepts.
std::unique_ptr<devices::program> program_cache::stored(const program_key& key,
                                                        const devices::program_source& source) {
  if (m_packs != nullptr)
    if (const auto binary = m_packs->load(key)) {
      if (auto program = m_device.create_program_from_binary(*binary, source)) return program;
      m_packs->refused_by_device(key);
    }
  if (m_disk == nullptr || !m_disk->enabled()) return nullptr;
  const std::string text = key.text();
  const auto binary = m_disk->load(text);
  if (!binary) return nullptr;
  auto program = m_device.create_program_from_binary(*binary, source);
  if (program == nullptr) m_disk->remove(text);
  return program;
}

namespace {

/// Of the entry that counts the processes that built a program.
std::string mark_of(const program_key& key) { return key.text() + "\nbuilt"; }

/// Where reading a program's binary takes another build: the build that stores it. PoCL, the only such
/// driver, has its own cache, with which a build takes 16 ms more than with ours; reading a binary takes 100
/// ms.
constexpr std::size_t stored_by_build = 8;

/// Whether this is at least the eighth process that builds the program; counts it.
bool was_built_often(disk_cache& disk, const program_key& key) {
  const std::string mark = mark_of(key);
  std::vector<std::byte> marks = disk.load(mark).value_or(std::vector<std::byte>());
  marks.push_back(std::byte{'.'});
  if (marks.size() >= stored_by_build) return true;
  disk.store(mark, marks);
  return false;
}

} // namespace

bool program_cache::is_known(const image::kernel_record& record) {
  {
    const std::shared_lock lock(m_mutex);
    const auto it = m_entries.find(&record);
    if (it != m_entries.end() && it->second->ready.load(std::memory_order_acquire)) return true;
  }
  const image_choice choice = choose_image(record, m_device.info());
  if (choice.image == nullptr || record.content_hash == 0) return false;
  const program_key key = key_of(record, choice.image->image_kind);
  if (m_packs != nullptr && m_packs->load(key)) return true;
  if (m_disk == nullptr || !m_disk->enabled()) return false;
  return m_disk->load(key.text()) || (m_device.info().binaries_take_a_build && m_disk->load(mark_of(key)));
}

std::unique_ptr<devices::program> program_cache::build_and_store(const devices::program_source& source,
                                                                 const program_key* key, entry* stored_in) {
  std::unique_ptr<devices::program> program;
  try {
    program = m_device.create_program(source);
  } catch (const devices::device_error& e) {
    if (e.category() != devices::error_category::build) throw;
    std::string text = e.what();
    const std::string code = " (" + e.driver_code() + ")"; // which the new one says at its end
    if (text.ends_with(code)) text.resize(text.size() - code.size());
    throw devices::device_error(e.category(), e.driver_code(),
                                text + image_format::cited_places(*source.record, source.kind, text));
  }
  if (!program->build_log().empty() && support::enabled(support::level::debug))
    support::log(support::level::debug,
                 std::string(source.record->display_name) + ": build log:\n" + program->build_log());
  if (key == nullptr || m_disk == nullptr || !m_disk->enabled()) return program;
  // A program that few processes build is not worth a second build.
  if (stored_in != nullptr && m_device.info().binaries_take_a_build && !m_disk->is_eager() &&
      !m_stores_at_once.load(std::memory_order_relaxed) && !was_built_often(*m_disk, *key))
    return program;
  const std::vector<std::byte> binary = program->binary();
  if (binary.empty()) return program;
  m_disk->store(key->text(), binary);
  if (stored_in != nullptr) {
    stored_in->stored_as = key->text();
    stored_in->stored_bytes = binary.size();
  }
  return program;
}

std::string known_values::text() const {
  std::string out;
  for (const devices::known_integer& known : integers)
    out += (out.empty() ? "" : " ") + std::to_string(known.which.offset) + ':' +
           std::to_string(known.which.bytes) + '=' + std::to_string(known.value);
  if (local[0] != 0)
    out += (out.empty() ? "local=" : " local=") + std::to_string(local[0]) + ',' + std::to_string(local[1]) +
           ',' + std::to_string(local[2]);
  for (const devices::known_alignment& known : alignments)
    out += (out.empty() ? "" : " ") + std::to_string(known.slot_offset) +
           ":align=" + std::to_string(known.bytes);
  return out;
}

namespace {

void fill_in(built_kernel& kernel, devices::program& program, const image::kernel_record& record,
             const image::kernel_image& image) {
  kernel.object = &program.get_kernel(record.entry);
  kernel.limits = kernel.object->limits();
  kernel.image_kind = image.image_kind;
  kernel.features = image.features;
  kernel.spill_bytes = image.spill_bytes;
}

} // namespace

std::unique_ptr<known_program> program_cache::get_known(const image::kernel_record& record, image::kind like,
                                                        const known_values& values, bool only_stored) {
  const image::kernel_image* image = nullptr;
  for (std::uint32_t i = 0; i < record.image_count && image == nullptr; ++i) {
    const image::kernel_image& candidate = record.images[i];
    const bool fits = candidate.data != nullptr && (candidate.features & ~m_device.info().features) == 0;
    if (candidate.image_kind == like && fits) image = &candidate;
  }
  if (image == nullptr) return nullptr;
  const devices::program_source source{like, image->data,     image->size,  &record,
                                       {},   values.integers, values.local, values.alignments};
  const bool has_key = record.content_hash != 0;
  const program_key key = has_key ? key_of(record, like, values.text()) : program_key();
  auto made = std::make_unique<known_program>();
  if (has_key) made->program = stored(key, source);
  if (made->program == nullptr && only_stored) return nullptr;
  if (made->program == nullptr) {
    const support::trace::named_scope traced("build", std::string("specialise ") + record.display_name);
    made->program = build_and_store(source, has_key ? &key : nullptr, nullptr);
  }
  fill_in(made->kernel, *made->program, record, *image);
  return made;
}

std::optional<std::string> program_cache::load_result(const image::kernel_record& record, image::kind like,
                                                      std::string_view what) const {
  if (record.content_hash == 0) return std::nullopt;
  const program_key key = key_of(record, like, what);
  auto bytes = m_packs != nullptr ? m_packs->load(key) : std::nullopt;
  if (!bytes && m_disk != nullptr && m_disk->enabled()) bytes = m_disk->load(key.text());
  if (!bytes) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

void program_cache::store_result(const image::kernel_record& record, image::kind like, std::string_view what,
                                 std::string_view text) {
  if (record.content_hash == 0 || m_disk == nullptr || !m_disk->enabled()) return;
  m_disk->store(key_of(record, like, what).text(), std::as_bytes(std::span(text.data(), text.size())));
}

void program_cache::build(entry& into, const image::kernel_record& record, const excluded_kind* without,
                          bool moves_groups) {
  support::trace::named_scope traced("build", std::string("build ") + record.display_name);
  const image_choice choice = choose_image(record, m_device.info(), without);
  if (choice.image != nullptr && !choice.reason.empty() && support::enabled(support::level::info))
    support::log(support::level::info, std::string("kernel \"") + record.display_name +
                                           "\": " + kind_name(choice.image->image_kind) + " for " +
                                           m_device.info().name + ": " + choice.reason);
  if (choice.image == nullptr) {
    into.kernel.refusal = choice.refusal;
    return;
  }
  const image::kernel_image& image = *choice.image;
  devices::program_source source{image.image_kind, image.data, image.size, &record, {}};
  source.moves_groups = moves_groups;
  // Without a hash, two kernels could share a key. A host function is an address in this process.
  const bool has_key = record.content_hash != 0 && image.image_kind != image::kind::host_group;
  std::unique_ptr<devices::program> program;
  program_key key;
  if (has_key) {
    key = key_of(record, image.image_kind, moves_groups ? "parts of a range" : "");
    program = stored(key, source);
    if (program != nullptr) traced.rename(std::string("load from the cache ") + record.display_name);
  }
  if (program == nullptr) program = build_and_store(source, has_key ? &key : nullptr, &into);
  fill_in(into.kernel, *program, record, image);
  into.program = std::move(program);
}

void program_cache::store_again() {
  std::vector<std::shared_ptr<entry>> all;
  {
    const std::shared_lock lock(m_mutex);
    for (const entry_map* entries : {&m_entries, &m_without_group, &m_for_parts, &m_for_parts_without_group})
      for (const auto& [record, e] : *entries) all.push_back(e);
  }
  for (const std::shared_ptr<entry>& e : all) {
    const std::lock_guard lock(e->mutex);
    if (!e->ready.load(std::memory_order_relaxed) || e->stored_as.empty()) continue;
    const std::vector<std::byte> binary = e->program->binary();
    if (binary.size() == e->stored_bytes) continue;
    e->stored_bytes = binary.size();
    m_disk->store(e->stored_as, binary);
  }
}

std::vector<std::shared_ptr<void>> program_cache::forget(const image::kernel_record* first,
                                                         std::uint64_t count) {
  std::vector<std::shared_ptr<void>> dropped;
  const std::unique_lock lock(m_mutex);
  const auto drop = [&](const image::kernel_record& record) {
    if (quick_entry& place = quick(record); place.record.load(std::memory_order_relaxed) == &record)
      place.record.store(nullptr, std::memory_order_relaxed);
    for (entry_map* entries : {&m_entries, &m_without_group, &m_for_parts, &m_for_parts_without_group}) {
      const auto it = entries->find(&record);
      if (it == entries->end()) continue;
      dropped.push_back(std::move(it->second));
      entries->erase(it);
    }
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    drop(first[i]);
    if (const image::kernel_record* copy = known_fixed_order_of(first[i])) drop(*copy);
  }
  return dropped;
}

} // namespace prism::images
