// Folders for files that only this user may write: built programs, results of probing drivers, measurements.
// Such a file decides which code a process runs, so PRISM does not trust files in a folder that other users
// can write to.
//
// Any thread, any process. Header only: the registry, prism-info and the runtime have no library in common.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {

/// The folder for caches of this user: PRISM_CACHE_DIR, otherwise $XDG_CACHE_HOME/prism, otherwise
/// ~/.cache/prism; empty if none is set.
inline std::filesystem::path user_cache_folder() {
  if (const char* named = std::getenv("PRISM_CACHE_DIR"); named != nullptr && *named != 0) return named;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "prism";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache" / "prism";
  return {};
}

/// Why code from this file or folder cannot be trusted; empty if only this user and root can have written it.
inline std::string why_not_trusted(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return "cannot be read";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "can be written by other users; remove that permission (chmod go-w)";
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) return "belongs to another user";
  return {};
}

/// Makes the folder and its parents, readable for this user alone; does not change existing ones. Returns
/// false with errno set on failure.
inline bool make_private_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return true;
  const std::filesystem::path above = folder.parent_path();
  if (errno != ENOENT || above.empty() || above == folder) return false;
  return make_private_folder(above) && (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST);
}

/// Empty if the folder belongs to this user and no other user can put files into it; else the reason. A
/// symbolic link is refused: its creator decides where it leads.
inline std::string why_not_private(const std::filesystem::path& folder) {
  struct stat info{};
  const std::filesystem::path itself =
      folder.has_filename() ? folder : folder.parent_path(); // lstat follows a link before a '/'
  if (::lstat(itself.c_str(), &info) != 0) return std::strerror(errno);
  if (!S_ISDIR(info.st_mode)) return "it is not a folder";
  if (info.st_uid != ::geteuid()) return "it belongs to another user";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others can write to it (chmod go-w)";
  return {};
}

/// Whether a file in such a folder belongs to this user: files that others put there while they could remain
/// theirs.
inline bool is_own_file(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Writes a temporary file and renames it, readable for this user alone: another process reads all or
/// nothing. Returns false if nothing has changed.
inline bool write_private_file(const std::filesystem::path& file, const std::string& text) {
  std::string fresh = file.native() + ".XXXXXX";
  const int out = ::mkostemp(fresh.data(), O_CLOEXEC); // mode 0600
  if (out < 0) return false;
  const bool whole = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(out) == 0 && whole && std::rename(fresh.c_str(), file.c_str()) == 0) return true;
  ::unlink(fresh.c_str());
  return false;
}

} // namespace prism
