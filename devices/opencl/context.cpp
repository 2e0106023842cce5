#include "devices/opencl/context.hpp"

#include "devices/opencl/compiler_options.hpp"
#include "devices/opencl/convert.hpp"

#include <algorithm>
#include <cstdlib>

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

void svm_registry::add(void* base, std::uint64_t bytes, address_kind kind) {
  std::lock_guard lock(m_mutex);
  m_blocks.push_back({base, bytes, kind});
  m_epoch.fetch_add(1, std::memory_order_release);
}

void svm_registry::remove(void* base) {
  std::lock_guard lock(m_mutex);
  const auto found = std::find_if(m_blocks.begin(), m_blocks.end(),
                                  [base](const live_block& each) { return each.base == base; });
  if (found != m_blocks.end()) {
    *found = m_blocks.back();
    m_blocks.pop_back();
  }
  m_epoch.fetch_add(1, std::memory_order_release);
}

bool svm_registry::contains(std::uint64_t address) const {
  std::lock_guard lock(m_mutex);
  return std::any_of(m_blocks.begin(), m_blocks.end(),
                     [address](const live_block& each) { return each.contains(address); });
}

bool svm_registry::is(address_kind kind, std::uint64_t address) const {
  std::lock_guard lock(m_mutex);
  return std::any_of(m_blocks.begin(), m_blocks.end(), [kind, address](const live_block& each) {
    return each.kind == kind && each.contains(address);
  });
}

std::vector<void*> svm_registry::blocks(address_kind kind) const {
  std::lock_guard lock(m_mutex);
  std::vector<void*> out;
  for (const live_block& each : m_blocks)
    if (each.kind == kind) out.push_back(each.base);
  return out;
}

namespace {

/// A value that the user has set stays.
void set_compiler_options(const entry_points& api, cl_platform_id platform,
                          const std::vector<cl_device_id>& devices) {
  if (devices.empty()) return;
  if (const auto options = options_of_compiler(platform_text(api, platform, CL_PLATFORM_NAME),
                                               device_text(api, devices.front(), CL_DRIVER_VERSION)))
    setenv(options->variable, options->value, 0);
}

context_handle make_context(const entry_points& api, cl_platform_id platform,
                            const std::vector<cl_device_id>& devices) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(platform), 0};
  set_compiler_options(api, platform, devices);
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
      reads_early(keeps_svm_arguments) {
  const bool uses_usm = std::any_of(devices.begin(), devices.end(), [&](cl_device_id each) {
    return read_traits(entry, id, each).uses_usm();
  });
  if (uses_usm) usm = find_usm_calls(entry, id);
  for (cl_device_id each : devices)
    if (read_traits(entry, id, each).has_device_addresses)
      set_pointer = find_device_addresses(entry, id, each);
}

cl_int platform_context::set_address(cl_kernel kernel, cl_uint index, std::uint64_t address) const {
  if (set_pointer && (svm.is(address_kind::memory_object, address) || (!has_svm && !usm)))
    return set_pointer(kernel, index, address);
  const auto* pointer = reinterpret_cast<const void*>(address);
  return usm && (!has_svm || svm.is(address_kind::usm, address))
             ? usm.set_argument(kernel, index, pointer)
             : api.clSetKernelArgSVMPointer(kernel, index, pointer);
}

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
