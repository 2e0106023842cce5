// Device descriptions in files.
#include "tests/policy/fleet.hpp"

#include <cstdio>
#include <fstream>
#include <random>
#include <tuple>

using namespace prism_test;

namespace {

std::string message_of(const std::string& text) {
  try {
    prism::parse_devices(text, "bad.yaml");
  } catch (const prism::description_error& e) {
    return e.what();
  }
  return "(accepted)";
}

/// Compares field by field: two texts can be equal because both lack the same field.
void expect_equal(const prism::device_description& a, const prism::device_description& b) {
  const auto plain = [](const prism::device_description& d) {
    return std::tie(d.device_type, d.name, d.vendor_path, d.compute_units, d.peak_gflops, d.launch_latency_us,
                    d.build_ms, d.transfer_gbps, d.price_per_hour, d.watts, d.executes_on, d.sources,
                    d.backend, d.vendor, d.driver, d.platform, d.physical_id, d.limits, d.only_when_named,
                    d.estimated);
  };
  EXPECT_TRUE(plain(a) == plain(b)) << prism::to_json({a, b});
  ASSERT_EQ(a.memory_hierarchy.size(), b.memory_hierarchy.size());
  for (std::size_t i = 0; i < a.memory_hierarchy.size(); ++i) {
    const auto level = [](const prism::memory_level& l) {
      return std::tie(l.level, l.size_bytes, l.bandwidth_gbps);
    };
    EXPECT_TRUE(level(a.memory_hierarchy[i]) == level(b.memory_hierarchy[i])) << i;
  }
  ASSERT_EQ(a.features.size(), b.features.size());
  for (std::size_t i = 0; i < a.features.size(); ++i) {
    EXPECT_EQ(a.features[i].name, b.features[i].name);
    EXPECT_TRUE(a.features[i].version == b.features[i].version) << a.features[i].name;
    ASSERT_EQ(a.features[i].operations.size(), b.features[i].operations.size());
    for (std::size_t k = 0; k < a.features[i].operations.size(); ++k) {
      EXPECT_EQ(a.features[i].operations[k].name, b.features[i].operations[k].name);
      EXPECT_EQ(a.features[i].operations[k].data_types, b.features[i].operations[k].data_types);
    }
  }
}

} // namespace

TEST(device_descriptions, have_the_values_of_the_file) {
  const auto devices = fleet();
  ASSERT_EQ(devices.size(), 4u);
  const prism::device_description& gpu = devices[1];
  EXPECT_EQ(gpu.name, "cloud gpu");
  EXPECT_EQ(gpu.device_type, "gpu");
  EXPECT_EQ(gpu.compute_units, 108u);
  ASSERT_EQ(gpu.memory_hierarchy.size(), 2u);
  EXPECT_EQ(gpu.memory_hierarchy[1].level, "HBM");
  EXPECT_EQ(gpu.memory_hierarchy[1].size_bytes, 40ull << 30);
  EXPECT_EQ(gpu.memory_hierarchy[1].bandwidth_gbps, 1500);
  EXPECT_EQ(gpu.features[2].name, "subgroups");
  EXPECT_EQ(gpu.features[2].version, 2);
  EXPECT_EQ(gpu.peak_gflops.at("fp64"), 10000);
  EXPECT_EQ(gpu.launch_latency_us, 10);
  EXPECT_EQ(gpu.transfer_gbps, 20);
  EXPECT_EQ(gpu.price_per_hour, 4);
  EXPECT_EQ(gpu.watts, 400);
  EXPECT_EQ(gpu.executes_on, "host");
  EXPECT_EQ(devices[3].features[0].operations[0].data_types, (std::vector<std::string>{"bf16", "int8"}));
}

TEST(device_descriptions, a_file_may_be_one_map_or_json) {
  const auto one = prism::parse_devices("name: x\ndevice_type: cpu\npeak_gflops: {double: 5}\n");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].peak_gflops.at("fp64"), 5);
  const auto json = prism::parse_devices(
      R"({"devices": [{"name": "x", "device_type": "gpu", "features": [{"name": "fp64", "version": 1}]}]})");
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].features[0].name, "fp64");
}

