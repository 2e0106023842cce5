// Starts threads of the runtime, which no thread joins: the process runtime is never destroyed.
#pragma once

#include "runtime/engine/error.hpp"

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace prism::runtime {

/// `purpose`: for the message. Throws prism::error if the system gives no thread.
template <typename Body>
void start_thread(const char* purpose, Body&& body) {
  try {
    std::thread(std::forward<Body>(body)).detach();
  } catch (const std::system_error& failed) {
    throw error(error_code::runtime, std::string("no thread can be started for ") + purpose + ": " +
                                         failed.what() + "; the limits of processes and memory decide that");
  }
}

} // namespace prism::runtime
