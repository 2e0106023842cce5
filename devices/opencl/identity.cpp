#include "devices/opencl/identity.hpp"

#include "devices/opencl/convert.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace prism::devices::opencl {
namespace {

bool lists(const entry_points& api, cl_device_id device, const std::string& extension) {
  return (' ' + device_text(api, device, CL_DEVICE_EXTENSIONS) + ' ').find(' ' + extension + ' ') !=
         std::string::npos;
}

std::string pci(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  char text[64];
  std::snprintf(text, sizeof text, "pci:%04x:%02x:%02x.%x", domain, bus, device, function);
  return text;
}

/// The place on the PCI bus; empty if the driver does not state it.
std::string pci_of(const entry_points& api, cl_device_id device) {
  if (lists(api, device, "cl_khr_pci_bus_info")) {
    struct {
      cl_uint domain, bus, device, function;
    } at{};
    if (api.clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof at, &at, nullptr) == CL_SUCCESS)
      return pci(at.domain, at.bus, at.device, at.function);
  }
  if (lists(api, device, "cl_nv_device_attribute_query")) {
    constexpr cl_device_info bus_nv = 0x4008, slot_nv = 0x4009, domain_nv = 0x400A;
    cl_uint bus = 0, slot = 0;
    if (api.clGetDeviceInfo(device, bus_nv, sizeof bus, &bus, nullptr) == CL_SUCCESS &&
        api.clGetDeviceInfo(device, slot_nv, sizeof slot, &slot, nullptr) == CL_SUCCESS)
      return pci(device_property<cl_uint>(api, device, domain_nv), bus, slot >> 3, slot & 7);
  }
  if (lists(api, device, "cl_amd_device_attribute_query")) {
    constexpr cl_device_info topology_amd = 0x4037;
    constexpr cl_uint pcie_amd = 1;
    struct {
      cl_uint type;
      unsigned char unused[17], bus, device, function;
    } at{};
    if (api.clGetDeviceInfo(device, topology_amd, sizeof at, &at, nullptr) == CL_SUCCESS &&
        at.type == pcie_amd)
      return pci(0, at.bus, at.device, at.function); // it has no domain
  }
  return {};
}

/// The id without the number among equal devices.
std::string description_of(const entry_points& api, cl_platform_id platform, cl_device_id device) {
  if (const auto id = uuid_of(api, device); id != decltype(id){}) {
    std::string text = "uuid:";
    for (const std::uint8_t byte : id) {
      constexpr char digits[] = "0123456789abcdef";
      text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
  }
  return "opencl:" + platform_text(api, platform, CL_PLATFORM_NAME) + ":" +
         device_text(api, device, CL_DEVICE_NAME);
}

} // namespace

std::array<std::uint8_t, 16> uuid_of(const entry_points& api, cl_device_id device) {
  constexpr cl_device_info uuid_khr = 0x106A;
  std::array<std::uint8_t, 16> out{};
  if (lists(api, device, "cl_khr_device_uuid"))
    api.clGetDeviceInfo(device, uuid_khr, out.size(), out.data(), nullptr);
  return out;
}

std::string physical_id_of(const entry_points& api, cl_platform_id platform, cl_device_id device) {
  while (const auto whole = device_property<cl_device_id>(api, device, CL_DEVICE_PARENT_DEVICE))
    device = whole;
  if (device_property<cl_device_type>(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) return "cpu";
  if (std::string place = pci_of(api, device); !place.empty()) return place;
  const std::string own = description_of(api, platform, device);
  cl_uint count = 0;
  if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return own;
  std::vector<cl_device_id> listed(count);
  if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, listed.data(), nullptr) != CL_SUCCESS)
    return own;
  const auto equal =
      std::count_if(listed.begin(), std::find(listed.begin(), listed.end(), device),
                    [&](cl_device_id each) { return description_of(api, platform, each) == own; });
  return equal == 0 ? own : own + '#' + std::to_string(equal);
}

} // namespace prism::devices::opencl
