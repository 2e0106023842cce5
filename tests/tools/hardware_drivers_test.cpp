// Drivers that prism-hardware-report finds and adds, in folders made for the test.
#include "tools/prism-hardware-report/drivers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using namespace prism::hardware;
namespace fs = std::filesystem;

/// A folder that stands for the root of a machine.
class hardware_drivers : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "prism-drivers-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    m_root = name;
    for (const char* variable : {"LD_LIBRARY_PATH", "OCL_ICD_VENDORS", "XDG_DATA_DIRS"}) unsetenv(variable);
  }
  void TearDown() override { fs::remove_all(m_root); }

  fs::path write(const std::string& file, const std::string& text = "") const {
    fs::create_directories((m_root / file).parent_path());
    std::ofstream(m_root / file) << text;
    return m_root / file;
  }
  std::vector<driver_library> find(const std::string& opencl_files = "") const {
    return find_drivers(library_folders(m_root), opencl_vendor_folder(m_root), opencl_files,
                        vulkan_manifest_folders(m_root));
  }
  environment_changes add() const {
    return register_drivers(find(), opencl_vendor_folder(m_root), m_root / "added");
  }

  fs::path m_root;
};

std::string text_of(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

#if defined(__aarch64__)
const std::string machine = "aarch64-linux-gnu";
#elif defined(__x86_64__)
const std::string machine = "x86_64-linux-gnu";
#else
const std::string machine = "lib";
#endif

TEST_F(hardware_drivers, a_library_of_each_known_vendor_is_found_and_added_for_its_loader) {
  const std::vector<known_library> expected{{"OpenCL", "NVIDIA", "libnvidia-opencl.so.1"},
                                            {"OpenCL", "AMD", "libamdocl64.so"},
                                            {"OpenCL", "Intel", "libigdrcl.so"},
                                            {"OpenCL", "ARM", "libmali.so"},
                                            {"Vulkan", "NVIDIA", "libEGL_nvidia.so.0"},
                                            {"Vulkan", "NVIDIA", "libGLX_nvidia.so.0"},
                                            {"Vulkan", "AMD", "amdvlk64.so"},
                                            {"Vulkan", "AMD", "libvulkan_radeon.so"},
                                            {"Vulkan", "Intel", "libvulkan_intel.so"}};
  EXPECT_EQ(known_libraries().size(), expected.size()) << "a row without its test";
  for (const known_library& each : expected) {
    SCOPED_TRACE(each.name);
    const fs::path file = write("usr/lib/" + machine + "/" + each.name);
    const std::vector<driver_library> found = find();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].api, each.api);
    EXPECT_EQ(found[0].vendor, each.vendor);
    EXPECT_EQ(found[0].file, file);
    EXPECT_FALSE(found[0].is_registered);

    const environment_changes changes = add();
    ASSERT_EQ(changes.size(), 1u);
    if (each.api == std::string("OpenCL")) {
      EXPECT_EQ(changes[0].first, "OCL_ICD_VENDORS");
      EXPECT_EQ(changes[0].second, (m_root / "added").string());
      EXPECT_EQ(text_of(m_root / "added" / ("found-" + std::string(each.name) + ".icd")),
                file.string() + "\n");
    } else {
      EXPECT_EQ(changes[0].first, "VK_ADD_DRIVER_FILES");
      EXPECT_NE(text_of(changes[0].second).find("\"library_path\": \"" + file.string() + "\""),
                std::string::npos);
    }
    fs::remove(file);
    fs::remove_all(m_root / "added");
  }
}

TEST_F(hardware_drivers, what_a_file_of_the_loader_names_is_left_alone) {
  write("etc/OpenCL/vendors/nvidia.icd", "libnvidia-opencl.so.1\n");
  write("etc/OpenCL/vendors/notes.txt", "libamdocl64.so\n"); // no file of the loader
  write("usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
        R"({"ICD": {"library_path": "/usr/lib/libvulkan_radeon.so"}})");
  for (const char* name : {"libnvidia-opencl.so.1", "libamdocl64.so", "libvulkan_radeon.so"})
    write(std::string("usr/lib64/") + name);
  std::set<std::string> registered, unregistered;
  for (const driver_library& each : find())
    (each.is_registered ? registered : unregistered).insert(each.file.filename().string());
  EXPECT_EQ(registered, (std::set<std::string>{"libnvidia-opencl.so.1", "libvulkan_radeon.so"}));
  EXPECT_EQ(unregistered, std::set<std::string>{"libamdocl64.so"});
  EXPECT_TRUE(find("/opt/libamdocl64.so").at(1).is_registered) << "OCL_ICD_FILENAMES names it";
}

