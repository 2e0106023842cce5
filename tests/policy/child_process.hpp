// A part of a test in a process of its own, for what cannot be undone: settings of a process, rights given
// up.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

/// Fails unless `test` runs there without a failure. `under`: what is said of it then.
template <typename Test>
void in_a_child_process(const std::string& under, const Test& test) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      test();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << under << ": status " << status;
}
