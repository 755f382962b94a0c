// Recurrent classes of a chain in which no episode ends.
#pragma once

#include <cstdint>

#include "linear/chain.hpp"
#include "linear/components.hpp"

namespace spotree {

// A row that lacks less than this to 1 does not end the episode: the rest is rounding.
constexpr double kEnds = 1e-12;

// [state] the endless component it belongs to, -1 for all others; undiscounted, I - P is singular there.
inline void endless(const Chain& chain, const Components& components, int32_t* endless_of) {
    for (int32_t c = 0; c < components.size(); ++c) {
        bool closed = true;
        for (const int32_t* s = components.begin(c); closed && s != components.end(c); ++s) {
            double kept = 0.0;
            for (int64_t e = chain.begin(*s); closed && e < chain.end(*s); ++e) {
                if (chain.probability[e] == 0.0) continue;
                closed = components.component_of(chain.target[e]) == c;
                kept += chain.probability[e];
            }
            closed = closed && kept > 1.0 - kEnds;
        }
        for (const int32_t* s = components.begin(c); s != components.end(c); ++s) {
            endless_of[*s] = closed ? c : -1;
        }
    }
}

}  // namespace spotree
