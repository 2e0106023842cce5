#include "runtime/images/disk_cache.hpp"

#include "devices/api/private_folder.hpp"
#include "runtime/images/entry_bytes.hpp"
#include "runtime/support/text.hpp"
#include "runtime/support/settings.hpp"
#include "runtime/support/hash.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace prism::images {

namespace fs = std::filesystem;

namespace {

constexpr char entry_suffix[] = ".bin";
constexpr char temporary_suffix[] = ".tmp";
constexpr std::size_t name_digits = 32; // of a file name, before its suffix
constexpr std::uint32_t entry_version = 1;
// older temporary files that cannot be locked were left by killed writers
constexpr std::time_t temporary_age_s = 600;
constexpr std::time_t clocks_differ_s =
    60; // a file whose time of last use is further in the future was used when the clock was wrong

struct header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t key_bytes;
  std::uint64_t data_bytes;
  std::uint64_t checksum; // of key and data
};
constexpr char header_magic[8] = {'P', 'R', 'I', 'S', 'M', 'B', 'I', 'N'};

class file_descriptor {
public:
  explicit file_descriptor(int fd) : m_fd(fd) {}
  file_descriptor(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (m_fd >= 0) ::close(m_fd);
  }
  int get() const { return m_fd; }

private:
  int m_fd;
};

