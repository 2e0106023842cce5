#include "devices/opencl/program.hpp"

#include "devices/api/opencl_data.hpp"
#include "devices/opencl/arguments.hpp"
#include "devices/opencl/convert.hpp"
#include "devices/opencl/pocl_cache.hpp"
#include "image_format/opencl_functions.hpp"
#include "image_format/opencl_private.hpp"
#include "image_format/opencl_text.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <pthread.h>

namespace prism::devices::opencl {
namespace {

constexpr std::uint32_t binary_format = 8; // also the policy of build options

/// Precedes the driver's bytes: drivers do not check for damaged bytes or those of another driver.
struct binary_header {
  char magic[8] = {'P', 'R', 'I', 'S', 'M', 'C', 'L', 'B'};
  std::uint64_t fingerprint = 0, bytes = 0, checksum = 0;
};

std::uint64_t fnv1a(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return hash;
}

std::uint64_t fingerprint_hash(const platform_context& context, cl_device_id device) {
  const std::string text = binary_fingerprint(context, device);
  return fnv1a(text.data(), text.size());
}

/// OpenCL C 1.2 has only mem_fence, which PoCL ignores: loads and stores move across it. If the driver has
/// the 3.0 memory model, text with fences is compiled as 3.0, and mem_fence becomes a real fence of device
/// scope.
constexpr std::string_view fence_prelude =
    "#undef mem_fence\n"
    "#define mem_fence(flags) atomic_work_item_fence(flags, memory_order_seq_cst, memory_scope_device)\n";

/// Launches that are parts of a range say in the three offsets of the work-items, which nothing else uses,
/// what the ids and counts of groups leave out in OpenCL: the first group, the number of groups of the whole,
/// and the dimension of both. Drivers may have 32 bits for each.
constexpr std::string_view group_prelude =
    "#define get_group_id(d) (get_group_id(d) + ((d) == get_global_offset(2) ? get_global_offset(0) : 0))\n"
    "#define get_num_groups(d) ((d) == get_global_offset(2) ? get_global_offset(1) : get_num_groups(d))\n";

bool has_text(const program_source& source, std::string_view what) {
  return source.data != nullptr &&
         std::string_view(static_cast<const char*>(source.data), source.size).find(what) !=
             std::string_view::npos;
}

bool wants_fences(const device_traits& traits, const program_source& source) {
  return traits.has_memory_model && source.options.find("-cl-std=") == std::string::npos &&
         has_text(source, "mem_fence(");
}

std::uint32_t sub_group_size_of(const device_traits& traits, const program_source& source) {
  if (source.kind != image::kind::opencl_c_sub_groups) return 0;
  const std::uint32_t required = source.record ? source.record->required_sub_group_size : 0;
  return required != 0 ? required : traits.sub_group_size;
}

std::string options_for(const device_traits& traits, const program_source& source) {
  std::string options = source.options;
  if (traits.computes_in_half && has_text(source, image::half_macro))
    options += std::string(" -D") + image::half_macro;
  // PoCL's functions convert halves by forty integer operations
  if (traits.is_pocl_cpu && !traits.computes_in_half && has_text(source, image_format::own_halves_macro))
    options += std::string(" -D") + image_format::own_halves_macro;
  const bool has_sub_groups = source.kind == image::kind::opencl_c_sub_groups;
  if (has_sub_groups)
    options += std::string(" -D") + image::sub_group_size_macro + "=" +
               std::to_string(sub_group_size_of(traits, source));
  const bool adds_floats = traits.float_adds != 0 && has_text(source, image::float_adds_macro);
  if (adds_floats)
    options += std::string(" -D") + image::float_adds_macro + "=" + std::to_string(traits.float_adds);
  const bool has_dot_products = traits.has_dot_products && has_text(source, image::dot_products_macro);
  if (has_dot_products) options += std::string(" -D") + image::dot_products_macro + "=1";
  if (options.find("-cl-std=") == std::string::npos)
    options += wants_fences(traits, source) || adds_floats || has_dot_products || has_sub_groups ||
                       (traits.has_opencl_c_3 && has_text(source, "clock_read_"))
                   ? " -cl-std=CL3.0"
                   : " -cl-std=CL1.2";                           // other text compiles best as 1.2
  if (traits.is_nvidia) options += " -cl-nv-verbose";            // for registers_of()
  if (traits.cuts_loops_short) options += " -DPRISM_LOOP_LIMIT"; // see devices/api/image.hpp
  if (source.record != nullptr && (source.record->flags & image::asks_fixed_order) != 0)
    options += " -DPRISM_FIXED_ORDER=1";
  if (traits.rounds_on_request) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (source.kind == image::kind::opencl_c_group)
    options += " -w"; // about loops that the driver cannot vectorise
  if (traits.is_oclgrind)
    options += " -cl-opt-disable -D__builtin_assume(x)="; // its interpreter does not know llvm.assume
  if (traits.is_pocl_cpu && has_text(source, "prism_ordered"))
    options += " -Dprism_ordered=volatile"; // see compiler/opencl/item_order.hpp
  // PoCL splits its loop over a group's work-items at the group's question. Others lose by it: Intel's
  // driver shortens its loop to the work-items that pass, if the guard compares the driver's own global id.
  if (!traits.is_pocl_cpu && has_text(source, image_format::asks_group_macro))
    options += " -D" + std::string(image_format::asks_group_macro) + "=0";
  if (traits.is_intel_cpu && !source.moves_groups && has_text(source, image_format::global_id_macro))
    options += " -D" + std::string(image_format::global_id_macro) + "=get_global_id";
  if (traits.is_intel_cpu && has_text(source, "prism_wide"))
    options += " -Dprism_wide"; // its vectoriser gathers and scatters adjacent numbers of a work-item
  // As of its version 2026.2 its vectoriser takes a pointer to one of several private arrays to be the same
  // for all work-items of a vector, and mixes up elements that are accessed by another type than the declared
  // one.
  if (traits.is_intel_cpu) options += " -Dprism_private_array=__attribute__((intel_vec_len_hint(1)))";
  // Its scans take 1.3 to 1.7 of the processor time of steps of shuffles.
  if (traits.is_intel_cpu && has_sub_groups) options += " -DPRISM_SCANS_BY_SHUFFLES=1";
  for (const known_integer& known : source.known)
    options += " -D" + image::constant_macro(known.which) + "=" + std::to_string(known.value) +
               (known.which.bytes == 8 ? "ul" : "u");
  for (const known_alignment& known : source.known_alignments)
    options += " -D" + image::alignment_macro(known.slot_offset) + "=" + std::to_string(known.bytes) + "ul";
  for (std::size_t d = 0; d < 3 && source.known_local[d] != 0; ++d)
    options +=
        std::string(" -D") + image::local_size_macros[d] + "=" + std::to_string(source.known_local[d]) + "u";
  return options;
}

std::string build_log_of(const entry_points& api, cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS ||
      bytes == 0)
    return {};
  std::string log(bytes, '\0');
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  log.resize(std::strlen(log.c_str()));
  return log;
}

/// NVIDIA's driver reports only in the build log how many registers a work-item of the kernel has: "ptxas
/// info : Used 173 registers". 0: it does not.
std::uint32_t registers_of(const std::string& log) {
  const std::string_view before = "Used ";
  const std::size_t at = log.find(before), end = log.find(" registers", at);
  if (at == std::string::npos || end == std::string::npos || end - at > before.size() + 4) return 0;
  return static_cast<std::uint32_t>(std::strtoul(log.c_str() + at + before.size(), nullptr, 10));
}

/// How many work-items of a group the registers are enough for, in whole warps, of which the hardware
/// allocates four at once. NVIDIA's driver (580.159) says 256 for every kernel, but runs groups up to the
/// device's limit if the registers are enough.
std::uint64_t group_that_fits(const entry_points& api, cl_device_id device, std::uint64_t registers,
                              std::uint64_t most) {
  constexpr cl_device_info registers_per_block_nv = 0x4002, warp_size_nv = 0x4003;
  const std::uint64_t all = device_property<cl_uint>(api, device, registers_per_block_nv),
                      warp = device_property<cl_uint>(api, device, warp_size_nv);
  if (all == 0 || warp == 0 || registers == 0) return most;
  const std::uint64_t of_warp = (registers + 7) / 8 * 8 * warp; // allocated in eights
  return std::clamp<std::uint64_t>(all / of_warp / 4 * 4 * warp, 1, most);
}

std::string source_name(const program_source& source) {
  if (!source.record) return "OpenCL C text";
  return std::string("kernel ") +
         (source.record->display_name ? source.record->display_name : source.record->entry);
}

std::uint64_t next_kernel_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

} // namespace

