// Built programs on disk, shared by all processes of a user. An entry is one file, written whole to a
// temporary name and renamed, so a reader sees all of it or none. A killed writer leaves only a temporary
// file: living ones hold a lock on theirs, so whoever looks at the folder next, as a process does at its
// first store, knows and removes it. Every entry carries its key and a checksum: a damaged one is removed and
// counts as absent. Nothing here throws: a folder that cannot be used means no cache and one log line. Files
// of other names in the folder stay. Any thread, any number of processes.
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
  /// An unusable folder (not ours, writable by others, cannot be made) switches the cache off.
  disk_cache(std::filesystem::path folder, std::uint64_t max_bytes);
  /// By PRISM_CACHE, PRISM_CACHE_DIR and PRISM_CACHE_SIZE.
  static disk_cache from_environment();
  disk_cache(disk_cache&& other) noexcept;

  bool enabled() const noexcept { return m_enabled; }
  const std::filesystem::path& folder() const noexcept { return m_folder; }
  /// The entry stored under exactly this key. Marks it as used now.
  std::optional<std::vector<std::byte>> load(std::string_view key);
  /// Replaces the entry. Evicts the least recently used entries when the folder grows over its limit, with
  /// what is being written; several processes may exceed it for a moment, each by a 64th of it.
  void store(std::string_view key, std::span<const std::byte> data);
  void remove(std::string_view key);

  /// An entry of any cache folder, by its file; empty when it is damaged or none.
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
  enum class outcome { kept, again, failed };
  outcome write(const std::filesystem::path& path, std::string_view key, std::span<const std::byte> data);
  void stop_storing(); // errno says why
  void evict(const std::filesystem::path& newest);

  std::filesystem::path m_folder;
  std::uint64_t m_max_bytes;
  std::atomic<bool> m_enabled{false};
  std::atomic<bool> m_store_failed{false};
  std::atomic<std::int64_t> m_room{0}; // bytes that may be stored before the folder is looked at again
  std::mutex m_evict_mutex;
};

} // namespace prism::images