TEST(device_descriptions, survive_yaml_and_json) {
  auto devices = fleet();
  devices[0].features[0].version = {1, 2};
  devices[0].limits["max_group_size"] = 1024;
  devices[0].estimated = {"watts"};
  devices[0].only_when_named = true;
  devices[0].backend = "opencl";
  devices[0].build_ms = 12.5;
  devices[0].driver = "535.104";
  devices[0].platform = "Portable Computing Language, OpenCL 3.0 PoCL 3.1";
  devices[0].physical_id = "pci:0000:01:00.0";
  devices[0].name = "007: \"odd\" name\n# no comment";
  devices[0].sources["watts"] = "a power meter";
  for (const std::string& text : {prism::to_yaml(devices), prism::to_json(devices)}) {
    const auto back = prism::parse_devices(text);
    ASSERT_EQ(back.size(), devices.size());
    for (std::size_t i = 0; i < back.size(); ++i) expect_equal(back[i], devices[i]);
  }
  EXPECT_EQ(chosen({}, heavy(), prism::parse_devices(prism::to_yaml(fleet()))), chosen({}, heavy()));
}

TEST(device_descriptions, errors_name_file_line_column_key_and_a_suggestion) {
  EXPECT_EQ(message_of("name: x\ndevice_type: cpu\nmemory_hierarchy:\n  - size_bytes: lots\n"),
            "bad.yaml:4:17: memory_hierarchy[0].size_bytes: must be a size such as 8589934592 or 8GiB, found "
            "\"lots\"");
  EXPECT_NE(message_of("devices:\n  - name: x\n    device_tpye: cpu\n")
                .find("bad.yaml:3:5: devices[0]: unknown key \"device_tpye\". Did you mean \"device_type\"?"),
            std::string::npos);
  EXPECT_NE(message_of("name: x\ndevice_type: gpuu\n")
                .find("bad.yaml:2:14: device_type: unknown device type \"gpuu\". Did you mean \"gpu\"?"),
            std::string::npos);
  EXPECT_NE(message_of("name: x\n").find("bad.yaml:1:1: the key \"device_type\" is missing"),
            std::string::npos)
      << message_of("name: x\n");
  EXPECT_NE(
      message_of("name: x\ndevice_type: cpu\nwatts: -3\n").find("bad.yaml:3:8: watts: must be a number"),
      std::string::npos);
  EXPECT_NE(message_of("name: x\ndevice_type: cpu\npeak_gflops: {fp32: 1e300}\n")
                .find("bad.yaml:3:21: peak_gflops.fp32: must be a number of"),
            std::string::npos)
      << message_of("name: x\ndevice_type: cpu\npeak_gflops: {fp32: 1e300}\n");
  EXPECT_NE(message_of("name: x\ndevice_type: cpu\npeak_gflops: {fp33: 5}\n")
                .find("bad.yaml:3:21: peak_gflops.fp33: unknown data type \"fp33\". Did you mean \"fp32\"?"),
            std::string::npos);
  EXPECT_EQ(message_of("name: x\ndevice_type: cpu\npeak_gflops: {fp8: 5, posit: 3}\n"), "(accepted)")
      << "a new type is not a misspelt one";
  EXPECT_NE(message_of("name: x\nname: y\ndevice_type: cpu\n").find("is given twice"), std::string::npos);
  EXPECT_NE(message_of("name: [x\n").find("bad.yaml:"), std::string::npos);
  EXPECT_NE(message_of("- 1\n- 2\n").find("must be one device's map"), std::string::npos);
  EXPECT_NE(message_of("schema: 9\ndevices: []\n").find("schema"), std::string::npos);
  const std::string empty = testing::TempDir() + "prism_empty_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(empty).flush();
  EXPECT_THROW(try { prism::load_devices(empty); } catch (const prism::description_error& e) {
    EXPECT_NE(std::string(e.what()).find("is empty"), std::string::npos) << e.what();
    throw;
  },
               prism::description_error);
  std::remove(empty.c_str());
  try {
    prism::load_devices("/no/such/fleet.yaml");
    FAIL();
  } catch (const prism::description_error& e) {
    EXPECT_EQ(e.code(), sycl::errc::invalid);
    EXPECT_EQ(e.line(), 0u);
    EXPECT_NE(std::string(e.what()).find("/no/such/fleet.yaml: cannot be read"), std::string::npos);
  }
}

