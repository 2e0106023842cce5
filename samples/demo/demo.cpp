// prism-demo: the main job of `./prism demo`. Runs the quantum field, the edge filter and the alignment of
// real reads on every device, compares the results with references, prints a table and writes pictures. Exit
// status: 0 if all results agree, 1 if one differs or no device ran, 2 on bad usage or missing input.
#include "samples/common/picture.hpp"
#include "samples/edge_filter.hpp"
#include "samples/field_animation.hpp"
#include "samples/quantum_field.hpp"
#include "samples/smith_waterman.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <unistd.h>

namespace {

using namespace samples;

struct options {
  std::string out = "demo", data = "/usr/share/doc/bowtie2/examples", frequency = "love";
  std::size_t size = 2048, image = 512, reads = 48;
};

struct inputs {
  std::vector<double> field;
  double coherence = 0;
  std::vector<float> image;
  std::vector<double> filtered;
  sequence genome;
  std::vector<sequence> reads;
  std::vector<int> scores;
  std::string score_source;
};

struct row {
  std::string device, job;
  double start_ms = 0, kernel_ms = 0;
  std::string throughput, agreement;
  bool good = false;
};

/// On a terminal shows `text` in one line that changes; elsewhere prints a line each. "" ends the line.
void progress(const std::string& text) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", text);
  else if (!text.empty()) fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

/// Scores by ssw-align, an independent implementation; empty if it is not installed.
std::vector<int> ssw_scores(const inputs& in, const std::string& folder) {
  const auto write = [&](const std::string& path, const std::vector<sequence>& all) {
    std::FILE* f = std::fopen(path.c_str(), "w");
    if (!f) throw std::runtime_error("cannot write " + path);
    for (const sequence& s : all) {
      fmt::print(f, ">{}\n", s.name);
      for (auto b : s.bases) std::fputc("ACGTN"[b], f);
      std::fputc('\n', f);
    }
    std::fclose(f);
  };
  write(folder + "/genome.fa", {in.genome});
  write(folder + "/reads.fa", in.reads);
  const std::string command = fmt::format("ssw-align '{0}/genome.fa' '{0}/reads.fa' 2>/dev/null", folder);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  std::map<std::string, int> by_name;
  std::string name;
  char line[512], word[256];
  int score = 0;
  while (std::fgets(line, sizeof line, pipe)) {
    if (std::sscanf(line, "query_name: %255s", word) == 1) name = word;
    if (std::sscanf(line, "optimal_alignment_score: %d", &score) == 1) by_name[name] = score;
  }
  const int status = pclose(pipe);
  for (const char* name : {"/genome.fa", "/reads.fa"}) std::filesystem::remove(folder + name);
  if (status != 0) return {};
  std::vector<int> scores;
  for (const sequence& r : in.reads) scores.push_back(by_name.count(r.name) ? by_name[r.name] : 0);
  return scores;
}

inputs prepare(const options& o) {
  inputs in;
  progress("reading genome and reads");
  if (!std::filesystem::exists(o.data + "/reference/lambda_virus.fa.gz"))
    throw std::runtime_error(
        "there is no reference/lambda_virus.fa.gz in " + o.data +
        ": install Debian's bowtie2-examples, or name the folder that has it with --data");
  in.genome = read_sequences(o.data + "/reference/lambda_virus.fa.gz").at(0);
  for (sequence& s : read_sequences(o.data + "/reads/reads_1.fq.gz", 4 * o.reads))
    if (s.bases.size() <= std::size_t(longest_read) && in.reads.size() < o.reads)
      in.reads.push_back(std::move(s));
  progress("reference: alignment");
  in.scores = ssw_scores(in, o.out);
  in.score_source = "ssw-align";
  if (in.scores.empty()) {
    in.score_source = "serial code (ssw-align is not installed)";
    for (const sequence& r : in.reads) in.scores.push_back(reference_score(r, in.genome));
  }
  progress("reference: quantum field in double precision");
  in.field = reference_quantum_field(o.size, o.size, o.frequency, 1.0, in.coherence);
  progress("reference: edge filter in double precision");
  in.image = noisy_mandelbrot(o.image, o.image);
  in.filtered = reference_edge_filter(in.image, o.image, o.image);
  return in;
}

template <typename A, typename B>
double largest_difference(const A& a, const B& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double d = std::fabs(double(a[i]) - double(b[i]));
    if (!(d <= worst)) worst = d; // NaN counts
  }
  return worst;
}

row run_field(sycl::queue& q, const options& o, const inputs& in, const std::string& file) {
  const quantum_field f = generate_quantum_field(q, o.size, o.size, o.frequency, 1.0f);
  const double worst = largest_difference(f.values, in.field),
               coherence = std::fabs(f.coherence - in.coherence);
  picture p(o.size, o.size);
  for (std::size_t i = 0; i < f.values.size(); ++i) field_colour(f.values[i], p.rgb.data() + 3 * i);
  write_png(p, file + "-field.png");
  return {"",
          "quantum field",
          f.time.first_ms,
          f.time.kernel_ms,
          fmt::format("{:.1f} Mpoint/s", double(o.size * o.size) / f.time.kernel_ms / 1e3),
          fmt::format("max error {:.1e}, coherence {:.5f} (error {:.0e})", worst, f.coherence, coherence),
          worst < 1e-4 && coherence < 1e-3};
}

