#include "runtime/images/disk_cache.hpp"

#include "runtime/images/cache_folder.hpp"
#include "runtime/images/entry_bytes.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/hash.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace prism::images {

namespace fs = std::filesystem;

namespace {

constexpr char entry_suffix[] = ".bin";
constexpr char temporary_suffix[] = ".tmp";
constexpr std::uint32_t entry_version = 1;
constexpr auto temporary_age = std::chrono::minutes(10); // older ones were left by killed writers

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
  ~file_descriptor() { close(); }
  int get() const { return m_fd; }
  bool close() {
    const int fd = std::exchange(m_fd, -1);
    return fd < 0 || ::close(fd) == 0;
  }

private:
  int m_fd;
};

std::optional<std::vector<std::byte>> read_whole(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || info.st_size < 0) return std::nullopt;
  std::vector<std::byte> out(static_cast<std::size_t>(info.st_size));
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::read(fd, out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    done += static_cast<std::size_t>(n);
  }
  return out;
}

/// Empty when the folder is the user's own and nobody else can put files into it.
std::string why_untrusted(const fs::path& folder) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return std::strerror(errno);
  if (!S_ISDIR(info.st_mode)) return "it is not a folder";
  if (info.st_uid != ::geteuid()) return "it belongs to another user";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others can write to it (chmod go-w)";
  return {};
}

} // namespace

disk_cache::disk_cache(fs::path folder, std::uint64_t max_bytes) : m_folder(std::move(folder)), m_max_bytes(max_bytes) {
  if (m_folder.empty() || max_bytes == 0) return;
  std::error_code failed;
  if (m_folder.has_parent_path()) fs::create_directories(m_folder.parent_path(), failed);
  if (::mkdir(m_folder.c_str(), 0700) != 0 && errno != EEXIST) {
    disable(std::strerror(errno));
    return;
  }
  if (const std::string why = why_untrusted(m_folder); !why.empty()) {
    disable(why);
    return;
  }
  m_enabled = true;
}

disk_cache::disk_cache(disk_cache&& other) noexcept
    : m_folder(std::move(other.m_folder)), m_max_bytes(other.m_max_bytes), m_enabled(other.m_enabled.load()) {}

disk_cache disk_cache::from_environment() {
  if (!support::is_on(support::variables::cache)) return disk_cache({}, 0);
  return disk_cache(cache_folder(), support::size_of(support::variables::cache_size));
}

void disk_cache::disable(const std::string& why) {
  m_enabled = false;
  support::log(support::level::warn, "built programs are not kept: " + m_folder.string() + ": " + why +
                                         " (PRISM_CACHE_DIR names another folder, PRISM_CACHE=off silences this)");
}

fs::path disk_cache::path_of(std::string_view key) const {
  const auto bytes = std::as_bytes(std::span(key.data(), key.size()));
  char name[40];
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(support::hash64(bytes, 1)),
                static_cast<unsigned long long>(support::hash64(bytes, 2)));
  return m_folder / (std::string(name) + entry_suffix);
}

namespace {
std::optional<disk_cache::stored> parse(std::optional<std::vector<std::byte>> content) {
  header h;
  if (!content || content->size() < sizeof h) return std::nullopt;
  std::memcpy(&h, content->data(), sizeof h);
  if (std::memcmp(h.magic, header_magic, sizeof h.magic) != 0 || h.version != entry_version) return std::nullopt;
  const std::uint64_t rest = content->size() - sizeof h;
  if (h.key_bytes > rest || h.data_bytes != rest - h.key_bytes) return std::nullopt;
  const std::span<const std::byte> all(*content);
  disk_cache::stored out{std::string(reinterpret_cast<const char*>(content->data()) + sizeof h, h.key_bytes), {}};
  if (checksum(out.key, all.subspan(sizeof h + h.key_bytes)) != h.checksum) return std::nullopt;
  content->erase(content->begin(), content->begin() + static_cast<std::ptrdiff_t>(sizeof h + h.key_bytes));
  out.data = std::move(*content);
  return out;
}
} // namespace

bool disk_cache::is_entry(const fs::path& file) { return file.extension() == entry_suffix; }

std::optional<disk_cache::stored> disk_cache::read(const fs::path& path) {
  const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return std::nullopt;
  return parse(read_whole(file.get()));
}

std::optional<std::vector<std::byte>> disk_cache::load(std::string_view key) {
  if (!m_enabled) return std::nullopt;
  const fs::path path = path_of(key);
  const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return std::nullopt;
  std::optional<stored> found = parse(read_whole(file.get()));
  if (!found || found->key != key) {
    support::log(support::level::info, "removed a damaged or foreign entry of the program cache: " + path.string());
    ::unlink(path.c_str());
    return std::nullopt;
  }
  ::futimens(file.get(), nullptr); // used now; fails harmlessly on a read-only folder
  return std::move(found->data);
}

void disk_cache::store(std::string_view key, std::span<const std::byte> data) {
  if (!m_enabled || m_store_failed || sizeof(header) + key.size() + data.size() > m_max_bytes) return;
  if (rlimit limit{}; ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && sizeof(header) + key.size() + data.size() > limit.rlim_cur) {
    errno = EFBIG; // writing beyond it would end the process by SIGXFSZ
    return stop_storing();
  }
  const fs::path path = path_of(key);
  std::string temporary = path.string() + ".XXXXXX" + temporary_suffix;
  file_descriptor file(::mkostemps(temporary.data(), sizeof temporary_suffix - 1, O_CLOEXEC)); // mode 0600
  bool written = file.get() >= 0;
  if (written) {
    header h{};
    std::memcpy(h.magic, header_magic, sizeof h.magic);
    h.version = entry_version;
    h.key_bytes = static_cast<std::uint32_t>(key.size());
    h.data_bytes = data.size();
    h.checksum = checksum(key, data);
    written = write_all(file.get(), &h, sizeof h) && write_all(file.get(), key.data(), key.size()) &&
              write_all(file.get(), data.data(), data.size()) && file.close() &&
              ::rename(temporary.c_str(), path.c_str()) == 0;
  }
  if (!written) {
    const int why = errno;
    if (file.get() >= 0 || fs::exists(temporary)) ::unlink(temporary.c_str());
    errno = why;
    return stop_storing();
  }
  evict();
}

void disk_cache::stop_storing() {
  const std::string why = std::strerror(errno);
  if (!m_store_failed.exchange(true))
    support::log(support::level::warn, "built programs are no longer kept: " + m_folder.string() + ": " + why);
}

void disk_cache::remove(std::string_view key) {
  if (m_enabled) ::unlink(path_of(key).c_str());
}

void disk_cache::evict() {
  const std::lock_guard lock(m_evict_mutex);
  struct entry {
    fs::path path;
    std::uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<entry> entries;
  std::uint64_t total = 0;
  std::error_code failed;
  for (fs::directory_iterator it(m_folder, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code gone; // another process may remove it meanwhile
    const fs::path path = it->path();
    const auto used = it->last_write_time(gone);
    const auto bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    if (path.extension() == temporary_suffix && fs::file_time_type::clock::now() - used > temporary_age)
      fs::remove(path, gone);
    if (path.extension() != entry_suffix) continue;
    entries.push_back({path, bytes, used});
    total += bytes;
  }
  if (total <= m_max_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.used < b.used; });
  for (const entry& e : entries) {
    if (total <= m_max_bytes) return;
    fs::remove(e.path, failed);
    total -= e.bytes;
  }
}

} // namespace prism::images
