// Prints the backend of the default device. With an argument it prints whether that backend is available;
// with "order", all backend names; with "fallback", the device among OpenCL and the host that did a job, and
// the number of fallbacks.
#include <prism/prism.hpp>

#include <cstdio>
#include <cstring>

namespace {

int fall_back() {
  int back[1000] = {};
  const auto report =
      prism::run_with_fallback(std::vector<std::string>{"opencl", "host"}, [&](sycl::queue& q) {
    sycl::buffer<int> b{sycl::range<1>(1000)};
    q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only, sycl::no_init), 7); });
    q.submit([&](sycl::handler& h) { h.copy(sycl::accessor(b, h, sycl::read_only), back); });
  });
  std::printf("%s after %d, result %d\n", report.device.c_str(), int(prism::fallback_count()), back[999]);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const auto asked = [&](const char* what) { return argc > 1 && std::strcmp(argv[1], what) == 0; };
  if (argc > 1 && !asked("order") && !asked("fallback")) return prism::is_available(argv[1]) ? 0 : 1;
  if (asked("order")) {
    for (const prism::backend_info& b : prism::backends()) std::printf(" %s", b.name.c_str());
    std::printf("\n");
    return 0;
  }
  try {
    if (argc > 1) return fall_back();
    std::printf("%s\n", prism::describe(sycl::device()).backend.c_str());
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
