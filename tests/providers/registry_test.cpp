// The registry with good, wrong, missing and broken modules: each wrong one is skipped by name with its
// reason, and the others work.
#include "kernels/provider/registry.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace prism::provider {
namespace {

namespace fs = std::filesystem;

const fs::path modules = PRISM_TEST_PROVIDERS;

fs::path scratch(const char* name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("providers_" + std::to_string(getpid())) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

/// Settings for a registry over copies of these modules.
registry_settings settings_with(const fs::path& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) fs::copy_file(modules / (name + ".so"), folder / (name + ".so"));
  return {{folder}, {PRISM_TRIAL_PROGRAM, {}, std::chrono::milliseconds(2000)}};
}
std::string reason_of(const std::string& name) {
  registry providers(settings_with(scratch(name.c_str()), {name}));
  std::string reason;
  EXPECT_EQ(providers.find(name, &reason), nullptr);
  return reason;
}

TEST(providers, a_good_one_is_found_by_name_and_opened_once) {
  registry providers(settings_with(scratch("right"), {"naive"}));
  const open_provider* const found = providers.find("naive");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found, providers.find("naive"));
  EXPECT_EQ(found->library, "plain loops");
  EXPECT_TRUE(found->serves(PRISM_NATIVE_HOST));
  EXPECT_FALSE(found->serves(PRISM_NATIVE_OPENCL));
}

TEST(providers, one_for_another_version_of_the_interface_is_refused) {
  EXPECT_NE(reason_of("wrong-abi")
                .find("it implements version 2 of the provider interface, this PRISM has version 1"),
            std::string::npos);
}
TEST(providers, one_with_a_shorter_table_is_refused) {
  EXPECT_NE(reason_of("wrong-size").find("rebuild it"), std::string::npos);
}
TEST(providers, one_that_lacks_a_function_is_refused) {
  EXPECT_EQ(reason_of("no-function"), "one of its six functions is null");
}
TEST(providers, one_with_an_odd_name_is_refused) {
  EXPECT_NE(reason_of("odd-name").find("'Odd Name'"), std::string::npos);
}
TEST(providers, one_that_crashes_on_open_ends_only_the_probe_process) {
  EXPECT_NE(reason_of("crashes").find("it ends the process when it is opened: Segmentation fault"),
            std::string::npos);
}
TEST(providers, one_that_hangs_on_open_is_skipped_after_a_time_limit) {
  EXPECT_EQ(reason_of("hangs"), "it did not answer within 2000 ms when it was opened");
}

TEST(providers, one_that_is_no_library_is_refused) {
  const fs::path folder = scratch("text");
  std::ofstream(folder / "text.so") << "not a library\n";
  registry providers({{folder}, {}});
  std::string reason;
  EXPECT_EQ(providers.find("text", &reason), nullptr);
  EXPECT_EQ(reason.rfind("it cannot be loaded: ", 0), 0u) << reason;
}

TEST(providers, one_without_the_entry_is_refused) {
  const fs::path folder = scratch("other");
  fs::copy_file(PRISM_OTHER_LIBRARY, folder / "other.so");
  registry providers({{folder}, {}});
  std::string reason;
  EXPECT_EQ(providers.find("other", &reason), nullptr);
  EXPECT_EQ(reason, "it does not export prism_provider_entry");
}

TEST(providers, one_whose_file_has_another_name_is_refused) {
  const fs::path folder = scratch("renamed");
  fs::copy_file(modules / "naive.so", folder / "better.so");
  registry providers({{folder}, {}});
  std::string reason;
  EXPECT_EQ(providers.find("better", &reason), nullptr);
  EXPECT_EQ(reason, "its name is 'naive'; its file must be named naive.so");
}

TEST(providers, a_file_that_others_can_write_is_not_loaded) {
  const fs::path folder = scratch("writable");
  registry providers(settings_with(folder, {"naive"}));
  chmod((folder / "naive.so").c_str(), 0666);
  std::string reason;
  EXPECT_EQ(providers.find("naive", &reason), nullptr);
  EXPECT_NE(reason.find("can be written by other users"), std::string::npos) << reason;
}

TEST(providers, of_two_with_one_name_the_earlier_folder_wins) {
  registry_settings settings = settings_with(scratch("first"), {"naive"});
  const fs::path second = scratch("second");
  fs::copy_file(modules / "naive.so", second / "naive.so");
  settings.folders.push_back(second);
  registry providers(settings);
  const auto all = providers.list();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].open, nullptr);
  EXPECT_EQ(all[1].reason, "the name is taken by " + all[0].file.string());
}

TEST(providers, broken_ones_do_not_affect_the_others) {
  registry providers(settings_with(scratch("mixed"), {"crashes", "naive", "wrong-abi"}));
  ASSERT_EQ(providers.all().size(), 1u);
  EXPECT_EQ(providers.all()[0]->name, "naive");
  EXPECT_EQ(providers.list().size(), 3u);
}

TEST(providers, a_missing_name_lists_the_searched_folders) {
  const fs::path folder = scratch("none");
  registry providers({{folder}, {}});
  std::string reason;
  EXPECT_EQ(providers.find("missing", &reason), nullptr);
  EXPECT_EQ(reason, "there is no file missing.so in " + folder.string());
}

TEST(providers, a_verdict_is_cached_until_the_file_changes) {
  const fs::path folder = scratch("kept"), cache = scratch("kept_cache");
  chmod(cache.c_str(), 0700);
  fs::copy_file(modules / "naive.so", folder / "naive.so");
  trial_settings settings{PRISM_TRIAL_PROGRAM, cache, std::chrono::milliseconds(2000)};
  EXPECT_EQ(failed_trial(folder / "naive.so", settings), "");
  settings.program = "/bin/false"; // this program would fail
  EXPECT_EQ(failed_trial(folder / "naive.so", settings), "") << "the verdict was not cached";
  fs::copy_file(modules / "crashes.so", folder / "naive.so", fs::copy_options::overwrite_existing);
  EXPECT_EQ(failed_trial(folder / "naive.so", settings),
            "it ends the process when it is opened, with status 1")
      << "the verdict was used after the file changed";
}

} // namespace
} // namespace prism::provider
