// The best tree so far.
#pragma once

#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/evaluator.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

struct Incumbent {
    CompleteTree tree;
    double value = kInfeasible;

    bool offer(const CompleteTree& other, double worth) {
        if (!(worth > value)) return false;
        tree = other;
        value = worth;
        return true;
    }

    // Offers the tree that a judge has just taken, evaluated as exactly as it can be.
    bool offer(Acceptance& judge) { return judge.beats(value) && offer(judge.tree(), judge.value()); }
};

}  // namespace spotree::neighbourhood
