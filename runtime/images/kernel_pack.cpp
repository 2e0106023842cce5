#include "runtime/images/kernel_pack.hpp"

#include "runtime/images/entry_bytes.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/hash.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace prism::images {

namespace fs = std::filesystem;

namespace {

constexpr char pack_magic[8] = {'P', 'R', 'I', 'S', 'M', 'P', 'A', 'K'};
constexpr std::uint32_t pack_version = 1;
constexpr std::uint32_t most_entries = 1u << 20;
constexpr std::uint64_t key_seed = 5;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool read_at(int file, std::uint64_t offset, void* to, std::size_t bytes) {
  char* out = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = ::pread(file, out, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out += n;
    offset += static_cast<std::uint64_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// The reason not to trust the file; empty if it is a regular file that this user may execute code from.
std::string why_untrusted(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return "it is not a file";
  if (info.st_uid != ::geteuid() && info.st_uid != 0) return "it belongs to another user";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others can write to it (chmod go-w)";
  return {};
}

class closing_file {
public:
  explicit closing_file(int fd) : m_fd(fd) {}
  closing_file(const closing_file&) = delete;
  ~closing_file() {
    if (m_fd >= 0) ::close(m_fd);
  }
  int get() const { return m_fd; }
  int release() { return std::exchange(m_fd, -1); }

private:
  int m_fd;
};

} // namespace

struct kernel_pack::header {
  char magic[8];
  std::uint32_t version, count;
  std::uint64_t file_bytes;
  std::uint64_t checksum; // of the table and of this header with checksum = 0
};

namespace {
template <typename Header, typename Entry>
std::uint64_t checksum_of(Header h, std::span<const Entry> table) {
  h.checksum = 0;
  return support::hash64(std::as_bytes(table), support::hash64(std::as_bytes(std::span(&h, 1))));
}
} // namespace

kernel_pack::kernel_pack(const fs::path& path) : m_file(-1) {
  // O_NONBLOCK: does not wait for the writer of a pipe
  closing_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw pack_error(std::strerror(errno));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) throw pack_error(std::strerror(errno));
  if (const std::string why = why_untrusted(info); !why.empty()) throw pack_error(why);
  header h{};
  if (!read_at(file.get(), 0, &h, sizeof h) || std::memcmp(h.magic, pack_magic, sizeof h.magic) != 0)
    throw pack_error("it is not a kernel pack");
  if (h.version != pack_version)
    throw pack_error("it has version " + std::to_string(h.version) + ", this runtime reads " +
                     std::to_string(pack_version) +
                     "; make it again with the prism-pack of this installation");
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (h.file_bytes != size)
    throw pack_error("it is damaged: it has " + std::to_string(size) + " bytes, not the " +
                     std::to_string(h.file_bytes) + " that were written");
  if (h.count > most_entries || sizeof h + h.count * sizeof(table_entry) > size)
    throw pack_error("it is damaged: its table is longer than the file");
  m_table.resize(h.count);
  if (!read_at(file.get(), sizeof h, m_table.data(), m_table.size() * sizeof(table_entry)))
    throw pack_error(std::strerror(errno));
  if (checksum_of(h, std::span<const table_entry>(m_table)) != h.checksum)
    throw pack_error("it is damaged: the checksum of its table is wrong");
  for (const table_entry& p : m_table)
    if (p.offset > size || p.key_bytes > size - p.offset || p.data_bytes > size - p.offset - p.key_bytes)
      throw pack_error("it is damaged: an entry exceeds the file");
  m_file = file.release();
}

kernel_pack::~kernel_pack() { ::close(m_file); }

pack_entry kernel_pack::entry(std::size_t index) const {
  const table_entry& at = m_table.at(index);
  pack_entry out;
  // the table's checksum was verified, so these are the sizes that were written
  out.key.resize(at.key_bytes);
  out.data.resize(at.data_bytes);
  const bool read = read_at(m_file, at.offset, out.key.data(), out.key.size()) &&
                    read_at(m_file, at.offset + at.key_bytes, out.data.data(), out.data.size());
  if (!read || checksum(out.key, out.data) != at.checksum)
    throw pack_error("entry " + std::to_string(index) + " is damaged");
  return out;
}

std::optional<std::vector<std::byte>> kernel_pack::find(std::string_view key) const {
  const std::uint64_t hash = support::hash64(bytes_of(key), key_seed);
  auto at = std::lower_bound(m_table.begin(), m_table.end(), hash,
                             [](const table_entry& p, std::uint64_t h) { return p.key_hash < h; });
  for (; at != m_table.end() && at->key_hash == hash; ++at) {
    pack_entry found = entry(static_cast<std::size_t>(at - m_table.begin()));
    if (found.key == key) return std::move(found.data);
  }
  return std::nullopt;
}

void write_pack(const fs::path& file, const std::vector<pack_entry>& entries) {
  using table_entry = kernel_pack::table_entry;
  kernel_pack::header h{};
  if (entries.size() > most_entries)
    throw pack_error("it would have more than " + std::to_string(most_entries) + " entries");
  std::vector<table_entry> table;
  std::uint64_t offset = sizeof h + entries.size() * sizeof(table_entry);
  for (const pack_entry& e : entries) {
    table.push_back({support::hash64(bytes_of(e.key), key_seed), offset, e.data.size(),
                     checksum(e.key, e.data), static_cast<std::uint32_t>(e.key.size()), 0});
    offset += e.key.size() + e.data.size();
  }
  std::sort(table.begin(), table.end(),
            [](const table_entry& a, const table_entry& b) { return a.key_hash < b.key_hash; });
  std::memcpy(h.magic, pack_magic, sizeof h.magic);
  h.version = pack_version;
  h.count = static_cast<std::uint32_t>(entries.size());
  h.file_bytes = offset;
  h.checksum = checksum_of(h, std::span<const table_entry>(table));
  std::string temporary = file.string() + ".XXXXXX";
  const closing_file out(::mkostemp(temporary.data(), O_CLOEXEC));
  bool written = out.get() >= 0 && ::fchmod(out.get(), 0644) == 0 && write_all(out.get(), &h, sizeof h) &&
                 write_all(out.get(), table.data(), table.size() * sizeof(table_entry));
  for (const pack_entry& e : entries)
    written = written && write_all(out.get(), e.key.data(), e.key.size()) &&
              write_all(out.get(), e.data.data(), e.data.size());
  if (written && ::rename(temporary.c_str(), file.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  if (out.get() >= 0) ::unlink(temporary.c_str());
  throw pack_error(why);
}

kernel_packs kernel_packs::from_environment() {
  std::vector<fs::path> files;
  if (const auto named = support::set_value_of(support::variables::pack)) {
    if (!support::is_on(support::variables::pack)) return kernel_packs({}, true);
    for (std::size_t begin = 0; begin <= named->size();) {
      const std::size_t end = std::min(named->find(':', begin), named->size());
      const fs::path file = named->substr(begin, end - begin);
      begin = end + 1;
      if (file.empty()) continue;
      std::error_code failed;
      if (fs::exists(file, failed)) files.push_back(file);
      else
        support::log(support::level::warn, "PRISM_PACK: there is no file \"" + file.string() +
                                               "\"; known are kernel packs, separated by ':', and off");
    }
    return kernel_packs(std::move(files), true);
  }
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (!unknown) files.push_back(program.string() + ".prismpack");
  return kernel_packs(std::move(files), false);
}

void kernel_packs::open() {
  for (const fs::path& file : m_files) {
    std::error_code failed;
    if (!m_named && !fs::exists(file, failed)) continue;
    try {
      open_pack made{file, std::make_unique<kernel_pack>(file), {}, {}};
      m_packs.push_back(std::move(made));
    } catch (const pack_error& wrong) {
      support::log(support::level::warn,
                   "the kernel pack " + file.string() + " is not used: " + wrong.what());
    }
  }
}

std::optional<std::vector<std::byte>> kernel_packs::load(const program_key& key) {
  std::call_once(m_opened, [this] { open(); });
  if (m_packs.empty()) return std::nullopt;
  const std::string text = key.text();
  for (const open_pack& p : m_packs) {
    try {
      if (auto found = p.content->find(text)) return found;
    } catch (const pack_error& wrong) {
      support::log(support::level::warn, "the kernel pack " + p.file.string() + ": " + wrong.what() + "; " +
                                             key.entry() + " is built instead");
      return std::nullopt;
    }
  }
  if (support::enabled(support::level::info)) report_absence(key);
  return std::nullopt;
}

void kernel_packs::refused_by_device(const program_key& key) {
  support::log(support::level::warn, "the kernel pack's program of " + key.entry() +
                                         " is not accepted by the driver (" + key.device +
                                         "); it is built instead");
}

/// Called only if the log level includes it, so its cost does not matter.
void kernel_packs::report_absence(const program_key& key) {
  const std::lock_guard lock(m_mutex);
  for (open_pack& p : m_packs) {
    for (std::size_t i = 0; p.devices.empty() && i < p.content->size(); ++i) {
      try {
        const program_key other = program_key::from(p.content->entry(i).key);
        p.kernels.insert(other.kernel);
        p.devices.insert(other.device);
      } catch (const pack_error&) { // reported when this entry is requested
      }
    }
    const std::string pack = "the kernel pack " + p.file.string();
    std::string others;
    for (const std::string& d : p.devices) others += (others.empty() ? "" : ", ") + d;
    if (p.devices.count(key.device) == 0) {
      if (m_reported.insert(p.file.string() + '\n' + key.device).second)
        support::log(support::level::info,
                     pack + " was made for " + others + ", not for " + key.device + ": kernels are built");
    } else if (p.kernels.count(key.kernel) == 0) {
      support::log(support::level::info,
                   pack + " has no " + key.entry() + " of this build of the program: it is built");
    }
  }
}

} // namespace prism::images
