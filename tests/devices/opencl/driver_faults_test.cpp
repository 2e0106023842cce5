// How the OpenCL backend meets drivers and loaders that misbehave: this program stands between it and the
// real loader. Its functions come before the library's (devices/opencl/loader.cpp).
#include "tests/devices/opencl/fixture.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <dlfcn.h>
#include <set>

namespace {

std::string icd_filenames; // OCL_ICD_FILENAMES at the start

/// Whether the driver has stopped a command, as NVIDIA's after an illegal access: every call then fails.
std::atomic<bool> is_dead = false;
constexpr cl_int stopped = -9999;

/// Whether the driver has the other habits of NVIDIA's (580.159): see the functions that ask.
std::atomic<bool> is_nvidia = false;

std::atomic<bool> is_old = false; // the driver has no OpenCL C 3.0
std::atomic<bool> adds_floats =
    false; // the device has cl_ext_float_atomics, with doubles in global memory only
std::atomic<bool> multiplies_bytes = false;   // the device has cl_khr_integer_dot_product
std::atomic<bool> has_halves = false;         // the device has cl_khr_fp16
std::atomic<bool> keeps_small_halves = false; // and does not make denormalized ones zero
std::atomic<bool> has_sub_groups = false;     // the device has sub-groups of 8 to 64 work-items
/// The devices are GPUs of one name. What the driver states of each: nothing else, or the same UUID for all,
/// or a UUID for each, or its place on the bus as AMD's driver does.
enum class equal_gpus { none, by_name, one_uuid, uuids, topology };
std::atomic<equal_gpus> equal = equal_gpus::none;
std::string last_options; // of the last build; one thread uses it
using argument = std::pair<cl_kernel, cl_uint>;
const void* const not_its_own = reinterpret_cast<const void*>(11); // no address of its memory
const void* early_source = nullptr;                                // copies from there
std::set<argument> svm_arguments, spoilt_arguments;                // one thread uses them

template <typename Function>
Function* real(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

/// As Khronos' loader does when it reads a list of paths.
void cut_in_place(char* list) {
  for (; list && *list; ++list)
    if (*list == ':') *list = '\0';
}

} // namespace

extern "C" {

static cl_int text(const char* value, void* to, size_t bytes, size_t* needed) {
  const size_t size = std::strlen(value) + 1;
  if (needed) *needed = size;
  if (to) std::memcpy(to, value, std::min(bytes, size));
  return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* to, cl_uint* count) {
  const auto forward = real<decltype(clGetPlatformIDs)>("clGetPlatformIDs");
  if (!forward) return -1001;
  const cl_int code = forward(room, to, count);
  static const bool once = (cut_in_place(std::getenv("OCL_ICD_FILENAMES")), true);
  static_cast<void>(once);
  return code;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t bytes, void* to,
                         size_t* needed) {
  const char* const name = is_nvidia ? "NVIDIA CUDA" : has_sub_groups ? "A driver with sub-groups" : nullptr;
  if (!name || what != CL_PLATFORM_NAME)
    return real<decltype(clGetPlatformInfo)>("clGetPlatformInfo")(platform, what, bytes, to, needed);
  return text(name, to, bytes, needed);
}

/// In the list of its platform.
static std::size_t place_of(cl_device_id device) {
  cl_platform_id platform = nullptr;
  real<decltype(clGetDeviceInfo)>("clGetDeviceInfo")(device, CL_DEVICE_PLATFORM, sizeof platform, &platform,
                                                     nullptr);
  cl_device_id listed[16] = {};
  real<decltype(clGetDeviceIDs)>("clGetDeviceIDs")(platform, CL_DEVICE_TYPE_ALL, 16, listed, nullptr);
  return static_cast<std::size_t>(std::find(listed, listed + 16, device) - listed);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void* to, size_t* needed) {
  const auto answer = [&](const auto& value) {
    std::memcpy(to, &value, std::min(bytes, sizeof value));
    return CL_SUCCESS;
  };
  if (is_old && what == CL_DEVICE_OPENCL_C_ALL_VERSIONS) return CL_INVALID_VALUE;
  if (adds_floats) switch (what) {
      case 0x4231:
        return answer(cl_bitfield{1u << 1 | 1u << 17}); // floats: additions in global and local memory
      case 0x4232: return answer(cl_bitfield{1u << 1}); // doubles: in global memory
      case CL_DEVICE_EXTENSIONS:
        return text("cl_khr_fp64 cl_khr_int64_base_atomics cl_ext_float_atomics", to, bytes, needed);
      default: break;
    }
  if (multiplies_bytes) switch (what) {
      case 0x1073: return answer(cl_bitfield{1}); // CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR: packed
      case CL_DEVICE_EXTENSIONS: return text("cl_khr_fp64 cl_khr_integer_dot_product", to, bytes, needed);
      default: break;
    }
  if (has_halves) switch (what) {
      case 0x1033: // CL_DEVICE_HALF_FP_CONFIG
        return answer(static_cast<cl_device_fp_config>(CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                                       (keeps_small_halves ? CL_FP_DENORM : 0)));
      case CL_DEVICE_EXTENSIONS: return text("cl_khr_fp64 cl_khr_fp16", to, bytes, needed);
      default: break;
    }
  if (has_sub_groups) switch (what) {
      case CL_DEVICE_MAX_NUM_SUB_GROUPS: return answer(cl_uint{512});
      case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: return answer(cl_uint{16});
      case 0x4108: { // sizes of sub-groups
        constexpr size_t sizes[] = {8, 16, 32, 64};
        if (needed) *needed = sizeof sizes;
        if (to) std::memcpy(to, sizes, std::min(bytes, sizeof sizes));
        return CL_SUCCESS;
      }
      case CL_DEVICE_EXTENSIONS:
        return text(
            "cl_khr_fp64 cl_khr_subgroup_shuffle_relative cl_khr_subgroup_shuffle cl_khr_subgroup_ballot "
            "cl_intel_required_subgroup_size",
            to, bytes, needed);
      default: break;
    }
  if (equal != equal_gpus::none) switch (what) {
      case CL_DEVICE_TYPE: return answer(cl_device_type{CL_DEVICE_TYPE_GPU});
      case CL_DEVICE_NAME: return text("A GPU", to, bytes, needed);
      case CL_DEVICE_EXTENSIONS:
        return text(equal == equal_gpus::by_name    ? "cl_khr_fp64"
                    : equal == equal_gpus::topology ? "cl_khr_fp64 cl_amd_device_attribute_query"
                                                    : "cl_khr_fp64 cl_khr_device_uuid",
                    to, bytes, needed);
      case 0x106A: { // CL_DEVICE_UUID_KHR
        std::array<cl_uchar, 16> uuid{0xab, 1};
        if (equal == equal_gpus::uuids) uuid[15] = static_cast<cl_uchar>(place_of(device));
        return answer(uuid);
      }
      case 0x4037: { // CL_DEVICE_TOPOLOGY_AMD
        std::array<cl_uchar, 24> topology{1};
        topology[21] = static_cast<cl_uchar>(0x40 + place_of(device));
        return answer(topology);
      }
      default: break;
    }
  if (is_nvidia) switch (what) {
      case 0x4002: return answer(cl_uint{65536}); // registers of a group
      case 0x4003: return answer(cl_uint{32});    // work-items of a warp
      case CL_DEVICE_MAX_WORK_GROUP_SIZE: return answer(std::size_t{1024});
      case CL_DEVICE_LOCAL_MEM_SIZE: return answer(cl_ulong{49152});
      default: break;
    }
  return real<decltype(clGetDeviceInfo)>("clGetDeviceInfo")(device, what, bytes, to, needed);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                size_t bytes, void* to, size_t* needed) {
  const auto forward = real<decltype(clGetKernelWorkGroupInfo)>("clGetKernelWorkGroupInfo");
  if (!is_nvidia || what != CL_KERNEL_WORK_GROUP_SIZE)
    return forward(kernel, device, what, bytes, to, needed);
  constexpr size_t for_every_kernel = 256;
  std::memcpy(to, &for_every_kernel, bytes);
  return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                             size_t bytes, void* to, size_t* needed) {
  constexpr char log[] = "ptxas info    : Used 173 registers, used 0 barriers\n";
  if (!is_nvidia || what != CL_PROGRAM_BUILD_LOG)
    return real<decltype(clGetProgramBuildInfo)>("clGetProgramBuildInfo")(program, device, what, bytes, to,
                                                                          needed);
  if (needed) *needed = sizeof log;
  if (to) std::memcpy(to, log, std::min(bytes, sizeof log));
  return CL_SUCCESS;
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value) {
  svm_arguments.insert({kernel, index});
  spoilt_arguments.erase({kernel, index});
  if (is_nvidia && value == not_its_own) { // says CL_SUCCESS and leaves the argument unset
    spoilt_arguments.insert({kernel, index});
    return CL_SUCCESS;
  }
  return real<decltype(clSetKernelArgSVMPointer)>("clSetKernelArgSVMPointer")(kernel, index, value);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void* value) {
  if (svm_arguments.count({kernel, index})) spoilt_arguments.insert({kernel, index});
  return real<decltype(clSetKernelArg)>("clSetKernelArg")(kernel, index, bytes, value);
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* code) {
  cl_kernel made = real<decltype(clCreateKernel)>("clCreateKernel")(program, name, code);
  std::erase_if(svm_arguments, [made](const argument& each) { return each.first == made; });
  std::erase_if(spoilt_arguments, [made](const argument& each) { return each.first == made; });
  return made;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint count,
                              const cl_event* list, cl_event* event) {
  const bool spoilt = std::any_of(spoilt_arguments.begin(), spoilt_arguments.end(),
                                  [kernel](const argument& each) { return each.first == kernel; });
  if (is_nvidia && spoilt) return CL_INVALID_KERNEL_ARGS;
  return real<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel")(queue, kernel, dimensions, offset,
                                                                          global, local, count, list, event);
}

/// A small copy's bytes are read when it is enqueued.
cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocks, void* to, const void* from, size_t bytes,
                          cl_uint count, const cl_event* list, cl_event* event) {
  static std::deque<std::vector<char>> read; // until the end
  if (is_nvidia && from == early_source) {
    read.emplace_back(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
    from = read.back().data();
  }
  return real<decltype(clEnqueueSVMMemcpy)>("clEnqueueSVMMemcpy")(queue, blocks, to, from, bytes, count, list,
                                                                  event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool blocks, const size_t* origin,
                                const size_t* host_origin, const size_t* region, size_t row, size_t slice,
                                size_t host_row, size_t host_slice, const void* from, cl_uint count,
                                const cl_event* list, cl_event* event) {
  size_t room = 0;
  real<decltype(clGetMemObjectInfo)>("clGetMemObjectInfo")(memory, CL_MEM_SIZE, sizeof room, &room, nullptr);
  if (is_nvidia && room < std::max(row * region[1], slice) * region[2]) return CL_INVALID_VALUE;
  return real<decltype(clEnqueueWriteBufferRect)>("clEnqueueWriteBufferRect")(
      queue, memory, blocks, origin, host_origin, region, row, slice, host_row, host_slice, from, count, list,
      event);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void* to, size_t* needed) {
  const cl_int code = real<decltype(clGetEventInfo)>("clGetEventInfo")(event, what, bytes, to, needed);
  if (is_dead && what == CL_EVENT_COMMAND_EXECUTION_STATUS) *static_cast<cl_int*>(to) = stopped;
  return code;
}

cl_int clFlush(cl_command_queue queue) {
  return is_dead ? stopped : real<decltype(clFlush)>("clFlush")(queue);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* list,
                                   cl_event* event) {
  if (is_dead) return CL_OUT_OF_RESOURCES;
  return real<decltype(clEnqueueMarkerWithWaitList)>("clEnqueueMarkerWithWaitList")(queue, count, list,
                                                                                    event);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int* code) {
  if (!is_dead)
    return real<decltype(clCreateCommandQueue)>("clCreateCommandQueue")(context, device, properties, code);
  *code = stopped;
  return nullptr;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* done)(cl_program, void*), void* data) {
  if (is_dead) return stopped;
  last_options = options ? options : "";
  if (is_nvidia) options = "-cl-std=CL1.2"; // without -cl-nv-verbose
  return real<decltype(clBuildProgram)>("clBuildProgram")(program, count, devices, options, done, data);
}

void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
  return is_dead ? nullptr : real<decltype(clSVMAlloc)>("clSVMAlloc")(context, flags, bytes, alignment);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  if (!is_dead) return real<decltype(clCreateBuffer)>("clCreateBuffer")(context, flags, bytes, host, code);
  *code = CL_OUT_OF_RESOURCES;
  return nullptr;
}

} // extern "C"

