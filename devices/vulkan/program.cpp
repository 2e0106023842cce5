#include "devices/vulkan/program.hpp"

#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/lower/contraction.hpp"
#include "devices/vulkan/spirv_inspect.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace prism::devices::vulkan {

namespace {

struct binary_header {
  char mark[8] = {'P', 'R', 'I', 'S', 'M', 'V', 'K', '1'};
  std::uint32_t vendor_id = 0, device_id = 0, driver_version = 0, reserved = 0;
  std::uint8_t cache_uuid[VK_UUID_SIZE] = {};
  std::uint64_t spirv_bytes = 0, cache_bytes = 0, checksum = 0;
};

std::uint64_t fnv1a(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

binary_header header_of(const device& owner) {
  const auto& properties = owner.hardware().properties;
  binary_header header;
  header.vendor_id = properties.vendorID;
  header.device_id = properties.deviceID;
  header.driver_version = properties.driverVersion;
  std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE, header.cache_uuid);
  return header;
}

/// Values of specialisation constants.
class specialisation {
public:
  explicit specialisation(bool has_word_pairs) : m_has_word_pairs(has_word_pairs) {}
  template <class Value>
  void add(std::uint32_t id, Value value) {
    const auto at = m_bytes.size();
    m_bytes.resize(at + sizeof value);
    std::memcpy(m_bytes.data() + at, &value, sizeof value);
    m_entries.push_back({id, static_cast<std::uint32_t>(at), sizeof value});
  }
  void add_wide(std::uint32_t id, std::uint64_t value) {
    if (!m_has_word_pairs) return add(id, value);
    add(id, static_cast<std::uint32_t>(value));
    add(id | lower::high_word, static_cast<std::uint32_t>(value >> 32));
  }
  VkSpecializationInfo info() const {
    return {static_cast<std::uint32_t>(m_entries.size()), m_entries.data(), m_bytes.size(), m_bytes.data()};
  }

private:
  const bool m_has_word_pairs;
  std::vector<VkSpecializationMapEntry> m_entries;
  std::vector<std::byte> m_bytes;
};

} // namespace

kernel::kernel(program& owner, std::string entry, std::shared_ptr<const std::string> display_name)
    : m_program(owner), m_entry(std::move(entry)), m_display_name(std::move(display_name)) {}

kernel::~kernel() {
  auto& device = m_program.owner();
  for (const variant* made = m_newest.load(std::memory_order_acquire); made != nullptr;) {
    const std::unique_ptr<const variant> last(std::exchange(made, made->next));
    device.vk().DestroyPipeline(device.handle(), last->pipeline, nullptr);
  }
}

kernel_limits kernel::limits() const {
  const auto& device = m_program.owner();
  kernel_limits limits;
  const auto& hardware = device.hardware();
  limits.max_group_size = device.info().max_group_size;
  if (m_program.is_flat())
    limits.max_group_size = std::min(limits.max_group_size, device.info().max_local_size[0]);
  limits.preferred_multiple = hardware.sub_group_size;
  if (const auto size = m_program.sub_group_size()) {
    limits.preferred_multiple = size;
    if (hardware.chooses_sub_group_size())
      limits.max_group_size =
          std::min<std::uint64_t>(limits.max_group_size, std::uint64_t{size} * hardware.max_sub_groups);
  }
  limits.private_bytes = m_program.private_bytes();
  limits.local_bytes = m_program.static_local_bytes();
  return limits;
}

std::uint64_t kernel::order_word() const {
  return m_program.orders_all() ? m_program.owner().order_word() : 0;
}

void* kernel::native(std::string_view what) const noexcept {
  if (what != "VkPipeline") return nullptr;
  const variant* first = m_newest.load(std::memory_order_acquire);
  while (first != nullptr && first->next != nullptr) first = first->next;
  return first != nullptr ? reinterpret_cast<void*>(first->pipeline) : nullptr;
}

std::uint64_t kernel::constants_address() const noexcept { return m_program.constants_address(); }

