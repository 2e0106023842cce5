// prism-provider-trial FILE: loads, opens and closes a provider, so that a broken library ends only this
// process. Exit status 0: the provider answered, even if it refused. Anything else, or a signal: it is
// broken.
#include "kernels/provider/module.hpp"

#include <cstdio>

int main(int count, char** words) {
  if (count != 2) return std::fputs("usage: prism-provider-trial FILE\n", stderr), 2;
  const auto loaded = prism::provider::load_module(words[1]);
  if (!loaded.table) return std::printf("%s\n", loaded.reason.c_str()), 0;
  prism_provider_state* state = nullptr;
  const char* version = nullptr;
  prism_message why{sizeof(prism_message), {}};
  if (loaded.table->open(&state, &version, &why) != PRISM_OK) return std::printf("%s\n", why.text), 0;
  std::printf("%s %s (%s %s)\n", loaded.table->name, loaded.table->version, loaded.table->library,
              version ? version : "");
  loaded.table->close(state);
  return 0;
}
