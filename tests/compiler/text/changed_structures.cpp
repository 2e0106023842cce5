// Members of a structure that the kernel writes, by itself or through a pointer to the same type, may differ
// after a barrier, so their loads are not invariant. Those of a type that it does not write are.
#include "tests/compiler/text/kernel.hpp"

struct members {
  short changed;
  long kept;
};

void run(short* other, long* out, members* a) {
  submit<class changes>([=] {
    long sum = a->changed + a->kept;
    __prism_barrier(3);
    if (__prism_local_id(0) == 0) other[id()] = 7;
    __prism_barrier(3);
    sum += a->changed;
    __prism_barrier(3);
    __atomic_fetch_add(reinterpret_cast<int*>(out), int(sum + a->kept), __ATOMIC_RELAXED);
  });
}
// GROUP: define void @prism.group.
// GROUP: load i16
// GROUP-NOT: load i16, {{[^\n]*}}!invariant.load