row run_filter(sycl::queue& q, const options& o, const inputs& in, const std::string& file) {
  const filtered_image f = edge_filter(q, in.image, o.image, o.image);
  const double worst = largest_difference(f.values, in.filtered);
  picture p(2 * o.image, o.image);
  for (std::size_t y = 0; y < o.image; ++y)
    for (std::size_t x = 0; x < o.image; ++x) {
      const float before = in.image[y * o.image + x], after = f.values[y * o.image + x];
      p.set(x, y, before, before, before);
      p.set(o.image + x, y, after, after, after);
    }
  write_png(p, file + "-filter.png");
  return {"",
          "edge filter",
          f.time.first_ms,
          f.time.kernel_ms,
          fmt::format("{:.2f} Mpixel/s", double(o.image * o.image) / f.time.kernel_ms / 1e3),
          fmt::format("max error {:.1e}", worst),
          worst < 1e-5};
}

row run_align(sycl::queue& q, const options&, const inputs& in, const std::string&) {
  const alignment_scores a = align(q, in.reads, in.genome);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.best.size(); ++i) equal += a.best[i] == in.scores[i];
  return {"",
          "Smith-Waterman",
          a.time.first_ms,
          a.time.kernel_ms,
          fmt::format("{:.0f} Mcell/s", a.cells / a.time.kernel_ms / 1e3),
          fmt::format("{} of {} scores equal", equal, a.best.size()),
          equal == a.best.size()};
}

std::vector<row> run_all(const options& o, const inputs& in) {
  std::vector<row> rows;
  const auto devices = sycl::device::get_devices();
  int number = 0;
  for (const sycl::device& device : devices) {
    const std::string name = device.get_info<sycl::info::device::name>();
    const std::string platform = device.get_platform().get_info<sycl::info::platform::name>();
    const std::string file = fmt::format("{}/device{}", o.out, number++);
    const std::pair<const char*, row (*)(sycl::queue&, const options&, const inputs&, const std::string&)>
        jobs[] = {{"quantum field", run_field}, {"edge filter", run_filter}, {"Smith-Waterman", run_align}};
    for (const auto& [job, run] : jobs) {
      progress(fmt::format("[{}/{}] {}: {}", number, devices.size(), name, job));
      row r;
      try {
        sycl::queue queue(device, [](sycl::exception_list all) {
          for (const std::exception_ptr& one : all) std::rethrow_exception(one);
        });
        r = run(queue, o, in, file);
      } catch (const sycl::exception& e) {
        r = {"", job, 0, 0, "-", e.what(), e.code() == sycl::errc::kernel_not_supported};
        r.agreement = (r.good ? "not supported: " : "FAILED: ") + r.agreement;
      }
      r.device = platform + ": " + name;
      rows.push_back(r);
    }
  }
  progress("");
  return rows;
}

void print(const std::vector<row>& rows, const inputs& in) {
  fmt::print("{:<16} {:>11} {:>10} {:>16}  {}\n", "device, job", "start-up ms", "kernel ms", "throughput",
             "agreement");
  std::string last;
  for (const row& r : rows) {
    if (r.device != last) fmt::print("{}\n", r.device);
    fmt::print("  {:<14} {:>11.1f} {:>10.1f} {:>16}  {}{}\n", r.job, r.start_ms, r.kernel_ms, r.throughput,
               r.agreement, r.good ? "" : "  <-- differs");
    last = r.device;
  }
  if (std::all_of(rows.begin(), rows.end(),
                  [](const row& r) { return r.device.rfind("PRISM host", 0) == 0; }))
    fmt::print("No OpenCL or Vulkan device was found, or PRISM_DEVICE_SELECTOR leaves them out: prism-info "
               "--doctor explains why.\n");
  fmt::print("references: field and filter in double precision on one core; scores by {}\n", in.score_source);
}

} // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Runs PRISM's main jobs on every device and compares them with their references.\n"
               "example: prism-demo --out pictures --size 1024 --frequency heart",
               "prism-demo"};
  app.add_option("--out", o.out, "folder for pictures")->capture_default_str();
  app.add_option("--data", o.data, "folder with reference/ and reads/ of bowtie2-examples")
      ->capture_default_str();
  app.add_option("--frequency", o.frequency, "ground, love, create, heart, voice, vision or unity")
      ->check(CLI::IsMember({"ground", "love", "create", "heart", "voice", "vision", "unity"}))
      ->capture_default_str();
  app.add_option("--size", o.size, "points of the field, each side")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  app.add_option("--image", o.image, "pixels of the filtered picture, each side")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  app.add_option("--reads", o.reads, "reads to align")->check(CLI::Range(1, 10000))->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    std::error_code refused;
    std::filesystem::create_directories(o.out, refused);
    if (refused) throw std::runtime_error("cannot make the folder " + o.out + ": " + refused.message());
    const inputs in = prepare(o);
    const std::vector<row> rows = run_all(o, in);
    print(rows, in);
    fmt::print("pictures: {}/device*-field.png, {}/device*-filter.png\n", o.out, o.out);
    bool good = !rows.empty();
    for (const row& r : rows) good = good && r.good;
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "\nprism-demo: {}\n", e.what());
    return 2;
  }
}
