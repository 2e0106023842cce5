// Text and files from outside, damaged at random: each reader accepts its input or throws its own type of
// error. 2,000 iterations from a fixed seed; PRISM_FUZZ=N (./prism test --fuzz N) runs N from a seed of the
// clock, and PRISM_FUZZ_SEED repeats such a run.
#include "devices/probe.hpp"
#include "devices/api/opencl_data.hpp"
#include "devices/api/spirv_data.hpp"
#include "devices/vulkan/spirv_inspect.hpp"
#include "runtime/images/disk_cache.hpp"
#include "runtime/select/selector.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/size_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <set>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

struct damaged_input : testing::Test {
  std::mt19937_64 random;
  std::size_t rounds = 2000;

  void SetUp() override {
    std::uint64_t seed = 20201124;
    if (const char* asked = std::getenv("PRISM_FUZZ")) {
      rounds = std::strtoull(asked, nullptr, 10);
      seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    }
    if (const char* repeated = std::getenv("PRISM_FUZZ_SEED")) seed = std::strtoull(repeated, nullptr, 10);
    RecordProperty("seed", std::to_string(seed));
    random.seed(seed);
    if (std::getenv("PRISM_FUZZ"))
      std::printf("seed: PRISM_FUZZ_SEED=%llu repeats it\n", static_cast<unsigned long long>(seed));
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random() % n); }

  /// Up to twelve of the pieces, some with a byte changed, added or removed.
  std::string sentence(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t n = below(12); n > 0; --n) text += parts[below(parts.size())];
    for (std::size_t n = below(3); n > 0 && !text.empty(); --n) damage(text);
    return text;
  }
  void damage(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(3)) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.insert(at, 1, static_cast<char>(random())); break;
      default: text.erase(at, 1 + below(4));
    }
  }
};

const std::vector<std::string> selector_parts{
    "host", "opencl", "vulkan", "gpu", "cpu", "accelerator",          "custom", "*",        ":",
    ";",    "!",      "name=",  "0",   "1",   "18446744073709551616", " ",      "llvmpipe", "PoCL",
    "::",   ";;",     "Name=Ä"};

TEST_F(damaged_input, a_selector_is_parsed_or_an_error_has_its_position) {
  using namespace prism::select;
  const std::vector<std::string> backends{"host", "opencl", "vulkan"};
  std::vector<device_fact> facts;
  for (const std::string& b : backends)
    for (std::size_t i = 0; i < 3; ++i)
      facts.push_back({b, i, "PoCL", "llvmpipe", prism::devices::device_type::cpu, i == 2});
  std::size_t parsed = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string text = sentence(selector_parts);
    SCOPED_TRACE(text);
    try {
      const auto order = apply_selector(parse_selector(text, backends), facts);
      EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), order.size())
          << "a device is selected twice";
      for (std::size_t i : order) EXPECT_LT(i, facts.size());
      ++parsed;
    } catch (const selector_error& e) {
      EXPECT_LE(e.position(), text.size());
      EXPECT_FALSE(std::string(e.what()).empty());
    }
  }
  EXPECT_GT(parsed, rounds / 50) << "too few texts are parsed to test selection";
  EXPECT_LT(parsed, rounds);
}

TEST_F(damaged_input, a_cache_entry_is_unchanged_or_absent) {
  std::string name = (fs::temp_directory_path() / "prism-damage-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  prism::images::disk_cache cache(fs::path(name) / "programs", 1 << 20);
  std::size_t absent = 0;
  const std::size_t cache_rounds = std::max<std::size_t>(1, rounds / 4); // each writes files
  for (std::size_t round = 0; round < cache_rounds; ++round) {
    std::vector<std::byte> data(below(200));
    for (std::byte& b : data) b = static_cast<std::byte>(random());
    cache.store("key", data);
    const fs::path file = fs::directory_iterator(fs::path(name) / "programs")->path();
    std::string bytes;
    {
      std::ifstream in(file, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    ASSERT_FALSE(bytes.empty());
    for (std::size_t n = below(4); n > 0 && !bytes.empty(); --n) damage(bytes);
    if (below(8) == 0) bytes.resize(below(bytes.size() + 1));
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    const auto found = cache.load("key");
    absent += !found;
    if (found) {
      EXPECT_EQ(*found, data) << "iteration " << round;
    }
  }
  if (cache_rounds > 100) {
    EXPECT_GT(absent, cache_rounds / 4);
    EXPECT_LT(absent, cache_rounds);
  }
  fs::remove_all(name);
}

TEST_F(damaged_input, a_probe_verdict_is_read_or_refused_and_survives_writing) {
  using namespace prism::devices;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string text = sentence({"prism-probe", " ", "1", "2", "usable", "unusable", "-1",
                                       "99999999999999999999999", "\n", "reason"});
    if (const auto verdict = from_text(text)) {
      const auto again = from_text(to_text(*verdict));
      ASSERT_TRUE(again) << text;
      EXPECT_EQ(again->usable, verdict->usable) << text;
      EXPECT_EQ(again->device_count, verdict->device_count) << text;
    }
  }
  std::string whole = to_text({true, "a reason", 3});
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text = whole;
    damage(text);
    from_text(text); // no crash, no exception
  }
}

TEST_F(damaged_input, a_size_is_a_number_or_nothing) {
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string text =
        sentence({"0", "1", "9", "512", "18446744073709551615", "K", "m", "G", "T", " ", "-"});
    const auto size = prism::support::parse_size(text);
    const bool digits =
        !text.empty() && text.size() < 15 && text.find_first_not_of("0123456789") == text.npos;
    if (digits) {
      ASSERT_TRUE(size) << text;
      EXPECT_EQ(*size, std::strtoull(text.c_str(), nullptr, 10));
    }
    if (text.find_first_of("T -") != text.npos) {
      EXPECT_FALSE(size) << text;
    }
  }
}

