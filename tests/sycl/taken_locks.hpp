// Records which pthread locks (std::mutex, std::shared_mutex) a thread takes, by which caller, and under
// which other lock. A program with taken_locks.cpp replaces the library's functions for everything that it
// loads. Recording allocates nothing and takes no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prism_test {

struct taken_lock {
  const void* lock;
  const void* caller; // an address in the function that took it
  const void* under;  // the lock that the thread took last and still holds, or null
  std::uint64_t times;
};

/// The file that contains the caller's code.
std::string file_of(const void* caller);
/// The file with the function, if the file has its name, or the offset in the file.
std::string place_of(const void* caller);

/// The locks of one thread. Only this thread calls it; others may read it afterwards.
class lock_record {
public:
  lock_record() : m_places(places) {}
  void begin();
  void end();
  std::vector<taken_lock> all() const;
  /// Locks that were not recorded because the table was full; the record is then incomplete.
  std::uint64_t missed() const { return m_missed; }

  void took(const void* lock, const void* caller) noexcept;
  void gave(const void* lock) noexcept;

private:
  static constexpr std::size_t places = 1 << 16, deepest = 32;
  std::vector<taken_lock> m_places;
  std::uint64_t m_missed = 0;
  const void* m_held[deepest] = {};
  std::size_t m_depth = 0;
};

} // namespace prism_test
