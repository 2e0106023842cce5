// DLPack: arrays leave and arrive without a copy, and tensors that no array can be are refused.
#include "tests/sycl/common.hpp"

#include <prism/dlpack.hpp>
#include <prism/native_memory.hpp>

#include <thread>

namespace {

using namespace prism;

/// A tensor of another library, which counts the calls of its deleter.
struct foreign {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  std::int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensorVersioned tensor{};
  foreign() {
    tensor.version = {1, 0};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<foreign*>(self->manager_ctx)->deleted;
    };
    tensor.dl_tensor.data = memory.data();
    tensor.dl_tensor.device = {kDLCPU, 0};
    tensor.dl_tensor.ndim = 2;
    tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
    tensor.dl_tensor.shape = shape;
    tensor.dl_tensor.strides = strides;
  }
};
/// The elements of PRISM's own tensor as USM: data is OpenCL's cl_mem or Vulkan's VkBuffer.
void* usm_of(const DLTensor& t, const sycl::queue& queue) {
  return t.device.device_type == kDLCPU ? t.data : usm_of_native_memory({t.data, t.byte_offset}, queue);
}
bool is_host(const sycl::device& d) { return d.get_backend() == sycl::backend::ext_prism_host; }

TEST(array_dlpack, a_tensor_shows_the_memory_of_the_array_and_keeps_it) {
  any_array a = arange(0, 6, 1, dtype::int32).reshape({2, 3});
  a.wait();
  void* const data = a.data();
  DLManagedTensorVersioned* t = to_dlpack(a.transpose(), true);
  const sycl::queue queue = a.queue();
  EXPECT_EQ(usm_of(t->dl_tensor, queue), data);
  EXPECT_EQ(t->flags & DLPACK_FLAG_BITMASK_READ_ONLY, DLPACK_FLAG_BITMASK_READ_ONLY);
  EXPECT_EQ(t->version.major, 1u);
  ASSERT_EQ(t->dl_tensor.ndim, 2);
  EXPECT_EQ(t->dl_tensor.shape[0], 3);
  EXPECT_EQ(t->dl_tensor.strides[0], 1);
  EXPECT_EQ(t->dl_tensor.strides[1], 3);
  EXPECT_EQ(t->dl_tensor.dtype.code, kDLInt);
  EXPECT_EQ(t->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(device_of_dlpack(t->dl_tensor.device), a.device());
  a = any_array();
  EXPECT_EQ(static_cast<const std::int32_t*>(usm_of(t->dl_tensor, queue))[5], 5); // shared USM
  std::thread([t] { t->deleter(t); }).join();
}

TEST(array_dlpack, an_array_comes_back_without_a_copy) {
  const any_array a = arange(0, 6, 1, dtype::float32);
  const any_array b = from_dlpack(to_dlpack(a), dlpack_copy::never),
                  c = from_dlpack(to_dlpack_unversioned(a));
  EXPECT_EQ(b.data(), a.data());
  EXPECT_EQ(c.data(), a.data());
  any_array written = b;
  written.fill(7);
  EXPECT_EQ(a.to_vector<float>(), std::vector<float>(6, 7));
}

TEST(array_dlpack, a_queue_of_the_receiver_runs_behind_the_array) {
  const any_array a = arange(0, 1000, 1, dtype::int64) * 3;
  sycl::queue mine(a.queue().get_context(), a.device());
  DLManagedTensor* t = to_dlpack_unversioned(a, mine);
  std::int64_t* seen = sycl::malloc_shared<std::int64_t>(1, mine);
  mine.memcpy(seen, static_cast<std::int64_t*>(usm_of(t->dl_tensor, mine)) + 999, 8).wait();
  EXPECT_EQ(*seen, 2997);
  sycl::free(seen, mine);
  t->deleter(t);
}

TEST(array_dlpack, what_was_recorded_before_the_receiver_writes_has_the_old_elements) {
  const any_array a = arange(0, 4, 1, dtype::int32), sum = a + 1, product = a * 10;
  const auto clear = [](DLTensor& t, sycl::queue queue) { queue.memset(usm_of(t, queue), 0, 4 * 4).wait(); };
  DLManagedTensorVersioned* t = to_dlpack(a);
  clear(t->dl_tensor, a.queue());
  EXPECT_EQ(sum.to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(product.to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 10, 20, 30}));
  t->deleter(t);
  const any_array b = arange(0, 4, 1, dtype::int32), less = b - 1;
  sycl::queue mine(b.queue().get_context(), b.device(), sycl::property::queue::in_order());
  DLManagedTensor* u = to_dlpack_unversioned(b, mine);
  clear(u->dl_tensor, mine);
  EXPECT_EQ(less.to_vector<std::int32_t>(), (std::vector<std::int32_t>{-1, 0, 1, 2}));
  u->deleter(u);
}

