// A grid-stride loop around a loop that all work-items execute as often: the group executes the inner loop
// iteration by iteration, so that neighbouring work-items fill vectors.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(unsigned* y, unsigned long n) {
  submit<class strided>([=] {
    for (unsigned long i = id(); i < n; i += 65536) {
      unsigned s = unsigned(i), inside = 0;
      for (int k = 0; k < 64; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        inside += s > 77777u;
      }
      y[i] = inside;
    }
  });
}
// REMARKS: vectorized loop
