#include "devices/wrap/trace.hpp"

#include "devices/wrap/forward.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdio>

namespace prism::devices::wrap {

namespace {

struct journal {
  std::mutex mutex;
  trace_sink sink;
  std::string device;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  void line(const std::string& text) {
    const std::lock_guard lock(mutex);
    const double at =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    char time[32];
    std::snprintf(time, sizeof time, "%10.3f ms ", at);
    sink(time + ("[" + device + "] " + text));
  }
};

std::string text(const extent3& e) {
  return std::to_string(e[0]) + "x" + std::to_string(e[1]) + "x" + std::to_string(e[2]);
}
const char* kind_text(memory_kind kind) {
  switch (kind) {
    case memory_kind::device: return "device";
    case memory_kind::host: return "host";
    case memory_kind::shared: return "shared";
    case memory_kind::buffer: return "buffer";
  }
  return "?";
}

struct describe_command {
  const known_kernels& kernels;
  std::string operator()(const copy_command& c) const {
    const auto side = [](const location& l) { return l.object != nullptr ? "device" : "host"; };
    return "copy " + std::to_string(c.row_bytes * c.rows * c.slices) + " bytes " + side(c.from) + " to " +
           side(c.to);
  }
  std::string operator()(const fill_command& c) const { return "fill " + std::to_string(c.bytes) + " bytes"; }
  std::string operator()(const dispatch_command& c) const {
    const image::kernel_record* record = kernels.record_of(c.object);
    return std::string("kernel ") + (record != nullptr ? record->display_name : "(unnamed)") + " " +
           text(c.groups) + " groups of " + text(c.local) +
           (c.part.is_part ? " from group " + text(first_group_of(c)) : "");
  }
  std::string operator()(const barrier_command&) const { return "barrier"; }
};

/// Completions that are not written yet.
struct endings {
  std::mutex mutex;
  std::condition_variable all_ended;
  std::uint64_t open = 0;
};

class traced_queue final : public forwarding_queue {
public:
  traced_queue(std::unique_ptr<queue> whole, std::shared_ptr<journal> to,
               std::shared_ptr<known_kernels> kernels, std::uint64_t number)
      : forwarding_queue(std::move(whole)), m_to(std::move(to)), m_kernels(std::move(kernels)),
        m_number(number) {}
  ~traced_queue() override { // lines about completion query the wrapped timeline
    whole().flush();
    std::unique_lock lock(m_endings->mutex);
    m_endings->all_ended.wait(lock, [&] { return m_endings->open == 0; });
  }
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    std::string what;
    for (const command& c : commands)
      what += (what.empty() ? "" : "; ") + std::visit(describe_command{*m_kernels}, c);
    if (!waits.empty()) what += ", after " + std::to_string(waits.size()) + " points";
    std::uint64_t point = 0;
    try {
      point = forwarding_queue::submit(commands, waits);
    } catch (const device_error& e) {
      m_to->line("queue " + std::to_string(m_number) + " refuses: " + what + ": " + e.what());
      throw;
    }
    m_to->line("queue " + std::to_string(m_number) + " point " + std::to_string(point) + ": " + what);
    struct ending {
      std::shared_ptr<journal> to;
      std::shared_ptr<endings> all;
      timeline* of;
      std::uint64_t queue, point;
    };
    auto* end = new ending{m_to, m_endings, &whole().points(), m_number, point};
    {
      const std::lock_guard lock(m_endings->mutex);
      ++m_endings->open;
    }
    whole().points().on_completion(point, [](void* context) {
      const std::unique_ptr<ending> e(static_cast<ending*>(context));
      const auto failure = e->of->failure(e->point);
      e->to->line("queue " + std::to_string(e->queue) + " point " + std::to_string(e->point) +
                  (failure ? std::string(" failed: ") + failure->what() : " complete"));
      const std::lock_guard lock(e->all->mutex);
      if (--e->all->open == 0) e->all->all_ended.notify_all();
    }, end);
    return point;
  }

private:
  std::shared_ptr<journal> m_to;
  std::shared_ptr<known_kernels> m_kernels;
  std::shared_ptr<endings> m_endings = std::make_shared<endings>();
  std::uint64_t m_number;
};

class traced_device final : public forwarding_device {
  template <typename Make>
  auto logged(const std::string& what, const Make& make) {
    try {
      auto made = make();
      m_to->line(what);
      return made;
    } catch (const device_error& e) {
      m_to->line(what + ": refused: " + e.what());
      throw;
    }
  }

public:
  traced_device(std::unique_ptr<device> of, trace_sink sink) : forwarding_device(std::move(of)) {
    m_to->sink = std::move(sink);
    m_to->device = whole().info().name;
  }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override {
    return logged("allocate " + std::to_string(bytes) + " bytes of " + kind_text(kind) + " memory",
                  [&] { return forwarding_device::create_memory(bytes, kind, alignment); });
  }
  std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) override {
    auto made = forwarding_device::adopt(host, bytes);
    m_to->line("adopt " + std::to_string(bytes) + " bytes of the host" +
               (made == nullptr ? " (not possible)" : ""));
    return made;
  }
  std::unique_ptr<program> create_program(const program_source& source) override {
    return logged(std::string("build ") +
                      (source.record != nullptr ? source.record->display_name : "(unnamed)"),
                  [&] { return forwarding_device::create_program(source); });
  }
  std::unique_ptr<queue> create_queue(const queue_options& options) override {
    const std::uint64_t number = m_queues++;
    return logged("make queue " + std::to_string(number), [&] {
      return std::make_unique<traced_queue>(forwarding_device::create_queue(options), m_to, kernels(),
                                            number);
    });
  }

private:
  std::shared_ptr<journal> m_to = std::make_shared<journal>();
  std::atomic<std::uint64_t> m_queues{0};
};

} // namespace

trace_sink trace_to(const std::string& file) {
  if (file.empty()) return [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<std::FILE>> open; // several devices write to one file
  const std::lock_guard lock(mutex);
  std::shared_ptr<std::FILE> out = open[file].lock();
  if (out == nullptr) {
    out.reset(std::fopen(file.c_str(), "w"), [](std::FILE* f) {
      if (f != nullptr) std::fclose(f);
    });
    open[file] = out;
  }
  if (out == nullptr)
    throw device_error(error_category::invalid, "", "trace(" + file + "): the file cannot be written");
  return [out, file](const std::string& line) {
    const bool had_failed = std::ferror(out.get()) != 0;
    std::fprintf(out.get(), "%s\n", line.c_str());
    std::fflush(out.get()); // so that the lines survive a crash of the program
    if (!had_failed && std::ferror(out.get()) != 0)
      std::fprintf(stderr, "prism: error: trace(%s): the file cannot be written and is not complete\n",
                   file.c_str());
  };
}

std::unique_ptr<device> make_traced(std::unique_ptr<device> whole, trace_sink sink) {
  return std::make_unique<traced_device>(std::move(whole), std::move(sink));
}

} // namespace prism::devices::wrap
