// What array_numpy_test.py calls: an array leaves to NumPy by DLPack, and one arrives.
#include <prism/dlpack.hpp>
#include <prism/npy.hpp>
#include <prism/random.hpp>

#include <cstdio>

using namespace prism;

extern "C" {

/// 0, 2, 4, ... of shape (3, 4), transposed.
DLManagedTensor* prism_test_leaves() {
  return to_dlpack_unversioned((arange(0, 12, 1, dtype::int32) * 2).reshape({3, 4}).transpose());
}
/// Adds 1 to each element where it is; 0, or 1 after an error.
int prism_test_arrives(DLManagedTensor* tensor) {
  try {
    any_array a = from_dlpack(tensor, dlpack_copy::never);
    a.assign(a + 1);
    a.wait();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
/// Reads all arrays of `from` and writes them to `to`.
int prism_test_rewrites(const char* from, const char* to) {
  try {
    savez(to, load_npz(from), npz_compression::deflate);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
}
