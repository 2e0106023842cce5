#include "client.hpp"

#include "code.hpp"
#include "token.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace remote {

using prism::devices::device_error;
using prism::devices::error_category;

namespace {

device_error lost(const std::string& why) {
  return {error_category::lost, "", "the remote device is lost: " + why};
}

void copy_on_host(const box& from, const box& to) {
  for (std::uint64_t row = 0; row < from.rows * from.slices; ++row)
    std::memmove(
        reinterpret_cast<void*>(to.address + row / to.rows * to.slice_pitch + row % to.rows * to.row_pitch),
        reinterpret_cast<const void*>(from.address + row / to.rows * from.slice_pitch +
                                      row % to.rows * from.row_pitch),
        from.row_bytes);
}

} // namespace

connection::connection(int descriptor, const std::string& token, std::chrono::milliseconds silence)
    : m_channel(descriptor), m_silence(silence) {
  shake_hands(token);
  find_window();
  m_sender = std::thread([this] { send_all(); });
  m_receiver = std::thread([this] { receive_all(); });
}

connection::~connection() {
  {
    const std::lock_guard lock(m_mutex);
    m_closing = true;
  }
  m_changed.notify_all();
  m_sender.join();
  m_channel.shut();
  m_receiver.join();
  munmap(reinterpret_cast<void*>(m_window_base), window_bytes);
}

void connection::shake_hands(const std::string& token) {
  const message challenge = m_channel.expect(type::challenge, handshake_ms);
  reader c(challenge);
  if (const auto version = c.take<std::uint32_t>(); version != protocol_version)
    throw protocol_error("the server speaks version " + std::to_string(version) +
                         " of the protocol, this module version " + std::to_string(protocol_version));
  const auto theirs = c.take<digest>();
  c.end();
  const digest mine = random_digest();
  m_channel.send(type::hello, writer()
                                  << protocol_version << mine << proof(token, role::client, theirs, mine));
  message welcome;
  try {
    welcome = m_channel.expect(type::welcome, handshake_ms);
  } catch (const connection_lost&) {
    throw connection_lost("the server refused this client; do both have the same token?");
  }
  reader w(welcome);
  if (!same(w.take<digest>(), proof(token, role::server, theirs, mine)))
    throw protocol_error("the other end does not know the token: it is not the server");
  m_facts.memory = w.take<std::uint64_t>();
  m_facts.threads = w.take<std::uint32_t>();
  m_facts.processor = w.text();
  w.end();
  m_facts.memory = std::min(m_facts.memory, window_bytes / 2);
  if (m_facts.memory == 0 || m_facts.threads == 0)
    throw protocol_error("the server reports that it has no memory or no processor");
}

void connection::find_window() {
  for (int attempt = 0; attempt < 16; ++attempt) {
    std::uint64_t hint = 0;
    const digest random = random_digest();
    std::memcpy(&hint, random.data(), sizeof hint);
    hint = std::uint64_t(0x100000000000) +
           (hint & 0x3ff) * (std::uint64_t(1) << 34); // far from libraries and stacks
    void* reserved = mmap(reinterpret_cast<void*>(hint), window_bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw connection_lost("the system has no range of addresses");
    m_channel.send(type::window, writer() << reinterpret_cast<std::uint64_t>(reserved) << window_bytes);
    const message answer = m_channel.expect(type::window_taken, handshake_ms);
    reader r(answer);
    const bool taken = r.take<std::uint8_t>() != 0;
    r.end();
    if (taken) {
      m_window_base = reinterpret_cast<std::uint64_t>(reserved);
      return;
    }
    munmap(reserved, window_bytes);
  }
  throw protocol_error("client and server found no range of addresses that is free in both");
}

void connection::append(std::unique_ptr<item> what) {
  {
    const std::lock_guard lock(m_mutex);
    if (!m_lost.empty()) throw lost(m_lost);
    m_to_send.push_back(std::move(what));
  }
  m_changed.notify_all();
}

void connection::allocate(std::uint64_t address, std::uint64_t bytes) {
  append(std::make_unique<item>(notice{type::allocate, writer() << address << bytes}));
}

void connection::release(std::uint64_t address) noexcept {
  try {
    append(std::make_unique<item>(notice{type::release, writer() << address}));
  } catch (const std::exception&) { // a lost server has nothing left to release
  }
}

std::uint64_t connection::resolve(const void* function, const std::string& name) {
  std::future<std::uint64_t> answer;
  try {
    const code_location where = location_of(function);
    auto asked = std::make_unique<item>(question{writer() << where.object << where.offset, {}});
    answer = std::get<question>(*asked).answer.get_future();
    append(std::move(asked));
  } catch (const std::invalid_argument& e) {
    throw device_error(error_category::build, "", "find kernel \"" + name + "\" in the server: " + e.what());
  }
  try {
    return answer.get();
  } catch (const std::invalid_argument& e) {
    throw device_error(error_category::build, "", "find kernel \"" + name + "\" in the server: " + e.what());
  }
}

void connection::submit(std::vector<step> steps, std::function<void(const completion&)> done) {
  append(std::make_unique<item>(submission{std::move(steps), std::move(done), false}));
}

// ---- sending

void connection::send_all() {
  for (;;) {
    item* next = nullptr;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(
          lock, [&] { return !m_lost.empty() || !m_to_send.empty() || (m_closing && m_in_flight.empty()); });
      if (!m_lost.empty() || m_to_send.empty()) return;
      next = m_to_send.front().get();
      m_in_flight.push_back(
          std::move(m_to_send.front())); // now the receiver may end it, but not before `sent`
      m_to_send.pop_front();
      m_sending = true;
      if (const auto* s = std::get_if<submission>(next))
        for (const step& each : s->steps) m_reads_in_flight += each.kind == type::read;
    }
    m_changed.notify_all(); // a server that answers too early may not read before its answer was read
    std::string why;
    try {
      send(*next);
    } catch (const std::exception& e) {
      why = e.what();
    }
    {
      const std::lock_guard lock(m_mutex);
      m_sending = false;
      if (!why.empty() && m_lost.empty()) m_lost = why;
    }
    m_changed.notify_all();
    if (!why.empty()) m_channel.shut();
  }
}