namespace prism::devices {
namespace {

class driver_faults : public ::testing::Test {
protected:
  void SetUp() override { open(); }
  void open() {
    if (!opencl_backend().probe().usable) GTEST_SKIP() << "no OpenCL driver is installed";
    m_opened = opencl_backend().open();
  }
  void TearDown() override {
    is_dead = is_nvidia = is_old = adds_floats = has_sub_groups = has_halves = multiplies_bytes = false;
  }
  /// What the driver's compiler is asked for this text. Its own compiler need not have the extension.
  std::string options_of(const std::string& added) {
    const std::string text = axpy_text + added;
    dut().create_program({image::kind::opencl_c, text.data(), text.size(), &axpy_record, ""});
    return last_options;
  }
  device& dut() { return *m_opened.front(); }
  static void run(queue& on, std::initializer_list<command> commands) {
    const std::uint64_t point = on.submit({commands.begin(), commands.size()}, {});
    on.points().wait(point);
    if (auto failure = on.points().failure(point)) throw *failure;
  }

  /// The category of what `act` throws.
  template <typename Act>
  static error_category category(const Act& act) {
    try {
      act();
    } catch (const device_error& error) {
      EXPECT_NE(std::string(error.what()).find("the device is lost"), std::string::npos) << error.what();
      return error.category();
    }
    return error_category::other;
  }

private:
  std::vector<std::unique_ptr<device>> m_opened;
};

TEST_F(driver_faults, a_loader_that_cuts_its_variables_leaves_them_whole_for_child_processes) {
  EXPECT_STREQ(std::getenv("OCL_ICD_FILENAMES"), icd_filenames.c_str());
}

TEST_F(driver_faults, after_a_stopped_command_every_error_says_that_the_device_is_lost) {
  const auto queue = dut().create_queue({});
  const command nothing = barrier_command{};
  const std::uint64_t point = queue->submit({&nothing, 1}, {});
  is_dead = true;
  EXPECT_TRUE(queue->points().wait(point));
  ASSERT_TRUE(queue->points().failure(point));
  EXPECT_EQ(queue->points().failure(point)->category(), error_category::lost);
  EXPECT_EQ(category([&] { queue->submit({&nothing, 1}, {}); }), error_category::lost);
  EXPECT_EQ(category([&] { dut().create_queue({}); }), error_category::lost);
  EXPECT_EQ(category([&] { dut().create_memory(64, memory_kind::device, 64); }), error_category::lost);
  EXPECT_EQ(category([&] { dut().create_memory(1 << 20, memory_kind::buffer, 64); }), error_category::lost);
  EXPECT_EQ(category([&] {
    dut().create_program({image::kind::opencl_c, axpy_text, sizeof axpy_text - 1, &axpy_record, ""});
  }),
            error_category::lost);
}

TEST_F(driver_faults, a_submission_may_be_the_first_call_that_notices) {
  const auto queue = dut().create_queue({});
  const command nothing = barrier_command{};
  is_dead = true;
  EXPECT_EQ(category([&] { queue->submit({&nothing, 1}, {}); }), error_category::lost);
}

TEST_F(driver_faults, a_flush_that_notices_fails_the_points_and_throws_nothing) {
  const auto queue = dut().create_queue({});
  const command nothing = barrier_command{};
  const std::uint64_t point = queue->submit({&nothing, 1}, {});
  is_dead = true;
  EXPECT_EQ(queue->points().completed(), point);
  ASSERT_TRUE(queue->points().failure(point));
  EXPECT_EQ(queue->points().failure(point)->category(), error_category::lost);
}

class old_driver : public driver_faults {
protected:
  void SetUp() override {
    is_old = true;
    open();
  }
};

TEST_F(old_driver, text_that_names_a_clock_is_compiled_as_what_the_driver_knows) {
  const std::string text = std::string(axpy_text) + "\n// clock_read_device is only a word here\n";
  dut().create_program({image::kind::opencl_c, text.data(), text.size(), &axpy_record, ""});
  EXPECT_NE(last_options.find("-cl-std=CL1.2"), std::string::npos) << last_options;
}

class driver_that_adds_floats : public driver_faults {
protected:
  void SetUp() override {
    adds_floats = true;
    open();
  }
};

TEST_F(driver_that_adds_floats, learns_which_additions_the_device_has_if_the_text_asks) {
  const std::string options = options_of("\n// PRISM_FLOAT_ADDS\n");
  EXPECT_NE(options.find(" -DPRISM_FLOAT_ADDS=7"), std::string::npos) << options;
  EXPECT_NE(options.find("-cl-std=CL3.0"), std::string::npos) << options;
  EXPECT_EQ(options_of("").find("PRISM_FLOAT_ADDS"), std::string::npos);
}

TEST_F(driver_faults, packed_bytes_are_multiplied_by_the_device_if_it_can_and_the_text_asks) {
  EXPECT_EQ(options_of("\n// PRISM_DOT_PRODUCTS\n").find("PRISM_DOT_PRODUCTS"), std::string::npos);
  multiplies_bytes = true;
  open();
  const std::string options = options_of("\n// PRISM_DOT_PRODUCTS\n");
  EXPECT_NE(options.find(" -DPRISM_DOT_PRODUCTS=1"), std::string::npos) << options;
  EXPECT_NE(options.find("-cl-std=CL3.0"), std::string::npos) << options;
  EXPECT_EQ(options_of("").find("PRISM_DOT_PRODUCTS"), std::string::npos);
}

class driver_with_halves : public driver_faults {
protected:
  void SetUp() override { has_halves = true; }
};

TEST_F(driver_with_halves, computes_in_half_only_if_small_ones_do_not_become_zero) {
  for (const bool keeps : {false, true}) {
    keeps_small_halves = keeps;
    open();
    EXPECT_EQ(options_of("\n// PRISM_HALF\n").find(" -DPRISM_HALF") != std::string::npos, keeps);
    EXPECT_EQ(options_of("").find("PRISM_HALF"), std::string::npos);
  }
}

class driver_with_sub_groups : public driver_faults {
protected:
  void SetUp() override {
    has_sub_groups = true;
    open();
  }
};

TEST_F(driver_with_sub_groups, offers_the_sizes_that_fit_into_a_register_of_the_processor) {
  const capabilities& info = dut().info();
  EXPECT_EQ(info.sub_group_sizes, (std::vector<std::uint32_t>{8, 16}));
  EXPECT_TRUE(info.features & image::sub_groups);
  EXPECT_EQ(info.image_kinds.front(), image::kind::opencl_c_sub_groups);
}

/// Stores the driver's local size, the work-group's, and the size of sub-groups.
constexpr char asks_for_size[] = R"(
struct block { ulong w[1]; };
__kernel void asks(struct block b, __global uchar* x, ulong xo, uint lx, uint ly, uint lz) {
  __global uint* out = (__global uint*)(x + xo);
  if (get_local_id(0) + 1 != get_local_size(0)) return;
  const uint group = (uint)(get_group_id(0) + get_num_groups(0) * get_group_id(1));
  out[8 * group] = (uint)get_local_size(0), out[8 * group + 1] = (uint)get_local_size(1);
  out[8 * group + 2] = lx, out[8 * group + 3] = ly, out[8 * group + 4] = lz;
  out[8 * group + 5] = PRISM_SUB_GROUP_SIZE;
})";

TEST_F(driver_with_sub_groups, gets_work_groups_as_rows_with_the_size_of_the_group) {
  static constexpr image::pointer_slot slots[] = {{0, 3}};
  image::kernel_record record = record_of("asks", 8, image::arguments_by_value, 1, slots);
  for (const std::uint32_t required : {0u, 8u}) {
    record.required_sub_group_size = required;
    const auto code = dut().create_program(
        {image::kind::opencl_c_sub_groups, asks_for_size, sizeof asks_for_size - 1, &record, ""});
    EXPECT_NE(last_options.find("-cl-std=CL3.0"), std::string::npos) << last_options;
    EXPECT_LE(code->get_kernel("asks").limits().max_group_size, 256u * (required ? required : 16));
    const auto queue = dut().create_queue({});
    const auto to = dut().create_memory(6 * 32, memory_kind::buffer, 64);
    dispatch_command launch;
    launch.object = &code->get_kernel("asks");
    launch.groups = {2, 3, 1};
    launch.local = {4, 2, 3};
    launch.arguments.resize(8);
    launch.slots = {{to.get(), 0, 0}};
    unsigned found[6][8] = {};
    copy_command back;
    back.from.object = to.get();
    back.to.host = found;
    back.row_bytes = sizeof found;
    run(*queue, {launch, back});
    for (const auto& group : found)
      EXPECT_EQ((std::vector<unsigned>(group, group + 6)),
                (std::vector<unsigned>{24, 1, 4, 2, 3, required ? required : 16}));
  }
}

/// Has the habits before the devices are opened.
class nvidia_driver : public driver_faults {
protected:
  void SetUp() override {
    is_nvidia = true;
    open();
  }
};

constexpr char asks_for_null[] = R"(
struct block { ulong w[2]; };
__kernel void asks(struct block b, __global uchar* x, ulong xo, __global uchar* y, ulong yo) {
  ((__global uint*)(x + xo))[0] = y == 0 ? 1 : 2;
})";
constexpr image::pointer_slot asks_slots[] = {{0, 3}, {8, 3}};
constexpr image::kernel_record asks_record = record_of("asks", 16, image::arguments_by_value, 1, asks_slots);

