// Small kernels in LLVM text. Each is validated and run, and its memory is compared.
#include "kernel_fixture.hpp"

namespace {

using namespace prism;
using namespace prism::test;

TEST_F(spirv_kernel, axpy_adds_scaled_vectors) {
  const auto x = make<float>(256), y = make<float>(256);
  for (int i = 0; i < 256; ++i) x.host[i] = float(i), y.host[i] = 0.5f;
  float a = 3;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &a, 4);
  run(std::string("define void @k(ptr %c) {\n") + global_id + R"(
  %x = load ptr, ptr %c, align 8
  %cy = getelementptr i8, ptr %c, i64 8
  %y = load ptr, ptr %cy, align 8
  %ca = getelementptr i8, ptr %c, i64 16
  %a = load float, ptr %ca, align 8
  %px = getelementptr float, ptr %x, i64 %id
  %py = getelementptr float, ptr %y, i64 %id
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %m = fmul float %vx, %a
  %r = fadd float %m, %vy
  store float %r, ptr %py, align 4
  ret void
})",
      {x.address, y.address, bits}, {{4, 1, 1}, {64, 1, 1}});
  for (int i = 0; i < 256; ++i) ASSERT_EQ(y.host[i], 3.0f * float(i) + 0.5f) << i;
}

TEST_F(spirv_kernel, a_loop_sums_until_a_break) {
  const auto data = make<std::int32_t>(64), out = make<std::int32_t>(64);
  for (int i = 0; i < 64; ++i) data.host[i] = i == 40 ? -1 : i;
  run(std::string("define void @k(ptr %c) {\nentry:\n") + global_id + R"(
  %data = load ptr, ptr %c, align 8
  %co = getelementptr i8, ptr %c, i64 8
  %out = load ptr, ptr %co, align 8
  br label %head
head:
  %i = phi i64 [ %id, %entry ], [ %n, %next ]
  %sum = phi i32 [ 0, %entry ], [ %more, %next ]
  %in = icmp ult i64 %i, 64
  br i1 %in, label %body, label %done
body:
  %p = getelementptr i32, ptr %data, i64 %i
  %v = load i32, ptr %p, align 4
  %neg = icmp slt i32 %v, 0
  br i1 %neg, label %done, label %next
next:
  %more = add i32 %sum, %v
  %n = add i64 %i, 1
  br label %head
done:
  %q = getelementptr i32, ptr %out, i64 %id
  store i32 %sum, ptr %q, align 4
  ret void
})",
      {data.address, out.address}, {{8, 1, 1}, {8, 1, 1}});
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int j = i; j < 64 && data.host[j] >= 0; ++j) sum += data.host[j];
    ASSERT_EQ(out.host[i], sum) << i;
  }
}

TEST_F(spirv_kernel, a_barrier_lets_neighbours_exchange_values) {
  const auto out = make<std::int32_t>(128);
  run(std::string("define void @k(ptr %c) {\n") + global_id + R"(
  %out = load ptr, ptr %c, align 8
  %arena = call ptr @__prism_local_arena()
  %mine = getelementptr i32, ptr %arena, i64 %l
  %v = trunc i64 %id to i32
  store i32 %v, ptr %mine, align 4
  call void @__prism_barrier(i32 1)
  %last = sub i64 31, %l
  %other = getelementptr i32, ptr %arena, i64 %last
  %w = load i32, ptr %other, align 4
  %q = getelementptr i32, ptr %out, i64 %id
  store i32 %w, ptr %q, align 4
  ret void
})",
      {out.address}, {{4, 1, 1}, {32, 1, 1}}, 128);
  for (int i = 0; i < 128; ++i) ASSERT_EQ(out.host[i], i / 32 * 32 + 31 - i % 32) << i;
}

} // namespace
