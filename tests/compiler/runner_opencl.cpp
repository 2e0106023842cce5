#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <dlfcn.h>

#include "tests/compiler/runner_parts.hpp"

namespace prism::test {
namespace {

void* library() {
  static void* handle = dlopen("libOpenCL.so.1", RTLD_NOW);
  return handle;
}

template <class Function>
Function* symbol(Function*, const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(library(), name));
  if (!found) throw std::runtime_error(std::string("libOpenCL has no ") + name);
  return found;
}
#define CL(name) symbol(static_cast<decltype(&::name)>(nullptr), #name)

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

struct opened {
  std::string name;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  std::string extensions;
};

const std::vector<opened>& devices() {
  static const std::vector<opened> all = [] {
    std::vector<opened> found;
    cl_uint count = 0;
    if (!library() || CL(clGetPlatformIDs)(0, nullptr, &count) != CL_SUCCESS) return found;
    std::vector<cl_platform_id> platforms(count);
    CL(clGetPlatformIDs)(count, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms) {
      char name[256] = {};
      CL(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
      cl_device_id device = nullptr;
      if (CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) continue;
      char extensions[8192] = {};
      CL(clGetDeviceInfo)(device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, nullptr);
      cl_int status = 0;
      cl_context context = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &status);
      cl_command_queue queue = CL(clCreateCommandQueue)(context, device, 0, &status);
      const std::string text = name;
      found.push_back(
          {text == "Portable Computing Language" ? "PoCL" : text, device, context, queue, extensions});
    }
    return found;
  }();
  return all;
}

const image::kernel_image* opencl_image(const image::kernel_record& record) {
  for (std::uint32_t i = 0; i < record.image_count; ++i)
    if (record.images[i].image_kind == image::kind::opencl_c) return &record.images[i];
  return nullptr;
}

std::string missing_feature(const opened& device, std::uint64_t features) {
  if ((features & image::fp64) && device.extensions.find("cl_khr_fp64") == std::string::npos) return "fp64";
  if ((features & image::int64_atomics) &&
      device.extensions.find("cl_khr_int64_base_atomics") == std::string::npos)
    return "int64 atomics";
  if (features & image::addresses) return "addresses";
  return "";
}

cl_kernel build(const opened& device, const image::kernel_record& record, const image::kernel_image& image) {
  // rusticl on llvmpipe of Mesa 22 loses work-items at a mem_fence in divergent control flow. On a CPU it
  // needs none.
  const std::string fixed = std::string(device.name == "rusticl" ? "#define mem_fence(flags)\n" : "") +
                            static_cast<const char*>(image.data);
  const char* text = fixed.c_str();
  cl_int status = 0;
  cl_program program = CL(clCreateProgramWithSource)(device.context, 1, &text, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  if (CL(clBuildProgram)(program, 1, &device.device, "", nullptr, nullptr) != CL_SUCCESS) {
    std::string log(20000, '\0');
    CL(clGetProgramBuildInfo)(program, device.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    throw std::runtime_error("the text does not build on " + device.name + ":\n" + log.c_str() + "\n" + text);
  }
  cl_kernel kernel = CL(clCreateKernel)(program, record.entry, &status);
  check(status, "clCreateKernel");
  return kernel;
}

/// The captured block with its hidden arguments, among them the address of `output`.
std::vector<std::uint64_t> captured_block(const image::kernel_record& record, const void* closure,
                                          const launch& how, const void* output) {
  std::vector<std::uint64_t> block((record.argument_bytes + 7) / 8);
  auto* bytes = reinterpret_cast<unsigned char*>(block.data());
  std::memcpy(bytes, closure, record.closure_bytes);
  for (std::uint32_t i = 0; i < record.hidden_count; ++i) {
    const image::hidden_argument& hidden = record.hidden[i];
    if (hidden.offset < record.closure_bytes || hidden.offset + hidden.size > record.argument_bytes)
      throw std::runtime_error("a hidden argument lies outside of its block");
    if (hidden.what == image::hidden_kind::output) std::memcpy(bytes + hidden.offset, &output, sizeof output);
    for (const launch::constant& constant : how.constants)
      if (constant.id == hidden.key) std::memcpy(bytes + hidden.offset, constant.value, hidden.size);
  }
  return block;
}

void run_on_device(const opened& device, const image::kernel_record& record, const image::kernel_image& image,
                   const void* closure, const launch& how, std::vector<std::uint32_t>& output) {
  cl_kernel kernel = build(device, record, image);
  cl_int status = 0;
  cl_uint index = 0;
  std::vector<std::uint64_t> block = captured_block(record, closure, how, output.data());
  cl_mem block_memory = nullptr;
  if (record.flags & image::arguments_by_value) {
    check(CL(clSetKernelArg)(kernel, index++, block.size() * 8, block.data()), "block");
  } else {
    block_memory =
        CL(clCreateBuffer)(device.context, CL_MEM_COPY_HOST_PTR, block.size() * 8, block.data(), &status);
    check(CL(clSetKernelArg)(kernel, index++, sizeof block_memory, &block_memory), "block");
  }
  if (record.flags & image::uses_local_memory)
    check(CL(clSetKernelArg)(kernel, index++,
                             std::max<std::size_t>(how.local_bytes + record.static_local_bytes, 8), nullptr),
          "arena");
  std::vector<array> arrays = how.arrays;
  arrays.push_back({output.data(), output.size() * 4});
  std::vector<cl_mem> memories;
  for (const array& a : arrays)
    memories.push_back(CL(clCreateBuffer)(device.context, CL_MEM_COPY_HOST_PTR, a.bytes, a.data, &status));
  for (std::uint32_t s = 0; s < record.slot_count; ++s) {
    std::uint64_t word = 0, offset = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(block.data()) + record.slots[s].offset, 8);
    cl_mem base = nullptr;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const auto begin = reinterpret_cast<std::uint64_t>(arrays[i].data);
      if (word < begin || word >= begin + arrays[i].bytes) continue;
      base = memories[i];
      offset = word - begin;
    }
    check(CL(clSetKernelArg)(kernel, index++, sizeof base, &base), "slot base");
    check(CL(clSetKernelArg)(kernel, index++, sizeof offset, &offset), "slot offset");
  }
  const std::size_t global = how.groups * how.group_size, local = how.group_size;
  check(CL(clEnqueueNDRangeKernel)(device.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        "launch");
  for (std::size_t i = 0; i < memories.size(); ++i) {
    check(CL(clEnqueueReadBuffer)(device.queue, memories[i], CL_TRUE, 0, arrays[i].bytes, arrays[i].data, 0,
                                  nullptr, nullptr),
          "read back");
    CL(clReleaseMemObject)(memories[i]);
  }
  if (block_memory) CL(clReleaseMemObject)(block_memory);
  CL(clReleaseKernel)(kernel);
}

output read_output(const std::vector<std::uint32_t>& block) {
  image::output_header header;
  std::memcpy(&header, block.data(), sizeof header);
  output found{"", header.failed != 0, header.used > header.capacity};
  const char* bytes = reinterpret_cast<const char*>(block.data()) + sizeof header;
  for (std::uint32_t i = 0; i < std::min(header.used, header.capacity); ++i)
    if (bytes[i] != 0) found.text += bytes[i];
  return found;
}

template <class T>
std::string compare_numbers(const T* expected, const T* found, std::size_t count, double tolerance) {
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(&expected[i], &found[i], sizeof(T)) == 0 ||
        (std::isnan(expected[i]) && std::isnan(found[i])))
      continue;
    if (std::abs(double(expected[i]) - double(found[i])) <=
        tolerance * std::max(1.0, std::abs(double(expected[i]))))
      continue;
    return "element " + std::to_string(i) + ": expected " + std::to_string(expected[i]) + ", found " +
           std::to_string(found[i]);
  }
  return "";
}

