// Rules for every provider in addition to right results: it rejects requests with reasons, plan agrees with
// query, and a rejected call changes nothing.
#include "tests/providers/conformance/target.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace provider_test {
namespace {

/// A supported gemm or axpy of the first target; empty if the provider has neither.
std::optional<job> some_job(target& on, engine& random) {
  for (const std::int32_t operation : {PRISM_GEMM, PRISM_AXPY})
    for (const std::int64_t batch : {-1, 8})
      for (const std::int32_t type : {PRISM_F32, PRISM_F64}) {
        job_wish w;
        w.operation = operation, w.type = type, w.m = w.n = w.k = 16, w.plain = true, w.batch = batch;
        job made = make_job(w, random);
        if (operation == PRISM_GEMM) made.alpha[0] = made.beta[0] = 1, made.alpha[1] = made.beta[1] = 0;
        if (query(on, made.what).supported) return made;
      }
  return {};
}

struct fault {
  const char* what;
  std::function<void(prism_provider_operation&)> make;
};
const fault faults[] = {
    {"extents that disagree", [](auto& o) { o.operand[0].extent[o.operand_count == 3 ? 1 : 0] += 1; }},
    {"a negative extent", [](auto& o) { o.operand[0].extent[0] = -1; }},
    {"an unknown operation", [](auto& o) { o.operation = 0x7fff; }},
    {"an unknown type", [](auto& o) { o.operand[0].type = 0x3001; }},
    {"a type that no operand shares",
     [](auto& o) { o.operand[0].type = o.operand[0].type == PRISM_F32 ? PRISM_S8 : PRISM_U16; }},
    {"an unknown flag", [](auto& o) { o.operand[0].flags |= 0x80; }},
    {"an unknown storage", [](auto& o) { o.operand[0].storage = 9; }},
    {"one operand too few", [](auto& o) { o.operand_count -= 1; }},
    {"a written operand whose elements overlap",
     [](auto& o) { o.operand[o.operand_count - 1].stride[0] = 0; }},
    {"a rank that the operation does not have", [](auto& o) { o.operand[0].rank = 5; }},
    {"a computing type that does not exist", [](auto& o) { o.compute = 3; }},
    {"a side where there is none", [](auto& o) { o.side = 7; }},
    {"operands of another size", [](auto& o) { o.operand_size += 8; }},
};

TEST(provider_rules, contradictory_requests_are_rejected_with_a_reason) {
  engine random(1);
  for (const auto& on : all_targets()) {
    const auto made = some_job(*on, random);
    if (!made) GTEST_SKIP() << "it has neither gemm nor axpy";
    for (const fault& each : faults) {
      prism_provider_operation wrong = made->what;
      each.make(wrong);
      const prism_provider_support answer = query(*on, wrong);
      EXPECT_FALSE(answer.supported) << each.what;
      EXPECT_NE(answer.reason[0], 0) << each.what << ": no reason";
      std::string why;
      EXPECT_FALSE(plan(*on, wrong, &why)) << each.what << ": plan accepted it";
      EXPECT_NE(why, "") << each.what << ": plan gave no reason";
    }
  }
}

TEST(provider_rules, an_unsupported_device_is_rejected) {
  engine random(2);
  for (const auto& on : all_targets()) {
    const auto made = some_job(*on, random);
    if (!made) GTEST_SKIP() << "it has neither gemm nor axpy";
    prism_provider_device other = on->device();
    other.native = 99;
    prism_provider_support answer{};
    answer.struct_size = sizeof answer;
    the_subject().table->query(the_subject().state, &other, &made->what, &answer);
    EXPECT_FALSE(answer.supported);
    EXPECT_NE(answer.reason[0], 0);
  }
}

TEST(provider_rules, a_run_of_another_kind_is_rejected_and_changes_nothing) {
  engine random(3);
  for (const auto& on : all_targets()) {
    const auto made = some_job(*on, random);
    if (!made) GTEST_SKIP() << "it has neither gemm nor axpy";
    const plan_ptr ready = plan(*on, made->what);
    ASSERT_TRUE(ready);
    prism_provider_run run{};
    prism_message why{sizeof why, {}};
    std::vector<operand> data = made->operands;
    std::vector<prism_provider_memory> memory;
    for (operand& each : data) memory.push_back({each.bytes.data(), nullptr, 0, 0});
    run.struct_size = sizeof run, run.native = 99, run.threads = 1, run.memory = memory.data();
    EXPECT_NE(the_subject().table->run(ready.get(), &run, &why), PRISM_OK);
    EXPECT_NE(why.text[0], 0) << "no reason";
    for (std::size_t i = 0; i < data.size(); ++i)
      EXPECT_EQ(data[i].bytes, made->operands[i].bytes) << "operand " << i << " was changed";
  }
}

TEST(provider_rules, query_promises_only_what_was_requested) {
  engine random(4);
  for (const auto& on : all_targets()) {
    const auto made = some_job(*on, random);
    if (!made) GTEST_SKIP() << "it has neither gemm nor axpy";
    const prism_provider_support answer = query(*on, made->what);
    EXPECT_GE(answer.reproducible, PRISM_REPRODUCIBLE_NO);
    EXPECT_LE(answer.reproducible, PRISM_REPRODUCIBLE_ALWAYS);
    EXPECT_GE(answer.efficiency, 0);
    EXPECT_LE(answer.efficiency, 1);
    EXPECT_GE(answer.overhead_ns, 0);
    EXPECT_TRUE(on->device().native != PRISM_NATIVE_HOST || answer.most_threads >= 1u);
    prism_provider_operation strict = made->what;
    strict.reproducible = PRISM_REPRODUCIBLE_ALWAYS;
    const prism_provider_support promised = query(*on, strict);
    EXPECT_TRUE(!promised.supported || promised.reproducible == PRISM_REPRODUCIBLE_ALWAYS)
        << "plan accepts a request that query rejects";
  }
}

TEST(provider_rules, reproducible_results_are_reproducible) {
  engine random(5);
  for (const auto& on : all_targets()) {
    const auto made = some_job(*on, random);
    if (!made) GTEST_SKIP() << "it has neither gemm nor axpy";
    if (query(*on, made->what).reproducible == PRISM_REPRODUCIBLE_NO) continue;
    const plan_ptr ready = plan(*on, made->what);
    std::vector<operand> first, again;
    std::string why;
    ASSERT_EQ(on->run(ready.get(), *made, 1, first, why), PRISM_OK) << why;
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(on->run(ready.get(), *made, 1, again, why), PRISM_OK) << why;
      EXPECT_EQ(first.back().bytes, again.back().bytes);
    }
  }
}

TEST(provider_rules, it_can_be_opened_twice) {
  const prism_provider& table = *the_subject().table;
  prism_provider_state* second = nullptr;
  const char* version = nullptr;
  prism_message why{sizeof why, {}};
  ASSERT_EQ(table.open(&second, &version, &why), PRISM_OK) << why.text;
  table.close(second);
  engine random(6);
  for (const auto& on : all_targets()) {
    const auto made = some_job(*on, random);
    if (!made) GTEST_SKIP() << "it has neither gemm nor axpy";
    EXPECT_EQ(wrong_result(*on, *made), "") << "after the second was closed";
  }
}

} // namespace
} // namespace provider_test