void kernel::prepare(const launch_shape& shape) {
  pipeline(shape, m_program.limits()                      ? module_kind::by_buffers_with_small_numbers
                  : m_program.argument_pointers().empty() ? module_kind::by_addresses
                                                          : module_kind::by_buffers);
}

module_kind kernel::kind_for(const argument_blocks& blocks, const dispatch_command& launch) const noexcept {
  if (blocks.count == 0) return module_kind::by_addresses;
  const auto* const limits = m_program.limits();
  if (limits == nullptr) return module_kind::by_buffers;
  const extent3 first = first_group_of(launch), counts = group_counts_of(launch);
  const auto is_met = [&](const lower::number_limit& limit) {
    std::uint64_t sum = limit.plus; // below 2^33 before the last addition
    if (const std::uint32_t d = limit.dimension; d != lower::no_dimension)
      sum += std::max(counts[d], first[d] + launch.groups[d]) * launch.local[d];
    for (const std::uint32_t at : limit.words) {
      std::uint64_t number = 0;
      if (sum > UINT32_MAX || launch.arguments.size() < at + sizeof number) return false;
      std::memcpy(&number, launch.arguments.data() + at, sizeof number);
      if (number > UINT32_MAX) return false;
      sum += number;
    }
    return sum <= UINT32_MAX;
  };
  return std::all_of(limits->begin(), limits->end(), is_met) ? module_kind::by_buffers_with_small_numbers
                                                             : module_kind::by_buffers;
}

argument_blocks kernel::blocks_of(std::span<const std::byte> arguments, pointer_cache& known) const {
  argument_blocks found;
  const device& device = m_program.owner();
  for (const auto& [at, alignment] : m_program.argument_pointers()) {
    std::uint64_t pointer = 0;
    if (arguments.size() < at + sizeof pointer) return {};
    std::memcpy(&pointer, arguments.data() + at, sizeof pointer);
    const block* const behind = known.around(pointer, device.memories().places());
    if (behind == nullptr || pointer % alignment != 0 ||
        behind->size() > device.hardware().properties.limits.maxStorageBufferRange)
      return {};
    found.which[found.count++] = behind;
  }
  return found;
}

const kernel::variant* kernel::find(const launch_shape& shape, module_kind kind) const noexcept {
  const variant* made = m_newest.load(std::memory_order_acquire);
  while (made != nullptr && !(made->kind == kind && made->shape == shape)) made = made->next;
  return made;
}

VkPipeline kernel::pipeline(const launch_shape& shape, module_kind kind) {
  const auto& [local, local_bytes, offsets] = shape;
  const std::uint64_t width = m_program.arena_element_bytes();
  const launch_shape asked{local, std::max<std::uint64_t>(1, (local_bytes + width - 1) / width) * width,
                           offsets};
  if (const variant* const made = find(asked, kind)) return made->pipeline;
  std::lock_guard lock(m_mutex);
  if (const variant* const made = find(asked, kind)) return made->pipeline;
  const auto& info = m_program.owner().info();
  const std::uint64_t most =
      m_program.is_flat() ? std::min(info.max_group_size, info.max_local_size[0]) : info.max_group_size;
  bool fits = local[0] * local[1] * local[2] <= most;
  for (std::size_t i = 0; i < 3; ++i) fits = fits && local[i] > 0 && local[i] <= info.max_local_size[i];
  if (!fits || local_bytes > info.local_memory)
    throw device_error(error_category::invalid, "",
                       "running kernel " + m_entry + " with work-groups of " + std::to_string(local[0]) +
                           " x " + std::to_string(local[1]) + " x " + std::to_string(local[2]) + " and " +
                           std::to_string(local_bytes) + " bytes of local memory: " + info.name + " allows " +
                           std::to_string(most) + " work-items and " + std::to_string(info.local_memory) +
                           " bytes");
  auto made = std::make_unique<variant>(
      variant{asked, kind, VK_NULL_HANDLE, m_newest.load(std::memory_order_relaxed)});
  made->pipeline = build(asked, kind);
  m_newest.store(made.get(), std::memory_order_release);
  return made.release()->pipeline;
}