TEST_F(nvidia_driver, an_argument_may_be_null_after_it_was_a_pointer) {
  if (dut().info().usm_device == false) GTEST_SKIP() << dut().info().name << " has no shared virtual memory";
  const auto code = dut().create_program(
      {image::kind::opencl_c, asks_for_null, sizeof asks_for_null - 1, &asks_record, ""});
  const auto queue = dut().create_queue({});
  const auto to = dut().create_memory(64, memory_kind::device, 64),
             other = dut().create_memory(64, memory_kind::device, 64);
  for (const bool is_null : {true, false, true, true, false}) {
    dispatch_command launch;
    launch.object = &code->get_kernel("asks");
    launch.groups[0] = launch.local[0] = 1;
    launch.arguments.resize(16);
    launch.slots = {{to.get(), 0, 0}, {is_null ? nullptr : other.get(), 0, 0}};
    unsigned found = 0;
    copy_command back;
    back.from.object = to.get();
    back.to.host = &found;
    back.row_bytes = sizeof found;
    run(*queue, {launch, back});
    EXPECT_EQ(found, is_null ? 1u : 2u);
  }
}

TEST_F(nvidia_driver, a_number_may_be_where_a_pointer_may_be) {
  if (dut().info().usm_device == false) GTEST_SKIP() << dut().info().name << " has no shared virtual memory";
  const auto code = dut().create_program(
      {image::kind::opencl_c, asks_for_null, sizeof asks_for_null - 1, &asks_record, ""});
  const auto queue = dut().create_queue({});
  const auto to = dut().create_memory(64, memory_kind::device, 64);
  dispatch_command launch;
  launch.object = &code->get_kernel("asks");
  launch.groups[0] = launch.local[0] = 1;
  launch.arguments.resize(16);
  launch.slots = {{to.get(), 0, 0}, {nullptr, 0, reinterpret_cast<std::uint64_t>(not_its_own)}};
  unsigned found = 0;
  copy_command back;
  back.from.object = to.get();
  back.to.host = &found;
  back.row_bytes = sizeof found;
  run(*queue, {launch, back});
  EXPECT_EQ(found, 1u) << "the base is null and the number is the offset";
}

