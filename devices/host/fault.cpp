#include "devices/host/fault.hpp"

#include "devices/api/signal_line.hpp"
#include "devices/api/thread_end.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace prism::devices::host {
namespace {

// initial-exec, as the current work-item (work_item.cpp).
[[gnu::tls_model("initial-exec")]] constinit thread_local const host_kernel* running = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool has_signal_stack = false;

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
struct sigaction before[std::size(signals)];

constexpr std::size_t signal_stack_bytes = 64 * 1024; // a handler of a sanitizer may run there too

void end_signal_stack(void* memory) {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, signal_stack_bytes);
}

/// The stack of a work-item may be what overflowed, so the handler needs one of its own.
void make_signal_stack() noexcept {
  has_signal_stack = true;
  stack_t present{};
  if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  void* const memory =
      mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t own{};
  own.ss_sp = memory;
  own.ss_size = signal_stack_bytes;
  if (sigaltstack(&own, nullptr) != 0 || !at_thread_end<&end_signal_stack>(memory)) end_signal_stack(memory);
}

/// "app.cpp:12" of the call, else of the lambda, whose type clang calls "(lambda at app.cpp:12:3)".
void add_place(signal_line& text, const host_kernel& kernel) {
  if (kernel.place == nullptr) return;
  std::string_view place = kernel.place;
  if (kernel.line == 0) {
    constexpr std::string_view start = "(lambda at ";
    const std::size_t begin = place.find(start);
    if (begin == std::string_view::npos) return;
    place.remove_prefix(begin + start.size());
    place = place.substr(0, place.rfind(':', place.find(')')));
  }
  text.add(" (");
  text.add(place);
  if (kernel.line != 0) {
    text.add(":");
    text.add_number(kernel.line);
  }
  text.add(")");
}

void report(int signal, const siginfo_t& info, const host_kernel& kernel) {
  signal_line text;
  text.add("prism: error: kernel \"");
  text.add(kernel.name != nullptr && *kernel.name != '\0' ? kernel.name : "unnamed");
  text.add("\"");
  add_place(text, kernel);
  text.add(" on the host device ");
  if (signal == SIGFPE) {
    const bool of_integers = info.si_code == FPE_INTDIV || info.si_code == FPE_INTOVF;
    text.add(of_integers ? "divides an integer by zero, or overflows in the division"
                         : "raises a floating-point exception that the program has enabled");
  } else {
    text.add(signal == SIGBUS ? "accesses memory that its file or machine does not have: address 0x"
                              : "accesses memory that is not the program's: address 0x");
    text.add_number(reinterpret_cast<std::uintptr_t>(info.si_addr), 16);
    text.add("; prism++ --check=access finds wrong indices of accessors, -fsanitize=address wrong pointers");
  }
  text.write();
}

void handle(int signal, siginfo_t* info, void* context) {
  if (running != nullptr && info->si_code > 0) { // by an instruction of this thread, not by kill()
    report(signal, *info, *running);
    running = nullptr;
  }
  const auto* const which = std::find(std::begin(signals), std::end(signals), signal);
  const struct sigaction& other = before[which - std::begin(signals)];
  if ((other.sa_flags & SA_SIGINFO) != 0 && other.sa_sigaction != nullptr) {
    other.sa_sigaction(signal, info, context);
  } else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN) {
    other.sa_handler(signal);
  } else { // the instruction runs again, without this handler
    sigaction(signal, &other, nullptr);
    if (info->si_code <= 0) raise(signal);
  }
}

} // namespace

running_kernel::running_kernel(const host_kernel& kernel) noexcept : m_before(running) {
  if (!has_signal_stack) make_signal_stack();
  running = &kernel;
}

running_kernel::~running_kernel() { running = m_before; }

void report_faults_of_kernels() {
  [[maybe_unused]] static const bool once = [] {
    for (std::size_t i = 0; i < std::size(signals); ++i) {
      struct sigaction own{};
      own.sa_sigaction = &handle;
      own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigemptyset(&own.sa_mask);
      if (sigaction(signals[i], nullptr, &before[i]) == 0) sigaction(signals[i], &own, nullptr);
    }
    return true;
  }();
}

} // namespace prism::devices::host
