// Kernels that violate a rule, so that the message contains their names. diagnostics_test.cpp expects the
// names by line, so that the number of lines here must not change.
#include "sycl/detail/kernel_abi.hpp"
void use(void*, const void*, size_t, void (*)(const void*));
template <class N, class F>
void submit(const F& f) {
  use(&sycl::detail::kernel_slot_of<N, F>::value, &f, sizeof f,
      reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<N, F>));
}
template <class F>
void submit(const F& f) {
  submit<F, F>(f);
}
int external_function(int);

void free_function(int* p) {
  submit([=] { p[0] = external_function(1); });
}
template <class T, class Body>
void function_template(T* p, Body body) {
  submit([=] { body(p); });
}
namespace physics {
template <class T>
struct solver {
  void step(T* p) const {
    submit([=] { p[0] = external_function(2); });
  }
};
} // namespace physics
auto of_no_function = [] { external_function(3); };
struct functor {
  void operator()() const { external_function(4); }
};
void all(int* p) {
  function_template(p, [](int* q) { q[0] = external_function(5); });
  physics::solver<int>().step(p);
  submit(of_no_function);
  submit(functor{});
  const auto command_group = [&](auto twice) { submit([=] { p[0] = twice * external_function(6); }); };
  command_group(2);
  const auto plain_group = [&] { submit<class inside>([=] { p[0] = external_function(7); }); };
  plain_group();
}
