// A cache of built programs on disk, shared by all processes of a user.
//
// Each entry is one file. It is written under a temporary name and then renamed, so a reader sees all of it
// or nothing. A writer holds a lock on its temporary file. If the writer is killed, the lock is released, and
// the next process that scans the folder (at its first store) removes the file. Each entry contains its key
// and a checksum; a damaged entry is removed and treated as absent.
//
// Nothing throws: if the folder cannot be used, the cache is disabled with one log message. Files with other
// names in the folder are not touched. Any thread, any number of processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::images {

class disk_cache {
public:
  /// If the folder cannot be used (not owned by this user, writable by others, cannot be created), disables
  /// the cache.
  disk_cache(std::filesystem::path folder, std::uint64_t max_bytes);
  /// As set by PRISM_CACHE, PRISM_CACHE_DIR and PRISM_CACHE_SIZE.
  static disk_cache from_environment();
  disk_cache(disk_cache&& other) noexcept;

  bool enabled() const noexcept { return m_enabled; }
  /// PRISM_CACHE=eager: programs are stored also where that takes a second build.
  bool is_eager() const noexcept { return m_is_eager; }
  const std::filesystem::path& folder() const noexcept { return m_folder; }
  /// Returns the entry with exactly this key and marks it as used.
  std::optional<std::vector<std::byte>> load(std::string_view key);
  /// Replaces the entry. If the folder exceeds its limit, counting files that are being written, deletes the
  /// least recently used entries. Several processes may exceed the limit for a short time, each by 1/64 of
  /// it.
  void store(std::string_view key, std::span<const std::byte> data);
  void remove(std::string_view key);

  /// Reads an entry of any cache folder; empty if the file is damaged or not an entry.
  struct stored {
    std::string key;
    std::vector<std::byte> data;
  };
  static std::optional<stored> read(const std::filesystem::path& file);
  /// Whether the file has the name of an entry.
  static bool is_entry(const std::filesystem::path& file);

private:
  std::filesystem::path path_of(std::string_view key) const;
  void disable(const std::string& why);
  enum class outcome { written, again, failed };
  outcome write(const std::filesystem::path& path, std::string_view key, std::span<const std::byte> data);
  void stop_storing(); // errno contains the reason
  void evict(const std::filesystem::path& newest);

  std::filesystem::path m_folder;
  std::uint64_t m_max_bytes;
  bool m_is_eager = false;
  std::atomic<bool> m_enabled{false};
  std::atomic<bool> m_store_failed{false};
  std::atomic<std::int64_t> m_room{0}; // bytes that may be stored before the folder is read again
  std::mutex m_evict_mutex;
};

} // namespace prism::images