TEST(array_dlpack, host_memory_of_another_library_is_used_or_copied) {
  foreign f;
  {
    const any_array a = from_dlpack(&f.tensor, sycl::device());
    EXPECT_EQ(a.shape(), (extents{2, 3}));
    EXPECT_EQ((a * 2).to_vector<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
    EXPECT_EQ(a.data() == f.memory.data(), is_host(a.device()));
    EXPECT_EQ(f.deleted, is_host(a.device()) ? 0 : 1);
  }
  EXPECT_EQ(f.deleted, 1);
}

TEST(array_dlpack, strides_offsets_and_missing_strides_are_read) {
  foreign f;
  f.tensor.dl_tensor.strides = nullptr;
  EXPECT_EQ(from_dlpack(&f.tensor, sycl::device()).to_vector<float>(), f.memory);
  f.tensor.dl_tensor.strides = f.strides;
  f.tensor.dl_tensor.byte_offset = 20; // the last element, and backwards from there
  f.strides[0] = -3, f.strides[1] = -1;
  EXPECT_EQ(from_dlpack(&f.tensor, sycl::device()).to_vector<float>(),
            (std::vector<float>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(f.deleted, 2);
}

TEST(array_dlpack, a_read_only_tensor_is_copied_or_refused) {
  foreign f;
  f.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_EQ(prism_test::error_of([&] { from_dlpack(&f.tensor, sycl::device(), dlpack_copy::never); }),
            sycl::errc::invalid);
  EXPECT_EQ(f.deleted, 0);
  any_array a = from_dlpack(&f.tensor, sycl::device());
  EXPECT_EQ(f.deleted, 1);
  a.fill(0);
  EXPECT_EQ(f.memory[0], 1);
}

TEST(array_dlpack, a_tensor_that_no_array_can_be_is_refused_and_stays_with_the_caller) {
  const auto refused = [](void (*change)(foreign&), const char* reason) {
    foreign f;
    change(f);
    std::string text;
    EXPECT_EQ(prism_test::error_of([&] { from_dlpack(&f.tensor, sycl::device()); }, &text),
              sycl::errc::invalid);
    EXPECT_NE(text.find(reason), std::string::npos) << text;
    EXPECT_EQ(f.deleted, 0);
  };
  refused([](foreign& f) { f.tensor.version.major = 2; }, "version 2.0");
  refused([](foreign& f) { f.tensor.dl_tensor.dtype = {kDLFloat, 16, 1}; }, "type code 2 with 16 bits");
  refused([](foreign& f) { f.tensor.dl_tensor.dtype.lanes = 4; }, "4 lanes");
  refused([](foreign& f) { f.tensor.dl_tensor.ndim = 33; }, "33 dimensions");
  refused([](foreign& f) { f.tensor.dl_tensor.ndim = -1; }, "-1 dimensions");
  refused([](foreign& f) { f.tensor.dl_tensor.shape = nullptr; }, "no shape");
  refused([](foreign& f) { f.shape[0] = -2; }, "-2 elements");
  refused([](foreign& f) { f.tensor.dl_tensor.data = nullptr; }, "data is null");
  refused([](foreign& f) { f.tensor.dl_tensor.byte_offset = 2; }, "not aligned");
  refused([](foreign& f) { f.tensor.dl_tensor.byte_offset = UINT64_MAX - 7; }, "reach beyond memory");
  refused([](foreign& f) { f.shape[0] = f.shape[1] = std::int64_t(1) << 40; }, "larger than memory");
  static std::int64_t with_nothing[] = {0, std::int64_t(1) << 40, std::int64_t(1) << 40}, apart[] = {0, 0, 0};
  refused([](foreign& f) {
    f.tensor.dl_tensor.ndim = 3;
    f.tensor.dl_tensor.shape = with_nothing, f.tensor.dl_tensor.strides = apart;
  }, "larger than memory");
  refused([](foreign& f) { f.strides[0] = INT64_MIN; }, "larger than memory");
  refused([](foreign& f) { f.tensor.dl_tensor.device = {kDLCUDA, 0}; }, "type 2");
  refused([](foreign& f) { f.tensor.dl_tensor.device.device_id = 77; }, "device 77");
  EXPECT_EQ(prism_test::error_of([] { from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }),
            sycl::errc::invalid);
}

TEST(array_dlpack, drivers_get_their_memory_object_and_the_place_in_it) {
  sycl::queue queue;
  auto* const usm = sycl::malloc_device<float>(64, queue);
  if (usm == nullptr) GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " has no device USM";
  const auto asked = [&](const void* pointer) {
    return prism_test::error_of([&] { native_memory_of(pointer, queue); });
  };
  float local = 0;
  EXPECT_EQ(asked(&local), sycl::errc::invalid);
  if (queue.get_backend() == sycl::backend::opencl) {
    const native_memory memory = native_memory_of(usm + 16, queue);
    EXPECT_EQ(memory.offset, 64u);
    EXPECT_EQ(usm_of_native_memory(memory.object, queue), usm);
    EXPECT_EQ(prism_test::error_of([&] { usm_of_native_memory(nullptr, queue); }), sycl::errc::invalid);
  } else if (queue.get_backend() == sycl::backend::ext_prism_vulkan) {
    const native_memory memory = native_memory_of(usm, queue), later = native_memory_of(usm + 16, queue);
    EXPECT_EQ(later.object, memory.object);
    EXPECT_EQ(later.offset, memory.offset + 64);
    EXPECT_EQ(usm_of_native_memory(later, queue), usm + 16);
    EXPECT_EQ(prism_test::error_of([&] { usm_of_native_memory({nullptr, 0}, queue); }), sycl::errc::invalid);
    EXPECT_EQ(usm_of_native_memory({&local, 0}, queue), nullptr);
    EXPECT_EQ(prism_test::error_of([&] { usm_of_native_memory(usm, queue); }), sycl::errc::backend_mismatch);
  } else {
    EXPECT_EQ(asked(usm), sycl::errc::feature_not_supported);
    EXPECT_EQ(prism_test::error_of([&] { usm_of_native_memory(usm, queue); }), sycl::errc::backend_mismatch);
  }
  sycl::free(usm, queue);
}

TEST(array_dlpack, a_tensor_of_vulkan_has_a_buffer_of_prism_or_usm) {
  const any_array a = arange(0, 64, 1, dtype::float32), part = a[{slice{16, 48, 2}}];
  if (dlpack_device(a).device_type != kDLVulkan)
    GTEST_SKIP() << prism_test::name_of(a.device()) << " is no device of Vulkan";
  foreign f;
  f.tensor.dl_tensor.device = dlpack_device(a);
  f.tensor.dl_tensor.shape[0] = 1, f.tensor.dl_tensor.shape[1] = 6;
  f.tensor.dl_tensor.data = a.data(); // USM
  f.tensor.dl_tensor.byte_offset = 8;
  EXPECT_EQ(from_dlpack(&f.tensor).data(), static_cast<char*>(a.data()) + 8);
  EXPECT_EQ(f.deleted, 1);
  std::string text;
  f.tensor.dl_tensor.data = f.memory.data(); // neither
  EXPECT_EQ(prism_test::error_of([&] { from_dlpack(&f.tensor); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("VkBuffer has no memory of PRISM"), std::string::npos) << text;
  EXPECT_EQ(f.deleted, 1);
  DLManagedTensorVersioned* const t = to_dlpack(part);
  const native_memory memory = native_memory_of(part.data(), a.queue());
  EXPECT_EQ(t->dl_tensor.data, memory.object);
  EXPECT_EQ(t->dl_tensor.byte_offset, memory.offset);
  t->deleter(t);
  const any_array again = from_dlpack(to_dlpack(part), dlpack_copy::never);
  EXPECT_EQ(again.data(), part.data());
  EXPECT_EQ(again.strides()[0], 2);
}

TEST(array_dlpack, an_empty_tensor_needs_no_memory) {
  foreign f;
  f.shape[1] = 0;
  f.tensor.dl_tensor.data = nullptr;
  EXPECT_EQ(from_dlpack(&f.tensor, sycl::device()).shape(), (extents{2, 0}));
  EXPECT_EQ(f.deleted, 1);
  DLManagedTensorVersioned* t = to_dlpack(empty({0}, dtype::int8));
  EXPECT_EQ(t->dl_tensor.shape[0], 0);
  t->deleter(t);
}

} // namespace
