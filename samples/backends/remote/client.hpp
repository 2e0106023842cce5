// The client's end: one connection for all queues of a device, so work of different queues runs in the order
// in which it was submitted and waiting for each other is free. Two threads: one sends, one receives;
// submitting only appends to a list.
//
// Guarantees: host memory of a submission is not touched once its point is complete, whatever the server
// does; a server that is killed, stops answering for the limit, or sends what it must not, makes every point
// fail as lost; a kernel may take as long as it likes as long as the server says that it is alive.
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

/// A message of a submission, and the host memory that goes with it: read from (write), written to (read), or
/// both (none of them: `to_host` set, a copy within the host).
struct step {
  type kind{};
  std::vector<std::byte> fields;
  std::optional<box> host;
  std::optional<box> to_host;
};

class connection {
public:
  /// Proves the token both ways. Throws what the system, the wire or the other end says.
  connection(int descriptor, const std::string& token, std::chrono::milliseconds silence);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  const server_facts& facts() const noexcept { return m_facts; }
  /// Range of addresses that is free in both processes and holds all allocations.
  std::uint64_t window_base() const noexcept { return m_window_base; }
  static constexpr std::uint64_t window_bytes = std::uint64_t(1) << 36;

  /// Both throw device_error{lost} once the server is lost, else never fail.
  void allocate(std::uint64_t address, std::uint64_t bytes);
  void release(std::uint64_t address) noexcept;
  /// Waits for the answer. Number of the function; throws device_error.
  std::uint64_t resolve(const void* function, const std::string& name);
  /// `done` is called once, from the receiving thread.
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

  std::mutex m_mutex; // everything below
  std::condition_variable m_changed;
  std::deque<std::unique_ptr<item>> m_to_send, m_in_flight;
  std::uint64_t m_reads_in_flight = 0; // steps that will still write host memory
  bool m_sending = false, m_closing = false;
  std::string m_lost;
  std::thread m_sender, m_receiver;
};

} // namespace remote
