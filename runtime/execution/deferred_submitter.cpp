#include "runtime/execution/deferred_submitter.hpp"

#include "runtime/execution/scheduled_command.hpp"
#include "runtime/execution/post_to.hpp"

namespace prism::runtime {

void deferred_submitter::run(item& next) {
  if (next.completed) next.what->wait();
  else next.what->advance();
}

} // namespace prism::runtime