TEST_F(hardware_drivers, every_folder_of_manifests_counts) {
  const fs::path data = m_root / "data";
  setenv("XDG_DATA_DIRS", (data.string() + ":/nowhere").c_str(), 1);
  write("usr/lib/libvulkan_intel.so");
  EXPECT_FALSE(find().at(0).is_registered);
  for (const char* folder :
       {"etc/vulkan/icd.d", "usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d",
        "usr/local/etc/vulkan/icd.d", "run/opengl-driver/share/vulkan/icd.d", "data/vulkan/icd.d"}) {
    const fs::path manifest =
        write(std::string(folder) + "/intel_icd.json", R"({"library_path": "libvulkan_intel.so"})");
    EXPECT_TRUE(find().at(0).is_registered) << folder;
    fs::remove(manifest);
  }
}

TEST_F(hardware_drivers, vendors_libraries_are_found_in_unusual_places) {
  for (const auto& [folder, name] : std::vector<std::pair<std::string, std::string>>{
           {"usr/lib/" + machine + "/nvidia/current", "libnvidia-opencl.so.1"},
           {"usr/lib64/nvidia", "libGLX_nvidia.so.0"},
           {"usr/lib/nvidia", "libEGL_nvidia.so.0"},
           {"usr/local/nvidia/lib64", "libnvidia-opencl.so.1"}, // containers
           {"usr/local/nvidia/lib", "libnvidia-opencl.so.1"},
           {"usr/local/cuda/compat", "libnvidia-opencl.so.1"},
           {"usr/lib/wsl/lib", "libnvidia-opencl.so.1"},
           {"run/opengl-driver/lib", "libvulkan_radeon.so"}, // NixOS
           {"opt/amdgpu/lib/" + machine, "libvulkan_radeon.so"},
           {"opt/amdgpu-pro/lib/" + machine, "libamdocl64.so"},
           {"opt/rocm/lib", "libamdocl64.so"},
           {"opt/rocm-6.2.0/lib", "libamdocl64.so"},
           {"usr/lib/" + machine + "/intel-opencl", "libigdrcl.so"},
           {"usr/lib/intel-opencl", "libigdrcl.so"},
           {"usr/lib64/intel-opencl", "libigdrcl.so"},
           {"usr/local/lib", "libmali.so"},
           {"usr/local/lib64", "amdvlk64.so"}}) {
    const fs::path file = write(folder + "/" + name);
    const std::vector<driver_library> found = find();
    ASSERT_EQ(found.size(), 1u) << file;
    EXPECT_EQ(found[0].file, file);
    fs::remove(file);
  }
}

TEST_F(hardware_drivers, the_first_of_equal_libraries_is_taken_and_those_of_the_user_come_first) {
  write("usr/lib/" + machine + "/libigdrcl.so");
  write("usr/lib/libigdrcl.so");
  ASSERT_EQ(find().size(), 1u);
  EXPECT_EQ(find()[0].file, m_root / ("usr/lib/" + machine) / "libigdrcl.so");
  const fs::path own = write("own/libigdrcl.so");
  setenv("LD_LIBRARY_PATH", ("/nowhere::" + (m_root / "own").string()).c_str(), 1);
  ASSERT_EQ(find().size(), 1u);
  EXPECT_EQ(find()[0].file, own);
}

TEST_F(hardware_drivers, one_vulkan_driver_of_a_vendor_is_added_once) {
  write("usr/lib/libEGL_nvidia.so.0");
  write("usr/lib/libGLX_nvidia.so.0");
  ASSERT_EQ(find().size(), 1u);
  EXPECT_EQ(find()[0].file.filename(), "libEGL_nvidia.so.0") << "that for EGL needs no X11";
  write("etc/vulkan/icd.d/nvidia_icd.json", R"({"library_path": "libGLX_nvidia.so.0"})");
  ASSERT_EQ(find().size(), 1u);
  EXPECT_EQ(find()[0].file.filename(), "libGLX_nvidia.so.0") << "the loader knows it already";
  EXPECT_TRUE(add().empty());
  EXPECT_FALSE(fs::exists(m_root / "added"));
}

TEST_F(hardware_drivers, an_added_opencl_driver_keeps_those_that_the_loader_knows) {
  write("etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
  write("usr/lib/libnvidia-opencl.so.1");
  write("usr/lib/libvulkan_intel.so");
  write("usr/lib/amdvlk64.so");
  const environment_changes changes = add();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(text_of(m_root / "added/pocl.icd"), "libpocl.so.2\n");
  EXPECT_EQ(changes[1].first, "VK_ADD_DRIVER_FILES");
  EXPECT_EQ(std::count(changes[1].second.begin(), changes[1].second.end(), ':'), 1) << changes[1].second;
}

TEST_F(hardware_drivers, a_machine_without_drivers_changes_nothing) {
  EXPECT_TRUE(find().empty());
  EXPECT_TRUE(add().empty());
}

} // namespace