void connection::send(item& what) {
  if (auto* n = std::get_if<notice>(&what)) {
    m_channel.send(n->kind, n->fields);
    const std::lock_guard lock(m_mutex);
    const auto mine =
        std::find_if(m_in_flight.begin(), m_in_flight.end(), [&](const auto& i) { return i.get() == &what; });
    m_in_flight.erase(mine); // there is no answer
  } else if (auto* q = std::get_if<question>(&what)) {
    m_channel.send(type::resolve, q->fields);
  } else {
    send(std::get<submission>(what));
  }
}

void connection::send(submission& what) {
  std::uint64_t messages = 0, reads = 0;
  for (const step& s : what.steps) messages += !s.to_host, reads += s.kind == type::read;
  m_channel.send(type::submit, writer() << messages);
  std::uint64_t later_reads = reads;
  for (const step& s : what.steps) {
    if (s.host &&
        s.kind != type::read) { // a pending read may still have to write the memory that this step reads
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [&] { return !m_lost.empty() || m_reads_in_flight == later_reads; });
      if (!m_lost.empty()) throw connection_lost(m_lost);
    }
    if (s.to_host) {
      copy_on_host(*s.host, *s.to_host);
      continue;
    }
    m_channel.send(s.kind, s.fields);
    later_reads -= s.kind == type::read;
    if (s.kind == type::write) send_host_memory(*s.host);
  }
  const std::lock_guard lock(m_mutex);
  what.sent = true;
}

void connection::send_host_memory(const box& from) {
  std::vector<std::byte> gathered;
  const std::uint64_t total = from.bytes();
  for (std::uint64_t at = 0; at < total;) {
    const std::uint64_t part = std::min(data_chunk, total - at);
    if (from.rows == 1 && from.slices == 1) {
      m_channel.send(type::data, std::span(reinterpret_cast<const std::byte*>(from.address) + at, part));
    } else {
      gathered.clear();
      for_each_piece(from, at, part, [&](std::uint64_t address, std::uint64_t bytes) {
        const auto* p = reinterpret_cast<const std::byte*>(address);
        gathered.insert(gathered.end(), p, p + bytes);
      });
      m_channel.send(type::data, gathered);
    }
    at += part;
  }
}

// ---- receiving