TEST_F(nvidia_driver, the_largest_group_is_what_the_registers_are_enough_for) {
  const auto code =
      dut().create_program({image::kind::opencl_c, axpy_text, sizeof axpy_text - 1, &axpy_record, ""});
  EXPECT_EQ(code->get_kernel("axpy").limits().max_group_size, 65536u / (176 * 32) / 4 * 4 * 32);
}

// The device writes the host's bytes, then reads them: the kernel in front makes the first copy wait.
TEST_F(nvidia_driver, a_copy_from_the_host_follows_the_copy_that_wrote_its_bytes) {
  if (dut().info().usm_device == false) GTEST_SKIP() << dut().info().name << " has no shared virtual memory";
  constexpr char spin[] = R"(
struct block { ulong w[2]; };
__kernel void spins(struct block b, __global uchar* x, ulong xo) {
  __global uint* words = (__global uint*)(x + xo);
  uint n = words[0];
  for (uint i = 0; i < 100000000; ++i) n = n * 1664525 + 1013904223 + (n >> 7);
  words[0] = n == 5 ? 8 : 7;
})";
  static constexpr image::pointer_slot slots[] = {{0, 3}};
  static constexpr image::kernel_record record = record_of("spins", 16, image::arguments_by_value, 1, slots);
  const auto code = dut().create_program({image::kind::opencl_c, spin, sizeof spin - 1, &record, ""});
  const auto queue = dut().create_queue({});
  const auto first = dut().create_memory(64, memory_kind::device, 64),
             second = dut().create_memory(64, memory_kind::device, 64);
  unsigned host = 1, found = 0;
  early_source = &host;
  dispatch_command launch;
  launch.object = &code->get_kernel("spins");
  launch.groups[0] = launch.local[0] = 1;
  launch.arguments.resize(16);
  launch.slots = {{first.get(), 0, 0}};
  copy_command down, up, back;
  down.from.object = first.get(), down.to.host = &host, down.row_bytes = sizeof host;
  up.from.host = &host, up.to.object = second.get(), up.row_bytes = sizeof host;
  back.from.object = second.get(), back.to.host = &found, back.row_bytes = sizeof found;
  run(*queue, {launch, down, up, back});
  early_source = nullptr;
  EXPECT_EQ(host, 7u);
  EXPECT_EQ(found, 7u);
}

