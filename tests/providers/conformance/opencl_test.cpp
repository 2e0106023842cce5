// Providers on OpenCL: run() returns before its work starts, the work starts after the events of the wait
// list, and the returned event completes with the work.
#include "tests/providers/conformance/opencl_target.hpp"
#include "tests/wait.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace provider_test {
namespace {

opencl_target* the_target() {
  for (const auto& on : all_targets())
    if (auto* const found = dynamic_cast<opencl_target*>(on.get())) return found;
  return nullptr;
}

/// The message if there is no target: the name of the missing device.
std::string why_none() {
  for (const std::string& each : missing_targets())
    if (each.rfind("OpenCL: ", 0) == 0) return each;
  return "this provider does not support OpenCL";
}

std::vector<job> one_of_each_operation(const target& on) {
  engine random(21);
  std::vector<job> out;
  for (const auto& facts : prism::provider::blas_operations()) {
    job_wish w;
    w.operation = facts.id, w.m = 20, w.n = 24, w.k = 12, w.plain = true;
    job made = make_job(w, random);
    if (query(on, made.what).supported) out.push_back(std::move(made));
  }
  return out;
}

cl_int status_of(cl_event event) {
  cl_int status = CL_COMPLETE;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return status;
}

/// Calls `run` with a wait list whose event is incomplete. Returns an error if `run` does not return within
/// the limit or its work starts too early; completes the event at the end.
std::string run_behind_an_event(opencl_target& on, const job& what) {
  const plan_ptr ready = plan(on, what.what);
  if (!ready) return "no plan";
  std::vector<operand> warm;
  std::string why;
  if (on.run(ready.get(), what, 1, warm, why) != PRISM_OK)
    return why; // so that kernels are compiled before the test
  cl_int code = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(on.context(), &code), done = nullptr;
  const std::vector<cl_mem> objects = on.upload(what);
  std::atomic<bool> back{false};
  prism_status status = PRISM_FAILED;
  std::thread caller([&] {
    status = on.start(ready.get(), what, objects, {gate}, done, why);
    back = true;
  });
  prism_test::eventually([&] { return back.load(); }, std::chrono::seconds(2));
  std::string wrong = back ? "" : "run waits for an event of its wait list";
  if (back && status == PRISM_OK) {
    clFlush(on.queue());
    if (!prism_test::never_within(std::chrono::milliseconds(20),
                                  [&] { return status_of(done) == CL_COMPLETE; }))
      wrong = "its work was complete before the event that it had to wait for";
  }
  clSetUserEventStatus(gate, CL_COMPLETE);
  caller.join();
  clReleaseEvent(gate);
  if (wrong.empty() && status != PRISM_OK) wrong = why;
  if (done) clWaitForEvents(1, &done), clReleaseEvent(done);
  std::vector<operand> after;
  on.download(what, objects, after);
  return wrong.empty() ? difference(what, after) : wrong;
}

TEST(provider_opencl, run_returns_before_its_wait_list_is_complete) {
  opencl_target* const on = the_target();
  if (!on) GTEST_SKIP() << why_none();
  const std::vector<job> jobs = one_of_each_operation(*on);
  if (jobs.empty()) GTEST_SKIP() << "it has no operation of the BLAS";
  for (const job& each : jobs)
    EXPECT_EQ(run_behind_an_event(*on, each), "") << prism::provider::text_of(each.what);
}

TEST(provider_opencl, threads_with_queues_of_their_own_share_a_plan) {
  opencl_target* const on = the_target();
  if (!on) GTEST_SKIP() << why_none();
  const std::vector<job> jobs = one_of_each_operation(*on);
  if (jobs.empty()) GTEST_SKIP() << "it has no operation of the BLAS";
  const plan_ptr ready = plan(*on, jobs.back().what);
  ASSERT_TRUE(ready);
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10 && wrong[t].empty(); ++round) {
        std::vector<operand> after;
        std::string why;
        wrong[t] = on->run(ready.get(), jobs.back(), 1, after, why) == PRISM_OK
                       ? difference(jobs.back(), after)
                       : why;
      }
    });
  for (std::thread& each : threads) each.join();
  for (const std::string& each : wrong) EXPECT_EQ(each, "");
}

} // namespace
} // namespace provider_test
