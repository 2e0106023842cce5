// A loop of a group of two dimensions that starts at the linear id and strides by the group's size: the
// number of iterations that all work-items execute is computed in front of it, and four of them at a time
// need no test for each work-item.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, int n) {
  submit<class linear>([=] {
    __prism_dimensions(2);
    const auto width = __prism_local_size(0), height = __prism_local_size(1);
    const auto first = __prism_local_id(1) * width + __prism_local_id(0);
    float sum = 0;
    for (int i = int(first); i < n; i += int(width * height)) sum += x[i];
    y[__prism_group_id(0) * width * height + first] = sum;
  });
}
// GROUP: = and i32 {{%\d+}}, -4
