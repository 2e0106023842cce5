// Every environment variable that PRISM reads, in one table: name, default and meaning. docs/environment.md
// has the same, which a test compares, and `prism-info --environment` prints it. Values are read at the
// moment of the call; callers read once at start-up.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace prism::support {

struct variable {
  const char* name;
  const char* default_value; // as text; "" when unset means something of its own
  const char* meaning;
};

namespace variables {
inline constexpr variable device_selector{
    "PRISM_DEVICE_SELECTOR", "",
    "Devices that the process sees, in order of preference, separated by ';'. A term is `backend`, `backend:index`, "
    "`backend:type`, `backend:name=text`, a type alone (gpu, cpu, accelerator, custom) or `*`; '!' before a term excludes."};
inline constexpr variable policy{
    "PRISM_POLICY", "",
    "Policy that chooses the default device, such as `priority=cost; max_power=75; require=fp64; forbid=opencl`; see selection."};
inline constexpr variable variant{
    "PRISM_VARIANT", "", "Variants to use instead of the chosen ones: `gemm=tiled,reduce=tree`; for tests."};
inline constexpr variable wrap{
    "PRISM_WRAP", "",
    "Wrappers around every device, separated by spaces: `mask(fp64,subgroups,local_memory=1024)` hides features and lowers limits; described, trace and fault: see selection."};
inline constexpr variable log{"PRISM_LOG", "warn",
                              "Level of messages and where they go: off|error|warn|info|debug|trace[,file]."};
inline constexpr variable trace{
    "PRISM_TRACE", "",
    "File for a trace of submissions, waits, builds and what the devices ran when, for ui.perfetto.dev; see tracing."};
inline constexpr variable ledger{
    "PRISM_LEDGER", "",
    "1: every copy between memories on standard error, with bytes, reason and the program's line, and a summary at the end; or a file for it."};
inline constexpr variable profile{
    "PRISM_PROFILE", "",
    "1: at the end of the process, calls, times and rates of every kernel on standard error; or a file for it; see tracing."};
inline constexpr variable verify{
    "PRISM_VERIFY", "",
    "reference: every kernel also runs on the host device from the same inputs, and the first element that differs is "
    "reported; `reference:1e-3` sets the tolerance of float; see verifying."};
inline constexpr variable check{
    "PRISM_CHECK", "",
    "access: memory that commands, or commands and the host, use without an order between them, that is freed or changed while a command may use "
    "it, or that belongs to a buffer, is reported; see verifying."};
inline constexpr variable cache{"PRISM_CACHE", "on", "off: built programs are not kept on disk."};
inline constexpr variable cache_dir{
    "PRISM_CACHE_DIR", "",
    "Folder of built programs, verdicts on drivers, measurements and trials; unset: $XDG_CACHE_HOME/prism, else ~/.cache/prism."};
inline constexpr variable cache_size{
    "PRISM_CACHE_SIZE", "268435456",
    "Bytes that the folder of built programs may take (suffixes K, M, G); the least recently used go first."};
inline constexpr variable pack{
    "PRISM_PACK", "",
    "Kernel packs to use, separated by ':'; unset: PROGRAM.prismpack beside the program, where it is; off: none. See prism-pack."};
inline constexpr variable prepare{
    "PRISM_PREPARE", "",
    "1: from the first use of a device on, all kernels of the program are built in the background, for all its devices; wait: and "
    "the process ends only when they are."};
inline constexpr variable specialise{
    "PRISM_SPECIALISE", "off",
    "A number: after so many launches with the same integers a kernel is built for these in the background, and that build is kept "
    "where it is measured to be faster; off: only kernels that the program asks for; see specialising."};
inline constexpr variable graph_replay{
    "PRISM_GRAPH_REPLAY", "measure",
    "How command graphs run again on devices that keep commands: measure: where a driver's own way may cost more, both are "
    "measured in the first runs and the cheaper one stays; command_buffer: always the driver's; resubmission: never."};
inline constexpr variable pool_size{
    "PRISM_POOL_SIZE", "268435456",
    "Bytes of freed memory that each device keeps for its next allocations (suffixes K, M, G); 0: none."};
inline constexpr variable exit_limit{
    "PRISM_EXIT_LIMIT", "10",
    "Seconds that the end of the process waits for submitted work; 0: does not wait."};
inline constexpr variable timeout{
    "PRISM_TIMEOUT", "",
    "Seconds after which a wait throws an exception that names the command, the line that submitted it and its state; unset: waits have no limit."};
inline constexpr variable adopt{
    "PRISM_ADOPT_HOST_MEMORY", "on",
    "off: buffers are always copied to a device's own memory, never used in place."};

// Read by the parts that name them, which may not include this header; here for the documentation.
inline constexpr variable backend_path{
    "PRISM_BACKEND_PATH", "",
    "Folders, separated by ':', with backend modules to load; others must not be able to write to them."};
inline constexpr variable provider_path{
    "PRISM_PROVIDER_PATH", "",
    "Folders, separated by ':', with providers of operations, before those of the installation; others must not be able to write to them."};
inline constexpr variable provider{
    "PRISM_PROVIDER", "",
    "Providers to use instead of the chosen ones: `openblas`, or by operation `gemm=blis,trsm=openblas`."};
inline constexpr variable backend_priority{
    "PRISM_BACKEND_PRIORITY", "",
    "Priorities of backends instead of their own: `opencl=90,host=5`; higher is preferred."};
inline constexpr variable probe{"PRISM_PROBE", "",
                                "Path of prism-probe; unset: next to the library or the program."};
inline constexpr variable probe_timeout{"PRISM_PROBE_TIMEOUT_MS", "10000",
                                        "Milliseconds that a driver may take when it is probed."};
inline constexpr variable record_devices{"PRISM_RECORD_DEVICES", "",
                                         "Set: the recording test device can be selected (record)."};
inline constexpr variable vulkan_usm{
    "PRISM_VULKAN_USM", "",
    "Where host and shared USM of Vulkan devices lie; unset: where device addresses differ from host pointers, in a window "
    "of host memory that the device imports. window: always there; split: there, at other device addresses (tests)."};
inline constexpr variable vulkan_usm_size{
    "PRISM_VULKAN_USM_SIZE", "4G",
    "Bytes of that window (suffixes K, M, G); a quarter of the host's memory at most."};
inline constexpr variable host_kernels{
    "PRISM_HOST_KERNELS", "compiled",
    "fibers: the host device runs the ordinary C++ body of every kernel, work-items of a group "
    "as fibers, and not its compiled work-group function; slow, for debugging and tests."};
inline constexpr variable host_isa{
    "PRISM_HOST_ISA", "",
    "baseline, v3 (AVX2), v4 (AVX-512) or sve (ARM's scalable vectors): which copies of its kernels the host "
    "device runs; unset: the widest that the processor has."};
inline constexpr variable clang{"PRISM_CLANG", "", "The clang++ that prism++ runs."};
inline constexpr variable dump_ir{"PRISM_DUMP_IR", "",
                                  "Folder into which prism++ writes every kernel's IR and images."};
} // namespace variables

/// The table, for documentation and for spelling checks.
std::span<const variable> all_variables();

/// The value, or the default.
std::string value_of(const variable& v);
/// Set and not empty.
std::optional<std::string> set_value_of(const variable& v);
/// "off", "0", "false", "no" in any case are false.
bool is_on(const variable& v);
/// "512", "64K", "256M", "1G"; nothing when it is not a size.
std::optional<unsigned long long> parse_size(std::string_view text);

/// "30"; nothing when it is no whole number of seconds. At most 10⁹, about 31 years, so that clocks can be
/// added to it.
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

} // namespace prism::support
