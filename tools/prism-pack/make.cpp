#include "tools/prism-pack/make.hpp"

#include "runtime/images/disk_cache.hpp"
#include "runtime/images/kernel_pack.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <sys/wait.h>
#include <unistd.h>

namespace prism::pack_tool {

namespace fs = std::filesystem;

namespace {

class scratch_folder {
public:
  scratch_folder() {
    std::string name = (fs::temp_directory_path() / "prism-pack-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a temporary folder");
    m_path = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  const fs::path& path() const { return m_path; }

private:
  fs::path m_path;
};

/// Returns the exit status, or 128 plus the signal. The program writes to the user's standard output.
int run(const make_request& request, const fs::path& cache) {
  std::vector<char*> words;
  for (const std::string& word : request.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "cannot start " + request.program.front());
  if (child == 0) {
    ::setenv("PRISM_CACHE", "eager", 1);
    ::setenv("PRISM_CACHE_DIR", cache.c_str(), 1);
    ::setenv("PRISM_CACHE_SIZE", "64G", 1);
    ::setenv("PRISM_PACK", "off", 1);
    ::setenv("PRISM_PREPARE", request.only_used ? "0" : "wait", 1);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw std::runtime_error("cannot start " + request.program.front());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

made_pack make(const make_request& request) {
  const scratch_folder folder;
  const fs::path cache = folder.path() / "programs";
  made_pack done;
  done.program_status = run(request, cache);
  std::vector<images::pack_entry> entries;
  if (fs::exists(cache))
    for (const auto& file : fs::directory_iterator(cache)) {
      if (!images::disk_cache::is_entry(file.path())) continue;
      if (auto found = images::disk_cache::read(file.path()))
        entries.push_back({std::move(found->key), std::move(found->data)});
    }
  if (entries.empty())
    throw std::runtime_error(
        "the run of " + request.program.front() + " (exit status " + std::to_string(done.program_status) +
        ") built no kernels: the run must use a device other than the host device, which needs no built "
        "kernels; PRISM_DEVICE_SELECTOR limits the devices");
  images::write_pack(request.file, entries);
  done.entries = entries.size();
  done.bytes = fs::file_size(request.file);
  return done;
}

} // namespace prism::pack_tool