VkPipeline kernel::build(const launch_shape& shape, module_kind kind) const {
  auto& device = m_program.owner();
  const extent3& local = shape.local;
  const auto arena_elements = static_cast<std::uint32_t>(shape.local_bytes / m_program.arena_element_bytes());
  const std::uint64_t items = local[0] * local[1] * local[2], row = m_program.is_flat() ? items : local[0];
  if (const auto size = m_program.sub_group_size(); m_program.uses_matrices() && row % size != 0)
    throw device_error(error_category::invalid, "",
                       "running kernel " + name() + " with work-groups of " + std::to_string(row) +
                           " work-items: matrices of " + device.info().name + " need whole sub-groups of " +
                           std::to_string(size) + " (PRISM_JOINT_MATRIX=emulate computes without them)");
  const bool unfilled_rows =
      device.hardware().fills_vectors_by_rows() && row % device.hardware().sub_group_size != 0;
  const std::uint32_t values[] = {static_cast<std::uint32_t>(local[0]),
                                  static_cast<std::uint32_t>(local[1]),
                                  static_cast<std::uint32_t>(local[2]),
                                  arena_elements,
                                  m_program.checks_loops() ? VK_TRUE : VK_FALSE,
                                  device.has_window() ? VK_TRUE : VK_FALSE,
                                  unfilled_rows ? VK_TRUE : VK_FALSE};
  specialisation constants(m_program.has_word_pairs());
  for (std::uint32_t i = 0; i < std::size(values); ++i) constants.add(i, values[i]);
  if (m_program.is_flat()) constants.add(image::flat_size_spec_id, static_cast<std::uint32_t>(items));
  if (!m_program.known().empty()) constants.add(image::specialised_spec_id, VK_TRUE);
  if (m_program.fixes_order()) constants.add(image::fixed_order_spec_id, VK_TRUE);
  for (const known_integer& known : m_program.known()) {
    constants.add(image::constant_flag_spec_id(known.which), VK_TRUE);
    if (known.which.bytes == 8) constants.add_wide(image::constant_spec_id(known.which), known.value);
    else constants.add(image::constant_spec_id(known.which), static_cast<std::uint32_t>(known.value));
  }
  for (const local_offsets::entry& place : shape.offsets) {
    const image::kernel_constant which{place.at, sizeof(std::uint64_t)};
    if (!image::has_constant_spec_id(which) || m_program.knows(which)) continue;
    constants.add(image::constant_flag_spec_id(which), VK_TRUE);
    constants.add_wide(image::constant_spec_id(which), place.offset);
  }
  const VkSpecializationInfo specialised = constants.info();
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = m_program.shader(kind);
  info.stage.pName = m_entry.c_str();
  info.stage.pSpecializationInfo = &specialised;
  info.layout = device.pipeline_layout();
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo sub_groups{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  if (const auto size = m_program.sub_group_size()) {
    const auto& hardware = device.hardware();
    sub_groups.requiredSubgroupSize = size;
    if (hardware.takes_sub_group_size(size, local)) info.stage.pNext = &sub_groups;
    if (hardware.features.subgroup_size.computeFullSubgroups && row % size == 0)
      info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  VkPipeline made = VK_NULL_HANDLE;
  auto result = VK_ERROR_UNKNOWN; // what NVIDIA's driver returns for too much private memory
  if (m_program.private_bytes() <= device.hardware().max_private_bytes)
    result = device.vk().CreateComputePipelines(device.handle(), m_program.cache(), 1, &info, nullptr, &made);
  if (result == VK_SUCCESS && made) return made;
  if (result == VK_ERROR_DEVICE_LOST || category_of(result) == error_category::out_of_memory)
    device.check(result, "building a compute pipeline");
  throw device_error(error_category::build, result_name(result),
                     "building kernel " + m_entry + " for " + device.info().name +
                         ": the driver refuses the SPIR-V");
}

bool program::knows(const image::kernel_constant& which) const noexcept {
  return std::any_of(m_known.begin(), m_known.end(),
                     [&](const known_integer& one) { return one.which == which; });
}

/// Adds the module of one kind. `asked`: what a failure interrupts.
void program::make_shader(std::span<const std::uint32_t> words, module_kind kind, const std::string& asked) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  const auto result =
      m_device.vk().CreateShaderModule(m_device.handle(), &info, nullptr, &m_shaders[std::size_t(kind)]);
  if (result != VK_SUCCESS)
    throw device_error(error_category::build, result_name(result), asked + ": the driver refuses the SPIR-V");
}

void program::make_shaders(std::span<const std::uint32_t> words, const program_source& source,
                           const std::string& asked) {
  make_shader(words, module_kind::by_addresses, asked);
  if (!m_device.hardware().argument_buffers || m_device.has_window() || m_uses_matrices || !source.record)
    return;
  std::vector<std::uint32_t> possible;
  for (const image::pointer_slot& slot : std::span(source.record->slots, source.record->slot_count))
    possible.push_back(slot.offset);
  lower::argument_buffers plain = lower::with_argument_buffers(words, possible, false);
  if (plain.pointers.empty()) return;
  make_shader(plain.module, module_kind::by_buffers, asked);
  lower::argument_buffers small = lower::with_argument_buffers(words, possible, true);
  if (small.module != plain.module)
    make_shader(small.module, module_kind::by_buffers_with_small_numbers, asked);
  m_argument_pointers = std::move(plain.pointers);
  m_limits = std::move(small.limits);
}

program::program(device& owner, const program_source& source, std::span<const std::byte> cache)
    : m_device(owner), m_known(source.known) {
  const std::string asked = "building a program for " + owner.info().name;
  if (source.kind != image::kind::vulkan_spirv)
    throw device_error(error_category::unsupported, "", asked + ": the image is not Vulkan SPIR-V");
  if (!source.data || source.size % 4)
    throw device_error(error_category::build, "",
                       asked + ": the image is not SPIR-V (its size is not a multiple of 4)");
  m_words.resize(source.size / 4);
  std::memcpy(m_words.data(), source.data, source.size);
  const auto summary = inspect_spirv(m_words);
  if (!summary.damage.empty())
    throw device_error(error_category::build, "",
                       asked + ": the image is not valid SPIR-V: " + summary.damage);
  if (const auto missing = missing_features(summary, owner.info().features); !missing.empty())
    throw device_error(error_category::build, "", asked + ": the device lacks " + missing);
  if (source.record) {
    m_arena_element_bytes = std::max(1u, source.record->local_element_bytes);
    m_static_local_bytes = source.record->static_local_bytes;
    m_fixes_order = (source.record->flags & image::asks_fixed_order) != 0;
  }
  const lower::lowered module = lower::lower_module(
      m_fixes_order ? lower::without_contraction(m_words) : m_words, owner.hardware().lacks());
  if (!module.refusal.empty())
    throw device_error(error_category::build, "", asked + ": the device does not run " + module.refusal);
  m_has_word_pairs = module.has_word_pairs;
  if (module.group_memory_is_words) m_arena_element_bytes = std::max(m_arena_element_bytes, 4u);
  m_is_flat = summary.is_flat;
  m_orders_all = summary.orders_all;
  m_private_bytes = summary.private_bytes;
  m_checks_loops = summary.checks_loops && owner.hardware().cuts_loops_short();
  m_uses_matrices = summary.uses_matrices;
  if (summary.uses_sub_groups && !owner.hardware().lacks().sub_groups) {
    const auto& sizes = owner.info().sub_group_sizes;
    m_sub_group_size = *std::max_element(
        sizes.begin(), sizes.end()); // as info::kernel_device_specific::max_sub_group_size reports
    if (source.record && source.record->required_sub_group_size)
      m_sub_group_size = source.record->required_sub_group_size;
  }

  make_shaders(module.words, source, asked);
  VkPipelineCacheCreateInfo cache_info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  cache_info.initialDataSize = cache.size();
  cache_info.pInitialData = cache.data();
  if (owner.vk().CreatePipelineCache(owner.handle(), &cache_info, nullptr, &m_cache) != VK_SUCCESS)
    m_cache = VK_NULL_HANDLE; // it only saves time
  if (!summary.data.empty()) {
    m_constants = owner.memories().allocate(summary.data.size(), placement::host_coherent, 64);
    std::memcpy(m_constants.mapped(), summary.data.data(), summary.data.size());
  }
  for (const auto& entry : summary.compute_entries) {
    std::shared_ptr<const std::string> watched;
    if (m_checks_loops || m_uses_matrices)
      watched = std::make_shared<const std::string>(
          source.record && source.record->display_name ? source.record->display_name : entry);
    m_kernels.emplace(entry, std::make_unique<kernel>(*this, entry, std::move(watched)));
  }
}

program::~program() {
  m_kernels.clear();
  if (m_cache) m_device.vk().DestroyPipelineCache(m_device.handle(), m_cache, nullptr);
  for (const VkShaderModule each : m_shaders)
    if (each) m_device.vk().DestroyShaderModule(m_device.handle(), each, nullptr);
  if (m_constants.owner) m_device.memories().free(m_constants);
}

devices::kernel& program::get_kernel(std::string_view entry) {
  if (const auto found = m_kernels.find(entry); found != m_kernels.end()) return *found->second;
  std::string names;
  for (const auto& [name, kernel] : m_kernels) names += (names.empty() ? "" : ", ") + name;
  throw device_error(error_category::invalid, "",
                     "looking for kernel " + std::string(entry) + ": the program has " + names);
}

void* program::native(std::string_view what) const noexcept {
  return what == "VkShaderModule" ? reinterpret_cast<void*>(shader(module_kind::by_addresses)) : nullptr;
}

std::vector<std::byte> program::binary() const {
  std::vector<std::byte> cache;
  if (m_cache) {
    std::size_t bytes = 0;
    m_device.vk().GetPipelineCacheData(m_device.handle(), m_cache, &bytes, nullptr);
    cache.resize(bytes);
    if (m_device.vk().GetPipelineCacheData(m_device.handle(), m_cache, &bytes, cache.data()) != VK_SUCCESS)
      bytes = 0;
    cache.resize(bytes);
  }
  auto header = header_of(m_device);
  header.spirv_bytes = m_words.size() * 4;
  header.cache_bytes = cache.size();
  std::vector<std::byte> out(sizeof header + header.spirv_bytes + header.cache_bytes);
  std::memcpy(out.data() + sizeof header, m_words.data(), header.spirv_bytes);
  if (!cache.empty())
    std::memcpy(out.data() + sizeof header + header.spirv_bytes, cache.data(), cache.size());
  header.checksum = fnv1a(std::span(out).subspan(sizeof header));
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

std::unique_ptr<program> program::from_binary(device& owner, std::span<const std::byte> binary,
                                              const program_source& source) {
  binary_header found;
  if (binary.size() < sizeof found) return nullptr;
  std::memcpy(&found, binary.data(), sizeof found);
  const auto payload = binary.subspan(sizeof found);
  auto expected = header_of(owner);
  expected.spirv_bytes = found.spirv_bytes;
  expected.cache_bytes = found.cache_bytes;
  expected.checksum = found.checksum;
  if (std::memcmp(&expected, &found, sizeof found) != 0) return nullptr;
  if (found.spirv_bytes > payload.size() || found.cache_bytes != payload.size() - found.spirv_bytes)
    return nullptr;
  if (fnv1a(payload) != found.checksum) return nullptr;
  auto from = source;
  from.kind = image::kind::vulkan_spirv;
  from.data = payload.data();
  from.size = found.spirv_bytes;
  return std::make_unique<program>(owner, from, payload.subspan(found.spirv_bytes));
}

} // namespace prism::devices::vulkan
