// Kernel packs: built programs in one file, shipped with a program so that its first start builds nothing.
// prism-pack writes them from what the program cache keeps; programs only read them.
//
// The file: a header, a table sorted by key, then key and data of each entry. Header and table have a
// checksum that is looked at when the file is opened, each entry one of its own that is looked at when it is
// taken. Built programs are machine code, so a pack is trusted like a program: it belongs to this user or to
// root, and nobody else can write to it.
#pragma once

#include "runtime/images/program_key.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace prism::images {

/// Why a file is not used as a pack; what() does not name the file.
class pack_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct pack_entry {
  std::string key; // program_key::text
  std::vector<std::byte> data;
};

/// Replaces the file, whole or not at all; readable by all, writable by its owner. Throws pack_error.
void write_pack(const std::filesystem::path& file, const std::vector<pack_entry>& entries);

/// An open pack. Any thread.
class kernel_pack {
public:
  /// Throws pack_error.
  explicit kernel_pack(const std::filesystem::path& file);
  kernel_pack(const kernel_pack&) = delete;
  ~kernel_pack();

  std::size_t size() const noexcept { return m_table.size(); }
  /// Throws pack_error when the entry is damaged.
  pack_entry entry(std::size_t index) const;
  /// Empty when there is none under exactly this key; throws pack_error when it is damaged.
  std::optional<std::vector<std::byte>> find(std::string_view key) const;

private:
  struct place {
    std::uint64_t key_hash, offset, data_bytes, checksum;
    std::uint32_t key_bytes, reserved;
  };
  struct header;
  friend void write_pack(const std::filesystem::path&, const std::vector<pack_entry>&);

  int m_file;
  std::vector<place> m_table;
};

/// The packs of this process: those that PRISM_PACK names, else the file PROGRAM.prismpack beside the
/// program. Opened at the first kernel that is not built yet. What is wrong with one is said once, by its
/// name, and its kernels are built instead.
class kernel_packs {
public:
  explicit kernel_packs(std::vector<std::filesystem::path> files, bool named)
      : m_files(std::move(files)), m_named(named) {}
  static kernel_packs from_environment();
  kernel_packs(kernel_packs&& other) noexcept : m_files(std::move(other.m_files)), m_named(other.m_named) {}

  std::optional<std::vector<std::byte>> load(const program_key& key);
  /// The device did not take what load gave.
  void refused_by_device(const program_key& key);

private:
  void open();
  void say_absence(const program_key& key);

  std::vector<std::filesystem::path> m_files;
  bool m_named; // asked for: one that is not there is worth a word
  std::once_flag m_opened;
  struct open_pack {
    std::filesystem::path file;
    std::unique_ptr<kernel_pack> content;
    std::set<std::string> kernels, devices; // of the keys
  };
  std::vector<open_pack> m_packs;
  std::mutex m_mutex;
  std::set<std::string> m_said;
};

} // namespace prism::images
