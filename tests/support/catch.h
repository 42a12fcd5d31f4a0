// Catch2 under one name for both versions that Debian ships.
#pragma once
#ifdef GANGPLAN_CATCH3
#include "catch2/catch_all.hpp"
#else
#include "catch2/catch.hpp"
#endif