void connection::receive_all() {
  for (;;) {
    item* next = nullptr;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [&] {
        // The sender removes notices itself, so wait only for the answer to another kind of item.
        return !m_lost.empty() ||
               (!m_in_flight.empty() && !std::holds_alternative<notice>(*m_in_flight.front())) ||
               (m_closing && m_in_flight.empty() && m_to_send.empty());
      });
      if (!m_lost.empty()) break;
      if (m_in_flight.empty()) return;
      next = m_in_flight.front().get();
    }
    try {
      if (auto* q = std::get_if<question>(next)) {
        const message m = next_message();
        if (m.kind != type::resolved)
          throw protocol_error("expected an answer, not a message of type " +
                               std::to_string(std::uint32_t(m.kind)));
        reader r(m);
        const auto number = r.take<std::uint64_t>();
        const std::string why = r.text();
        r.end();
        if (why.empty()) q->answer.set_value(number);
        else q->answer.set_exception(std::make_exception_ptr(std::invalid_argument(why)));
        const std::lock_guard lock(m_mutex);
        m_in_flight.pop_front();
      } else {
        receive(std::get<submission>(*next));
      }
    } catch (const std::exception& e) {
      const std::lock_guard lock(m_mutex);
      if (m_lost.empty()) m_lost = e.what();
      break;
    }
    m_changed.notify_all();
  }
  std::string why;
  {
    const std::lock_guard lock(m_mutex);
    why = m_lost;
  }
  fail_everything(why);
}

message connection::next_message() {
  for (;;) {
    if (!m_channel.readable(int(m_silence.count())))
      throw connection_lost("it has not answered for " + std::to_string(m_silence.count()) +
                            " ms; PRISM_REMOTE_TIMEOUT_MS allows more");
    message m = m_channel.receive(int(m_silence.count()));
    if (m.kind != type::alive) return m;
    if (!m.bytes.empty()) throw protocol_error("an alive message has contents");
  }
}

void connection::receive(submission& what) {
  for (const step& s : what.steps)
    if (s.kind == type::read) {
      read_data(*s.host);
      {
        const std::lock_guard lock(m_mutex);
        --m_reads_in_flight;
      }
      m_changed.notify_all();
    }
  const message m = next_message();
  if (m.kind != type::done)
    throw protocol_error("expected the end of a submission, not a message of type " +
                         std::to_string(std::uint32_t(m.kind)));
  reader r(m);
  const bool succeeded = r.take<std::uint8_t>() != 0;
  completion c;
  c.started_ns = r.take<std::uint64_t>();
  c.ended_ns = r.take<std::uint64_t>();
  const std::string why = r.text();
  r.end();
  if (!succeeded)
    c.failure = device_error(error_category::invalid, "", "run a submission on the remote device: " + why);
  std::unique_ptr<item> ended;
  {
    std::unique_lock lock(m_mutex);
    if (!what.sent && !m_sending) throw protocol_error("a submission ended that was not sent");
    // The answer may arrive before the sender has recorded that it sent the last bytes.
    if (!m_changed.wait_for(lock, std::chrono::seconds(1), [&] { return what.sent || !m_lost.empty(); }) ||
        !what.sent)
      throw protocol_error("a submission ended before all of it was sent");
    ended = std::move(m_in_flight.front());
    m_in_flight.pop_front();
  }
  std::get<submission>(*ended).done(c);
}

/// If the submission failed, one empty message replaces all of the data; its end reports the failure.
void connection::read_data(const box& to) {
  const std::uint64_t total = to.bytes();
  for (std::uint64_t at = 0; at < total;) {
    const message m = next_message();
    if (m.kind != type::data)
      throw protocol_error("expected data, not a message of type " + std::to_string(std::uint32_t(m.kind)));
    if (m.bytes.size() > total - at) throw protocol_error("the server sent more data than was requested");
    if (m.bytes.empty()) {
      if (at != 0) throw protocol_error("the data ends too early");
      return;
    }
    const std::byte* from = m.bytes.data();
    for_each_piece(to, at, m.bytes.size(), [&](std::uint64_t address, std::uint64_t bytes) {
      std::memcpy(reinterpret_cast<void*>(address), from, bytes);
      from += bytes;
    });
    at += m.bytes.size();
  }
}

/// Ends the receiver, so that no thread accesses host memory any more when the points fail.
void connection::fail_everything(const std::string& why) {
  m_channel.shut();
  m_changed.notify_all();
  std::deque<std::unique_ptr<item>> all;
  {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_sending; });
    all.swap(m_in_flight);
    for (auto& i : m_to_send) all.push_back(std::move(i));
    m_to_send.clear();
  }
  completion c;
  c.failure = lost(why);
  for (auto& i : all) {
    if (auto* s = std::get_if<submission>(i.get())) s->done(c);
    if (auto* q = std::get_if<question>(i.get()))
      q->answer.set_exception(std::make_exception_ptr(*c.failure));
  }
  m_changed.notify_all();
}

} // namespace remote