bool read_all(int fd, void* into, std::size_t bytes) {
  for (char* out = static_cast<char*>(into); bytes > 0;) {
    const ssize_t n = ::read(fd, out, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// A file with an entry's name may be of any type: O_NONBLOCK avoids waiting for the writer of a pipe.
int open_entry(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/// The sizes in the header are used only if their sum matches the size of the file.
std::optional<disk_cache::stored> parse(int fd) {
  struct stat info{};
  header h;
  if (::fstat(fd, &info) != 0 || !is_own_file(info) || static_cast<std::uint64_t>(info.st_size) < sizeof h)
    return std::nullopt;
  if (!read_all(fd, &h, sizeof h)) return std::nullopt;
  if (std::memcmp(h.magic, header_magic, sizeof h.magic) != 0 || h.version != entry_version)
    return std::nullopt;
  const std::uint64_t rest = static_cast<std::uint64_t>(info.st_size) - sizeof h;
  if (h.key_bytes > rest || h.data_bytes != rest - h.key_bytes) return std::nullopt;
  disk_cache::stored out{std::string(h.key_bytes, 0), std::vector<std::byte>(h.data_bytes)};
  if (!read_all(fd, out.key.data(), out.key.size()) || !read_all(fd, out.data.data(), out.data.size()))
    return std::nullopt;
  if (checksum(out.key, out.data) != h.checksum) return std::nullopt;
  return out;
}

/// Whether the data was written, as far as the file system reports on close. Closes a duplicate, because
/// closing the descriptor itself would release its lock.
bool is_flushed(int fd) {
  const int other = ::dup(fd);
  return other >= 0 && ::close(other) == 0;
}

/// Whether the name is "0123456789abcdef0123456789abcdef" plus the endings. Other files in the folder must
/// not be removed.
bool is_named(const std::string& name, std::string_view ending) {
  constexpr char digits[] = "0123456789abcdef";
  return name.size() > name_digits && name.find_first_not_of(digits) == name_digits &&
         std::string_view(name).substr(name_digits, sizeof entry_suffix - 1) == entry_suffix &&
         name.ends_with(ending);
}

/// Whether no process is writing this temporary file any more. A writer holds a lock on its file, which is
/// released when the process ends.
bool is_left_behind(const fs::path& temporary, std::time_t written, std::time_t now) {
  const bool old = std::abs(now - written) > temporary_age_s;
  // O_RDWR because NFS only locks files that are open for writing
  const file_descriptor file(::open(temporary.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  // for example another user's file, from a time when others had write access
  if (file.get() < 0) return old;
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && old);
}

} // namespace

disk_cache::disk_cache(fs::path folder, std::uint64_t max_bytes)
    : m_folder(std::move(folder)), m_max_bytes(max_bytes) {
  if (m_folder.empty() || max_bytes == 0) return;
  std::error_code failed;
  if (auto whole = fs::absolute(m_folder, failed); !failed)
    m_folder = std::move(whole); // absolute, because the program may change its working directory
  const std::string why = make_private_folder(m_folder) ? why_not_private(m_folder) : std::strerror(errno);
  if (why.empty()) m_enabled = true;
  else disable(why);
}

disk_cache::disk_cache(disk_cache&& other) noexcept
    : m_folder(std::move(other.m_folder)), m_max_bytes(other.m_max_bytes), m_is_eager(other.m_is_eager),
      m_enabled(other.m_enabled.load()) {}

disk_cache disk_cache::from_environment() {
  if (!support::is_on(support::variables::cache)) return disk_cache({}, 0);
  disk_cache out(user_cache_folder(), support::size_of(support::variables::cache_size));
  out.m_is_eager = support::to_lower(support::value_of(support::variables::cache)) == "eager";
  return out;
}

void disk_cache::disable(const std::string& why) {
  m_enabled = false;
  support::log(support::level::warn,
               "program cache disabled: " + m_folder.string() + ": " + why +
                   " (set PRISM_CACHE_DIR to use another folder, or PRISM_CACHE=off to silence this)");
}

fs::path disk_cache::path_of(std::string_view key) const {
  const auto bytes = std::as_bytes(std::span(key.data(), key.size()));
  char name[40];
  std::snprintf(name, sizeof name, "%016llx%016llx",
                static_cast<unsigned long long>(support::hash64(bytes, 1)),
                static_cast<unsigned long long>(support::hash64(bytes, 2)));
  return m_folder / (std::string(name) + entry_suffix);
}

bool disk_cache::is_entry(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_named(name, entry_suffix) && name.size() == name_digits + sizeof entry_suffix - 1;
}

std::optional<disk_cache::stored> disk_cache::read(const fs::path& path) {
  const file_descriptor file(open_entry(path));
  if (file.get() < 0) return std::nullopt;
  return parse(file.get());
}

std::optional<std::vector<std::byte>> disk_cache::load(std::string_view key) {
  if (!m_enabled) return std::nullopt;
  const fs::path path = path_of(key);
  const file_descriptor file(open_entry(path));
  if (file.get() < 0) return std::nullopt;
  std::optional<stored> found = parse(file.get());
  if (!found || found->key != key) {
    const bool removed = ::unlink(path.c_str()) == 0;
    support::log(support::level::info,
                 std::string(removed ? "removed" : "ignored") +
                     " a damaged or unrecognised entry of the program cache: " + path.string());
    return std::nullopt;
  }
  ::futimens(file.get(), nullptr); // marks the entry as used; fails harmlessly in a read-only folder
  return std::move(found->data);
}

void disk_cache::store(std::string_view key, std::span<const std::byte> data) {
  if (!m_enabled || m_store_failed || sizeof(header) + key.size() + data.size() > m_max_bytes) return;
  if (rlimit limit{};
      ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && sizeof(header) + key.size() + data.size() > limit.rlim_cur) {
    errno = EFBIG; // a write beyond the limit would kill the process by SIGXFSZ
    return stop_storing();
  }
  const fs::path path = path_of(key);
  constexpr int enough = 3;
  for (int tries = 0; tries < enough; ++tries) {
    const outcome done = write(path, key, data);
    if (done == outcome::failed) return stop_storing();
    if (done == outcome::written) {
      const auto bytes = static_cast<std::int64_t>(sizeof(header) + key.size() + data.size());
      return m_room.fetch_sub(bytes) < bytes ? evict(path) : void();
    }
  }
  support::log(support::level::info,
               "a built program was not cached, its file name is in use: " + path.string());
}

/// Writes the entire entry or nothing. Sets errno if it returns `failed`.
disk_cache::outcome disk_cache::write(const fs::path& path, std::string_view key,
                                      std::span<const std::byte> data) {
  std::string temporary = path.string() + ".XXXXXX" + temporary_suffix;
  const file_descriptor file(
      ::mkostemps(temporary.data(), sizeof temporary_suffix - 1, O_CLOEXEC)); // mode 0600
  if (file.get() < 0) return outcome::failed;
  // Until the new file is locked, another process may consider it left behind and remove it. Not every file
  // system supports locks.
  struct stat info{};
  const bool taken = (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                     (::fstat(file.get(), &info) == 0 && info.st_nlink == 0);
  header h{};
  std::memcpy(h.magic, header_magic, sizeof h.magic);
  h.version = entry_version;
  h.key_bytes = static_cast<std::uint32_t>(key.size());
  h.data_bytes = data.size();
  h.checksum = checksum(key, data);
  const bool written = !taken && write_all(file.get(), &h, sizeof h) &&
                       write_all(file.get(), key.data(), key.size()) &&
                       write_all(file.get(), data.data(), data.size()) && is_flushed(file.get());
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return outcome::written;
  const int why = errno;
  ::unlink(temporary.c_str());
  errno = why;
  if (taken) return outcome::again;
  // a folder has the entry's name
  const bool in_the_way = why == EISDIR || why == ENOTEMPTY || why == EEXIST;
  return written && (why == ENOENT || in_the_way) ? outcome::again : outcome::failed;
}

void disk_cache::stop_storing() {
  const std::string why = std::strerror(errno);
  if (!m_store_failed.exchange(true))
    support::log(support::level::warn,
                 "program cache disabled: cannot write to " + m_folder.string() + ": " + why);
}

void disk_cache::remove(std::string_view key) {
  if (m_enabled) ::unlink(path_of(key).c_str());
}

/// Deletes the least recently used entries, but never `newest`, even if its time is wrong. Reading a folder
/// with thousands of files costs more than storing an entry. So this makes room for later entries too, and
/// stores up to a part of that room need not read the folder again; the rest is for other processes.
void disk_cache::evict(const fs::path& newest) {
  const std::lock_guard lock(m_evict_mutex);
  struct entry {
    fs::path path;
    std::uint64_t bytes;
    timespec used;
  };
  struct stat info{};
  // the clock of the file system, which may be on another machine
  const std::time_t now = ::lstat(newest.c_str(), &info) == 0 ? info.st_mtim.tv_sec : std::time(nullptr);
  std::vector<entry> entries;
  std::uint64_t total = 0;
  std::error_code failed;
  for (fs::directory_iterator it(m_folder, failed), end; !failed && it != end; it.increment(failed)) {
    const fs::path& path = it->path();
    const bool temporary = is_named(path.filename().string(), temporary_suffix);
    if (!temporary && !is_entry(path)) continue;
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue; // another process may have removed it
    if (temporary && is_left_behind(path, info.st_mtim.tv_sec, now) && ::unlink(path.c_str()) == 0) continue;
    total += static_cast<std::uint64_t>(info.st_size);
    if (temporary || path == newest) continue;
    const bool clock_was_wrong = info.st_mtim.tv_sec > now + clocks_differ_s;
    entries.push_back(
        {path, static_cast<std::uint64_t>(info.st_size), clock_was_wrong ? timespec{} : info.st_mtim});
  }
  if (total > m_max_bytes) {
    const std::uint64_t enough = m_max_bytes - m_max_bytes / 16;
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
      return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    for (const entry& e : entries) {
      if (total <= enough) break;
      if (::unlink(e.path.c_str()) == 0 || errno == ENOENT) total -= e.bytes;
    }
  }
  m_room = static_cast<std::int64_t>(
      total < m_max_bytes ? std::min((m_max_bytes - total) / 4, m_max_bytes / 64) : 0);
}

} // namespace prism::images
