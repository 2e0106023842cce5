// The tuner without any device: search spaces, strategies, budgets, the database.
#include "tests/policy/child_process.hpp"

#include "extras/tune/sqlite.hpp"
#include "tests/wait.hpp"

#include <prism/tuner.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

prism::parameter_space blocks() {
  prism::parameter_space s;
  s.powers_of_two("group", 16, 1024)
      .powers_of_two("items", 1, 64)
      .choice("style", {"tree", "shuffle", "atomic"});
  s.constrain([](const prism::configuration& c) { return c.integer("group") * c.integer("items") <= 8192; },
              "group times items is at most 8192");
  return s;
}
const prism::configuration middle{
    {"group", std::int64_t(64)}, {"items", std::int64_t(1)}, {"style", std::string("tree")}};

/// The cost of an imaginary device, which is fastest at 256 x 8 with shuffles.
double cost(const prism::configuration& c) {
  const double group = std::log2(double(c.integer("group"))) - 8,
               items = std::log2(double(c.integer("items"))) - 3;
  return 1e-3 * (1 + 0.2 * group * group + 0.15 * items * items +
                 (c.text("style") == "shuffle" ? 0
                  : c.text("style") == "tree"  ? 0.3
                                               : 1.5));
}
std::pair<prism::seconds, bool> simulated(const prism::configuration& c) {
  return {prism::seconds(cost(c)), true};
}

struct file {
  std::string name =
      testing::TempDir() + "prism_tuning_" + std::to_string(getpid()) + "_" + std::to_string(next()++);
  ~file() {
    for (const char* part : {"", "-wal", "-shm"}) std::remove((name + part).c_str());
  }
  static int& next() {
    static int n = 0;
    return n;
  }
};
const prism::tuning_key key{"reduce", "device one", "driver 1", "kernel a", "2^20"};

} // namespace

TEST(search_spaces, have_exactly_the_configurations_of_their_constraints) {
  const auto all = blocks().all();
  std::size_t expected = 0;
  for (int g = 16; g <= 1024; g *= 2)
    for (int i = 1; i <= 64; i *= 2) expected += g * i <= 8192 ? 3 : 0;
  EXPECT_EQ(all.size(), expected);
  EXPECT_EQ(std::set<prism::configuration>(all.begin(), all.end()).size(), all.size());
  EXPECT_TRUE(blocks().contains(middle));
  EXPECT_EQ(blocks().objection(
                prism::configuration(middle).set("group", std::int64_t(1024)).set("items", std::int64_t(16))),
            "group times items is at most 8192");
  EXPECT_NE(blocks()
                .objection(prism::configuration(middle).set("style", std::string("loop")))
                .find("cannot be loop"),
            std::string::npos);
  EXPECT_THROW(middle.integer("style"), sycl::exception);
  EXPECT_THROW(middle.integer("no such"), sycl::exception);
  EXPECT_THROW(prism::parameter_space().integers("a", {1}).integers("a", {2}), sycl::exception);
}

TEST(fibonacci_blocks, are_candidate_block_sizes) {
  prism::parameter_space s;
  s.fibonacci("block", 5, 100);
  std::vector<std::int64_t> values;
  for (const auto& c : s.all()) values.push_back(c.integer("block"));
  EXPECT_EQ(values, (std::vector<std::int64_t>{5, 8, 13, 21, 34, 55, 89}));
}

