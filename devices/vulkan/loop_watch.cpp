#include "devices/vulkan/loop_watch.hpp"

#include "devices/vulkan/timeline.hpp"

namespace prism::devices::vulkan {

namespace {
constexpr std::uint32_t chunk_words = 1024;
constexpr std::uint32_t misaligned_matrix = 2; // in a fault word
}

loop_watch::~loop_watch() {
  for (const range& chunk : m_chunks) m_device.memories().free(chunk);
}

std::uint32_t& loop_watch::at(std::uint32_t word) const {
  return reinterpret_cast<std::uint32_t*>(m_chunks[word / chunk_words].mapped())[word % chunk_words];
}

void loop_watch::add_words() {
  const auto first = static_cast<std::uint32_t>(m_chunks.size()) * chunk_words;
  m_free.reserve(first + chunk_words); // so that returning words cannot fail
  m_chunks.reserve(m_chunks.size() + 1);
  m_chunks.push_back(
      m_device.memories().allocate(chunk_words * sizeof(std::uint32_t), placement::host_coherent, 64));
  for (std::uint32_t i = chunk_words; i-- > 0;) m_free.push_back(first + i);
}

void loop_watch::collect(std::uint64_t completed) {
  for (; !m_armed.empty() && m_armed.front().point <= completed; m_armed.pop_front()) {
    armed& done = m_armed.front();
    if (const std::uint32_t found = at(done.word); found != 0)
      m_faults.emplace(done.point, fault{std::move(done.kernel), found == misaligned_matrix});
    m_free.push_back(done.word);
  }
}

std::uint64_t loop_watch::arm(std::uint64_t point, const timeline& points,
                              std::shared_ptr<const std::string> kernel) {
  std::lock_guard lock(m_mutex);
  if (m_free.empty()) collect(points.completed());
  if (m_free.empty()) add_words();
  const std::uint32_t word = m_free.back();
  m_armed.push_back({point, word, std::move(kernel)});
  m_free.pop_back();
  at(word) = 0;
  m_used.store(true, std::memory_order_release);
  return m_chunks[word / chunk_words].address() + word % chunk_words * sizeof(std::uint32_t);
}

void loop_watch::disarm(std::uint64_t point) noexcept {
  std::lock_guard lock(m_mutex);
  for (; !m_armed.empty() && m_armed.back().point == point; m_armed.pop_back())
    m_free.push_back(m_armed.back().word);
}

std::optional<device_error> loop_watch::failure(std::uint64_t point, std::uint64_t completed) {
  std::lock_guard lock(m_mutex);
  collect(completed);
  const auto found = m_faults.find(point);
  if (found == m_faults.end()) return std::nullopt;
  const std::string running =
      "running commands on " + m_device.info().name + ": kernel " + *found->second.kernel;
  if (found->second.is_misaligned)
    return device_error(error_category::invalid, "",
                        running +
                            " loads or stores a joint_matrix whose address or stride is not a multiple of "
                            "16 bytes, or of a row if that is shorter, as the device's matrices need; its "
                            "results are incomplete. Align the memory or set PRISM_JOINT_MATRIX=emulate");
  return device_error(
      error_category::other, "",
      running +
          " ran more than 65,535 loop iterations in one work-item or vector of work-items, where this driver "
          "stops; its results are incomplete. Give each work-item less work or use another device");
}

} // namespace prism::devices::vulkan
