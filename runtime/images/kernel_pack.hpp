// Kernel packs: built programs in one file, shipped with a program so that its first start builds nothing.
// prism-pack creates them from the program cache; programs only read them.
//
// File format: a header, a table sorted by key, then key and data of each entry. The checksum of header and
// table is verified when the file is opened, the checksum of an entry when it is read. Built programs are
// machine code, so a pack must be as trustworthy as a program: it must belong to this user or to root, and no
// other user may have write access.
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

/// The reason why a file is not used as a pack; what() does not contain the file's name.
class pack_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct pack_entry {
  std::string key; // program_key::text
  std::vector<std::byte> data;
};

/// Replaces the file, completely or not at all; readable by all, writable by its owner. Throws pack_error.
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
  /// Returns the data of the entry with exactly this key; empty if there is none. Throws pack_error when it
  /// is damaged.
  std::optional<std::vector<std::byte>> find(std::string_view key) const;

private:
  struct table_entry {
    std::uint64_t key_hash, offset, data_bytes, checksum;
    std::uint32_t key_bytes, reserved;
  };
  struct header;
  friend void write_pack(const std::filesystem::path&, const std::vector<pack_entry>&);

  int m_file;
  std::vector<table_entry> m_table;
};

/// The packs of this process: those that PRISM_PACK names, otherwise PROGRAM.prismpack next to the program.
/// They are opened for the first kernel that has to be built. An invalid pack is reported once, by name, and
/// its kernels are built.
class kernel_packs {
public:
  explicit kernel_packs(std::vector<std::filesystem::path> files, bool named)
      : m_files(std::move(files)), m_named(named) {}
  static kernel_packs from_environment();
  kernel_packs(kernel_packs&& other) noexcept : m_files(std::move(other.m_files)), m_named(other.m_named) {}

  std::optional<std::vector<std::byte>> load(const program_key& key);
  /// Reports that the device did not accept a binary returned by load.
  void refused_by_device(const program_key& key);

private:
  void open();
  void report_absence(const program_key& key);

  std::vector<std::filesystem::path> m_files;
  bool m_named; // by PRISM_PACK, so a missing file is reported
  std::once_flag m_opened;
  struct open_pack {
    std::filesystem::path file;
    std::unique_ptr<kernel_pack> content;
    std::set<std::string> kernels, devices; // of the keys
  };
  std::vector<open_pack> m_packs;
  std::mutex m_mutex;
  std::set<std::string> m_reported;
};

} // namespace prism::images