/// The description of the first design document (S0, section 6.2), as it stands: a vendor path for the type,
/// no name.
constexpr const char* trainium = R"(# hardware_description.yaml
device_type: "aws.trainium2"
compute_units: 128
memory_hierarchy:
  - level: "global"
    size_bytes: 32000000000  # 32GB
    bandwidth_gbps: 820
  - level: "shared"
    size_bytes: 1048576
    bandwidth_gbps: 1200
features:
  - name: "tensor_cores"
    version: 3
    operations:
      - name: "matmul"
        data_types: ["fp32", "fp16", "bf16", "int8"]
      - name: "conv2d"
        data_types: ["fp16", "bf16", "int8"]
  - name: "transformer_engine"
    version: 2
    operations:
      - name: "attention"
        data_types: ["fp16", "bf16"]
)";

TEST(device_descriptions, a_vendor_path_is_type_and_name_in_one) {
  const prism::device_description device = prism::parse_devices(trainium).front();
  EXPECT_EQ(device.name, "aws.trainium2");
  EXPECT_EQ(device.vendor_path, "aws.trainium2");
  EXPECT_EQ(device.device_type, "accelerator");
  EXPECT_EQ(device.peak_gflops.at("fp32"), 300) << "one operation for four bytes of the fastest memory";
  EXPECT_EQ(device.estimated, std::vector<std::string>{"peak_gflops"});
  const auto type_of = [](const std::string& path) {
    return prism::parse_devices("device_type: " + path + "\n").front().device_type;
  };
  EXPECT_EQ(type_of("big.gpu"), "gpu");
  EXPECT_EQ(type_of("npu"), "accelerator");
  EXPECT_EQ(type_of("aws.graviton3"), "cpu");
  EXPECT_EQ(type_of("NVIDIA.H100"), "gpu");
  EXPECT_EQ(type_of("nvidia.grace"), "cpu");
  EXPECT_EQ(type_of("acme.thing9"), "custom");
  EXPECT_NE(message_of("device_type: aws..x\n").find("bad.yaml:1:14: device_type: must be one of"),
            std::string::npos);
  EXPECT_NE(message_of("device_type: gpu\n").find("the key \"name\" is missing"), std::string::npos);
  expect_equal(prism::parse_devices(prism::to_yaml({device})).front(), device);
}

TEST(device_descriptions, are_selected_by_vendor_path_and_generation) {
  auto devices = prism::parse_devices(trainium);
  devices.push_back(
      prism::parse_devices(
          "name: AWS Graviton3 host\nvendor: AWS\ndevice_type: cpu\npeak_gflops: 90\nmemory_hierarchy: "
          "[{size_bytes: 4GiB, bandwidth_gbps: 40}]\n")
          .front());
  const auto chosen_for = [&](const std::string& wanted) -> std::string {
    prism::execution_policy policy;
    policy.require = {wanted};
    try {
      return devices[prism::select(policy, heavy(), devices).index()].name;
    } catch (const sycl::exception& e) {
      return e.what();
    }
  };
  for (const char* path :
       {"aws.trainium2", "aws.trainium", "aws.trainium>=2", "aws.trainium==2", "AWS.Trainium < 3"})
    EXPECT_EQ(chosen_for(path), "aws.trainium2") << path;
  for (const char* path : {"aws.graviton", "aws.graviton3", "aws.graviton>=3"})
    EXPECT_EQ(chosen_for(path), "AWS Graviton3 host") << path;
  EXPECT_NE(chosen_for("aws.trainium>=3").find("aws.trainium is generation 2"), std::string::npos)
      << chosen_for("aws.trainium>=3");
}