kernel_layout layout_of(const image::kernel_record& record, image::kind kind) {
  kernel_layout layout;
  layout.by_group = kind == image::kind::opencl_c_group;
  layout.known = true;
  layout.display_name =
      std::make_shared<const std::string>(record.display_name ? record.display_name : record.entry);
  layout.by_value = record.flags & image::arguments_by_value;
  layout.has_local = record.flags & image::uses_local_memory;
  layout.argument_bytes = record.argument_bytes;
  layout.static_local_bytes = record.static_local_bytes;
  layout.slot_count = record.slot_count;
  for (std::uint32_t i = 0; i < record.image_count; ++i)
    if (record.images[i].image_kind == kind) {
      layout.needs_addresses |= (record.images[i].features & image::addresses) != 0;
      layout.spill_bytes = record.images[i].spill_bytes;
    }
  return layout;
}

opencl_kernel::opencl_kernel(context_ptr context, cl_device_id device, cl_program program, std::string name,
                             kernel_layout layout, const opencl_memory* constants)
    : m_context(std::move(context)), m_device(device), m_program(program), m_id(next_kernel_id()),
      m_name(std::move(name)), m_layout(layout), m_constants(constants), m_own(instantiate()) {
  m_context->check(m_context->api.clGetKernelInfo(m_own.get(), CL_KERNEL_NUM_ARGS, sizeof m_argument_count,
                                                  &m_argument_count, nullptr),
                   "count a kernel's arguments");
  const cl_uint expected = 1 + (m_layout.has_local ? 1 : 0) + 2 * m_layout.slot_count +
                           (m_layout.has_constants ? 1 : 0) +
                           (m_layout.takes_size() ? 3 + (m_layout.spill_bytes != 0) : 0);
  m_layout.watched = m_layout.watched && m_argument_count == expected + 2;
  if (m_layout.known && m_argument_count != expected && !m_layout.watched)
    throw device_error(error_category::invalid, "",
                       "kernel " + m_name + " has " + std::to_string(m_argument_count) +
                           " arguments but its record describes " + std::to_string(expected) +
                           ": text and record come from different compilations, rebuild the program");
}

