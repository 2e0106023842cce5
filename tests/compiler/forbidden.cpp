// Each kernel except the last violates one rule of device code. diagnostics_test.cpp expects the messages by
// line, so that the number of lines here must not change.
// clang-format off: one kernel, one line
#include <cstdio>
#include <vector>
#include <cmath>
#include <stdexcept>
#include <string>
#include "sycl/detail/kernel_abi.hpp"
void use(void*, const void*, size_t, void(*)(const void*));
template<class N, class F> void submit(const F& f){
  use(&sycl::detail::kernel_slot_of<N,F>::value, &f, sizeof f, reinterpret_cast<void(*)(const void*)>(&sycl::detail::kernel_entry<N,F>)); }
int counter = 0;
thread_local int tls = 1;
int external_function(int);
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int thrower(int x) {
  if (x > 3)
    throw std::runtime_error("no");
  return x;
}
int thrower_of_text(int x) {
  if (x > 3)
    throw std::runtime_error("no " + std::to_string(x) +
                             " is allowed");
  return x;
}
int middle(int x) { return thrower(x) + 1; }
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }
int (*const operations[])(int) = {twice, thrice};
int* const cells[] = {&counter, nullptr};
struct shape { virtual int corners() const { return 0; } };
struct triangle : shape { int corners() const override { return 3; } };
const triangle one_triangle;
const shape one_shape;
const shape* const shapes[] = {&one_triangle, &one_shape};
struct base { virtual int f() = 0; };
void run(int* p, int n, base* b, int (*fp)(int), const char* text) {
  submit<class recursion>([=] { p[0] = fib(n); });
  submit<class exception>([=] { p[0] = middle(p[1]); });
  submit<class text_exception>([=] { p[0] = thrower_of_text(p[1]); });
  submit<class global_variable>([=] { p[0] = ++counter; });
  submit<class tls_k>([=] { p[0] = tls; });
  submit<class external>([=] { p[0] = external_function(3); });
  submit<class virtual_call>([=] { p[0] = b->f(); });
  submit<class pointer_call>([=] { p[0] = fp(3); });
  submit<class function_table>([=] { p[0] = operations[n & 1](3); });
  submit<class object_table>([=] { p[0] = shapes[n & 1]->corners(); });
  submit<class variable_table>([=] { p[0] = *cells[n & 1]; });
  submit<class print>([=] { puts("hello"); });
  submit<class print_format>([=] { printf(text, p[0]); });
  submit<class assembly>([=] { asm volatile("nop"); p[0] = 1; });
  submit<class allocation>([=] { std::vector<int> v(p[0]); p[1] = v[p[2]]; });
  submit<class static_local>([=] { static int s = external_function(1); p[0] = s; });
  submit<class ld>([=] { long double x = p[0]; p[1] = (int)(x * x); });
  submit<class vla>([=] { int a[p[0]]; a[p[1]] = 3; p[2] = a[p[3]]; });
  submit<class endless>([=] { for (;;) p[0] += p[1]; });
  submit<class loaded_pointer>([=] { int own[2] = {p[0], p[1]}; int* t[] = {own, p}; p[2] = int(__prism_pointed_memory(t[p[3] & 1])); });
  submit<class unnamed_variable>([=] { *static_cast<int*>(__prism_group_variable(text, 1, 4)) = p[0]; });
  submit<class good>([=] { p[0] = 5; });
}
