// PRISM_PROFILE: a profile of the whole process, printed at its end.
#pragma once

namespace prism::runtime_api {

/// The first call reads the variable; before the first queue is made, so that all of them measure.
void profile_from_environment();

} // namespace prism::runtime_api
