#include "devices/driver_fault.hpp"

#include "devices/api/signal_line.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
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
// initial-exec: the handler must not ask for memory.
[[gnu::tls_model("initial-exec")]] constinit thread_local const char* opens = nullptr; // a backend's name
[[gnu::tls_model("initial-exec")]] constinit thread_local bool reports = false;

/// The library that contains `address`; null if none was recorded. The newest record counts, since a library
/// may be unloaded and another one loaded in its place.
const loaded* library_of(std::uintptr_t address) {
  for (std::size_t i = count.load(std::memory_order_acquire); i-- > 0;)
    if (address >= libraries[i].begin && address < libraries[i].end) return &libraries[i];
  return nullptr;
}

/// The C and C++ libraries: they fault only for their callers.
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

constexpr rlim_t kib = 1024, mib = 1024 * 1024;

struct known_limit {
  __rlimit_resource_t which;
  rlim_t usual;   // a lower limit may be the cause of a driver's end
  rlim_t too_low; // a lower limit is known to end drivers: ./prism check --limits
  rlim_t unit;
  std::string_view before, behind;
};
constexpr known_limit limits[] = {
    {RLIMIT_AS, RLIM_INFINITY, 1024 * mib, mib, "address space ", " MiB (ulimit -v)"},
    {RLIMIT_DATA, RLIM_INFINITY, 512 * mib, mib, "data ", " MiB (ulimit -d)"},
    {RLIMIT_STACK, 8 * mib, 0, kib, "stack ", " KiB (ulimit -s)"},
    {RLIMIT_NOFILE, 256, 0, 1, "open files ", " (ulimit -n)"},
    {RLIMIT_NPROC, 1024, 0, 1, "threads of this user ", " (ulimit -u)"},
    {RLIMIT_FSIZE, RLIM_INFINITY, 0, kib, "file size ", " KiB (ulimit -f)"},
};

/// Adds the limits that are below `bound`, separated by commas; false if there are none.
template <typename Text>
bool add_limits(Text& text, rlim_t known_limit::* bound) {
  bool any = false;
  for (const known_limit& each : limits) {
    rlimit now{};
    if (getrlimit(each.which, &now) != 0 || now.rlim_cur == RLIM_INFINITY || now.rlim_cur >= each.*bound)
      continue;
    if (any) text.add(", ");
    text.add(each.before);
    text.add_number(now.rlim_cur / each.unit);
    text.add(each.behind);
    any = true;
  }
  return any;
}

/// As signal_line, where memory may be used.
struct string_text {
  std::string text;
  void add(std::string_view more) { text += more; }
  void add_number(std::uint64_t value) { text += std::to_string(value); }
};

/// Whose instruction is the cause: the first caller outside of the C and C++ libraries.
struct search {
  bool left_handler =
      false; // the frames of the handler come first, then that of the C library which called it
  const loaded* cause = nullptr;
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
  found.cause = library;
  return _URC_NORMAL_STOP;
}

constexpr int signals[] = {SIGABRT, SIGSEGV, SIGBUS};
constexpr std::string_view actions[] = {"abort()", "a wrong access to memory", "a wrong access to memory"};
struct sigaction before[std::size(signals)];

/// Faults of drivers that a setting of theirs avoids.
constexpr struct {
  std::string_view library, advice;
} known_faults[] = {
    {"libintelocl",
     "; CL_CONFIG_USE_VECTORIZER=False in the environment avoids faults of this compiler's vectoriser"}};

std::string_view advice_for(std::string_view library) {
  for (const auto& each : known_faults)
    if (library.substr(0, each.library.size()) == each.library) return each.advice;
  return {};
}

void report(std::string_view action) {
  search found;
  _Unwind_Backtrace(&look, &found);
  // While drivers are loaded, their libraries are not recorded yet.
  const bool is_loading = opens != nullptr && found.cause == nullptr;
  if (!is_loading && (found.cause == nullptr || found.cause->whose != owner::driver)) return;
  signal_line text;
  text.add("prism: error: a driver ends this process: ");
  text.add(action);
  text.add(is_loading ? " while drivers are loaded by the backend " : " in ");
  text.add(is_loading ? opens : found.cause->name);
  text.add(". Limits of this process that may be the cause: ");
  if (!add_limits(text, &known_limit::usual)) text.add("none is low");
  if (!is_loading) text.add(advice_for(found.cause->name));
  text.add("; PRISM_DEVICE_SELECTOR=host runs the program without drivers");
  text.write();
}

void handle(int signal, siginfo_t* info, void* context) {
  const std::size_t which = std::size_t(std::find(std::begin(signals), std::end(signals), signal) - signals);
  const bool by_instruction = signal == SIGABRT ? info->si_code == SI_TKILL : info->si_code > 0;
  if (by_instruction && !reports) {
    reports = true; // a fault of this handler itself ends the process
    report(actions[which]);
    reports = false;
  }
  // Called once: LLVM's handler returns, the instruction faults again, and then the process has to end.
  const struct sigaction other = before[which];
  before[which] = {};
  if ((other.sa_flags & SA_SIGINFO) != 0 && other.sa_sigaction != nullptr) {
    other.sa_sigaction(signal, info, context);
  } else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN) {
    other.sa_handler(signal);
  } else { // an instruction runs again, without this handler
    sigaction(signal, &other, nullptr);
    if (signal == SIGABRT || !by_instruction) raise(signal);
  }
}

/// PRISM's own handlers lie in the library of this function.
bool may_replace(const struct sigaction& present) {
  if ((present.sa_flags & SA_SIGINFO) == 0 && present.sa_handler == SIG_DFL) return true;
  if ((present.sa_flags & SA_SIGINFO) == 0 && present.sa_handler == SIG_IGN) return false;
  const loaded* const library = library_of(reinterpret_cast<std::uintptr_t>(present.sa_sigaction));
  return library != nullptr && (library->whose == owner::driver ||
                                library == library_of(reinterpret_cast<std::uintptr_t>(&handle)));
}

void install() {
  const std::lock_guard lock(writing);
  for (std::size_t i = 0; i < std::size(signals); ++i) {
    struct sigaction present{}, own{};
    own.sa_sigaction = &handle;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&own.sa_mask);
    if (sigaction(signals[i], nullptr, &present) != 0 || present.sa_sigaction == &handle ||
        !may_replace(present))
      continue;
    before[i] = present;
    sigaction(signals[i], &own, nullptr);
  }
}

} // namespace

driver_opening::driver_opening(const std::string& backend) : m_backend(backend), m_outer(opens) {
  record_loaded(owner::program);
  opens = m_backend.c_str();
  install();
}

driver_opening::~driver_opening() {
  opens = m_outer;
  record_loaded(owner::driver);
  install(); // a driver may have replaced it
}

std::string limits_too_low_for_drivers() {
  string_text low;
  if (!add_limits(low, &known_limit::too_low)) return {};
  return "drivers of OpenCL and Vulkan are known to end a process that has so little: " + low.text;
}

} // namespace prism::devices
