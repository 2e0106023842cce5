#include "runtime/observe/transfer_log.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"
#include "runtime/support/output_file.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace prism::memory {

namespace {

/// How a program can avoid copies with this reason; empty if it cannot.
std::string_view advice(std::string_view reason) {
  if (reason == "via host")
    return "the two devices share no memory: keep the data on one of them, or split it once";
  if (reason == "needs address")
    return "a kernel needs the buffer's address: launch it first, or use the buffer with such kernels only";
  if (reason == "simplify") return "the buffer was used in very many pieces: use fewer and larger ranges";
  if (reason == "evicted" || reason == "needed again after it was evicted")
    return "the buffers in use do not fit into the device's memory together: run the commands of one buffer "
           "one after another, or use smaller parts at a time";
  if (reason == "written elsewhere")
    return "the data is written alternately on several devices or the host: run the kernels of one buffer on "
           "one device, and read it on the host less often";
  return {};
}

class sums {
public:
  void add(const recorded_transfer& t) {
    sum& kind = m_by_reason[t.reason][t.from + " -> " + t.to];
    ++kind.copies;
    kind.bytes += t.bytes;
    m_bytes += t.bytes;
    if (!advice(t.reason).empty()) m_spared += t.bytes;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out{
        std::to_string(m_bytes) + " bytes were copied" +
        (m_spared != 0 ? ", " + std::to_string(m_spared) + " of them can be avoided" : "")};
    for (const auto& [reason, ways] : m_by_reason) {
      for (const auto& [way, s] : ways)
        out.push_back("  " + std::to_string(s.bytes) + " B in " + std::to_string(s.copies) + " copies " +
                      way + ": " + reason);
      if (const std::string_view what = advice(reason); !what.empty())
        out.push_back("    to avoid them: " + std::string(what));
    }
    return out;
  }

private:
  struct sum {
    std::uint64_t copies = 0, bytes = 0;
  };
  std::map<std::string, std::map<std::string, sum>> m_by_reason; // then by direction
  std::uint64_t m_bytes = 0, m_spared = 0;                       // m_spared: bytes of copies with advice
};

class report {
public:
  report(std::FILE* file, std::string name) : m_file(file), m_name(std::move(name)) {}
  void add(const recorded_transfer& t) {
    const std::lock_guard lock(m_mutex);
    std::fprintf(m_file, "prism: ledger: %s\n", line_of(t).c_str()); // words: quoted
    m_sums.add(t);
  }
  void summarise() {
    const std::lock_guard lock(m_mutex);
    for (const std::string& line : m_sums.lines())
      std::fprintf(m_file, "prism: ledger: %s\n", line.c_str()); // words: quoted
    support::finish_output(m_file, support::variables::ledger.name, m_name);
  }

private:
  std::mutex m_mutex;
  std::FILE* m_file;
  const std::string m_name;
  sums m_sums;
};

/// Never destroyed, because other exit handlers may still copy.
report* the_report() noexcept {
  static report* const made = []() -> report* {
    const auto wanted = support::set_value_of(support::variables::ledger);
    if (!wanted || !support::is_on(support::variables::ledger)) return nullptr;
    std::FILE* file = *wanted == "1" || *wanted == "on" ? stderr : std::fopen(wanted->c_str(), "we");
    if (file == nullptr) {
      support::log(support::level::error,
                   "PRISM_LEDGER: cannot write \"" + *wanted + "\"; the transfer log goes to standard error");
      file = stderr;
    }
    std::atexit([] { the_report()->summarise(); });
    return new report(file, file == stderr ? "standard error" : *wanted);
  }();
  return made;
}

struct listeners {
  std::mutex mutex;
  std::vector<transfer_listener*> all;
};
listeners& the_listeners() {
  static auto* made = new listeners;
  return *made;
}
constinit std::atomic<int> listening{0};

recorded_transfer recorded(const transfer& t) {
  return {t.bytes,
          std::string(t.from),
          std::string(t.to),
          std::string(t.reason),
          std::string(t.command),
          std::string(t.line)};
}

class reporter final : public observe::observer {
public:
  std::uint32_t interests() const noexcept override {
    return listening.load(std::memory_order_relaxed) != 0 || the_report() != nullptr
               ? observe::labels | observe::transfers
               : 0;
  }
  void copied(const transfer& made) noexcept override try {
    if (report* const printed = the_report()) printed->add(recorded(made));
    if (listening.load(std::memory_order_relaxed) == 0) return;
    listeners& known = the_listeners();
    const std::lock_guard lock(known.mutex);
    for (transfer_listener* each : known.all) each->hear(made);
  } catch (...) { // out of memory: the line is dropped
  }
};

void register_reporter() {
  static const bool is_known = (observe::add(*new reporter), true);
  static_cast<void>(is_known);
}

} // namespace

std::string line_of(const recorded_transfer& t) {
  return std::to_string(t.bytes) + " B " + t.from + " -> " + t.to + ": " + t.reason +
         (t.command.empty() ? "" : ", for " + t.command) + (t.line.empty() ? "" : ", " + t.line);
}

std::string summary_of(const std::vector<recorded_transfer>& all) {
  sums of_all;
  for (const recorded_transfer& t : all) of_all.add(t);
  std::string out;
  for (const std::string& line : of_all.lines()) out += line + '\n';
  return out;
}

transfer_listener::transfer_listener(const void* queue) : m_queue(queue) {
  register_reporter();
  listeners& known = the_listeners();
  std::unique_lock lock(known.mutex);
  known.all.push_back(this);
  ++listening;
  lock.unlock();
  observe::interests_changed();
}

transfer_listener::~transfer_listener() {
  listeners& known = the_listeners();
  std::unique_lock lock(known.mutex);
  std::erase(known.all, this);
  --listening;
  lock.unlock();
  observe::interests_changed();
}

std::vector<recorded_transfer> transfer_listener::heard() const {
  const std::lock_guard lock(m_mutex);
  return m_heard;
}

void transfer_listener::hear(const transfer& made) {
  if (m_queue != nullptr && made.queue != m_queue) return;
  const std::lock_guard lock(m_mutex);
  m_heard.push_back(recorded(made));
}

bool reports_transfers() noexcept {
  return listening.load(std::memory_order_relaxed) != 0 || the_report() != nullptr;
}

void report_transfers_if_asked() {
  if (the_report() != nullptr) register_reporter();
}

} // namespace prism::memory