TEST(search_strategies, find_the_best_within_the_budget_without_repeats) {
  const auto all = blocks().all();
  double least = 1;
  for (const auto& c : all) least = std::min(least, cost(c));
  for (const auto& [how, trials, within] : {std::tuple(prism::search::exhaustive, all.size(), 1.0),
                                            std::tuple(prism::search::random, std::size_t(60), 1.15),
                                            std::tuple(prism::search::greedy, std::size_t(40), 1.05),
                                            std::tuple(prism::search::model_guided, std::size_t(40), 1.05)}) {
    prism::tuning_options options;
    options.search = how;
    options.max_trials = trials;
    options.patience = 0;
    const auto result = prism::tune(blocks(), middle, simulated, options);
    ASSERT_TRUE(result.best);
    EXPECT_LE(result.best->time.count(), least * within) << int(how) << ": " << result.best->tried.to_text();
    EXPECT_EQ(result.trials.size(), trials);
    EXPECT_EQ(result.trials.front().tried, middle) << "the default is tried first";
    std::set<prism::configuration> tried;
    for (const auto& t : result.trials) EXPECT_TRUE(tried.insert(t.tried).second) << t.tried.to_text();
    EXPECT_GE(result.gain(), 1.0);
    const auto again = prism::tune(blocks(), middle, simulated, options);
    EXPECT_EQ(again.best->tried, result.best->tried) << "the seed determines the result";
  }
}

TEST(search_strategies, model_guided_search_needs_fewer_trials_than_random_search) {
  double model = 0, random = 0;
  for (unsigned seed = 1; seed <= 8; ++seed)
    for (const auto how : {prism::search::model_guided, prism::search::random}) {
      prism::tuning_options options;
      options.search = how;
      options.seed = seed;
      options.patience = 0;
      std::size_t needed = 0;
      options.progress = [&](const prism::tuning_progress& p) {
        if (needed == 0 && p.best != nullptr && p.best->time.count() <= 1.05e-3) needed = p.done;
      };
      options.max_trials = blocks().all().size();
      options.cancelled = [&] { return needed != 0; };
      prism::tune(blocks(), middle, simulated, options);
      (how == prism::search::random ? random : model) += double(needed);
    }
  EXPECT_LT(model * 2, random) << "on average of 8 seeds: " << model / 8 << " against " << random / 8;
}

TEST(search_budget, ends_by_trials_time_patience_and_cancellation) {
  prism::tuning_options options;
  options.max_trials = 7;
  EXPECT_EQ(prism::tune(blocks(), middle, simulated, options).ended, "max_trials");
  options = {};
  options.max_time = prism::seconds(0.05);
  options.patience = 0;
  options.max_trials = 10000;
  const auto slow = [](const prism::configuration& c) {
    prism_test::spend(std::chrono::milliseconds(10));
    return simulated(c);
  };
  const auto timed = prism::tune(blocks(), middle, slow, options);
  EXPECT_EQ(timed.ended, "max_time");
  EXPECT_LT(timed.trials.size(), 12u);
  options = {};
  options.patience = 10;
  const auto flat = [](const prism::configuration&) { return std::pair(prism::seconds(1), true); };
  const auto stopped = prism::tune(blocks(), middle, flat, options);
  EXPECT_EQ(stopped.ended, "no gain in 10 trials");
  EXPECT_EQ(stopped.trials.size(), 11u);
  int asked = 0;
  options.cancelled = [&] { return ++asked > 3; };
  EXPECT_EQ(prism::tune(blocks(), middle, flat, options).trials.size(), 3u);
}

TEST(tuning_correctness, a_fast_wrong_result_and_a_failing_configuration_never_win) {
  const auto run = [](const prism::configuration& c) {
    if (c.text("style") == "atomic") throw std::runtime_error("does not build");
    if (c.text("style") == "shuffle") return std::pair(prism::seconds(1e-9), false);
    return simulated(c);
  };
  prism::tuning_options options;
  options.search = prism::search::exhaustive;
  options.max_trials = 10000;
  options.patience = 0;
  const auto result = prism::tune(blocks(), middle, run, options);
  EXPECT_EQ(result.ended, "all tried");
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->tried.text("style"), "tree");
  for (const auto& t : result.trials)
    EXPECT_EQ(t.failure, t.tried.text("style") == "atomic" ? "does not build" : "");
}