/// PoCL makes two devices, of which clGetDeviceInfo makes GPUs.
class equal_devices : public ::testing::Test {
protected:
  void TearDown() override { equal = equal_gpus::none; }
  /// The ids of the platform's devices.
  static std::vector<std::string> ids(equal_gpus kind) {
    equal = kind;
    std::vector<std::string> out;
    if (!opencl_backend().probe().usable) return out;
    for (const auto& each : opencl_backend().open())
      if (each->info().platform_name == "Portable Computing Language")
        out.push_back(each->info().physical_id);
    return out;
  }
};

TEST_F(equal_devices, are_one_piece_of_hardware_only_if_they_are_the_processor) {
  const std::vector<std::string> processors = ids(equal_gpus::none);
  if (processors.size() != 2) GTEST_SKIP() << "PoCL is not installed";
  EXPECT_EQ(processors, (std::vector<std::string>{"cpu", "cpu"}));
  const std::string named = "opencl:Portable Computing Language:A GPU";
  EXPECT_EQ(ids(equal_gpus::by_name), (std::vector<std::string>{named, named + "#1"}));
  const std::string uuid = "uuid:ab0100000000000000000000000000";
  EXPECT_EQ(ids(equal_gpus::one_uuid), (std::vector<std::string>{uuid + "00", uuid + "00#1"}));
  EXPECT_EQ(ids(equal_gpus::uuids), (std::vector<std::string>{uuid + "00", uuid + "01"}));
  EXPECT_EQ(ids(equal_gpus::topology), (std::vector<std::string>{"pci:0000:40:00.0", "pci:0000:41:00.0"}));
}

