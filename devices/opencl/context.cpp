#include "devices/opencl/context.hpp"

#include <algorithm>

namespace prism::devices::opencl {

notifier::~notifier() {
  {
    std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_arrived.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

void notifier::post(void (*then)(void*), void* context) {
  {
    std::lock_guard lock(m_mutex);
    if (!m_thread.joinable()) m_thread = std::thread([this] { run(); });
    m_notices.push_back({then, context});
  }
  m_arrived.notify_one();
}

void notifier::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_arrived.wait(lock, [this] { return m_stop || !m_notices.empty(); });
    if (m_notices.empty()) return;
    const notice next = m_notices.front();
    m_notices.pop_front();
    lock.unlock();
    next.then(next.context);
    lock.lock();
  }
}

void svm_registry::add(void* base, std::uint64_t bytes) {
  std::lock_guard lock(m_mutex);
  m_blocks.push_back(base);
  m_sizes.push_back(bytes);
  m_epoch.fetch_add(1, std::memory_order_release);
}

void svm_registry::remove(void* base) {
  std::lock_guard lock(m_mutex);
  const auto found = std::find(m_blocks.begin(), m_blocks.end(), base);
  if (found != m_blocks.end()) {
    m_sizes[static_cast<std::size_t>(found - m_blocks.begin())] = m_sizes.back();
    m_sizes.pop_back();
    *found = m_blocks.back();
    m_blocks.pop_back();
  }
  m_epoch.fetch_add(1, std::memory_order_release);
}

bool svm_registry::contains(std::uint64_t address) const {
  std::lock_guard lock(m_mutex);
  for (std::size_t i = 0; i < m_blocks.size(); ++i)
    if (address - reinterpret_cast<std::uint64_t>(m_blocks[i]) < m_sizes[i]) return true;
  return false;
}

std::vector<void*> svm_registry::blocks() const {
  std::lock_guard lock(m_mutex);
  return m_blocks;
}

namespace {

context_handle make_context(const entry_points& api, cl_platform_id platform,
                            const std::vector<cl_device_id>& devices) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(platform), 0};
  cl_int code = CL_SUCCESS;
  cl_context made = api.clCreateContext(properties, static_cast<cl_uint>(devices.size()), devices.data(),
                                        nullptr, nullptr, &code);
  if (code != CL_SUCCESS)
    throw make_error(code, "create a context on platform " + platform_text(api, platform, CL_PLATFORM_NAME));
  return context_handle(api, made);
}

} // namespace

platform_context::platform_context(const entry_points& entry, cl_platform_id id,
                                   std::vector<cl_device_id> members)
    : platform_context(entry, id, members, make_context(entry, id, members)) {}

platform_context::platform_context(const entry_points& entry, cl_platform_id id,
                                   std::vector<cl_device_id> members, context_handle made)
    : api(entry), platform(id), devices(std::move(members)), context(std::move(made)),
      has_svm(std::any_of(devices.begin(), devices.end(),
                          [&](cl_device_id each) { return read_traits(entry, id, each).coarse_svm(); })),
      is_simulator(platform_text(entry, id, CL_PLATFORM_NAME) == "Oclgrind"),
      keeps_svm_arguments(platform_text(entry, id, CL_PLATFORM_NAME) == nvidia_platform),
      reads_early(keeps_svm_arguments) {}

device_error platform_context::error(cl_int code, const std::string& asked) {
  if (category_of(code) == error_category::lost) m_lost.store(true, std::memory_order_release);
  else if (is_lost())
    return device_error(error_category::lost, error_name(code),
                        asked + ": the device is lost: it stopped an earlier command");
  return make_error(code, asked);
}

void platform_context::check_not_lost(const char* asked) {
  if (is_lost()) throw error(stopped_command, asked);
}

void platform_context::check(cl_int code, const char* asked) {
  if (code != CL_SUCCESS) throw error(code, asked);
}

} // namespace prism::devices::opencl
