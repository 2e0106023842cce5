// Implements simulated.hpp: reads descriptions for the wrapper, and derives the rates of its simulated clock.
#include "extras/policy/simulated.hpp"

#include "devices/api/kernel_counts.hpp"
#include "devices/wrap/stack.hpp"
#include "extras/policy/counted_workload.hpp"
#include "extras/policy/description_file.hpp"
#include "extras/policy/predict.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/requirement.hpp"

#include <algorithm>
#include <mutex>

namespace prism::policy {

namespace {

using devices::capabilities;
using devices::device_error;
using devices::error_category;

/// All descriptions in use, by name. A described device stores only the name.
struct descriptions {
  std::mutex mutex;
  std::map<std::string, device_description> by_name;
};
descriptions& in_use() {
  static auto* all = new descriptions; // never destroyed: devices are used until the process ends
  return *all;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

device_description pick(const std::vector<device_description>& from, const std::string& name,
                        const std::string& arguments) {
  std::string known;
  for (const device_description& d : from) {
    if (d.name == name || (name.empty() && from.size() == 1)) return d;
    known += (known.empty() ? "" : ", ") + d.name;
  }
  throw device_error(
      error_category::invalid, "",
      "described(" + arguments + "): " +
          (name.empty() ? "the file describes several devices; name one" : "there is no \"" + name + "\"") +
          ": " + known);
}

/// Returns the capabilities of the simulated device: those of the executing device, restricted to the
/// features and limits of the description.
capabilities shown_as(capabilities c, const device_description& d) {
  c.name = d.name;
  c.vendor = d.vendor.empty() ? "described" : d.vendor;
  c.physical_id = "described:" + d.name;
  c.software = false;
  c.compute_units = std::max(1u, d.compute_units);
  c.type = d.device_type == "gpu"           ? devices::device_type::gpu
           : d.device_type == "cpu"         ? devices::device_type::cpu
           : d.device_type == "accelerator" ? devices::device_type::accelerator
                                            : devices::device_type::custom;
  std::uint64_t largest = 0;
  for (const memory_level& l : d.memory_hierarchy) largest = std::max(largest, l.size_bytes);
  if (largest != 0) c.global_memory = c.max_allocation = largest;
  const auto hide = [&](const char* feature, std::uint64_t bits) {
    const bool computes = d.peak_gflops.count(feature) != 0 && d.peak_gflops.at(feature) > 0;
    if (!computes && !version_of(d, feature)) c.features &= ~bits;
  };
  hide("fp64", image::fp64);
  hide("fp16", image::fp16);
  hide("subgroups", image::sub_groups);
  hide("int64_atomics", image::int64_atomics);
  if (!(c.features & image::sub_groups)) c.sub_group_sizes = {1};
  const auto lower = [&](const char* name, std::uint64_t& value) {
    if (const auto limit = d.limits.find(name); limit != d.limits.end())
      value = std::min(value, static_cast<std::uint64_t>(limit->second));
  };
  lower("local_memory", c.local_memory);
  lower("max_allocation", c.max_allocation);
  lower("max_group_size", c.max_group_size);
  for (auto& size : c.max_local_size) size = std::min(size, c.max_group_size);
  return c;
}

const image::kernel_counts* counts_of(const image::kernel_record* record) {
  for (std::uint32_t i = 0; record != nullptr && i < record->image_count; ++i)
    if (record->images[i].image_kind == image::kernel_counts_kind)
      return static_cast<const image::kernel_counts*>(record->images[i].data);
  return nullptr;
}

devices::wrap::description simulated(const device_description& d) {
  const machine machine = machine_of(d);
  devices::wrap::description out;
  out.name = d.name;
  out.info = [d](capabilities c) { return shown_as(std::move(c), d); };
  out.kernel_seconds = [machine](const image::kernel_record* record, double items) {
    const image::kernel_counts* counts = counts_of(record);
    if (counts == nullptr || counts->version != image::kernel_counts_version)
      return 0.0; // only the launch time is known
    const workload work = workload_from(*counts, record->display_name, items, assumed_trips);
    const prediction p = predict_on(machine, job_of(work)).predicted;
    return std::max(p.computing, p.memory).count();
  };
  out.launch_seconds = machine.launch;
  out.seconds_per_moved_byte = machine.seconds_per_moved_byte;
  out.seconds_per_device_byte = machine.levels.empty() ? 0 : machine.levels.back().seconds_per_byte;
  out.price_per_hour = d.price_per_hour;
  out.watts = d.watts;
  return out;
}

devices::wrap::description read_for_wrapper(const std::string& arguments) {
  const std::size_t comma = arguments.find(',');
  const std::string file = trimmed(arguments.substr(0, comma)),
                    name = comma == arguments.npos ? "" : trimmed(arguments.substr(comma + 1));
  try {
    const device_description d = pick(read_devices_file(file), name, arguments);
    if (d.peak_gflops.empty() && d.memory_hierarchy.empty())
      throw device_error(error_category::invalid, "",
                         "described(" + arguments + "): the description has no rates for a simulation");
    descriptions& all = in_use();
    const std::lock_guard lock(all.mutex);
    all.by_name[d.name] = d;
    return simulated(d);
  } catch (const problem& wrong) {
    throw device_error(error_category::invalid, "",
                       std::string("described(") + arguments + "): " + wrong.what());
  }
}

/// Registers the reader when the library is loaded, before any device is opened: the libraries below this one
/// cannot read descriptions.
[[maybe_unused]] const bool reader_is_set = (devices::wrap::set_description_reader(read_for_wrapper), true);

} // namespace

std::optional<device_description> simulated_description(const devices::device& device) {
  const auto* simulation =
      static_cast<const devices::wrap::simulation*>(device.native(devices::wrap::simulation_name));
  if (simulation == nullptr) return std::nullopt;
  descriptions& all = in_use();
  const std::lock_guard lock(all.mutex);
  return all.by_name.at(simulation->name());
}

} // namespace prism::policy