TEST(tuning_correctness, a_noisy_default_time_does_not_let_a_slower_one_win) {
  prism::parameter_space space;
  space.integers("n", {1, 2, 3, 4});
  const prism::configuration initial{{"n", std::int64_t(1)}};
  int calls = 0;
  prism::tuning_options how;
  how.patience = 0;
  const auto result = prism::tune(space, initial, [&](const prism::configuration& c) {
    const double took = double(c.integer("n"));                              // the default is the fastest,
    return std::pair(prism::seconds(calls++ == 0 ? 10 * took : took), true); // except in the first call
  }, how, nullptr, {});
  EXPECT_EQ(result.best->tried, initial);
  EXPECT_EQ(result.gain(), 1);
  EXPECT_EQ(result.trials.size(), 4u);
  EXPECT_EQ(result.trials.front().time.count(), 1) << "its shortest time counts";
}

TEST(tuning_correctness, a_default_outside_of_the_space_is_refused) {
  try {
    prism::tune(blocks(), prism::configuration(middle).set("group", std::int64_t(17)), simulated, {});
    FAIL();
  } catch (const sycl::exception& e) {
    EXPECT_NE(std::string(e.what()).find("\"group\" cannot be 17"), std::string::npos) << e.what();
  }
}

TEST(tuning_database, a_second_or_interrupted_run_continues_from_the_trials) {
  const file f;
  int ran = 0;
  const auto counted = [&](const prism::configuration& c) {
    ++ran;
    return simulated(c);
  };
  prism::tuning_options options;
  options.patience = 0;
  options.max_trials = 15;
  {
    prism::tuning_database db(f.name);
    prism::tune(blocks(), middle, counted, options, &db, key);
    EXPECT_EQ(ran, 15 + 4) << "the default and the best are timed twice more";
  }
  prism::tuning_database db(f.name); // as after the end of the process
  options.max_trials = 25;
  const auto resumed = prism::tune(blocks(), middle, counted, options, &db, key);
  EXPECT_EQ(ran, 25 + 8) << "fifteen trials were known";
  EXPECT_EQ(resumed.trials.size(), 25u);
  EXPECT_EQ(prism::tuned(db, key, blocks(), middle), resumed.best->tried);
  prism::tuning_key other = key;
  other.driver = "driver 2";
  EXPECT_EQ(prism::tuned(db, other, blocks(), middle), middle) << "another driver starts without trials";
  prism::parameter_space smaller;
  smaller.integers("group", {64}).integers("items", {1}).choice("style", {"tree"});
  EXPECT_EQ(prism::tuned(db, key, smaller, middle), middle) << "a trial outside of the space is not used";
}

TEST(tuning_database, several_processes_write_at_once) {
  const file f;
  constexpr int processes = 4, each = 50;
  for (int p = 0; p < processes; ++p)
    if (fork() == 0) {
      try {
        prism::tuning_database db(f.name);
        for (int i = 0; i < each; ++i)
          db.record(key, {prism::configuration{{"process", std::int64_t(p)}, {"n", std::int64_t(i)}},
                          prism::seconds(1 + i), true, "", false});
        _exit(0);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        _exit(1);
      }
    }
  for (int p = 0; p < processes; ++p) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(prism::tuning_database(f.name).trials(key).size(), std::size_t(processes * each));
}

TEST(tuning_database, a_killed_writer_does_not_damage_it) {
  const file f;
  { prism::tuning_database make(f.name); }
  const pid_t writer = fork();
  if (writer == 0) {
    prism::tuning_database db(f.name);
    for (int i = 0;; ++i)
      db.record(key, {prism::configuration{{"n", std::int64_t(i)}}, prism::seconds(1), true, "", false});
  }
  prism::tuning_database watched(f.name);
  EXPECT_TRUE(
      prism_test::eventually([&] { return watched.trials(key).size() >= 5; }, std::chrono::seconds(30)));
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  prism::tuning_database db(f.name);
  const auto recorded = db.trials(key);
  ASSERT_FALSE(recorded.empty());
  for (std::size_t i = 0; i < recorded.size(); ++i)
    EXPECT_EQ(recorded[i].tried.integer("n"), std::int64_t(i));
  EXPECT_NO_THROW(db.record(key, {middle, prism::seconds(1), true, "", false}));
}

