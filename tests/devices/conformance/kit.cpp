#include "tests/devices/conformance/kit.hpp"

#include "devices/module_loader.hpp"
#include "devices/registry.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace prism::devices::conformance {
namespace {

namespace fs = std::filesystem;

/// A driver to test. `match` is part of the device's name; "" selects the first device. `gpu`: real GPUs
/// only.
struct driver_row {
  const char* name;
  const char* backend;
  const char* match;
  const char* package; // what to install, for the skip message
  void (*prepare)() = nullptr;
  bool gpu = false;
};

void use_swiftshader() {
  const std::string place = "/usr/lib/chromium/libvk_swiftshader.so";
  if (!fs::exists(place)) return;
  const auto file = fs::temp_directory_path() / ("prism-swiftshader-" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" << place
                      << R"(", "api_version": "1.3.0"}})";
  setenv("VK_DRIVER_FILES", file.c_str(), 1);
  setenv("VK_ICD_FILENAMES", file.c_str(), 1); // the name that older loaders read
  static fs::path made;
  made = file;
  std::atexit([] {
    std::error_code ignored;
    fs::remove(made, ignored);
  });
}

const driver_row table[] = {
    {"host", "host", "", "PRISM built with PRISM_BACKEND_HOST=ON"},
    {"record", "record", "", "PRISM", [] { setenv("PRISM_RECORD_DEVICES", "1", 1); }},
    {"pocl", "opencl", "Portable Computing Language", "pocl-opencl-icd"},
    {"rusticl", "opencl", "rusticl", "mesa-opencl-icd", [] { setenv("RUSTICL_ENABLE", "llvmpipe", 1); }},
    {"opencl-gpu", "opencl", "", "an OpenCL driver for a GPU", nullptr, true},
    {"lavapipe", "vulkan", "llvmpipe", "mesa-vulkan-drivers"},
    {"swiftshader", "vulkan", "SwiftShader", "chromium-common", use_swiftshader},
    {"vulkan-gpu", "vulkan", "", "a Vulkan driver for a GPU", nullptr, true},
};

std::unique_ptr<device> under_test;

bool matches(const driver_row& row, const capabilities& info) {
  const std::string names = info.name + "\n" + info.platform_name + "\n" + info.driver_version;
  return names.find(row.match) != std::string::npos &&
         (!row.gpu || (info.type == device_type::gpu && !info.software));
}

/// Opens the row's device. Returns the reason if there is none.
std::string open(const driver_row& row) {
  if (row.prepare) row.prepare();
  const auto states = backends();
  for (const auto& state : states)
    if (state.name == row.backend && !state.available)
      return "backend " + state.name + " is not available: " + state.reason;
  std::string seen;
  try {
    for (auto& candidate : open_devices(row.backend)) {
      if (!under_test && matches(row, candidate->info())) under_test = std::move(candidate);
      else seen += (seen.empty() ? "" : ", ") + candidate->info().name;
    }
  } catch (const device_error& error) {
    return error.what();
  }
  return under_test ? "" : "no such device; there are: " + (seen.empty() ? "none" : seen);
}

bool is_module(const char* argument) {
  return std::strchr(argument, '/') != nullptr || fs::path(argument).extension() == ".so";
}

/// Opens device `number` of a module in the same way as PRISM. Returns the reason if there is none.
std::string open_module(const std::string& file, std::size_t number) {
  const found_module found = load_module(fs::absolute(file));
  if (found.b == nullptr) return found.reason;
  register_backend(*found.b);
  for (const auto& state : backends())
    if (state.name == found.b->name && !state.available)
      return "its probe reports that it is not usable: " + state.reason;
  auto opened = open_devices(found.b->name);
  if (number >= opened.size())
    return "it has " + std::to_string(opened.size()) + " devices, number " + std::to_string(number) +
           " is not among them";
  under_test = std::move(opened[number]);
  return "";
}

int run_tests() {
  std::printf("device under test: %s (%s)\n", under_test->info().name.c_str(),
              under_test->info().platform_name.c_str());
  const int result = RUN_ALL_TESTS();
  under_test.reset();
  return result;
}

} // namespace

device& the_device() { return *under_test; }

std::unique_ptr<memory> kit::make(std::uint64_t bytes, memory_kind kind) {
  return m_device.create_memory(bytes, kind, 64);
}

std::unique_ptr<memory> kit::make(std::span<const std::byte> bytes) {
  auto fresh = make(bytes.size());
  write(*fresh, 0, bytes);
  return fresh;
}

void kit::write(memory& to, std::uint64_t offset, std::span<const std::byte> bytes) {
  run(copy_command{{nullptr, const_cast<std::byte*>(bytes.data())}, {&to, nullptr, offset}, bytes.size()});
}

std::vector<std::byte> kit::read(memory& from, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> result(bytes);
  run(copy_command{{&from, nullptr, offset}, {nullptr, result.data()}, bytes});
  return result;
}

void kit::run(const command& what) { finish(*m_queue, m_queue->submit({&what, 1}, {})); }

void kit::finish(queue& on, std::uint64_t point) {
  ASSERT_TRUE(on.points().wait(point, std::chrono::minutes(1))) << "point " << point << " never completed";
  const auto failure = on.points().failure(point);
  ASSERT_FALSE(failure) << failure->what();
}

std::vector<std::byte> pattern(std::uint64_t bytes, unsigned seed) {
  std::vector<std::byte> result(bytes);
  std::uint32_t state = seed * 2654435761u + 1;
  for (auto& b : result) {
    state = state * 1664525u + 1013904223u;
    b = std::byte(state >> 24);
  }
  return result;
}

int conformance_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if ((argc == 2 || argc == 3) && is_module(argv[1])) {
    try {
      if (const auto reason = open_module(argv[1], argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0);
          !reason.empty()) {
        std::printf("REFUSED: %s: %s\n", argv[1], reason.c_str());
        return 1;
      }
    } catch (const std::exception& error) {
      std::printf("REFUSED: %s: %s\n", argv[1], error.what());
      return 1;
    }
    return run_tests();
  }
  const driver_row* chosen = nullptr;
  for (const auto& row : table)
    if (argc == 2 && std::strcmp(row.name, argv[1]) == 0) chosen = &row;
  if (!chosen) {
    std::fprintf(
        stderr,
        "usage: prism-conformance <module.so> [device number] or <driver> [googletest options]; drivers:");
    for (const auto& row : table) std::fprintf(stderr, " %s", row.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (const auto reason = open(*chosen); !reason.empty()) {
    std::printf("SKIPPED: %s (comes with %s): %s\n", chosen->name, chosen->package, reason.c_str());
    return 77;
  }
  return run_tests();
}

} // namespace prism::devices::conformance

int main(int argc, char** argv) { return prism::devices::conformance::conformance_main(argc, argv); }