TEST_F(nvidia_driver, local_memory_leaves_room_for_the_drivers_own) {
  EXPECT_EQ(dut().info().local_memory, 49152u - 256);
}

TEST_F(nvidia_driver, boxes_may_end_with_the_memory) {
  const auto queue = dut().create_queue({});
  constexpr std::size_t width = 100, pitch = 256, rows = 5, slices = 3,
                        bytes = pitch * (rows * slices - 1) + width;
  const auto memory = dut().create_memory(bytes, memory_kind::buffer, 64);
  std::vector<unsigned char> out(width * rows * slices), back(bytes, 1);
  std::iota(out.begin(), out.end(), static_cast<unsigned char>(0));
  copy_command write, read;
  write.from.host = out.data();
  write.to = {memory.get(), nullptr, 0, pitch, pitch * rows};
  write.row_bytes = width, write.rows = rows, write.slices = slices;
  read.from.object = memory.get();
  read.to.host = back.data();
  read.row_bytes = bytes;
  run(*queue, {write, read});
  for (std::size_t row = 0; row < rows * slices; ++row)
    for (std::size_t i = 0; i < width; ++i)
      ASSERT_EQ(back[row * pitch + i], out[row * width + i]) << row << ' ' << i;
}

} // namespace
} // namespace prism::devices

int main(int argc, char** argv) {
  const char* const before = std::getenv("OCL_ICD_FILENAMES");
  icd_filenames = std::string(before ? before : "") + ":/nonexistent/one.so:/nonexistent/two.so";
  setenv("OCL_ICD_FILENAMES", icd_filenames.c_str(), 1);
  setenv("POCL_DEVICES", "pthread pthread", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
