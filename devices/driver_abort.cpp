#include "devices/driver_abort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <link.h>
#include <mutex>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <unwind.h>

namespace prism::devices {
namespace {

enum class owner : std::uint8_t { system, program, driver };

/// A loaded library. The handler reads these without a lock, so they are written once and never move.
struct loaded {
  std::uintptr_t begin, end;
  const char* name; // of the file, without folders; never freed
  owner whose;
};

constexpr std::size_t most = 1024;
std::array<loaded, most> libraries;
std::atomic<std::size_t> count{0}; // of `libraries`
std::mutex writing;
constinit thread_local const char* opens = nullptr; // the backend that this thread opens

/// The library that contains `address`; null if none was recorded. The newest record counts, since a library
/// may be unloaded and another one loaded in its place.
const loaded* library_of(std::uintptr_t address) {
  for (std::size_t i = count.load(std::memory_order_acquire); i-- > 0;)
    if (address >= libraries[i].begin && address < libraries[i].end) return &libraries[i];
  return nullptr;
}

/// The C and C++ libraries, through which abort() is called.
bool is_system(std::string_view name) {
  for (const std::string_view part : {"libc.", "libstdc++", "libc++", "libgcc_s", "libpthread", "ld-"})
    if (name.substr(0, part.size()) == part) return true;
  return false;
}

int record(dl_phdr_info* info, std::size_t, void* whose) {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    end = std::max<std::uintptr_t>(end,
                                   info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
  }
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  const char* const name = slash != nullptr ? slash + 1 : info->dlpi_name;
  const std::size_t at = count.load(std::memory_order_relaxed);
  if (const loaded* const known = library_of(begin); known != nullptr && std::strcmp(known->name, name) == 0)
    return 0;
  const char* const copy = at < most ? strdup(name) : nullptr;
  if (copy == nullptr) return 1; // the handler does not know the rest
  libraries[at] = {begin, end, copy, is_system(name) ? owner::system : *static_cast<owner*>(whose)};
  count.store(at + 1, std::memory_order_release);
  return 0;
}

void record_loaded(owner whose) {
  const std::lock_guard lock(writing);
  dl_iterate_phdr(&record, &whose);
}

/// A line of text without memory or locks of the process, which may be exhausted or held.
class line {
public:
  void add(const char* text) {
    while (*text != '\0' && m_size < sizeof m_text - 1) m_text[m_size++] = *text++;
  }
  void add_number(std::uint64_t value) {
    char digits[21];
    std::size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do digits[--at] = char('0' + value % 10);
    while ((value /= 10) != 0);
    add(digits + at);
  }
  void write() {
    m_text[m_size++] = '\n';
    (void)!::write(STDERR_FILENO, m_text, m_size);
  }

private:
  char m_text[1024];
  std::size_t m_size = 0;
};

struct known_limit {
  __rlimit_resource_t which;
  rlim_t usual; // a lower limit is named
  rlim_t unit;
  const char *before, *behind;
};
constexpr known_limit limits[] = {
    {RLIMIT_AS, RLIM_INFINITY, 1024 * 1024, "address space ", " MiB (ulimit -v)"},
    {RLIMIT_DATA, RLIM_INFINITY, 1024 * 1024, "data ", " MiB (ulimit -d)"},
    {RLIMIT_STACK, 8 << 20, 1024, "stack ", " KiB (ulimit -s)"},
    {RLIMIT_NOFILE, 256, 1, "open files ", " (ulimit -n)"},
    {RLIMIT_NPROC, 1024, 1, "threads of this user ", " (ulimit -u)"},
    {RLIMIT_FSIZE, RLIM_INFINITY, 1024, "file size ", " KiB (ulimit -f)"},
};

void add_limits(line& text) {
  bool any = false;
  for (const known_limit& each : limits) {
    rlimit now{};
    if (getrlimit(each.which, &now) != 0 || now.rlim_cur == RLIM_INFINITY || now.rlim_cur >= each.usual)
      continue;
    text.add(any ? ", " : ". A limit of this process is the likely cause: ");
    text.add(each.before);
    text.add_number(now.rlim_cur / each.unit);
    text.add(each.behind);
    any = true;
  }
  if (!any) text.add(". No limit of this process is low");
}

/// Who called abort(): the first caller outside of the C and C++ libraries.
struct search {
  bool left_handler =
      false; // the frames of the handler come first, then that of the C library which called it
  const loaded* caller = nullptr;
};

_Unwind_Reason_Code look(_Unwind_Context* frame, void* into) {
  auto& found = *static_cast<search*>(into);
  const std::uintptr_t behind_call = _Unwind_GetIP(frame);
  const loaded* const library = behind_call != 0 ? library_of(behind_call - 1) : nullptr;
  if (library != nullptr && library->whose == owner::system) {
    found.left_handler = true;
    return _URC_NO_REASON;
  }
  if (!found.left_handler) return _URC_NO_REASON;
  found.caller = library;
  return _URC_NORMAL_STOP;
}

void handle(int) {
  search found;
  _Unwind_Backtrace(&look, &found);
  // While drivers are loaded, their libraries are not recorded yet.
  const bool is_loading = opens != nullptr && found.caller == nullptr;
  if (!is_loading && (found.caller == nullptr || found.caller->whose != owner::driver)) return;
  line text;
  text.add("prism: error: a driver ends this process: ");
  if (is_loading) {
    text.add("abort() while the backend \"");
    text.add(opens);
    text.add("\" loads its drivers");
  } else {
    text.add("abort() in ");
    text.add(found.caller->name);
  }
  add_limits(text);
  text.add("; PRISM_DEVICE_SELECTOR=host runs the program without it");
  text.write();
} // abort() goes on: it removes this handler and raises the signal again

void install_once() {
  [[maybe_unused]] static const bool once = [] {
    struct sigaction now{}, own{};
    own.sa_handler = &handle;
    sigemptyset(&own.sa_mask);
    if (sigaction(SIGABRT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL)
      sigaction(SIGABRT, &own, nullptr);
    return true;
  }();
}

} // namespace

driver_opening::driver_opening(const std::string& backend) : m_backend(backend), m_outer(opens) {
  record_loaded(owner::program);
  opens = m_backend.c_str();
  install_once();
}

driver_opening::~driver_opening() {
  opens = m_outer;
  record_loaded(owner::driver);
}

} // namespace prism::devices
