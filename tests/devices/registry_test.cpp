// The registry with modules that are wrong in every way and drivers that crash or hang. The process has one
// registry, so the environment is set once, before the first call.
#include "devices/driver_fault.hpp"
#include "devices/module_loader.hpp"
#include "devices/probe.hpp"
#include "devices/registry.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism::devices {
namespace {

namespace fs = std::filesystem;

std::string module_folder(const std::string& fault) { return PRISM_MODULES "/" + fault; }

class registry_test : public testing::Test {
protected:
  static void SetUpTestSuite() {
    scratch() = fs::temp_directory_path() / ("prism-registry-test-" + std::to_string(getpid()));
    fs::create_directories(scratch());
    std::string path;
    for (const char* fault :
         {"good", "no_entry", "null_entry", "wrong_version", "wrong_size", "wrong_library", "no_name",
          "no_open", "duplicate", "crashing", "hanging", "aborting"}) {
      chmod(module_folder(fault).c_str(), 0755); // independent of the umask of the build
      chmod((module_folder(fault) + "/" + fault + ".so").c_str(), 0755);
      path += module_folder(fault) + ":";
    }
    fs::create_directories(
        scratch() / "mixed" /
        "a folder within"); // a build folder, for example: the registry ignores other files there
    chmod((scratch() / "mixed").c_str(), 0755);
    setenv("PRISM_BACKEND_PATH", (path + "/no/such/folder:" + (scratch() / "mixed").native()).c_str(), 1);
    setenv("PRISM_RECORD_DEVICES", "1", 1);
    setenv("PRISM_CACHE_DIR", (scratch() / "cache").c_str(), 1);
    setenv("PRISM_PROBE_TIMEOUT_MS", "5000", 1);
#if defined(PRISM_PROBE_PROGRAM)
    setenv("PRISM_PROBE", PRISM_PROBE_PROGRAM, 1);
#endif
  }
  static void TearDownTestSuite() { fs::remove_all(scratch()); }
  static fs::path& scratch() {
    static fs::path folder;
    return folder;
  }
  static std::string refusal_of(const std::string& part) {
    for (const auto& refused : refused_backends())
      if (refused.name.find(part) != std::string::npos) return refused.reason;
    return "(not refused)";
  }
  static std::optional<backend_state> state_of(const std::string& name) {
    for (const auto& state : backends())
      if (state.name == name) return state;
    return std::nullopt;
  }
};

TEST_F(registry_test, rejects_wrong_modules_by_name_with_the_reason) {
  EXPECT_NE(refusal_of("no_entry").find("does not export prism_backend_entry"), std::string::npos);
  EXPECT_NE(refusal_of("null_entry").find("returned nothing"), std::string::npos);
  EXPECT_NE(refusal_of("wrong_version").find("version 77"), std::string::npos);
  EXPECT_NE(refusal_of("wrong_size").find("8 bytes"), std::string::npos);
  EXPECT_NE(refusal_of("wrong_library").find("another standard library"), std::string::npos);
  EXPECT_NE(refusal_of("no_name").find("no name"), std::string::npos);
  EXPECT_NE(refusal_of("no_open").find("no function to open"), std::string::npos);
  EXPECT_NE(refusal_of("duplicate").find("taken"), std::string::npos);
  EXPECT_NE(refusal_of("/no/such/folder").find("cannot be read"), std::string::npos);
}

TEST_F(registry_test, loads_a_good_module) {
  EXPECT_EQ(refusal_of("/good.so"), "(not refused)");
  const auto state = state_of("module");
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->available) << state->reason;
  EXPECT_TRUE(open_devices("module").empty());
}

TEST_F(registry_test, a_folder_of_modules_may_contain_other_folders) {
  EXPECT_EQ(refusal_of("mixed"), "(not refused)");
}

TEST_F(registry_test, orders_by_priority) {
  const auto states = backends();
  EXPECT_TRUE(std::is_sorted(states.begin(), states.end(),
                             [](const auto& a, const auto& b) { return a.priority > b.priority; }));
}

TEST(priorities, are_names_with_numbers) {
  std::vector<std::pair<std::string, int>> read;
  EXPECT_EQ(read_priorities("opencl=90,host=-5", read), "");
  EXPECT_EQ(read, (std::vector<std::pair<std::string, int>>{{"opencl", 90}, {"host", -5}}));
  for (const char* wrong :
       {"opencl", "=1", "opencl=", "opencl=high", "opencl=1x", "opencl=99999999999", "opencl=1,,host=2"})
    EXPECT_NE(read_priorities(wrong, read).find("is not name=number"), std::string::npos) << wrong;
}

