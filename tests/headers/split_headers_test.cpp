// Every header of the extension sycl_khr_split_headers exists and declares what its name says, without
// <sycl/sycl.hpp>.
#include <sycl/khr/split_headers/version.hpp>
#if SYCL_KHR_SPLIT_HEADERS != 1
#error "the macro is missing"
#endif
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/atomic.hpp>
#include <sycl/khr/split_headers/backend.hpp>
#include <sycl/khr/split_headers/bit.hpp>
#include <sycl/khr/split_headers/buffer.hpp>
#include <sycl/khr/split_headers/builtins_common.hpp>
#include <sycl/khr/split_headers/builtins_geometric.hpp>
#include <sycl/khr/split_headers/builtins_integer.hpp>
#include <sycl/khr/split_headers/builtins_math.hpp>
#include <sycl/khr/split_headers/builtins_relational.hpp>
#include <sycl/khr/split_headers/byte.hpp>
#include <sycl/khr/split_headers/context.hpp>
#include <sycl/khr/split_headers/device.hpp>
#include <sycl/khr/split_headers/event.hpp>
#include <sycl/khr/split_headers/exception.hpp>
#include <sycl/khr/split_headers/functional.hpp>
#include <sycl/khr/split_headers/group_algorithms.hpp>
#include <sycl/khr/split_headers/groups.hpp>
#include <sycl/khr/split_headers/half.hpp>
#include <sycl/khr/split_headers/handler.hpp>
#include <sycl/khr/split_headers/hierarchical_parallelism.hpp>
#include <sycl/khr/split_headers/index_space.hpp>
#include <sycl/khr/split_headers/image.hpp>
#include <sycl/khr/split_headers/interop_handle.hpp>
#include <sycl/khr/split_headers/kernel_bundle.hpp>
#include <sycl/khr/split_headers/kernel_handler.hpp>
#include <sycl/khr/split_headers/marray.hpp>
#include <sycl/khr/split_headers/math.hpp>
#include <sycl/khr/split_headers/multi_ptr.hpp>
#include <sycl/khr/split_headers/platform.hpp>
#include <sycl/khr/split_headers/property_list.hpp>
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/reduction.hpp>
#include <sycl/khr/split_headers/span.hpp>
#include <sycl/khr/split_headers/stream.hpp>
#include <sycl/khr/split_headers/type_traits.hpp>
#include <sycl/khr/split_headers/usm.hpp>
#include <sycl/khr/split_headers/vec.hpp>

#include <gtest/gtest.h>

namespace {

TEST(split_headers, declare_the_classes_of_their_names) {
  using all = std::tuple<sycl::queue, sycl::handler*, sycl::event, sycl::device, sycl::platform,
                         sycl::context, sycl::id<2>, sycl::nd_range<1>, sycl::buffer<int>,
                         sycl::host_accessor<int>*, sycl::local_accessor<int>*, sycl::half, sycl::vec<int, 2>,
                         sycl::marray<int, 3>, sycl::group<1>*, sycl::sub_group*, sycl::stream*,
                         sycl::property_list, sycl::kernel_id*, sycl::kernel_handler*, sycl::exception*,
                         sycl::interop_handle*, sycl::span<int>, sycl::plus<int>, sycl::global_ptr<int>,
                         sycl::unsampled_image<2>*, sycl::sampled_image_accessor<sycl::float4, 2>*>;
  EXPECT_GT(std::tuple_size_v<all>, 20u);
  EXPECT_EQ(sycl::max(1, 2) + sycl::popcount(3u) + int(sycl::sqrt(4.0f)) + int(sycl::sign(-2.0)), 5);
  EXPECT_EQ(sycl::dot(2.0f, 3.0f), 6.0f);
  EXPECT_TRUE(sycl::isfinite(1.0f) && sycl::is_device_copyable_v<int>);
  EXPECT_EQ(sycl::bit_cast<int>(0.0f), 0);
}

} // namespace
