// All environment variables that PRISM reads, in one table: name, default and meaning. docs/environment.md
// contains the same table, which a test compares, and `prism-info --environment` prints it. The functions
// read the environment at each call; callers read at start-up only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace prism::support {

struct variable {
  const char* name;
  const char* default_value; // as text; "": unset has a special meaning
  const char* meaning;
};

namespace variables {
inline constexpr variable device_selector{
    "PRISM_DEVICE_SELECTOR", "",
    "Devices that the process sees, in order of preference, separated by ';'. A term is `backend`, "
    "`backend:index`, `backend:type`, `backend:name=text`, a type alone (gpu, cpu, accelerator, custom) or "
    "`*`; '!' before a term excludes."};
inline constexpr variable policy{
    "PRISM_POLICY", "",
    "Policy that chooses the default device, such as `priority=cost; max_power=75; require=fp64; "
    "forbid=opencl`; see selection."};
inline constexpr variable variant{
    "PRISM_VARIANT", "", "Variants to use instead of the chosen ones: `gemm=tiled,reduce=tree`; for tests."};
inline constexpr variable wrap{
    "PRISM_WRAP", "",
    "Wrappers around every device, separated by spaces: `mask(fp64,subgroups,local_memory=1024)` hides "
    "features and lowers limits; described, trace and fault: see describing-devices."};
inline constexpr variable log{"PRISM_LOG", "warn",
                              "Level of messages and where they go: off|error|warn|info|debug|trace[,file]."};
inline constexpr variable trace{
    "PRISM_TRACE", "",
    "File for a trace of submissions, waits, builds and the execution of commands on devices, for "
    "ui.perfetto.dev; see tracing."};
inline constexpr variable ledger{
    "PRISM_LEDGER", "",
    "1: prints every copy between memories to standard error, with bytes, reason and the program's line, and "
    "a summary at the end; or a file for this."};
inline constexpr variable profile{
    "PRISM_PROFILE", "",
    "1: prints calls, times and rates of every kernel to standard error at the end of the process; or a file "
    "for this; see profiling."};
inline constexpr variable verify{
    "PRISM_VERIFY", "",
    "reference: runs every kernel on the host device too, with the same inputs, and reports the first "
    "element that differs; `reference:1e-3` sets the tolerance of float; see verifying."};
inline constexpr variable check{
    "PRISM_CHECK", "",
    "access: reports memory that commands, or commands and the host, use without an order between them, that "
    "is freed or changed while a command may use it, or that belongs to a buffer. order: runs every kernel "
    "with work-groups on the host in several orders of its work-items and reports the first element that "
    "differs; see verifying."};
inline constexpr variable reproducible{
    "PRISM_REPRODUCIBLE", "off",
    "1: all devices compute the same bits: reductions, scans and group algorithms have a fixed order, and "
    "nothing is contracted; kernels for which that cannot be had throw an exception when they are submitted; "
    "see reproducible."};
inline constexpr variable cache{
    "PRISM_CACHE", "on",
    "off: built programs and headers are not cached on disk; eager: programs of drivers with a cache of "
    "their own (PoCL) and headers are cached at their first use."};
inline constexpr variable cache_dir{
    "PRISM_CACHE_DIR", "",
    "Folder of cached programs, results of driver probes, measurements and trials; unset: "
    "$XDG_CACHE_HOME/prism, else ~/.cache/prism."};
inline constexpr variable cache_size{
    "PRISM_CACHE_SIZE", "268435456",
    "Maximum bytes of programs cached on disk (suffixes K, M, G); the least recently used are deleted "
    "first."};
inline constexpr variable pack{
    "PRISM_PACK", "",
    "Kernel packs to use, separated by ':'; unset: PROGRAM.prismpack next to the program, if it exists; off: "
    "none. See prism-pack."};
inline constexpr variable prepare{
    "PRISM_PREPARE", "",
    "1: builds all kernels of the program in the background, for all its devices, from the first use of a "
    "device on; wait: and delays the end of the process until all are built."};
inline constexpr variable specialise{
    "PRISM_SPECIALISE", "off",
    "A number: after this many launches with the same integers, a kernel is built for these in the "
    "background, and this build is used if it is measured to be faster; off: only kernels that the program "
    "requests; see specialising."};
inline constexpr variable graph_replay{
    "PRISM_GRAPH_REPLAY", "measure",
    "How devices with command buffers execute command graphs: measure: if a driver's command buffers may be "
    "slower, measures both methods in the first executions and uses the faster one; command_buffer: always; "
    "resubmission: never."};
inline constexpr variable joint_matrix{
    "PRISM_JOINT_MATRIX", "",
    "emulate: every device has aspect::ext_intel_matrix and computes products of a joint_matrix without "
    "matrix instructions; unset: on devices without matrix units such kernels throw an exception when they "
    "are submitted; see joint-matrix."};
inline constexpr variable slice{
    "PRISM_SLICE", "off",
    "Splits each launch of a kernel into submissions of at most so many work-groups (`4096`), or of about so "
    "many milliseconds (`20ms`), so that other programs use the device in between; off: no; see "
    "long-kernels."};
inline constexpr variable pool_size{
    "PRISM_POOL_SIZE", "268435456",
    "Maximum bytes of freed memory that each device caches for later allocations (suffixes K, M, G); 0: "
    "none."};
inline constexpr variable memory_limit{
    "PRISM_MEMORY_LIMIT", "0",
    "Maximum bytes of each device's memory that buffers and USM use (suffixes K, M, G); buffers that do not "
    "fit wait or are moved to the host. 0: as much as the driver reports; see more-than-fits."};
inline constexpr variable exit_limit{
    "PRISM_EXIT_LIMIT", "10",
    "Maximum seconds that the end of the process waits for submitted work; 0: does not wait."};
inline constexpr variable timeout{
    "PRISM_TIMEOUT", "",
    "Seconds after which a wait throws an exception that names the command, the line that submitted it and "
    "its state; a device that completed nothing meanwhile is then lost; unset: waits have no limit."};
inline constexpr variable wait_warning{
    "PRISM_WAIT_WARNING", "60",
    "Seconds after which a warning names, once, what a wait is for and what holds it up, if nothing "
    "completed meanwhile; 0: never."};
inline constexpr variable adopt{
    "PRISM_ADOPT_HOST_MEMORY", "on",
    "off: always copies buffers to a device's own memory, never uses host memory in place."};

// Read by modules that may not include this header; listed here for the documentation.
inline constexpr variable backend_path{
    "PRISM_BACKEND_PATH", "",
    "Folders, separated by ':', with backend modules to load; other users must not have write access."};
inline constexpr variable provider_path{
    "PRISM_PROVIDER_PATH", "",
    "Folders, separated by ':', with providers of operations, searched before the installation's; other "
    "users must not have write access."};
inline constexpr variable provider{
    "PRISM_PROVIDER", "",
    "Providers to use instead of the chosen ones: `openblas` for all operations that it has, or for each "
    "operation `gemm=blis,trsm=openblas`; `prism` means the own kernels."};
inline constexpr variable backend_priority{
    "PRISM_BACKEND_PRIORITY", "",
    "Priorities of backends instead of their own: `opencl=90,host=5`; higher is preferred."};
inline constexpr variable array_kernels{
    "PRISM_ARRAY_KERNELS", "auto",
    "How array expressions run on devices other than the host: auto: by a kernel made of the expression's "
    "steps once its build pays; fused: always by such a kernel; interpreted: never; see arrays."};
inline constexpr variable stdpar_heap{
    "PRISM_STDPAR_HEAP", "",
    "Bytes of the heap that programs compiled with --stdpar share with a device (suffixes K, M, G); unset: a "
    "quarter of the device's memory; see standard-algorithms."};
inline constexpr variable probe{"PRISM_PROBE", "",
                                "Path of prism-probe; unset: next to the library or the program."};
inline constexpr variable probe_timeout{"PRISM_PROBE_TIMEOUT_MS", "10000",
                                        "Maximum milliseconds for the probe of a driver."};
inline constexpr variable record_devices{"PRISM_RECORD_DEVICES", "",
                                         "If set, the recording test device can be selected (record)."};
inline constexpr variable opencl_queues{
    "PRISM_OPENCL_QUEUES", "1",
    "Maximum number of an OpenCL driver's queues, up to 8, among which the commands of one queue are "
    "distributed, so that independent ones can run at the same time."};
inline constexpr variable vulkan_usm{
    "PRISM_VULKAN_USM", "",
    "Location of host and shared USM of Vulkan devices; unset: if device addresses differ from host "
    "pointers, in a window of host memory that the device imports. window: always in it; split: in it, at "
    "other device addresses (tests)."};
inline constexpr variable vulkan_usm_size{
    "PRISM_VULKAN_USM_SIZE", "4G",
    "Bytes of this window (suffixes K, M, G); at most a quarter of the host's memory."};
inline constexpr variable vulkan_report{
    "PRISM_VULKAN_REPORT", "",
    "File with a report of another Vulkan device, lines `name: value` of Vulkan's features and limits: each "
    "Vulkan device is used as if it had at most these (tests of weak devices)."};
inline constexpr variable host_kernels{
    "PRISM_HOST_KERNELS", "",
    "compiled: the host device runs a kernel's compiled work-group function; fibers: its ordinary C++ body, "
    "with work-items of a group as fibers; slow, for debugging and tests. Unset: compiled, but fibers for "
    "kernels compiled with -g -O0, so that a debugger shows their lines and variables."};
inline constexpr variable host_isa{
    "PRISM_HOST_ISA", "",
    "baseline, v3 (AVX2), v4 (AVX-512) or sve (ARM's scalable vectors): the instruction set of the kernels "
    "that the host device runs; unset: the widest that the processor has."};
inline constexpr variable clang{"PRISM_CLANG", "", "The clang++ that prism++ runs."};
inline constexpr variable dump_ir{"PRISM_DUMP_IR", "",
                                  "Folder into which prism++ writes every kernel's IR and images."};
} // namespace variables

/// The table, for documentation and spelling checks.
std::span<const variable> all_variables();

/// The value, or the default.
std::string value_of(const variable& v);
/// The value if it is set and not empty.
std::optional<std::string> set_value_of(const variable& v);
/// False for "off", "0", "false" and "no" in any case.
bool is_on(const variable& v);

/// PRISM_SLICE: the most work-groups or milliseconds of a submission; both 0: no limit.
struct slice_limit {
  std::uint64_t groups = 0, milliseconds = 0;
  bool is_on() const { return groups != 0 || milliseconds != 0; }
};
/// "4096", "20ms" or "off"; empty when it is none of these.
std::optional<slice_limit> parse_slice(std::string_view text);

/// "30"; empty when it is not a whole number of seconds. At most 10⁹, about 31 years, so that it can be added
/// to clock values.
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

} // namespace prism::support
