// The operations of --forms in hand-written code for a driver: OpenCL C over buffers, GLSL over storage
// buffers, or loops in plain C++ with OpenMP for the host device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {

constexpr std::size_t form_width = 1024; // width of the matrices
constexpr std::size_t form_count = form_width * form_width;
constexpr std::size_t form_groups = 32; // of 256 work-items, of a dot product

struct hand_operation {
  std::string kernel; // "axpy", as shaders/opencl/forms.cl names it
  std::string type;   // of an element: "float"
};

/// The three memories of an operation at its start; the second and the third may be written.
struct hand_memory {
  std::vector<std::byte> bytes[3];
};
hand_memory memory_of(const hand_operation& operation);
/// Work-items of the operation.
std::size_t items_of(const hand_operation& operation);

/// One operation at a time. Not thread-safe.
class forms_by_hand {
public:
  virtual ~forms_by_hand() = default;
  virtual const char* language() const = 0;
  /// Makes the memory and the kernel; throws std::runtime_error if the driver does not have what it needs.
  virtual void prepare(const hand_operation& operation) = 0;
  /// Runs the prepared operation to its end.
  virtual void run() = 0;
  /// The second and the third memory.
  virtual hand_memory written() = 0;
};

/// `shaders`: the folder of forms.cl and forms_*.spv. Null if the driver has no device of this name.
std::unique_ptr<forms_by_hand> make_opencl_forms(const std::string& device_name, const std::string& shaders);
std::unique_ptr<forms_by_hand> make_vulkan_forms(const std::string& device_name, const std::string& shaders);
std::unique_ptr<forms_by_hand> make_openmp_forms();

/// Empty if both wrote the same numbers, up to rounding; else the first difference. The sums of dot products
/// are compared, not their parts.
std::string difference(const hand_operation& operation, const hand_memory& one, const hand_memory& other);

} // namespace bench
