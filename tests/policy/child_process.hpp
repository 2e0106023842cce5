// Runs a test in a child process, for changes that cannot be undone: process-wide settings, dropped
// privileges.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

/// Fails unless `test` succeeds in the child process. `under` describes its conditions in the message.
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
