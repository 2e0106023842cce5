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
  EXPECT_EQ(names(rank(three, 1000, 100, {})), (words{"quick-to-start", "fast-when-large", "elsewhere"}));
}
TEST(provider_ranking, a_large_operation_selects_the_highest_throughput) {
  EXPECT_EQ(names(rank(three, 1e9, 100, {})), (words{"fast-when-large", "quick-to-start", "elsewhere"}));
}

TEST(provider_ranking, an_unsuitable_provider_is_last_with_its_reason) {
  const auto all = rank(three, 1000, 100, {});
  EXPECT_EQ(all.back().reason, "it supports only OpenCL");
  EXPECT_EQ(all.front().reason, "");
}
TEST(provider_ranking, a_provider_of_unknown_speed_follows_predicted_ones) {
  EXPECT_EQ(names(rank({usable("unknown", 0, 0), usable("slow", 0.001, 0)}, 1e9, 100, {})),
            (words{"slow", "unknown"}));
}
TEST(provider_ranking, a_pin_selects_one_and_excludes_the_others) {
  const auto all = rank(three, 1e9, 100, {"quick-to-start"});
  EXPECT_EQ(all.front().name, "quick-to-start");
  EXPECT_EQ(all[1].reason, "PRISM_PROVIDER pins quick-to-start");
}
TEST(provider_ranking, an_unsuitable_pinned_provider_is_not_replaced) {
  for (const auto& each : rank(three, 1e9, 100, {"elsewhere"})) EXPECT_NE(each.reason, "") << each.name;
}
TEST(provider_ranking, a_missing_pinned_provider_is_named) {
  for (const bool is_general : {false, true}) {
    const auto all = rank(three, 1e9, 100, {"mkl", is_general});
    const std::string text = explained(all);
    EXPECT_NE(text.find("mkl: pinned by PRISM_PROVIDER, but missing"), std::string::npos) << text;
    for (const auto& each : all) EXPECT_NE(each.reason, "") << each.name;
  }
}

/// "elsewhere" with the operation for other types or devices, or without it.
std::vector<candidate> three_where_elsewhere(bool has_operation) {
  std::vector<candidate> out = three;
  out.back().has_operation = has_operation;
  return out;
}
TEST(provider_ranking, a_general_pin_leaves_operations_that_the_provider_does_not_have) {
  const auto all = rank(three_where_elsewhere(false), 1e9, 100, {"elsewhere", true});
  EXPECT_EQ(names(all), (words{"fast-when-large", "quick-to-start", "elsewhere"}));
  EXPECT_EQ(all[0].reason, "");
  EXPECT_EQ(all[1].reason, "");
  EXPECT_EQ(all[2].reason, "PRISM_PROVIDER pins it for the operations that it has, and this is none of them");
}
TEST(provider_ranking, a_general_pin_refuses_other_types_and_devices_of_an_operation) {
  const auto all = rank(three_where_elsewhere(true), 1e9, 100, {"elsewhere", true});
  for (const auto& each : all) EXPECT_NE(each.reason, "") << each.name;
  EXPECT_NE(explained(all).find("elsewhere: it supports only OpenCL"), std::string::npos);
}
TEST(provider_ranking, a_pin_of_an_operation_that_the_provider_does_not_have_is_refused) {
  for (const auto& each : rank(three_where_elsewhere(false), 1e9, 100, {"elsewhere", false}))
    EXPECT_NE(each.reason, "") << each.name;
}
TEST(provider_ranking, an_explanation_names_all_with_times_and_reasons) {
  EXPECT_EQ(
      explained(rank(three, 1e6, 100, {})),
      "fast-when-large: 16.1 us predicted; quick-to-start: 50.0 us predicted; elsewhere: it supports only "
      "OpenCL");
}

TEST(provider_pins, a_single_name_applies_to_all_operations) {
  EXPECT_EQ(pinned_provider("openblas", "gemm").provider, "openblas");
  EXPECT_TRUE(pinned_provider("openblas", "gemm").is_general);
}
TEST(provider_pins, a_pin_of_one_operation_overrides_the_general_one) {
  EXPECT_EQ(pinned_provider("gemm=blis, openblas", "gemm").provider, "blis");
  EXPECT_FALSE(pinned_provider("gemm=blis, openblas", "gemm").is_general);
  EXPECT_EQ(pinned_provider("gemm=blis, openblas", "trsm").provider, "openblas");
  EXPECT_TRUE(pinned_provider("gemm=blis, openblas", "trsm").is_general);
  EXPECT_EQ(pinned_provider("gemm=blis", "trsm").provider, "");
  EXPECT_EQ(pinned_provider("", "gemm").provider, "");
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