TEST_F(registry_test, rejects_folders_and_files_that_other_users_can_write) {
  const auto folder = scratch() / "writable";
  fs::create_directory(folder);
  fs::copy_file(module_folder("good") + "/good.so", folder / "good.so");
  chmod(folder.c_str(), 0777);
  auto found = find_modules(folder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].b, nullptr);
  EXPECT_NE(found[0].reason.find("written by other users"), std::string::npos);
  chmod(folder.c_str(), 0755);
  chmod((folder / "good.so").c_str(), 0775);
  found = find_modules(folder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].reason.find("written by other users"), std::string::npos);
}

TEST_F(registry_test, rejects_a_file_that_is_no_library) {
  const auto folder = scratch() / "text";
  fs::create_directory(folder);
  std::ofstream(folder / "text.so") << "not a library";
  chmod(folder.c_str(), 0755);
  chmod((folder / "text.so").c_str(), 0644);
  const auto found = find_modules(folder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].reason.find("cannot be loaded"), std::string::npos);
}

TEST_F(registry_test, an_unknown_backend_name_lists_the_known_ones) {
  try {
    open_devices("nonsense");
    FAIL() << "opened the device";
  } catch (const device_error& error) {
    EXPECT_EQ(error.category(), error_category::invalid);
    EXPECT_NE(std::string(error.what()).find("record"), std::string::npos) << error.what();
  }
}

TEST_F(registry_test, exceptions_of_a_backend_become_named_errors) {
  static const backend throwing = [] {
    backend b;
    b.name = "throwing";
    b.open = []() -> std::vector<std::unique_ptr<device>> {
      throw std::runtime_error("driver in a bad mood");
    };
    return b;
  }();
  static const backend bad_probe = [] {
    backend b;
    b.name = "bad_probe";
    b.probe = []() -> probe_result { throw 5; };
    b.open = throwing.open;
    return b;
  }();
  register_backend(throwing);
  register_backend(bad_probe);
  EXPECT_THROW(register_backend(throwing), device_error) << "the name is in use";
  try {
    open_devices("throwing");
    FAIL() << "opened the device";
  } catch (const device_error& error) {
    EXPECT_NE(std::string(error.what()).find("\"throwing\": driver in a bad mood"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(state_of("bad_probe")->available);
  EXPECT_THROW(open_devices("bad_probe"), device_error);
}

TEST_F(registry_test, every_feature_has_a_name) {
  for (int bit = 0; bit <= 11; ++bit)
    EXPECT_STRNE(image::feature_name(image::feature(1u << bit)), "unknown feature");
}

#if defined(PRISM_PROBE_PROGRAM)
TEST_F(registry_test, a_crashing_driver_is_reported_with_its_signal) {
  const auto state = state_of("crashing");
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->available);
  EXPECT_NE(state->reason.find("SIGSEGV"), std::string::npos) << state->reason;
}

TEST_F(registry_test, a_hanging_driver_is_reported_after_the_time_limit) {
  const auto state = state_of("hanging");
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->available);
  EXPECT_NE(state->reason.find("did not answer within 5000 ms"), std::string::npos) << state->reason;
}

TEST_F(registry_test, the_second_start_needs_no_probe_process) {
  const auto crashing = state_of("crashing");
  ASSERT_TRUE(crashing);
  auto settings = default_probe_settings();
  EXPECT_TRUE(fs::exists(settings.cache_folder));
  const auto counter = scratch() / "count";
  const auto script = scratch() / "probe.sh";
  std::ofstream(script) << "#!/bin/sh\necho run >> " << counter.native()
                        << "\necho some driver chatter\necho prism-probe 1 usable 2 a remark\n";
  chmod(script.c_str(), 0755);
  settings.program = script;
  for (int start = 0; start < 3; ++start) {
    const auto result = probe_backend(*crashing->b, settings);
    EXPECT_TRUE(result.usable);
    EXPECT_EQ(result.device_count, 2u);
    EXPECT_EQ(result.reason, "a remark");
  }
  std::ifstream in(counter);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 1);
  setenv("RUSTICL_ENABLE", "something-new", 1); // a new fingerprint causes a new probe
  probe_backend(*crashing->b, settings);
  unsetenv("RUSTICL_ENABLE");
  std::ifstream again(counter);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(again), {}, '\n'), 2);
}

