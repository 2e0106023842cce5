// Operations of the library on each device: who does them, and why. Each line has an operation with its type
// and extent, the implementation that is chosen with its time, and the others with their times or with the
// reason why they are not used. "none": no implementation does it on that device; all have their reasons.
// Then one product is computed and checked. Needs no kernel of its own.
#include <prism/blas.hpp>
#include <prism/prism.hpp>

#include <cstdio>
#include <utility>

namespace {

/// "a: b" as its two parts; the second is empty without a colon.
std::pair<std::string, std::string> divided(const std::string& text, const std::string& by) {
  const std::size_t at = text.find(by);
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + by.size())};
}

/// Usable implementations come first, and their reason is a time.
bool is_usable(const std::string& reason) {
  for (const char* const end : {" measured", " predicted", "unknown"})
    if (reason.size() >= std::string(end).size() &&
        reason.compare(reason.size() - std::string(end).size(), std::string::npos, end) == 0)
      return true;
  return false;
}

void print_choice(const sycl::device& device, const char* operation, const char* type, std::size_t n) {
  const std::string all = divided(prism::blas::explain(device, operation, type, n), ": ").second;
  const auto [best, others] = divided(all, "; ");
  const auto [name, reason] = divided(best, ": ");
  if (is_usable(reason))
    std::printf("  %-6s %-15s %5zu  %-9s %-20s %s\n", operation, type, n, name.c_str(), reason.c_str(),
                others.c_str());
  else std::printf("  %-6s %-15s %5zu  %-9s %s\n", operation, type, n, "none", all.c_str());
}

bool product_is_right(const sycl::device& device) {
  constexpr std::size_t n = 48;
  sycl::queue queue(device);
  const std::vector<float> twos(n * n, 2.0f);
  sycl::buffer<float, 2> a(twos.data(), {n, n}), c({n, n});
  prism::blas::gemm(queue, 1, prism::view_of(a), prism::view_of(a), 0, prism::view_of(c));
  const sycl::host_accessor found(c, sycl::read_only);
  bool right = true;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) right = right && found[sycl::id<2>(i, j)] == 4.0f * n;
  std::printf("  %s: %s\n", prism::blas::last_choice().c_str(), right ? "right" : "WRONG");
  return right;
}

} // namespace

int main() {
  std::printf("implementations:");
  for (const prism::blas::implementation& one : prism::blas::implementations())
    std::printf(" %s (%s%s%s)", one.name.c_str(), one.library.c_str(), one.version.empty() ? "" : " ",
                one.version.c_str());
  std::printf("\n");
  bool right = true;
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (prism::describe(device).backend == "record") continue; // a device for tests, which computes nothing
    std::printf("%s\n", device.get_info<sycl::info::device::name>().c_str());
    std::printf("  %-6s %-15s %5s  %-9s %-20s %s\n", "what", "type", "size", "chosen", "time", "others");
    for (const char* const type : {"float", "double"})
      for (const std::size_t n : {64, 1024}) print_choice(device, "gemm", type, n);
    for (const char* const type : {"bfloat16", "int8"}) print_choice(device, "gemm", type, 1024);
    for (const char* const operation : {"trsm", "gemv", "dot", "getrf", "heev"})
      for (const std::size_t n : {64, 1024}) print_choice(device, operation, "float", n);
    for (const std::size_t n : {1024, 65536}) print_choice(device, "fft", "complex float", n);
    for (const std::size_t n : {14, 224}) print_choice(device, "conv2d", "float", n);
    right = product_is_right(device) && right;
  }
  return right ? 0 : 1;
}