std::string compare_memory(const std::vector<unsigned char>& expected, const array& found,
                           const launch& how) {
  if (how.compared == launch::element::float32)
    return compare_numbers(reinterpret_cast<const float*>(expected.data()),
                           static_cast<const float*>(found.data), found.bytes / 4, how.tolerance);
  if (how.compared == launch::element::float64)
    return compare_numbers(reinterpret_cast<const double*>(expected.data()),
                           static_cast<const double*>(found.data), found.bytes / 8, how.tolerance);
  const auto* bytes = static_cast<const unsigned char*>(found.data);
  for (std::size_t i = 0; i < found.bytes; ++i)
    if (expected[i] != bytes[i])
      return "byte " + std::to_string(i) + ": expected " + std::to_string(expected[i]) + ", found " +
             std::to_string(bytes[i]);
  return "";
}

} // namespace

std::vector<std::string> drivers() {
  std::vector<std::string> names;
  for (const opened& device : devices()) names.push_back(device.name);
  return names;
}

std::string run_on_driver(const std::string& driver, const sycl::detail::kernel_slot& slot,
                          const void* closure, const launch& how, output& written) {
  const image::kernel_record* record = slot.record;
  if (!record) return "the kernel has no record: the plugin did not run";
  const image::kernel_image* image = opencl_image(*record);
  if (!image || !image->data)
    return std::string("no OpenCL image: ") + (image ? image->refusal : "none listed");
  for (const opened& device : devices()) {
    if (device.name != driver) continue;
    if (std::string feature = missing_feature(device, image->features); !feature.empty())
      return "skipped: " + driver + " has no " + feature;
    try {
      std::vector<std::uint32_t> block = empty_output();
      run_on_device(device, *record, *image, closure, how, block);
      written = read_output(block);
    } catch (const std::exception& problem) {
      return problem.what();
    }
  }
  return "";
}

std::string compare(const std::string& driver, const sycl::detail::kernel_slot& slot, const void* closure,
                    work_item body, const launch& how) {
  if (!slot.record) return "the kernel has no record: the plugin did not run";
  std::vector<std::vector<unsigned char>> before, expected;
  for (const array& a : how.arrays)
    before.emplace_back(static_cast<unsigned char*>(a.data), static_cast<unsigned char*>(a.data) + a.bytes);
  std::vector<std::uint32_t> host_block = empty_output();
  run_on_host(closure, body, how, slot.record->static_local_bytes, host_block.data());
  for (const array& a : how.arrays)
    expected.emplace_back(static_cast<unsigned char*>(a.data), static_cast<unsigned char*>(a.data) + a.bytes);
  for (std::size_t i = 0; i < before.size(); ++i)
    std::memcpy(how.arrays[i].data, before[i].data(), before[i].size());
  output written;
  if (std::string problem = run_on_driver(driver, slot, closure, how, written); !problem.empty())
    return problem;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::string difference = compare_memory(expected[i], how.arrays[i], how); !difference.empty())
      return "array " + std::to_string(i) + ", " + difference + "\n" +
             static_cast<const char*>(opencl_image(*slot.record)->data);
  return "";
}

} // namespace prism::test
