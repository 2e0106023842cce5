#include "devices/vulkan/backend.hpp"

#include "devices/vulkan/convert.hpp"

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace prism::devices {

namespace vulkan {

namespace {

std::vector<std::unique_ptr<physical>> list_devices(const instance& from) {
  std::uint32_t count = 0;
  check(from.vk().EnumeratePhysicalDevices(from.handle(), &count, nullptr), "listing Vulkan devices");
  std::vector<VkPhysicalDevice> handles(count);
  check(from.vk().EnumeratePhysicalDevices(from.handle(), &count, handles.data()), "listing Vulkan devices");
  std::vector<std::unique_ptr<physical>> found;
  for (std::uint32_t i = 0; i < count; ++i) {
    found.push_back(std::make_unique<physical>());
    gather(from, handles[i], *found.back());
  }
  return found;
}

probe_result probe() {
  probe_result result;
  try {
    const instance from;
    for (const auto& found : list_devices(from)) {
      if (found->unusable.empty()) {
        ++result.device_count;
        continue;
      }
      result.reason += (result.reason.empty() ? "" : "; ") + std::string(found->properties.deviceName) + " " +
                       found->unusable;
    }
    result.usable = result.device_count > 0;
    if (!result.usable && result.reason.empty())
      result.reason = "the Vulkan loader lists no device; install a driver (Debian: mesa-vulkan-drivers)";
  } catch (const device_error& error) {
    result.reason = error.what();
  }
  return result;
}

} // namespace

device_options options_of_environment() {
  device_options options;
  const char* const where = std::getenv("PRISM_VULKAN_USM");
  if (where != nullptr && std::strcmp(where, "window") == 0)
    options.usm = device_options::usm_location::window;
  if (where != nullptr && std::strcmp(where, "split") == 0)
    options.usm = device_options::usm_location::split_window;
  const char* const size = std::getenv("PRISM_VULKAN_USM_SIZE");
  char* end = nullptr;
  const std::uint64_t number = size != nullptr ? std::strtoull(size, &end, 10) : 0;
  const char unit = end != nullptr ? char(std::toupper(static_cast<unsigned char>(*end))) : '\0';
  const unsigned shift = unit == 'G' ? 30 : unit == 'M' ? 20 : unit == 'K' ? 10 : 0;
  const bool is_size =
      number != 0 && number <= UINT64_MAX >> shift && (shift == 0 ? *end == '\0' : end[1] == '\0');
  if (is_size) options.usm_bytes = number << shift; // the runtime reports other texts
  return options;
}

std::vector<std::unique_ptr<devices::device>> open_devices(const device_options& options) {
  const auto from = std::make_shared<const instance>();
  std::vector<std::unique_ptr<devices::device>> opened;
  for (auto& found : list_devices(*from))
    if (found->unusable.empty()) opened.push_back(std::make_unique<device>(from, std::move(found), options));
  return opened;
}

} // namespace vulkan

const backend& vulkan_backend() {
  static const backend record = [] {
    backend made;
    made.name = "vulkan";
    made.display_name = "Vulkan";
    made.type = "vulkan";
    made.required_libraries = "libvulkan.so.1";
    made.priority = 20;
    made.probe = vulkan::probe;
    made.open = [] { return vulkan::open_devices(vulkan::options_of_environment()); };
    return made;
  }();
  return record;
}

} // namespace prism::devices
