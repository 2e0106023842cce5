// Barriers after many branches of the group: the code after the branches exists once, not once for each
// branch.
#include "tests/compiler/text/kernel.hpp"

template <int K>
[[gnu::always_inline]] inline void choose(int which, float& sum) {
  if (which == K) {
    sum += K;
    __prism_barrier(1);
    sum *= 3;
  }
  if constexpr (K > 0) choose<K - 1>(which, sum);
}

void run(float* y, int which) {
  submit<class chooses>([=] {
    float sum = float(__prism_local_id(0));
    choose<40>(which, sum);
    y[id()] = sum + 12345;
  });
}
// GROUP: 1.234500e+04
// GROUP-NOT: 1.234500e+04{{[\s\S]*}}1.234500e+04{{[\s\S]*}}1.234500e+04
