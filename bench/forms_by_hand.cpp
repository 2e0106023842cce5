#include "bench/forms_by_hand.hpp"

#include "bench/opencl_side.hpp"
#include "bench/vulkan_side.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

namespace bench {

namespace {

std::size_t bytes_of(const std::string& type) {
  if (type == "char") return 1;
  if (type == "half") return 2;
  if (type == "double") return 8;
  return type == "float4" ? 16 : 4;
}

template <typename T>
void fill(std::vector<std::byte>& memory, T (*element)(std::size_t)) {
  memory.resize(form_count * sizeof(T));
  for (std::size_t i = 0; i < form_count; ++i) {
    const T value = element(i);
    std::memcpy(memory.data() + i * sizeof(T), &value, sizeof(T));
  }
}

/// The bits of a small number as a half.
std::uint16_t half_of(std::size_t number) {
  if (number == 0) return 0;
  unsigned exponent = 0;
  while (number >> (exponent + 1)) ++exponent;
  return std::uint16_t((exponent + 15) << 10 | (number << (10 - exponent) & 1023));
}

double number_at(const std::vector<std::byte>& memory, const std::string& type, std::size_t index) {
  const auto read = [&](auto zero) {
    std::memcpy(&zero, memory.data() + index * sizeof(zero), sizeof(zero));
    return double(zero);
  };
  if (type == "char") return read((signed char)0);
  if (type == "half") return read(std::uint16_t(0)); // the small numbers here are compared as bits
  if (type == "double") return read(0.0);
  return type == "int" ? read(0) : read(0.0f);
}

class opencl_forms final : public forms_by_hand {
public:
  opencl_forms(cl_device_id device, const std::string& shaders) : m_side(device, shaders) {}
  const char* language() const override { return "hand-written OpenCL C"; }