opencl_kernel::~opencl_kernel() {
  for (const auto& weak : m_bound)
    if (const auto bound = weak.lock()) bound->drop_kernel();
}

kernel_handle opencl_kernel::instantiate() const {
  const auto simulation = m_context->lock_simulation();
  cl_int code = CL_SUCCESS;
  cl_kernel made = m_context->api.clCreateKernel(m_program, m_name.c_str(), &code);
  if (code != CL_SUCCESS) throw m_context->error(code, "create kernel " + m_name);
  return kernel_handle(m_context->api, made);
}

std::shared_ptr<bound_kernel> opencl_kernel::bind() {
  auto bound = std::make_shared<bound_kernel>(m_context, instantiate(), *this);
  std::lock_guard lock(m_mutex);
  std::erase_if(m_bound, [](const auto& weak) { return weak.expired(); });
  m_bound.push_back(bound);
  return bound;
}

namespace {

/// PoCL keeps the arrays of all work-items of a group on the stack of the thread that runs the group, and the
/// process ends if they do not fit: how many do, with a quarter of the stack for all else.
std::uint64_t group_on_stack(std::uint64_t item_bytes, std::uint64_t most) {
  constexpr std::uint64_t usual = 8u << 20;
  std::uint64_t stack = usual;
  if (pthread_attr_t threads; pthread_getattr_default_np(&threads) == 0) {
    std::size_t bytes = 0;
    if (pthread_attr_getstacksize(&threads, &bytes) == 0 && bytes != 0) stack = bytes;
    pthread_attr_destroy(&threads);
  }
  return std::clamp<std::uint64_t>(stack / 4 * 3 / item_bytes, 1, most);
}

} // namespace

