// The best tree so far.
#pragma once

#include "neighbourhood/chain.hpp"
#include "neighbourhood/judge.hpp"
#include "neighbourhood/tree.hpp"

namespace spotree::neighbourhood {

struct Incumbent {
    FullTree tree;
    double value = kInfeasible;

    bool offer(const FullTree& other, double worth) {
        if (!(worth > value)) return false;
        tree = other;
        value = worth;
        return true;
    }

    // Offers the tree that a judge has just taken, evaluated as exactly as it can be.
    bool offer(Judge& judge) { return judge.beats(value) && offer(judge.tree(), judge.value()); }
};

}  // namespace spotree::neighbourhood