TEST_F(registry_test, without_a_usable_verdict_cache_a_probe_process_runs) {
  auto settings = default_probe_settings();
  const auto script = scratch() / "plain.sh";
  std::ofstream(script) << "#!/bin/sh\necho prism-probe 1 usable 1\n";
  chmod(script.c_str(), 0755);
  settings.program = script;
  const auto b = *state_of("crashing")->b;
  settings.cache_folder = "/proc/no-such-folder";
  EXPECT_TRUE(probe_backend(b, settings).usable);
  settings.cache_folder = scratch() / "damaged";
  EXPECT_TRUE(probe_backend(b, settings).usable);
  for (const auto& file : fs::directory_iterator(settings.cache_folder))
    std::ofstream(file.path()) << "rubbish";
  EXPECT_TRUE(probe_backend(b, settings).usable);
}

TEST_F(registry_test, only_the_crashing_driver_is_excluded) {
  const auto vendors = scratch() / "vendors";
  fs::create_directory(vendors);
  std::ofstream(vendors / "a.icd") << "libgood.so\n";
  std::ofstream(vendors / "b.icd") << "libbad.so\n";
  setenv("OCL_ICD_VENDORS", vendors.c_str(), 1);
  const auto script =
      scratch() / "drivers.sh"; // a loader with the bad driver crashes; with the good one alone it works
  std::ofstream(script)
      << "#!/bin/sh\necho run >> " << (scratch() / "tries").native()
      << "\ngrep -q libbad $OCL_ICD_VENDORS/*.icd && kill -SEGV $$\necho prism-probe 1 usable 1\n";
  chmod(script.c_str(), 0755);
  auto settings = default_probe_settings();
  settings.program = script;
  backend b;
  b.name = "opencl";
  for (int start = 0; start < 2; ++start) {
    const auto found = probe_backend(b, settings);
    EXPECT_TRUE(found.usable);
    EXPECT_TRUE(found.broken);
    EXPECT_EQ(found.drivers, std::vector<fs::path>{vendors / "a.icd"});
    EXPECT_NE(found.reason.find("b.icd: its driver crashed when probed (SIGSEGV)"), std::string::npos)
        << found.reason;
    ASSERT_FALSE(found.environment.empty());
    EXPECT_EQ(found.environment.front().first, "OCL_ICD_VENDORS");
    std::ifstream sound(fs::path(found.environment.front().second) / "0.icd");
    std::string library;
    EXPECT_TRUE(std::getline(sound, library));
    EXPECT_EQ(library, "libgood.so");
    fs::remove_all(found.environment.front().second); // the next start creates it again
  }
  std::ifstream in(scratch() / "tries");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 3)
      << "one probe of all drivers, then one for each; at the first start only";
  for (const auto& file :
       fs::directory_iterator(settings.cache_folder)) // a verdict against a driver expires after an hour
    if (fs::is_regular_file(file))
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(probe_backend(b, settings).usable);
  std::ifstream later(scratch() / "tries");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(later), {}, '\n'), 6);
  fs::remove(vendors / "a.icd");
  const auto nothing = probe_backend(b, settings);
  EXPECT_FALSE(nothing.usable);
  EXPECT_TRUE(nothing.broken);
  unsetenv("OCL_ICD_VENDORS");
}

TEST_F(registry_test, driver_files_are_those_the_loaders_read) {
  const auto folder = scratch() / "manifests";
  fs::create_directories(folder / "vulkan/icd.d");
  for (const char* name : {"b.json", "a.json", "notes.txt"})
    std::ofstream(folder / "vulkan/icd.d" / name) << "{}";
  setenv("XDG_DATA_DIRS", folder.c_str(), 1);
  const auto all = driver_files("vulkan");
  EXPECT_EQ(std::count(all.begin(), all.end(), folder / "vulkan/icd.d/a.json"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), folder / "vulkan/icd.d/notes.txt"), 0);
  const auto one = folder / "vulkan/icd.d/b.json";
  setenv("VK_DRIVER_FILES", (one.native() + ":/no/such/file.json").c_str(), 1);
  EXPECT_EQ(driver_files("vulkan"), std::vector<fs::path>{one});
  unsetenv("VK_DRIVER_FILES");
  unsetenv("XDG_DATA_DIRS");
  EXPECT_EQ(only_these_drivers("vulkan", {one, "x.json"}, {}).front(),
            (std::pair<std::string, std::string>("VK_DRIVER_FILES", one.native() + ":x.json")));
  EXPECT_TRUE(driver_files("host").empty());
}