kernel_limits opencl_kernel::limits() const {
  const auto query = [this]<typename T>(cl_kernel_work_group_info what, T missing) -> std::uint64_t {
    T value{};
    const cl_int code =
        m_context->api.clGetKernelWorkGroupInfo(m_own.get(), m_device, what, sizeof value, &value, nullptr);
    return code == CL_SUCCESS ? value : missing;
  };
  kernel_limits found;
  found.max_group_size = query(CL_KERNEL_WORK_GROUP_SIZE, std::size_t{1});
  // rusticl (Mesa 22.3) returns its SIMD width, 32, for every kernel, but runs groups up to the device's
  // limit.
  const auto platform = device_property<cl_platform_id>(m_context->api, m_device, CL_DEVICE_PLATFORM);
  const std::string name = platform_text(m_context->api, platform, CL_PLATFORM_NAME);
  if (name == "rusticl" || name == nvidia_platform) {
    const auto most = device_property<std::size_t>(m_context->api, m_device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                                   found.max_group_size);
    found.max_group_size = group_that_fits(m_context->api, m_device, m_layout.registers, most);
  }
  if (m_layout.sub_group_size != 0)
    found.max_group_size = std::min<std::uint64_t>(
        found.max_group_size, std::uint64_t{m_layout.sub_group_size} * image::most_vector_sub_groups);
  if (m_layout.by_group) { // the group is a loop
    found.max_group_size =
        device_property<std::size_t>(m_context->api, m_device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
    found.preferred_multiple = 1;
    found.private_bytes = query(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong{0});
    found.local_bytes = query(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong{0});
    return found;
  }
  found.preferred_multiple = query(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, std::size_t{1});
  found.private_bytes = query(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong{0});
  if (m_layout.stack_bytes != 0) { // PoCL states a constant
    found.private_bytes = m_layout.stack_bytes;
    found.max_group_size = group_on_stack(m_layout.stack_bytes, found.max_group_size);
  }
  found.local_bytes = query(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong{0});
  return found;
}

void* opencl_kernel::native(std::string_view what) const noexcept {
  return what == "cl_kernel" ? m_own.get() : nullptr;
}

opencl_program::opencl_program(context_ptr context, cl_device_id device, program_handle built,
                               std::string log, const device_traits& traits, const program_source& source)
    : m_context(std::move(context)), m_device(device), m_program(std::move(built)), m_log(std::move(log)) {
  if (!source.record) return;
  m_record_entry = source.record->entry;
  m_record_layout = layout_of(*source.record, source.kind);
  m_record_layout.watched = traits.cuts_loops_short;
  m_record_layout.sub_group_size = sub_group_size_of(traits, source);
  if (!source.data) return;
  if (traits.is_pocl_cpu && !m_record_layout.by_group)
    m_record_layout.stack_bytes =
        image_format::private_array_bytes({static_cast<const char*>(source.data), source.size});
  std::vector<std::uint8_t> constants =
      image::opencl_data::bytes_of({static_cast<const char*>(source.data), source.size});
  if (constants.empty()) return;
  cl_int code = CL_SUCCESS;
  cl_mem made =
      m_context->api.clCreateBuffer(m_context->context.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                    constants.size(), constants.data(), &code);
  m_context->check(code, "allocate memory for a kernel's constants");
  m_constants =
      std::make_unique<opencl_memory>(m_context, memory_handle(m_context->api, made), constants.size());
  m_record_layout.has_constants = true;
}

opencl_program::~opencl_program() {
  const auto simulation = m_context->lock_simulation();
  m_kernels.clear();
  m_program = {};
}

kernel& opencl_program::get_kernel(std::string_view entry) {
  std::lock_guard lock(m_mutex);
  if (const auto found = m_kernels.find(entry); found != m_kernels.end()) return *found->second;
  kernel_layout layout = entry == m_record_entry ? m_record_layout : kernel_layout{};
  layout.registers = registers_of(m_log);
  std::string name(entry);
  auto made = std::make_unique<opencl_kernel>(m_context, m_device, m_program.get(), name, layout,
                                              layout.known ? m_constants.get() : nullptr);
  return *m_kernels.emplace(std::move(name), std::move(made)).first->second;
}

void* opencl_program::native(std::string_view what) const noexcept {
  return what == "cl_program" ? m_program.get() : nullptr;
}

std::vector<std::byte> opencl_program::binary() const {
  const auto simulation = m_context->lock_simulation();
  const auto& api = m_context->api;
  cl_uint count = 0;
  if (api.clGetProgramInfo(m_program.get(), CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr) !=
      CL_SUCCESS)
    return {};
  // One entry for each device of the context; only this device's is filled.
  std::vector<cl_device_id> devices(count);
  std::vector<std::size_t> sizes(count);
  if (api.clGetProgramInfo(m_program.get(), CL_PROGRAM_DEVICES, count * sizeof(cl_device_id), devices.data(),
                           nullptr) != CL_SUCCESS ||
      api.clGetProgramInfo(m_program.get(), CL_PROGRAM_BINARY_SIZES, count * sizeof(std::size_t),
                           sizes.data(), nullptr) != CL_SUCCESS)
    return {};
  std::vector<std::vector<unsigned char>> bytes(count);
  std::vector<unsigned char*> pointers(count, nullptr);
  std::size_t mine = count;
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i].resize(sizes[i]);
    pointers[i] = sizes[i] ? bytes[i].data() : nullptr;
    if (devices[i] == m_device) mine = i;
  }
  if (mine == count || sizes[mine] == 0) return {};
  if (api.clGetProgramInfo(m_program.get(), CL_PROGRAM_BINARIES, count * sizeof(unsigned char*),
                           pointers.data(), nullptr) != CL_SUCCESS)
    return {};
  binary_header header;
  header.fingerprint = fingerprint_hash(*m_context, m_device);
  header.bytes = sizes[mine];
  header.checksum = fnv1a(bytes[mine].data(), sizes[mine]);
  std::vector<std::byte> result(sizeof header + sizes[mine]);
  std::memcpy(result.data(), &header, sizeof header);
  std::memcpy(result.data() + sizeof header, bytes[mine].data(), sizes[mine]);
  return result;
}

