// prism-provider-conformance FILE [DEVICE] [options of googletest]: tests whether the provider in FILE
// follows the rules of prism/provider.h. DEVICE is a part of an OpenCL device's name. Exit status 0: it does;
// 77: it cannot run here, with a message; otherwise it breaks a rule.
#include "kernels/provider/module.hpp"
#include "tests/providers/conformance/target.hpp"

#include <gtest/gtest.h>

#include <cstdio>

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  if (count != 2 && count != 3)
    return std::fputs("usage: prism-provider-conformance FILE [DEVICE]\n", stderr), 2;
  const auto loaded = prism::provider::load_module(words[1]);
  if (!loaded.table) return std::fprintf(stderr, "%s: %s\n", words[1], loaded.reason.c_str()), 1;
  provider_test::subject& subject = provider_test::the_subject();
  if (count == 3) subject.opencl_device = words[2];
  const char* version = nullptr;
  prism_message why{sizeof(prism_message), {}};
  const prism_status status = loaded.table->open(&subject.state, &version, &why);
  if (status == PRISM_UNAVAILABLE) return std::printf("skipped: %s: %s\n", loaded.table->name, why.text), 77;
  if (status != PRISM_OK) return std::fprintf(stderr, "open: status %d: %s\n", int(status), why.text), 1;
  subject.table = loaded.table;
  std::printf("%s %s over %s %s\n", loaded.table->name, loaded.table->version, loaded.table->library,
              version ? version : "");
  for (const std::string& each : provider_test::missing_targets())
    std::printf("left out: %s\n", each.c_str());
  if (provider_test::all_targets().empty()) {
    std::printf("skipped: no device that it serves\n");
    for (const std::string& each : provider_test::missing_targets()) std::printf("  %s\n", each.c_str());
    return 77;
  }
  const int ended = RUN_ALL_TESTS();
  loaded.table->close(subject.state);
  return ended;
}
