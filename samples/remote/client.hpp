// The client's end: one connection for all queues of a device. So work of different queues runs in the order
// of submission, and waits between queues cost nothing. Two threads: one sends, one receives; submitting only
// appends to a list.
//
// Guarantees: host memory of a submission is not accessed once its point is complete, even by a faulty
// server. If the server is killed, does not answer within the limit, or sends an invalid message, every point
// fails as lost. A kernel may take any time while the server sends "alive" messages.
#pragma once

#include "wire.hpp"

#include "devices/api/types.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

namespace remote {

struct server_facts {
  std::uint64_t memory = 0;
  std::uint32_t threads = 1;
  std::string processor;
};

struct completion {
  std::optional<prism::devices::device_error> failure;
  std::uint64_t started_ns = 0, ended_ns = 0;
};

/// A message of a submission with its host memory, which is read from (write), written to (read), or both
/// (with `to_host` set: a copy within the host, without a message).
struct step {
  type kind{};
  std::vector<std::byte> fields;
  std::optional<box> host;
  std::optional<box> to_host;
};

class connection {
public:
  /// Both ends prove that they know the token. Throws errors of the system, the connection or the other end.
  connection(int descriptor, const std::string& token, std::chrono::milliseconds silence);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  const server_facts& facts() const noexcept { return m_facts; }
  /// A range of addresses that is free in both processes and holds all allocations.
  std::uint64_t window_base() const noexcept { return m_window_base; }
  static constexpr std::uint64_t window_bytes = std::uint64_t(1) << 36;

  /// Both throw device_error{lost} once the server is lost, and never fail otherwise.
  void allocate(std::uint64_t address, std::uint64_t bytes);
  void release(std::uint64_t address) noexcept;
  /// Waits for the answer. Returns the index of the function; throws device_error.
  std::uint64_t resolve(const void* function, const std::string& name);
  /// The receiving thread calls `done` once.
  void submit(std::vector<step> steps, std::function<void(const completion&)> done);

private:
  struct notice {
    type kind;
    writer fields;
  };
  struct question {
    writer fields;
    std::promise<std::uint64_t> answer;
  };
  struct submission {
    std::vector<step> steps;
    std::function<void(const completion&)> done;
    bool sent = false;
  };
  using item = std::variant<notice, question, submission>;

  void shake_hands(const std::string& token);
  void find_window();
  void append(std::unique_ptr<item> what);
  void send_all();
  void send(item& what);
  void send(submission& what);
  void send_host_memory(const box& from);
  void receive_all();
  message next_message();
  void receive(submission& what);
  void read_data(const box& to);
  void fail_everything(const std::string& why);

  channel m_channel;
  std::chrono::milliseconds m_silence;
  server_facts m_facts;
  std::uint64_t m_window_base = 0;

  std::mutex m_mutex; // guards everything below
  std::condition_variable m_changed;
  std::deque<std::unique_ptr<item>> m_to_send, m_in_flight;
  std::uint64_t m_reads_in_flight = 0; // steps that will still write host memory
  bool m_sending = false, m_closing = false;
  std::string m_lost;
  std::thread m_sender, m_receiver;
};

} // namespace remote