namespace {

/// Set once a text has needed the driver's own declarations: a version of PoCL that this file does not know.
std::atomic<bool> needs_drivers_declarations = false;

/// Whether the text declares the functions that it calls (image_format/opencl_functions.hpp).
bool declares_functions(const device_traits& traits, const program_source& source) {
  return traits.is_pocl_cpu && !needs_drivers_declarations &&
         (source.kind == image::kind::opencl_c || source.kind == image::kind::opencl_c_group);
}

struct build_result {
  program_handle program;
  std::string options, log;
  cl_int code = CL_SUCCESS;
};

build_result build_text(platform_context& context, cl_device_id device, const device_traits& traits,
                        const program_source& source, bool declares) {
  const auto& api = context.api;
  std::string prelude(declares ? image_format::opencl_functions : std::string_view());
  if (wants_fences(traits, source)) prelude += fence_prelude;
  if (source.moves_groups) prelude += group_prelude;
  prelude += "#line 1\n";
  const char* text[] = {prelude.data(), static_cast<const char*>(source.data)};
  const std::size_t lengths[] = {prelude.size(), source.size};
  build_result result;
  result.program = program_handle(
      api, api.clCreateProgramWithSource(context.context.get(), 2, text, lengths, &result.code));
  if (result.code != CL_SUCCESS)
    throw context.error(result.code, "create a program from " + source_name(source));
  result.options = options_for(traits, source);
  if (declares) result.options.append(" ").append(image_format::no_function_header);
  {
    std::optional<pocl_building> building;
    if (traits.is_pocl_cpu) building.emplace();
    result.code =
        api.clBuildProgram(result.program.get(), 1, &device, result.options.c_str(), nullptr, nullptr);
  }
  result.log = build_log_of(api, result.program.get(), device);
  return result;
}

} // namespace

