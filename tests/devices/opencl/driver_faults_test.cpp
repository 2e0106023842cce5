// How the OpenCL backend meets drivers and loaders that misbehave: this program stands between it and the
// real loader. Its functions come before the library's (devices/opencl/loader.cpp).
#include "tests/devices/opencl/fixture.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <atomic>
#include <dlfcn.h>

namespace {

/// Whether the driver has stopped a command, as NVIDIA's after an illegal access: every call then fails.
std::atomic<bool> is_dead = false;
constexpr cl_int stopped = -9999;

template <typename Function>
Function* real(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

/// As Khronos' loader does when it reads a list of paths.
void cut_in_place(char* list) {
  for (; list && *list; ++list)
    if (*list == ':') *list = '\0';
}

} // namespace

extern "C" {

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* to, cl_uint* count) {
  const auto forward = real<decltype(clGetPlatformIDs)>("clGetPlatformIDs");
  if (!forward) return -1001;
  const cl_int code = forward(room, to, count);
  static const bool once = (cut_in_place(std::getenv("OCL_ICD_FILENAMES")), true);
  static_cast<void>(once);
  return code;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void* to, size_t* needed) {
  const cl_int code = real<decltype(clGetEventInfo)>("clGetEventInfo")(event, what, bytes, to, needed);
  if (is_dead && what == CL_EVENT_COMMAND_EXECUTION_STATUS) *static_cast<cl_int*>(to) = stopped;
  return code;
}

cl_int clFlush(cl_command_queue queue) {
  return is_dead ? stopped : real<decltype(clFlush)>("clFlush")(queue);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* list,
                                   cl_event* event) {
  if (is_dead) return CL_OUT_OF_RESOURCES;
  return real<decltype(clEnqueueMarkerWithWaitList)>("clEnqueueMarkerWithWaitList")(queue, count, list,
                                                                                    event);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int* code) {
  if (!is_dead)
    return real<decltype(clCreateCommandQueue)>("clCreateCommandQueue")(context, device, properties, code);
  *code = stopped;
  return nullptr;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* done)(cl_program, void*), void* data) {
  if (is_dead) return stopped;
  return real<decltype(clBuildProgram)>("clBuildProgram")(program, count, devices, options, done, data);
}

void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
  return is_dead ? nullptr : real<decltype(clSVMAlloc)>("clSVMAlloc")(context, flags, bytes, alignment);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  if (!is_dead) return real<decltype(clCreateBuffer)>("clCreateBuffer")(context, flags, bytes, host, code);
  *code = CL_OUT_OF_RESOURCES;
  return nullptr;
}

} // extern "C"

namespace prism::devices {
namespace {

class driver_faults : public ::testing::Test {
protected:
  void SetUp() override {
    if (!opencl_backend().probe().usable) GTEST_SKIP() << "no OpenCL driver is installed";
    m_opened = opencl_backend().open();
  }
  void TearDown() override { is_dead = false; }
  device& dut() { return *m_opened.front(); }

  /// The category of what `act` throws.
  template <typename Act>
  static error_category category(const Act& act) {
    try {
      act();
    } catch (const device_error& error) {
      EXPECT_NE(std::string(error.what()).find("the device is lost"), std::string::npos) << error.what();
      return error.category();
    }
    return error_category::other;
  }

private:
  std::vector<std::unique_ptr<device>> m_opened;
};

TEST_F(driver_faults, a_loader_that_cuts_its_variables_leaves_them_whole_for_child_processes) {
  EXPECT_STREQ(std::getenv("OCL_ICD_FILENAMES"), std::getenv("PRISM_TEST_ICD_FILENAMES"));
}

TEST_F(driver_faults, after_a_stopped_command_every_error_says_that_the_device_is_lost) {
  const auto queue = dut().create_queue({});
  const command nothing = barrier_command{};
  const std::uint64_t point = queue->submit({&nothing, 1}, {});
  is_dead = true;
  EXPECT_TRUE(queue->points().wait(point));
  ASSERT_TRUE(queue->points().failure(point));
  EXPECT_EQ(queue->points().failure(point)->category(), error_category::lost);
  EXPECT_EQ(category([&] { queue->submit({&nothing, 1}, {}); }), error_category::lost);
  EXPECT_EQ(category([&] { dut().create_queue({}); }), error_category::lost);
  EXPECT_EQ(category([&] { dut().create_memory(64, memory_kind::device, 64); }), error_category::lost);
  EXPECT_EQ(category([&] { dut().create_memory(1 << 20, memory_kind::buffer, 64); }), error_category::lost);
  EXPECT_EQ(category([&] {
    dut().create_program({image::kind::opencl_c, axpy_text, sizeof axpy_text - 1, &axpy_record, ""});
  }),
            error_category::lost);
}

TEST_F(driver_faults, a_submission_may_be_the_first_call_that_notices) {
  const auto queue = dut().create_queue({});
  const command nothing = barrier_command{};
  is_dead = true;
  EXPECT_EQ(category([&] { queue->submit({&nothing, 1}, {}); }), error_category::lost);
}

TEST_F(driver_faults, a_flush_that_notices_fails_the_points_and_throws_nothing) {
  const auto queue = dut().create_queue({});
  const command nothing = barrier_command{};
  const std::uint64_t point = queue->submit({&nothing, 1}, {});
  is_dead = true;
  EXPECT_EQ(queue->points().completed(), point);
  ASSERT_TRUE(queue->points().failure(point));
  EXPECT_EQ(queue->points().failure(point)->category(), error_category::lost);
}

} // namespace
} // namespace prism::devices

int main(int argc, char** argv) {
  setenv("OCL_ICD_FILENAMES", "", 0);
  const std::string named =
      std::string(std::getenv("OCL_ICD_FILENAMES")) + ":/nonexistent/one.so:/nonexistent/two.so";
  setenv("OCL_ICD_FILENAMES", named.c_str(), 1);
  setenv("PRISM_TEST_ICD_FILENAMES", named.c_str(), 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
