// prism.h over described devices: decisions, models, tuning, backends and the host; and alignment.
#include "tests/bindings/c_common.hpp"

#include <functional>

namespace {

using c_tests::on_device;
using c_tests::owned;
using c_tests::text_of;

struct c_decisions : on_device {};

const char* const fleet =
    "devices:\n"
    "  - {device_type: big.gpu2, compute_units: 100, price_per_hour: 9, transfer_gbps: 50,\n"
    "     memory_hierarchy: [{level: HBM, size_bytes: 80GiB, bandwidth_gbps: 3000}],\n"
    "     features: [{name: tensor_cores, version: 3}], peak_gflops: {fp32: 60000}}\n"
    "  - {device_type: small.cpu, compute_units: 8, price_per_hour: 1,\n"
    "     memory_hierarchy: [{level: DDR, size_bytes: 16GiB, bandwidth_gbps: 100}],\n"
    "     peak_gflops: {fp32: 500, fp64: 250}}\n";

prism_workload job(double flops, double bytes) {
  prism_workload out{};
  out.struct_size = sizeof out;
  out.flops = flops, out.bytes = bytes, out.items = 1;
  return out;
}

std::string chosen(const char* policy, const prism_workload& work) {
  const std::string json = text_of([&](char* t, size_t n, size_t* s) {
    return prism_decide(policy, &work, fleet, "json", t, n, s, nullptr);
  });
  const std::string key = "\"chosen\": ";
  const size_t at = json.find(key) + key.size();
  return json.substr(at, json.find(',', at) - at);
}

TEST_F(c_decisions, a_policy_chooses_among_described_devices) {
  const prism_workload work = job(1e12, 1e9);
  EXPECT_EQ(chosen("priority=speed", work), "\"big.gpu2\"");
  EXPECT_EQ(chosen("priority=speed; max_cost_per_hour=2", work), "\"small.cpu\"");
  EXPECT_EQ(chosen("require=time_travel", work), "null");
}

TEST_F(c_decisions, a_device_of_this_process_is_described_and_read_back) {
  owned<prism_device> device;
  EXPECT_RUNS(prism_queue_device(queue, device.to(), error));
  const std::string one =
      text_of([&](char* t, size_t n, size_t* s) { return prism_describe(device, t, n, s, nullptr); });
  const std::string again = text_of(
      [&](char* t, size_t n, size_t* s) { return prism_descriptions_read(one.c_str(), t, n, s, nullptr); });
  EXPECT_EQ(one, again);
  EXPECT_NE(text_of([](char* t, size_t n, size_t* s) {
    return prism_decide("priority=speed", nullptr, nullptr, "table", t, n, s, nullptr);
  }).find("=>"),
            std::string::npos);
}

TEST_F(c_decisions, features_have_versions_and_vendor_paths_generations) {
  const char* const one = "{device_type: big.gpu2, compute_units: 1, peak_gflops: {fp32: 1},\n"
                          " memory_hierarchy: [{level: HBM, size_bytes: 1GiB, bandwidth_gbps: 1}],\n"
                          " features: [{name: tensor_cores, version: 3}]}";
  const auto meets = [&](const char* requirement) {
    int32_t out = -1;
    EXPECT_RUNS(prism_description_meets(one, requirement, &out, error));
    return out;
  };
  EXPECT_EQ(meets("tensor_cores>=3"), 1);
  EXPECT_EQ(meets("tensor_cores>=4"), 0);
  EXPECT_EQ(meets("big.gpu"), 1);
  EXPECT_EQ(meets("big.gpu==2"), 1);
  EXPECT_EQ(meets("big.gpu==3"), 0);
}

TEST_F(c_decisions, a_model_predicts_and_learns_from_runs) {
  owned<prism_model> model, copy;
  EXPECT_RUNS(prism_model_create(nullptr, model.to(), error));
  const prism_workload item = job(100, 4);
  EXPECT_RUNS(prism_model_register(model, "stencil", &item, error));
  const char* const cpu = "{name: c, device_type: cpu, compute_units: 8, peak_gflops: {fp32: 500},\n"
                          " memory_hierarchy: [{level: DDR, size_bytes: 16GiB, bandwidth_gbps: 100}]}";
  const auto predict = [&](const prism_model* by, const char* hardware, const size_t* counts) {
    prism_prediction out{};
    out.struct_size = sizeof out;
    EXPECT_RUNS(prism_model_predict(by, "stencil", hardware, counts, 1e9, &out, error));
    return out;
  };
  const prism_prediction roofline = predict(model, cpu, nullptr);
  EXPECT_NEAR(roofline.total, 1e11 / 500e9, 1e-3);
  EXPECT_LT(roofline.lower, roofline.total);
  const size_t two[] = {2};
  EXPECT_NEAR(predict(model, cpu, two).total, roofline.total / 2, roofline.total / 50);
  for (double items : {1e8, 5e8, 1e9, 2e9})
    EXPECT_RUNS(prism_model_observe(model, "stencil", cpu, items, items * 1e-9, error));
  EXPECT_NEAR(predict(model, cpu, nullptr).total, 1, 0.05);
  const std::string saved =
      text_of([&](char* t, size_t n, size_t* s) { return prism_model_text(model, t, n, s, nullptr); });
  EXPECT_RUNS(prism_model_create(saved.c_str(), copy.to(), error));
  EXPECT_EQ(predict(copy, cpu, nullptr).total, predict(model, cpu, nullptr).total);
}

TEST_F(c_decisions, tuning_finds_the_best_configuration_and_drops_wrong_ones) {
  const char* groups[] = {"16", "32", "64"};
  const char* styles[] = {"row", "column"};
  const prism_parameter parameters[] = {{sizeof(prism_parameter), "group", groups, 3},
                                        {sizeof(prism_parameter), "style", styles, 2}};
  prism_tuning_options options{};
  options.struct_size = sizeof options, options.search = "exhaustive";
  int calls = 0;
  const auto trial = [](const char* c, double* seconds, int32_t* right, void* data) -> int32_t {
    ++*static_cast<int*>(data);
    const std::string text = c;
    const bool fast = text == "group=32 style=column", wrong = text == "group=64 style=row";
    *seconds = wrong ? 0.1 : fast ? 0.5 : 1;
    *right = wrong ? 0 : 1;
    return text == "group=16 style=column" ? 1 : 0;
  };
  owned<prism_tuning> tuning;
  EXPECT_RUNS(
      prism_tune(nullptr, parameters, 2, "group=16 style=row", trial, &calls, &options, tuning.to(), error));
  const auto text = [&](const char* what) {
    return text_of(
        [&](char* t, size_t n, size_t* s) { return prism_tuning_text(tuning, what, t, n, s, nullptr); });
  };
  EXPECT_EQ(text("best"), "group=32 style=column");
  EXPECT_EQ(text("ended"), "all tried");
  EXPECT_EQ(std::stod(text("gain")), 2);
  EXPECT_GE(calls, 6);
  EXPECT_NE(text("trials").find("wrong\t"), std::string::npos);
  EXPECT_NE(text("trials").find("failed\t"), std::string::npos);
}

TEST_F(c_decisions, backends_and_the_host_are_described) {
  EXPECT_NE(text_of([](char* t, size_t n, size_t* s) {
    return prism_backend_text("host", "display_name", t, n, s, nullptr);
  }),
            "");
  EXPECT_GE(std::stoi(text_of(
                [](char* t, size_t n, size_t* s) { return prism_host_text("cores", t, n, s, nullptr); })),
            1);
}

TEST_F(c_decisions, a_default_device_is_set_and_removed) {
  owned<prism_device> device;
  owned<prism_queue> made;
  EXPECT_RUNS(prism_queue_device(queue, device.to(), error));
  EXPECT_RUNS(prism_default_set(device, error));
  EXPECT_RUNS(prism_queue_create(nullptr, 0, made.to(), error));
  EXPECT_RUNS(prism_default_set(nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "device is a queue",
                 prism_default_set(reinterpret_cast<const prism_device*>(queue.handle), error));
}

TEST_F(c_decisions, reads_are_aligned_and_wrong_ones_refused) {
  const std::string genome = std::string(300, 'A') + "ACGTACGGTCA" + std::string(300, 'a');
  const char* reads[] = {"ACGTACGGTCA", "cgtaXggtc", "TTTT"};
  prism_alignment found[3];
  for (int32_t piece : {0, 256, 2048}) {
    EXPECT_RUNS(prism_align(queue, reads, 3, genome.c_str(), piece, found, error));
    EXPECT_EQ(found[0].score, 22);
    EXPECT_LE(found[0].first, 300u);
    EXPECT_GE(found[0].first + found[0].count, 311u);
    EXPECT_EQ(found[1].score, 16);
    EXPECT_EQ(found[2].score, 2);
  }
  EXPECT_RUNS(prism_align(queue, nullptr, 0, "A", 0, nullptr, error));
  const std::string longer(257, 'A');
  const char* wrong[] = {longer.c_str(), nullptr};
  EXPECT_REFUSES(PRISM_INVALID, "257 bases", prism_align(queue, wrong, 1, "A", 0, found, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "a read is NULL", prism_align(queue, wrong, 2, "A", 0, found, error));
  EXPECT_REFUSES(PRISM_INVALID, "no bases", prism_align(queue, reads, 1, "", 0, found, error));
  EXPECT_REFUSES(PRISM_INVALID, "pieces of 5", prism_align(queue, reads, 1, "A", 5, found, error));
  EXPECT_REFUSES(PRISM_BAD_HANDLE, "queue is NULL", prism_align(nullptr, reads, 1, "A", 0, found, error));
}

TEST_F(c_decisions, variants_of_aligned_reads_are_called_and_wrong_alignments_refused) {
  const char* const genome = "ACGTACGGTCATTGCACCATGCAAGTCCAGTA";
  const char* reads[] = {"ACGTACGGTCATTGCTCCATGCAAGTCCAGTA", "TACGGTCATTGCTCCATGCAAGTCC",
                         "ggtcattgctccatgcaag", "CGGTCATTGCTCCATGCAAGTCCAGT", "CCCCCCCCCC"};
  prism_alignment found[5];
  EXPECT_RUNS(prism_align(queue, reads, 5, genome, 0, found, error));
  found[4].score = 0; // is not counted
  owned<prism_variants> variants;
  EXPECT_RUNS(prism_call_variants(queue, reads, 5, genome, found, variants.to(), error));
  EXPECT_EQ(
      text_of([&](char* t, size_t n, size_t* s) { return prism_variants_text(variants, t, n, s, nullptr); }),
      "16\tA\tT\t4\t4\t79.8256\t2\t12\n");
  owned<prism_variants> none;
  EXPECT_RUNS(prism_call_variants(queue, nullptr, 0, genome, nullptr, none.to(), error));
  EXPECT_EQ(
      text_of([&](char* t, size_t n, size_t* s) { return prism_variants_text(none, t, n, s, nullptr); }), "");
  prism_alignment wrong = found[0];
  wrong.first = 20, wrong.count = 13;
  EXPECT_REFUSES(PRISM_INVALID, "ends at base 33 of a genome of 32",
                 prism_call_variants(queue, reads, 1, genome, &wrong, none.to(), error));
  const char* const unknown = "NNNN";
  EXPECT_REFUSES(PRISM_INVALID, "no base in common",
                 prism_call_variants(queue, &unknown, 1, genome, found, none.to(), error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "variants is NULL",
                 prism_call_variants(queue, reads, 1, genome, found, nullptr, error));
  EXPECT_REFUSES(PRISM_BAD_POINTER, "alignments is NULL",
                 prism_call_variants(queue, reads, 1, genome, nullptr, none.to(), error));
}

TEST_F(c_decisions, wrong_texts_and_structs_are_refused_by_name) {
  int32_t out = 0;
  prism_workload small{};
  small.struct_size = 8;
  prism_prediction prediction{};
  owned<prism_model> model;
  owned<prism_tuning> tuning;
  EXPECT_RUNS(prism_model_create(nullptr, model.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "device_type",
                 prism_descriptions_read("{name: x}", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "has 2 devices", prism_description_meets(fleet, "gpu", &out, error));
  EXPECT_REFUSES(PRISM_INVALID, "position",
                 prism_decide("colour=red", nullptr, fleet, "json", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "work has a struct_size of 8",
                 prism_decide("priority=speed", &small, fleet, "json", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "it has table, json",
                 prism_decide("priority=speed", nullptr, fleet, "poem", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "there are",
                 prism_backend_text("cuda", "type", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "it has type",
                 prism_backend_text("host", "colour", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_NOT_FOUND, "it has platform", prism_host_text("colour", nullptr, 0, nullptr, error));
  EXPECT_REFUSES(PRISM_INVALID, "prediction has a struct_size",
                 prism_model_predict(model, "x", fleet, nullptr, 1, &prediction, error));
  prediction.struct_size = sizeof prediction;
  EXPECT_REFUSES(PRISM_INVALID, "sorting",
                 prism_model_predict(model, "sorting", fleet, nullptr, 1, &prediction, error));
  const auto never = [](const char*, double*, int32_t*, void*) -> int32_t { return 1; };
  const char* one[] = {"1"};
  const prism_parameter parameter{sizeof(prism_parameter), "group", one, 1};
  EXPECT_REFUSES(PRISM_INVALID, "no value \"2\"",
                 prism_tune(nullptr, &parameter, 1, "group=2", never, nullptr, nullptr, tuning.to(), error));
  EXPECT_REFUSES(PRISM_INVALID, "is not the value of a parameter",
                 prism_tune(nullptr, &parameter, 1, "size=1", never, nullptr, nullptr, tuning.to(), error));
  EXPECT_REFUSES(
      PRISM_BAD_POINTER, "trial is NULL",
      prism_tune(nullptr, &parameter, 1, "group=1", nullptr, nullptr, nullptr, tuning.to(), error));
}

} // namespace