TEST(measured_matrix, an_export_is_read_back_and_the_later_trial_wins) {
  const file f, g;
  prism::tuning_database one(f.name), two(g.name);
  const prism::configuration odd{
      {"a \"quoted\"", std::string("line\nbreak, ünïcode")}, {"x", 0.1}, {"n", std::int64_t(-5)}};
  one.record(key, {odd, prism::seconds(0.125), true, "", false});
  one.record(key, {middle, prism::seconds(0), false, "it threw", false});
  two.record(key, {odd, prism::seconds(99), true, "", false});
  one.record(key, {odd, prism::seconds(0.5), true, "", false}); // later than that of `two`
  EXPECT_EQ(two.merge(one.to_json()), 2u);
  EXPECT_EQ(two.to_json(), one.to_json());
  EXPECT_EQ(two.best(key)->time.count(), 0.5);
  EXPECT_EQ(two.best(key)->tried, odd);
  EXPECT_THROW(two.merge("{}"), sycl::exception);
  EXPECT_THROW(two.merge("not json"), sycl::exception);
  EXPECT_THROW(two.merge(R"({"schema":1,"trials":[{"operation":"x"}]})"), sycl::exception);
  EXPECT_EQ(two.to_json(), one.to_json()) << "a rejected text changes nothing";
  EXPECT_EQ(one.forget({"reduce", "", "", "", ""}), 2u);
  EXPECT_TRUE(one.keys().empty());
}

TEST(tuning_database, a_file_of_another_format_is_rejected_by_name) {
  const file f;
  std::ofstream(f.name)
      << "this is a text file, and long enough that SQLite does not take it for an empty database of its own";
  try {
    prism::tuning_database db(f.name);
    FAIL();
  } catch (const sycl::exception& e) {
    EXPECT_NE(std::string(e.what()).find("not a database"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(f.name), std::string::npos) << e.what();
  }
}

namespace {

/// A closed database of a few pages, like a user's.
std::string filled(const file& f) {
  prism::tuning_database db(f.name);
  for (int i = 0; i < 120; ++i) {
    prism::tuning_key each = key;
    each.size_class = "2^" + std::to_string(i % 20);
    db.record(each, {prism::configuration{{"n", std::int64_t(i)}}, prism::seconds(1e-3 * (1 + i)), i % 7 != 0,
                     i % 7 != 0 ? "" : "wrong", false});
  }
  return db.to_json();
}
std::string contents(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST(tuning_database, a_damaged_file_is_rejected_and_moved_aside) {
  const file good;
  const std::string whole = filled(good), bytes = contents(good.name);
  ASSERT_GT(bytes.size(), 20000u);
  std::mt19937 random(17);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    const file f;
    std::string spoiled = bytes;
    spoiled[random() % spoiled.size()] ^= char(1 << random() % 8);
    std::ofstream(f.name, std::ios::binary) << spoiled;
    const std::string aside = f.name + ".damaged";
    try {
      prism::tuning_database db(f.name);
      EXPECT_EQ(db.to_json(), whole) << "iteration " << round << ": a changed byte was not detected";
    } catch (const sycl::exception& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()).find(f.name), std::string::npos) << e.what();
      if (std::string(e.what()).find("renamed") != std::string::npos) {
        EXPECT_EQ(contents(aside), spoiled) << "the damaged file must be preserved";
        EXPECT_TRUE(prism::tuning_database(f.name).keys().empty()) << "the next database is empty";
      }
    }
    std::remove(aside.c_str());
  }
  EXPECT_GT(refused, 100);
}

TEST(tuning_database, a_file_of_the_version_without_checksums_is_converted) {
  const file f;
  const std::string whole = filled(f);
  {
    prism::tuning::sqlite older(f.name);
    older.run("ALTER TABLE trials DROP COLUMN checksum");
    older.run("UPDATE facts SET value=1");
  }
  EXPECT_EQ(prism::tuning_database(f.name).to_json(), whole);
  EXPECT_EQ(prism::tuning_database(f.name).to_json(), whole) << "and stays unchanged";
}

