// The selection of a provider, as tables.
#include "kernels/provider/ranking.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace prism::provider {
namespace {

candidate usable(const char* name, double efficiency, double overhead_ns) {
  candidate out{name, {}};
  out.support.supported = 1, out.support.efficiency = efficiency, out.support.overhead_ns = overhead_ns;
  return out;
}
candidate refusing(const char* name, const char* reason) {
  candidate out{name, {}};
  std::strcpy(out.support.reason, reason);
  return out;
}
std::vector<std::string> names(const std::vector<ranked_provider>& all) {
  std::vector<std::string> out;
  for (const auto& each : all) out.push_back(each.name);
  return out;
}
using words = std::vector<std::string>;

const std::vector<candidate> three{usable("quick-to-start", 0.2, 10), usable("fast-when-large", 0.9, 5000),
                                   refusing("elsewhere", "it supports only OpenCL")};

TEST(provider_ranking, a_small_operation_selects_the_lowest_latency) {
  EXPECT_EQ(names(rank(three, 1000, 100, "")), (words{"quick-to-start", "fast-when-large", "elsewhere"}));
}
TEST(provider_ranking, a_large_operation_selects_the_highest_throughput) {
  EXPECT_EQ(names(rank(three, 1e9, 100, "")), (words{"fast-when-large", "quick-to-start", "elsewhere"}));
}

TEST(provider_ranking, an_unsuitable_provider_is_last_with_its_reason) {
  const auto all = rank(three, 1000, 100, "");
  EXPECT_EQ(all.back().reason, "it supports only OpenCL");
  EXPECT_EQ(all.front().reason, "");
}
TEST(provider_ranking, a_provider_of_unknown_speed_follows_predicted_ones) {
  EXPECT_EQ(names(rank({usable("unknown", 0, 0), usable("slow", 0.001, 0)}, 1e9, 100, "")),
            (words{"slow", "unknown"}));
}
TEST(provider_ranking, a_pin_selects_one_and_excludes_the_others) {
  const auto all = rank(three, 1e9, 100, "quick-to-start");
  EXPECT_EQ(all.front().name, "quick-to-start");
  EXPECT_EQ(all[1].reason, "PRISM_PROVIDER pins quick-to-start");
}
TEST(provider_ranking, an_unsuitable_pinned_provider_is_not_replaced) {
  for (const auto& each : rank(three, 1e9, 100, "elsewhere")) EXPECT_NE(each.reason, "") << each.name;
}
TEST(provider_ranking, a_missing_pinned_provider_is_named) {
  const std::string text = explained(rank(three, 1e9, 100, "mkl"));
  EXPECT_NE(text.find("mkl: pinned by PRISM_PROVIDER, but missing"), std::string::npos) << text;
}
TEST(provider_ranking, an_explanation_names_all_with_times_and_reasons) {
  EXPECT_EQ(
      explained(rank(three, 1e6, 100, "")),
      "fast-when-large: 16.1 us predicted; quick-to-start: 50.0 us predicted; elsewhere: it supports only "
      "OpenCL");
}

TEST(provider_pins, a_single_name_applies_to_all_operations) {
  EXPECT_EQ(pinned_provider("openblas", "gemm"), "openblas");
}
TEST(provider_pins, a_pin_of_one_operation_overrides_the_general_one) {
  EXPECT_EQ(pinned_provider("gemm=blis, openblas", "gemm"), "blis");
  EXPECT_EQ(pinned_provider("gemm=blis, openblas", "trsm"), "openblas");
  EXPECT_EQ(pinned_provider("gemm=blis", "trsm"), "");
  EXPECT_EQ(pinned_provider("", "gemm"), "");
}
TEST(provider_pins, a_setting_without_operation_or_provider_is_rejected) {
  EXPECT_EQ(wrong_setting("gemm=blis,openblas", {"gemm"}), "");
  EXPECT_EQ(wrong_setting("gemm=blis,fallback=prism", {"gemm"}), "");
  EXPECT_EQ(wrong_setting("fallback=blis", {"gemm"}),
            "PRISM_PROVIDER: only 'prism' is a fallback, not 'blis'");
  EXPECT_EQ(wrong_setting("gem=blis", {"gemm"}), "PRISM_PROVIDER: there is no operation 'gem'");
  EXPECT_EQ(wrong_setting("gemm=", {"gemm"}), "PRISM_PROVIDER: a part of 'gemm=' names no provider");
}

} // namespace
} // namespace prism::provider