TEST(device_descriptions, fuzzed_files_give_errors_only) {
  std::mt19937 random(11);
  const std::string good = fleet_text;
  int accepted = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good.substr(0, 200 + random() % (good.size() - 200));
    for (unsigned edits = 1 + random() % 6; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 5) {
        case 0: text[at] = char(random() % 256); break;
        case 1: text.erase(at, random() % 30); break;
        case 2: text.insert(at, std::string(1 + random() % 3, "{}[]:,&*!|>-'\"%@\t\n"[random() % 18])); break;
        case 3: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
        case 4: text[at] = char('0' + random() % 10); break;
      }
      if (text.empty()) text = " ";
    }
    try {
      prism::parse_devices(text);
      ++accepted;
    } catch (const prism::description_error& e) {
      ++refused;
      EXPECT_FALSE(std::string(e.what()).empty());
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 10);
  for (const std::string& deep :
       {std::string(200000, '['), std::string(200000, '{'), "a: " + std::string(100000, '-')})
    EXPECT_THROW(prism::parse_devices(deep), prism::description_error);
}

TEST(described_fleet, a_policy_runs_on_a_described_fleet_from_a_file) {
  const std::string file = testing::TempDir() + "prism-fleet.yaml";
  std::ofstream(file) << fleet_text;
  prism::execution_policy cheap;
  cheap.priority = prism::priority::cost;
  cheap.max_latency = std::chrono::milliseconds(500);
  cheap.max_cost_per_hour = 10.0;
  cheap.require = {"fp64"};
  EXPECT_EQ(prism::select(cheap, heavy(), prism::load_devices(file)).device().name, "cloud gpu");
  std::remove(file.c_str());
}

TEST(described_fleet, each_policy_selects_another_device) {
  const auto devices = prism::load_devices(PRISM_SOURCE "/samples/fleet/fleet.yaml");
  ASSERT_EQ(devices.size(), 7u);
  const auto pick = [&](const char* policy) { return chosen(prism::parse_policy(policy), heavy(), devices); };
  EXPECT_EQ(pick("priority=speed"), "H100 SXM");
  EXPECT_EQ(pick("priority=speed; max_cost_per_hour=5"), "A100 40GB");
  EXPECT_EQ(pick("priority=energy"), "Adreno 650");
  EXPECT_EQ(pick("priority=cost"), "EPYC 9654") << "two are free of charge: the faster one";
  EXPECT_EQ(pick("priority=cost; max_latency=1s"), "EPYC 9654");
  EXPECT_EQ(pick("require=thread_block_clusters"), "H100 SXM");
  prism::workload gemm = heavy();
  gemm.operation = "gemm";
  gemm.data_type = "bf16";
  EXPECT_EQ(chosen(prism::parse_policy("priority=cost; forbid=NVIDIA"), gemm, devices), "TPU v4");
  gemm.data_type = "fp64";
  const std::string table = prism::explain({}, gemm, devices);
  EXPECT_NE(table.find("it does not do \"gemm\" in fp64"), std::string::npos) << table;
}

TEST(device_descriptions, of_the_shipped_fleet_cite_a_source_for_each_figure) {
  for (const prism::device_description& d : prism::load_devices(PRISM_SOURCE "/samples/fleet/fleet.yaml")) {
    std::vector<std::string> figures{"compute_units", "memory_hierarchy", "peak_gflops", "launch_latency_us"};
    if (d.transfer_gbps > 0) figures.push_back("transfer_gbps");
    if (d.price_per_hour > 0) figures.push_back("price_per_hour");
    if (d.watts > 0) figures.push_back("watts");
    for (const std::string& figure : figures)
      EXPECT_EQ(d.sources.count(figure), 1u) << d.name << ": " << figure;
    EXPECT_EQ(prism::parse_devices(prism::to_yaml({d})).front().sources, d.sources);
  }
  EXPECT_THROW(prism::parse_devices("{name: a, device_type: cpu, sources: {wats: nowhere}}"),
               prism::description_error);
}