  void prepare(const hand_operation& operation) override {
    m_data = memory_of(operation);
    m_items = items_of(operation);
    const bool is_half = operation.type == "half";
    m_kernel = m_side.kernel("forms", is_half ? "axpy_half" : operation.kernel.c_str(),
                             is_half ? "" : ("-DT=" + operation.type).c_str());
    for (unsigned i = 0; i < 3; ++i) {
      m_memory[i] = m_side.bytes(m_data.bytes[i].size(), m_data.bytes[i].data());
      set(m_kernel, i, m_memory[i].get());
    }
    set(m_kernel, 3, cl_uint(m_items));
    if (operation.kernel != "dot_product") return;
    set(m_kernel, 3, cl_uint(form_count));
  }
  void run() override {
    const std::size_t local = 256;
    check(clEnqueueNDRangeKernel(m_side.queue(), m_kernel.get(), 1, nullptr, &m_items, &local, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(m_side.queue()), "clFinish");
  }
  hand_memory written() override {
    for (unsigned i = 1; i < 3; ++i)
      check(clEnqueueReadBuffer(m_side.queue(), m_memory[i].get(), CL_TRUE, 0, m_data.bytes[i].size(),
                                m_data.bytes[i].data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    return m_data;
  }

private:
  opencl_side m_side;
  hand_memory m_data;
  std::size_t m_items = 0;
  memory_handle m_memory[3];
  kernel_handle m_kernel;
};

class vulkan_forms final : public forms_by_hand {
public:
  vulkan_forms(std::string device_name, std::string shaders)
      : m_device_name(std::move(device_name)), m_shaders(std::move(shaders)), m_side(m_device_name) {}
  bool found() const { return m_side->found(); }
  const char* language() const override { return "hand-written GLSL"; }

  void prepare(const hand_operation& operation) override {
    if (operation.kernel == "functions")
      throw std::runtime_error("GLSL's functions have larger errors than SYCL permits");
    m_side.emplace(m_device_name); // it keeps the memory of the operation before
    m_data = memory_of(operation);
    std::vector<vulkan_side::memory> storage;
    for (const auto& each : m_data.bytes) storage.push_back(m_side->make_memory(each.size(), each.data()));
    const auto pipeline = m_side->make_pipeline(
        m_shaders + "/forms_" + operation.kernel + "_" + operation.type + ".spv", 256, 1, storage);
    m_commands = m_side->make_commands();
    m_fence = m_side->make_fence();
    m_side->record(m_commands, pipeline, 0, std::uint32_t(items_of(operation) / 256), 1, 0);
    m_memory = std::move(storage);
  }
  void run() override {
    m_side->submit(m_commands, m_fence);
    check(vkWaitForFences(m_side->device(), 1, &m_fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(m_side->device(), 1, &m_fence), "vkResetFences");
  }
  hand_memory written() override {
    for (unsigned i = 1; i < 3; ++i)
      std::memcpy(m_data.bytes[i].data(), m_memory[i].data, m_data.bytes[i].size());
    return m_data;
  }

private:
  std::string m_device_name, m_shaders;
  std::optional<vulkan_side> m_side;
  hand_memory m_data;
  std::vector<vulkan_side::memory> m_memory;
  VkCommandBuffer m_commands = VK_NULL_HANDLE;
  VkFence m_fence = VK_NULL_HANDLE;
};

} // namespace

hand_memory memory_of(const hand_operation& operation) {
  hand_memory made;
  const auto numbers = +[](std::size_t i) { return float(i % 61) * 0.7f; };
  const auto places = +[](std::size_t i) { return int(i * 7919 % form_count); };
  if (operation.kernel == "histogram") fill<int>(made.bytes[0], places);
  else if (operation.type == "char")
    fill<signed char>(made.bytes[0], [](std::size_t i) { return (signed char)(i % 30); });
  else if (operation.type == "half")
    fill<std::uint16_t>(made.bytes[0], [](std::size_t i) { return half_of(i % 30); });
  else if (operation.type == "int") fill<int>(made.bytes[0], [](std::size_t i) { return int(i % 61); });
  else if (operation.type == "double")
    fill<double>(made.bytes[0], [](std::size_t i) { return double(i % 61) * 0.7; });
  else fill<float>(made.bytes[0], numbers);
  made.bytes[0].resize(form_count * bytes_of(operation.type)); // vectors: all but the first are 0
  if (operation.kernel == "gather") fill<int>(made.bytes[1], places);
  else if (operation.kernel == "by_rows" || operation.kernel == "by_columns" ||
           (operation.kernel == "dot_product" && operation.type == "float"))
    fill<float>(made.bytes[1], [](std::size_t i) { return float(i % 7) * 0.25f; });
  else if (operation.kernel == "dot_product")
    fill<double>(made.bytes[1], [](std::size_t i) { return double(i % 7) * 0.25; });
  else made.bytes[1].resize(form_count * bytes_of(operation.type));
  made.bytes[2].resize(form_count * bytes_of(operation.type));
  return made;
}

std::size_t items_of(const hand_operation& operation) {
  if (operation.kernel == "dot_product") return form_groups * 256;
  return operation.kernel == "by_rows" || operation.kernel == "by_columns" ? form_width : form_count;
}

std::unique_ptr<forms_by_hand> make_opencl_forms(const std::string& device_name, const std::string& shaders) {
  cl_device_id device = find_opencl_device(device_name);
  return device ? std::make_unique<opencl_forms>(device, shaders) : nullptr;
}

std::unique_ptr<forms_by_hand> make_vulkan_forms(const std::string& device_name, const std::string& shaders) {
  auto made = std::make_unique<vulkan_forms>(device_name, shaders);
  return made->found() ? std::move(made) : nullptr;
}

std::string difference(const hand_operation& operation, const hand_memory& one, const hand_memory& other) {
  const std::string type = operation.kernel == "gather" ? "float" : operation.type;
  const unsigned which = operation.kernel == "axpy" || operation.kernel == "histogram" ? 1 : 2;
  double sums[2] = {};
  const std::size_t scalars = form_count * (type == "float4" ? 4 : 1);
  for (std::size_t i = 0; i < scalars; ++i) {
    const double a = number_at(one.bytes[which], type, i), b = number_at(other.bytes[which], type, i);
    sums[0] += a;
    sums[1] += b;
    if (operation.kernel == "dot_product") continue;
    if (std::fabs(a - b) > 1e-4 * (1 + std::fabs(b)))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(b);
  }
  if (std::fabs(sums[0] - sums[1]) <= 1e-4 * std::fabs(sums[1])) return "";
  return "the sum is " + std::to_string(sums[0]) + ", not " + std::to_string(sums[1]);
}

} // namespace bench
