// `if (lid == 0)` around a sum over the group: the loop over work-items ends after the first one, in
// whichever type the program compares. A loop in which another work-item does something asks all of them.
#include "tests/compiler/text/kernel.hpp"

template <class Leads>
void run_with(float* out, const float* x, Leads leads) {
  submit<Leads>([=] {
    auto* values = static_cast<float*>(__prism_local_arena());
    const std::size_t l = __prism_local_id(0), size = __prism_local_size(0);
    values[l] = x[id()];
    __prism_barrier(1);
    if (leads(l)) {
      float sum = 0;
      for (std::size_t k = 0; k < size; ++k) sum += values[k];
      out[__prism_group_id(0)] = sum;
    }
  });
}
struct first {
  bool operator()(std::size_t l) const { return l == 0; }
};
struct first_as_int {
  bool operator()(std::size_t l) const { return static_cast<int>(l) == 0; }
};
struct second {
  bool operator()(std::size_t l) const { return l == 1; }
};

void run(float* out, const float* x) {
  run_with(out, x, first());
  run_with(out, x, first_as_int());
  run_with(out, x, second());
}
// GROUP: @prism.group.prism_k0_{{\w*}}first(
// GROUP: br i1 false
// GROUP: @prism.group.prism_k1_{{\w*}}first_as_int(
// GROUP: br i1 false
// GROUP-NOT: @prism.group.prism_k2_{{[^}]*}}br i1 false
