// The test library without its main, of which a fuzzing engine has one of its own: the worlds that
// the simulation is built of check themselves by it.
#ifndef GANGPLAN_CATCH3
#define CATCH_CONFIG_RUNNER
#include "catch2/catch.hpp"
#endif
