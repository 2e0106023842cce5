// Prints the backend of the default device; with an argument: whether that backend is available, or ("order") all names.
#include <prism/prism.hpp>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "order") != 0) return prism::is_available(argv[1]) ? 0 : 1;
  if (argc > 1) {
    for (const prism::backend_info& b : prism::backends()) std::printf(" %s", b.name.c_str());
    std::printf("\n");
    return 0;
  }
  try {
    std::printf("%s\n", prism::describe(sycl::device()).backend.c_str());
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
