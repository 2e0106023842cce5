// Which locks of the pthread library a thread takes while it asks to be recorded, by whom, and under which
// other. std::mutex and std::shared_mutex are such. The program that has taken_locks.cpp stands in front of
// the library's functions, for all that it loads; nothing is allocated or locked to record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prism_test {

struct taken_lock {
  const void* lock;
  const void* caller; // an address in the function that took it
  const void* under;  // the lock that the thread took last and still holds; null: none
  std::uint64_t times;
};

/// The file that the caller's code is in.
std::string file_of(const void* caller);
/// The same with the function, where the file names it, or the place in the file.
std::string place_of(const void* caller);

/// What one thread takes. Only its own thread calls it; others read when that is done.
class lock_record {
public:
  lock_record() : m_places(places) {}
  void begin();
  void end();
  std::vector<taken_lock> all() const;
  /// Locks that were not noted for want of a place: the record is worth nothing then.
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