#if defined(PRISM_HAVE_SPIRV_INSPECT)
TEST_F(damaged_input, a_spirv_module_is_summarised_or_reported_damaged) {
  // OpCapability Shader, OpMemoryModel, OpEntryPoint GLCompute %4 "main", OpExecutionMode, OpDecorate,
  // OpTypeVoid
  const std::vector<std::uint32_t> module{0x07230203, 0x00010500, 0,          8, 0, 0x00020011, 1, 0x0003000e,
                                          0,          1,          0x0005000f, 5, 4, 0x6e69616d, 0, 0x00060010,
                                          4,          17,         1,          1, 1, 0x00040047, 6, 1,
                                          4,          0x00020013, 2};
  ASSERT_EQ(prism::devices::vulkan::inspect_spirv(module).damage, "");
  ASSERT_EQ(prism::devices::vulkan::inspect_spirv(module).compute_entries, std::vector<std::string>{"main"});
  EXPECT_TRUE(prism::devices::vulkan::inspect_spirv(module).data.empty());
  std::size_t refused = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::uint32_t> words = module;
    for (std::size_t n = 1 + below(4); n > 0; --n)
      words[below(words.size())] = below(2) ? static_cast<std::uint32_t>(random())
                                            : static_cast<std::uint32_t>(below(64) << (16 * below(2)));
    if (below(4) == 0) words.resize(below(words.size()));
    words.shrink_to_fit(); // so that the address sanitizer finds a read beyond the end
    refused += !prism::devices::vulkan::inspect_spirv(words).damage.empty();
  }
  EXPECT_GT(refused, rounds / 20);
}

TEST(spirv_data, survives_a_round_trip_through_a_module) {
  for (const std::size_t size : {1, 2, 3, 4, 95, 47999, 48000, 48001, 150001}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
    std::vector<std::uint32_t> module{0x07230203, 0x00010500, 0, 8, 0, 0x0005000f, 5, 4, 0x6e69616d, 0};
    for (const std::string& text : prism::image::spirv_data::texts_of(bytes)) {
      const std::size_t words = text.size() / 4 + 1;
      ASSERT_LT(words + 2, 65536u);
      module.push_back(static_cast<std::uint32_t>(words + 2) << 16 | 7);
      module.push_back(5);
      const std::size_t at = module.size();
      module.resize(at + words);
      std::memcpy(&module[at], text.data(), text.size());
    }
    EXPECT_EQ(prism::devices::vulkan::inspect_spirv(module).data, bytes) << size;
  }
  std::vector<std::uint8_t> none;
  EXPECT_FALSE(prism::image::spirv_data::add_bytes("a user's text", none));
}

TEST(opencl_data, survives_a_round_trip_through_a_text) {
  for (const std::size_t size : {0, 1, 95, 48000, 150001}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
    const std::string text = "__kernel void k() {}\n" + prism::image::opencl_data::text_of(bytes);
    EXPECT_EQ(prism::image::opencl_data::bytes_of(text), bytes) << size;
    EXPECT_EQ(text.find("\\\n"), std::string::npos) << "a comment that would go on in the next line";
  }
  EXPECT_TRUE(prism::image::opencl_data::bytes_of("\n//prism.data: a user's text .").empty());
}
#endif

} // namespace
