// Headers of extensions may come before <sycl/sycl.hpp>, as in Ginkgo. Some declare a namespace `detail` of
// their own, which hides sycl::detail from the headers behind them.
#include <sycl/ext/oneapi/bfloat16.hpp>

#include <sycl/ext/oneapi/experimental/group_helper.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>

#include <sycl/sycl.hpp>

#include <gtest/gtest.h>

namespace {

TEST(extension_first, a_program_may_include_headers_of_extensions_before_those_of_sycl) {
  namespace experimental = sycl::ext::oneapi::experimental;
  EXPECT_EQ(float(sycl::ext::oneapi::bfloat16(1.5f) * 2), 3.0f);
  EXPECT_NE(experimental::architecture::intel_cpu_spr, experimental::architecture::unknown);
}

} // namespace