TEST(tuning_database, in_a_read_only_folder_writes_fail_with_a_reason) {
  const std::string folder = testing::TempDir() + "prism_read_only_" + std::to_string(getpid()),
                    name = folder + "/tuning.db";
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  { prism::tuning_database(name).record(key, {middle, prism::seconds(0.25), true, "", false}); }
  for (const mode_t file :
       {0444, 0666}) { // SQLite cannot create the log's index, even if the file itself is writable
    ASSERT_EQ(chmod(name.c_str(), file), 0);
    ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
    std::ostringstream mode;
    mode << "file mode " << std::oct << file;
    in_a_child_process(mode.str(), [&] {
      ASSERT_TRUE(geteuid() != 0 || setuid(65534) == 0); // root can write everywhere
      prism::tuning_database db(name);
      EXPECT_TRUE(db.read_only());
      EXPECT_EQ(db.best(key)->time.count(), 0.25);
      EXPECT_EQ(prism::tuned(db, key, blocks(), middle), middle);
      try {
        db.record(key, {middle, prism::seconds(0.5), true, "", false});
        ADD_FAILURE() << "the write succeeded";
      } catch (const sycl::exception& e) {
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("readonly"), std::string::npos) << e.what();
      }
      EXPECT_THROW(prism::tuning_database(folder + "/another.db"), sycl::exception);
    });
    chmod(folder.c_str(), 0755);
  }
  for (const char* part : {"", "-wal", "-shm"}) std::remove((name + part).c_str());
  rmdir(folder.c_str());
}

TEST(tuning_database, the_default_file_needs_a_private_folder) {
  const std::filesystem::path cache = testing::TempDir() + "prism_usual_" + std::to_string(getpid()),
                              folder = cache / "above" / "tuning";
  in_a_child_process("umask 0", [&] {
    setenv("PRISM_CACHE_DIR", (cache / "above").c_str(), 1);
    umask(0);
    prism::tuning_database db;
    db.record(key, {middle, prism::seconds(0.25), true, "", false});
    for (const auto& made : std::filesystem::recursive_directory_iterator(cache)) {
      struct stat info{};
      ASSERT_EQ(stat(made.path().c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 077, 0u) << made.path();
    }
    EXPECT_EQ(db.file(), (folder / "tuning.db").native());
  });
  in_a_child_process("mode 0777", [&] {
    setenv("PRISM_CACHE_DIR", (cache / "above").c_str(), 1);
    EXPECT_EQ(prism::tuning_database().best(key)->time.count(), 0.25);
    ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
    try {
      prism::tuning_database db;
      ADD_FAILURE() << "the database was opened";
    } catch (const sycl::exception& e) {
      EXPECT_NE(std::string(e.what()).find("others can write to it"), std::string::npos) << e.what();
    }
  });
  std::filesystem::remove_all(cache);
}

TEST(tuning_database, keeps_operation_device_driver_kernel_and_size_class_apart) {
  const file f;
  prism::tuning_database db(f.name);
  std::vector<prism::tuning_key> keys(6, key);
  keys[1].operation = "scan", keys[2].device = "device two", keys[3].driver = "driver 2",
  keys[4].kernel = "kernel b", keys[5].size_class = "2^21";
  for (std::size_t i = 0; i < keys.size(); ++i)
    db.record(keys[i], {middle, prism::seconds(double(1 + i)), true, "", false});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(db.trials(keys[i]).size(), 1u);
    EXPECT_EQ(db.best(keys[i])->time.count(), double(1 + i));
  }
}

TEST(size_classes, sizes_within_a_factor_of_two_share_a_class) {
  EXPECT_EQ(prism::size_class(1), "2^0");
  EXPECT_EQ(prism::size_class(1023), "2^9");
  EXPECT_EQ(prism::size_class(1024), "2^10");
  EXPECT_EQ(prism::size_class(0), "2^0");
}
