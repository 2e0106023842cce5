// The spiral field of quantum_field.hpp by four methods, the measurement that chooses one, and the tuner's
// tiles: Fibonacci numbers and powers of two.
#include "samples/quantum_field.hpp"
#include "samples/quantum_field_formula.hpp"

#include <prism/prism.hpp>

#include <algorithm>

namespace samples {
namespace {

void on_this_thread(const spiral<float>& s, std::vector<float>& values, std::size_t width,
                    std::size_t height) {
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      values[y * width + x] = spiral_at(s, centred<float>(x, width), centred<float>(y, height));
}

void on_device(const spiral<float>& s, sycl::queue& queue, sycl::buffer<float, 2>& field) {
  const std::size_t width = field.get_range()[1], height = field.get_range()[0];
  queue.submit([&](sycl::handler& h) {
    sycl::accessor out(field, h, sycl::write_only, sycl::no_init);
    h.parallel_for(field.get_range(), [=](sycl::id<2> i) {
      out[i] = spiral_at(s, centred<float>(i[1], width), centred<float>(i[0], height));
    });
  });
}

void on_devices(const spiral<float>& s, std::vector<sycl::queue>& queues, sycl::buffer<float, 2>& field,
                const prism::strategy& how = {}) {
  const std::size_t width = field.get_range()[1], height = field.get_range()[0];
  prism::workload whole;
  whole.items = height;
  whole.flops = 60.0 * double(width) * double(height);
  whole.bytes = 4.0 * double(width) * double(height);
  prism::co_execute(queues, height, how, [&](sycl::handler& h, std::size_t first, std::size_t count) {
    sycl::accessor out(field, h, sycl::range<2>(count, width), sycl::id<2>(first, 0), sycl::write_only,
                       sycl::no_init);
    h.parallel_for(sycl::range<2>(count, width), [=](sycl::id<2> i) {
      out[i] = spiral_at(s, centred<float>(i[1], width), centred<float>(first + i[0], height));
    });
  }, whole);
}

void by_groups(const spiral<float>& s, sycl::queue& queue, sycl::buffer<float, 2>& field,
               const field_tile& tile) {
  const std::size_t width = field.get_range()[1], height = field.get_range()[0];
  const auto tiles = [](std::size_t points, std::size_t of) { return (points + of - 1) / of * of; };
  const std::size_t rows = tile.rows, columns = tile.columns;
  queue.submit([&](sycl::handler& h) {
    sycl::accessor out(field, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<float> xs(columns, h), ys(rows, h);
    h.parallel_for(sycl::nd_range<2>({tiles(height, rows), tiles(width, columns)}, {rows, columns}),
                   [=](sycl::nd_item<2> it) {
      const std::size_t x = it.get_global_id(1), y = it.get_global_id(0), lx = it.get_local_id(1),
                        ly = it.get_local_id(0);
      if (ly == 0) xs[lx] = centred<float>(x, width);
      if (lx == 0) ys[ly] = centred<float>(y, height);
      sycl::group_barrier(it.get_group());
      if (x < width && y < height) out[y][x] = spiral_at(s, xs[lx], ys[ly]);
    });
  });
}

bool is_fibonacci(std::size_t n) {
  std::size_t a = 1, b = 2;
  while (b < n) a = std::exchange(b, a + b);
  return a == n || b == n;
}

} // namespace

const char* name_of(field_tier tier) {
  switch (tier) {
    case field_tier::basic: return "basic";
    case field_tier::device: return "one device";
    case field_tier::devices: return "all devices";
    case field_tier::groups: return "groups";
  }
  return "";
}

void run_field_tier(field_tier tier, std::vector<sycl::queue>& queues, std::vector<float>& values,
                    std::size_t width, std::size_t height, const std::string& frequency, double time,
                    const field_tile& tile) {
  const auto s = make_spiral<float>(field_frequency(frequency), time);
  values.resize(width * height);
  if (tier == field_tier::basic) return on_this_thread(s, values, width, height);
  sycl::buffer<float, 2> field(values.data(), sycl::range<2>(height, width));
  if (tier == field_tier::device) on_device(s, queues.at(0), field);
  else if (tier == field_tier::devices) on_devices(s, queues, field);
  else by_groups(s, queues.at(0), field, tile);
  queues.at(0).wait_and_throw();
}

field_choice choose_field_tier(std::vector<sycl::queue>& queues, std::size_t width, std::size_t height) {
  field_choice choice;
  std::vector<float> values;
  for (const field_tier tier : field_tiers) {
    const timing t = timed(3, [&] { run_field_tier(tier, queues, values, width, height, "love", 1); });
    choice.milliseconds[int(tier)] = t.kernel_ms;
    if (t.kernel_ms < choice.milliseconds[int(choice.best)]) choice.best = tier;
  }
  return choice;
}

field_division measure_field_division(std::vector<sycl::queue>& queues, std::size_t width,
                                      std::size_t height) {
  const auto s = make_spiral<float>(field_frequency("love"), 1);
  std::vector<float> expected(width * height);
  on_this_thread(s, expected, width, height);
  prism::parameter_space space;
  space.choice("shares", {"guided", "even", "powers of 1 / phi"});
  prism::tuner tuner(space, {{"shares", std::string("guided")}});
  tuner.options().search = prism::search::exhaustive;
  const auto result = tuner.run([&](const prism::configuration& c) {
    prism::strategy division;
    if (c.text("shares") != "guided") {
      const double ratio = c.text("shares") == "even" ? 1 : golden_ratio;
      division.distribution = prism::distribution::by_ratio;
      for (std::size_t k = 0; k < queues.size(); ++k) division.ratios.push_back(std::pow(ratio, -double(k)));
    }
    sycl::buffer<float, 2> field{sycl::range<2>(height, width)};
    const double ms = timed(3, [&] { on_devices(s, queues, field, division); }).kernel_ms;
    const sycl::host_accessor seen(field, sycl::read_only);
    const bool right = std::equal(expected.begin(), expected.end(), seen.begin(),
                                  [](float wanted, float got) { return std::fabs(wanted - got) < 1e-4f; });
    return std::pair(prism::seconds(1e-3 * ms), right);
  });
  const auto ms_of = [&](const char* shares) {
    const auto tried =
        std::find_if(result.trials.begin(), result.trials.end(),
                     [&](const prism::trial& each) { return each.tried.text("shares") == shares; });
    return 1e3 * tried->time.count();
  };
  return {ms_of("guided"), ms_of("even"), ms_of("powers of 1 / phi"),
          result.best ? result.best->tried.text("shares") : "none",
          std::all_of(result.trials.begin(), result.trials.end(),
                      [](const prism::trial& t) { return t.correct; })};
}

field_tuning tune_field_tile(sycl::queue& queue, std::size_t width, std::size_t height) {
  const std::size_t most =
      std::min<std::size_t>(queue.get_device().get_info<sycl::info::device::max_work_group_size>(), 256);
  prism::parameter_space space;
  space.integers("columns", {8, 13, 16, 21, 32, 34, 55, 64, 89, 128}).integers("rows", {1, 2, 3, 4, 5, 8});
  space.constrain([=](const prism::configuration& c) {
    const auto columns = std::size_t(c.integer("columns")), rows = std::size_t(c.integer("rows"));
    const bool is_power_of_two = (rows & (rows - 1)) == 0;
    return columns * rows <= most && (is_fibonacci(columns) ? is_fibonacci(rows) : is_power_of_two);
  }, "columns and rows are of one family and fit a work-group");
  prism::tuner tuner(space, {{"columns", std::int64_t(32)}, {"rows", std::int64_t(4)}});
  tuner.options().max_trials = 16;
  const auto s = make_spiral<float>(field_frequency("love"), 1);
  sycl::buffer<float, 2> field{sycl::range<2>(height, width)};
  const auto result = tuner.run([&](const prism::configuration& c) {
    const field_tile tile{std::size_t(c.integer("columns")), std::size_t(c.integer("rows"))};
    return std::pair(prism::time_of(queue, [&](sycl::queue& q) { by_groups(s, q, field, tile); }), true);
  });
  field_tuning found;
  found.best = {std::size_t(result.best->tried.integer("columns")),
                std::size_t(result.best->tried.integer("rows"))};
  found.family = is_fibonacci(found.best.columns) ? "fibonacci" : "powers of two";
  found.best_ms = 1e3 * result.best->time.count();
  found.plain_ms = found.best_ms * result.gain();
  return found;
}

} // namespace samples