std::unique_ptr<opencl_program> build_from_source(const context_ptr& context, cl_device_id device,
                                                  const device_traits& traits, const program_source& source) {
  const auto simulation = context->lock_simulation();
  const auto& api = context->api;
  const bool declares = declares_functions(traits, source);
  build_result built = build_text(*context, device, traits, source, declares);
  if (built.code != CL_SUCCESS && declares) {
    built = build_text(*context, device, traits, source, false);
    if (built.code == CL_SUCCESS) needs_drivers_declarations = true;
  }
  auto& [made, options, log, code] = built;
  if (code != CL_SUCCESS) {
    const device_error error = context->error(code, "build " + source_name(source));
    if (error.category() == error_category::lost) throw error;
    const auto category = error.category() == error_category::out_of_memory ? error_category::out_of_memory
                                                                            : error_category::build;
    const std::string full = traits.is_pocl_cpu ? full_pocl_cache() : "";
    throw device_error(category, error_name(code),
                       "build " + source_name(source) + " with options \"" + options + "\" for " +
                           device_text(api, device, CL_DEVICE_NAME) + ": the compiler reports\n" +
                           (log.empty() ? "nothing" : log) + (full.empty() ? "" : "\n" + full));
  }
  return std::make_unique<opencl_program>(context, device, std::move(made), std::move(log), traits, source);
}

std::unique_ptr<opencl_program> build_from_binary(const context_ptr& context, cl_device_id device,
                                                  const device_traits& traits,
                                                  std::span<const std::byte> binary,
                                                  const program_source& source) {
  binary_header header;
  const binary_header expected;
  if (binary.size() < sizeof header) return nullptr;
  std::memcpy(&header, binary.data(), sizeof header);
  const auto body = binary.subspan(sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 || header.bytes != body.size() ||
      header.fingerprint != fingerprint_hash(*context, device) ||
      header.checksum != fnv1a(body.data(), body.size()))
    return nullptr;
  const auto simulation = context->lock_simulation();
  const auto& api = context->api;
  const auto* bytes = reinterpret_cast<const unsigned char*>(body.data());
  const std::size_t size = body.size();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  program_handle made(
      api, api.clCreateProgramWithBinary(context->context.get(), 1, &device, &size, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return nullptr;
  const std::string options = options_for(traits, source);
  if (api.clBuildProgram(made.get(), 1, &device, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return nullptr;
  std::string log = build_log_of(api, made.get(), device);
  return std::make_unique<opencl_program>(context, device, std::move(made), std::move(log), traits, source);
}

std::string binary_fingerprint(const platform_context& context, cl_device_id device) {
  const auto& api = context.api;
  std::string text = "opencl/" + std::to_string(binary_format);
  for (const cl_platform_info what : {CL_PLATFORM_NAME, CL_PLATFORM_VERSION})
    text.append("/").append(platform_text(api, context.platform, what));
  for (const cl_device_info what : {CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
    text.append("/").append(device_text(api, device, what));
  return text;
}

} // namespace prism::devices::opencl
