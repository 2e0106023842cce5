// The name of a command and its line in the program, for transfer logs, traces, reports and errors. Any
// thread. An origin costs no string, so each command has one; its texts are made when a message needs them.
#pragma once

#include "runtime/engine/engine.hpp"

#include <atomic>

namespace prism::runtime {

/// How many modules of the program were unloaded so far.
inline std::atomic<std::uint32_t> modules_unloaded{0};
/// Called while a module is unloaded, with the addresses that it has: from now on no origin made earlier
/// reads texts there. Waits only for threads that copy such texts, which hold no other lock and call no
/// driver.
void forget_texts_between(const void* begin, const void* end);

/// What a command does and which line of the program made it. The texts are constants of the program's
/// modules, or belong to objects that the command retains, so they may be read until the command is complete.
/// Those of an unloaded module count as not known.
struct command_origin {
  enum class kind : std::uint8_t {
    nothing,
    kernel,
    copy,
    fill,
    update_host,
    host_task,
    native_kernel,
    host_accessor,
    graph
  };
  const char* name = nullptr;    // of a kernel
  const char* file = nullptr;    // null: not known
  const char* functor = nullptr; // without `file`: the type of the kernel's functor, which may name its line
  std::uint64_t count = 0;       // bytes of a copy (0: a buffer's region), commands of a graph
  unsigned line = 0;
  std::uint32_t unloads = modules_unloaded.load(std::memory_order_relaxed); // when it was made
  kind what = kind::nothing;

  /// "copy 64 B" or the kernel's name.
  std::string text() const;
  /// "app.cpp:12"; empty when it is not known. The line of the call, otherwise the line of the kernel's
  /// lambda.
  std::string place() const;
  /// "copy 64 B (app.cpp:12)", for messages.
  std::string description() const;
};

/// Whether a command's name already contains the place: an unnamed kernel is called "main (app.cpp:12)".
bool names_place(std::string_view name, std::string_view place);

command_origin origin_of(const command_group& group);
std::string label_of(const request& what);

} // namespace prism::runtime
