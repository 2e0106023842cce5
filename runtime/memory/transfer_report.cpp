#include "runtime/memory/transfer_report.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace prism::memory {

namespace {

/// What a program can do against copies of a kind; empty where it cannot do anything.
std::string_view advice(std::string_view reason) {
  if (reason == "via host") return "the two devices share no memory: keep the data on one of them, or split it once";
  if (reason == "needs address") return "a kernel needs the buffer's address: launch it first, or use the buffer with such kernels only";
  if (reason == "simplify") return "the buffer was used in very many pieces: use fewer and larger ranges";
  if (reason == "written elsewhere") return "the data alternates between places: run the kernels of one buffer on one device, and read it on the host less often";
  return {};
}

class report {
public:
  explicit report(std::FILE* file) : m_file(file) {}

  void add(const transfer& t) {
    const std::lock_guard lock(m_mutex);
    std::fprintf(m_file, "prism: ledger: %llu B %s: %s%s%s\n", static_cast<unsigned long long>(t.bytes), way(t).c_str(), std::string(t.reason).c_str(),
                 t.command.empty() ? "" : ", for ", std::string(t.command).c_str());
    sum& kind = m_sums[std::string(t.reason)][way(t)];
    ++kind.copies;
    kind.bytes += t.bytes;
  }
  void summarise() {
    const std::lock_guard lock(m_mutex);
    std::uint64_t all = 0;
    for (const auto& [reason, ways] : m_sums)
      for (const auto& [where, s] : ways) all += s.bytes;
    std::fprintf(m_file, "prism: ledger: %llu bytes were copied\n", static_cast<unsigned long long>(all));
    for (const auto& [reason, ways] : m_sums) {
      for (const auto& [where, s] : ways)
        std::fprintf(m_file, "prism: ledger:   %llu B in %llu copies %s: %s\n", static_cast<unsigned long long>(s.bytes),
                     static_cast<unsigned long long>(s.copies), where.c_str(), reason.c_str());
      if (const std::string_view what = advice(reason); !what.empty())
        std::fprintf(m_file, "prism: ledger:     to spare them: %.*s\n", int(what.size()), what.data());
    }
    std::fflush(m_file);
  }

private:
  struct sum {
    std::uint64_t copies = 0, bytes = 0;
  };
  static std::string way(const transfer& t) { return std::string(t.from) + " -> " + std::string(t.to); }

  std::mutex m_mutex;
  std::FILE* m_file;
  std::map<std::string, std::map<std::string, sum>> m_sums; // by reason and way
};

/// Never destroyed: other exit handlers may still copy.
report* the_report() noexcept {
  static report* const made = []() -> report* {
    const auto wanted = support::set_value_of(support::variables::ledger);
    if (!wanted || !support::is_on(support::variables::ledger)) return nullptr;
    std::FILE* file = *wanted == "1" || *wanted == "on" ? stderr : std::fopen(wanted->c_str(), "we");
    if (file == nullptr) {
      support::log(support::level::error, "PRISM_LEDGER: cannot write \"" + *wanted + "\"; the ledger goes to standard error");
      file = stderr;
    }
    std::atexit([] { the_report()->summarise(); });
    return new report(file);
  }();
  return made;
}

} // namespace

bool reports_transfers() noexcept { return the_report() != nullptr; }

void report_transfer(const transfer& made) noexcept try {
  the_report()->add(made);
} catch (...) { // no memory for a line: it is left out
}

} // namespace prism::memory
