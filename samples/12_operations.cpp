// Operations of the library on each device: who does them, and why. Each line has an operation of float with
// its extent, the implementation that is chosen with its time, and the others with their times or with the
// reason why they are not used. Then one product is computed and checked. Needs no kernel of its own.
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

void print_choice(const sycl::device& device, const char* operation, std::size_t n) {
  const std::string all = divided(prism::blas::explain(device, operation, "float", n), ": ").second;
  const auto [best, others] = divided(all, "; ");
  const auto [name, reason] = divided(best, ": ");
  std::printf("  %-6s %6zu  %-10s %-22s %s\n", operation, n, name.c_str(), reason.c_str(), others.c_str());
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
    for (const char* const operation : {"gemm", "trsm", "gemv", "dot", "getrf", "heev"})
      for (const std::size_t n : {64, 1024}) print_choice(device, operation, n);
    right = product_is_right(device) && right;
  }
  return right ? 0 : 1;
}