TEST_F(registry_test, old_verdicts_are_removed_when_there_are_many) {
  auto settings = default_probe_settings();
  settings.cache_folder = scratch() / "many";
  fs::create_directory(settings.cache_folder);
  chmod(settings.cache_folder.c_str(), 0700); // independent of the umask
  for (int i = 0; i < 100; ++i) {
    const auto file = settings.cache_folder / ("probe-vulkan-" + std::to_string(i));
    std::ofstream(file) << "prism-probe 1 usable 1\nsound\n";
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(200 - i));
  }
  std::ofstream(settings.cache_folder / "kernel.bin") << "of another user";
  probe_backend(*state_of("crashing")->b, settings);
  EXPECT_FALSE(fs::exists(settings.cache_folder / "probe-vulkan-0"));
  EXPECT_TRUE(fs::exists(settings.cache_folder / "probe-vulkan-99"));
  EXPECT_TRUE(fs::exists(settings.cache_folder / "kernel.bin"));
  EXPECT_EQ(std::distance(fs::directory_iterator(settings.cache_folder), {}), 65);
}

TEST_F(registry_test, a_silent_probe_process_is_reported) {
  EXPECT_FALSE(probe_in_child("/bin/true", "x", std::chrono::seconds(5)).usable);
  EXPECT_FALSE(probe_in_child("/bin/false", "x", std::chrono::seconds(5)).usable);
  const auto missing = probe_in_child("/no/such/program", "x", std::chrono::seconds(5));
  EXPECT_NE(missing.reason.find("cannot start"), std::string::npos) << missing.reason;
}
#endif

TEST_F(registry_test, without_prism_probe_drivers_are_probed_in_process) {
  backend b;
  b.name = "x";
  b.probe = [] { return probe_result{true, "", 1}; };
  const auto result = probe_backend(b, {});
  EXPECT_TRUE(result.usable);
  EXPECT_NE(result.reason.find("prism-probe was not found"), std::string::npos);
}

const testing::KilledBySignal aborted(SIGABRT);

TEST_F(registry_test, an_abort_in_a_driver_names_its_library_and_a_low_limit) {
  ASSERT_TRUE(state_of("aborting"));
  EXPECT_EXIT(open_devices("aborting"), aborted,
              "a driver ends this process: abort.. in aborting\\.so\\. Limits");
  const auto with_few_files = [] {
    rlimit few{};
    getrlimit(RLIMIT_NOFILE, &few);
    few.rlim_cur = 17;
    setrlimit(RLIMIT_NOFILE, &few);
    open_devices("aborting");
  };
  EXPECT_EXIT(with_few_files(), aborted, "may be the cause: .*open files 17 .ulimit -n.");
}

TEST_F(registry_test, an_abort_while_drivers_are_loaded_names_the_backend) {
  const auto late = scratch() / "late.so"; // a file of its own, which no earlier opening has seen
  fs::copy_file(module_folder("aborting") + "/aborting.so", late, fs::copy_options::overwrite_existing);
  const auto abort_in_it = [&] {
    const driver_opening marks_libraries("late");
    void* const library = dlopen(late.c_str(), RTLD_NOW);
    reinterpret_cast<backend_entry>(dlsym(library, "prism_backend_entry"))()->open();
  };
  EXPECT_EXIT(abort_in_it(), aborted, "abort.. while drivers are loaded by the backend late");
}

TEST_F(registry_test, an_abort_of_the_program_itself_prints_nothing) {
  ASSERT_TRUE(state_of("aborting"));
  EXPECT_EXIT(std::abort(), aborted, "^$");
  EXPECT_EXIT(
      {
        const driver_opening marks_libraries("x");
        std::abort();
      },
      aborted, "^$");
}

TEST_F(registry_test, verdicts_survive_their_text_form) {
  const auto back = from_text(to_text({true, "line one\nline two", 3}));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->usable);
  EXPECT_EQ(back->device_count, 3u);
  EXPECT_EQ(back->reason, "line one line two");
  EXPECT_FALSE(from_text(""));
  EXPECT_FALSE(from_text("prism-probe 2 usable 1"));
  EXPECT_FALSE(from_text("prism-probe 1 perhaps 1"));
}

} // namespace
} // namespace prism::devices
