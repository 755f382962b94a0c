// What every attempt of a proof shares: the model, the sizes of trees, and the cubes, which are built once.
#pragma once

#include <atomic>
#include <mutex>

#include "proof/nodes/feature_boxes.hpp"
#include "proof/nodes/grouped_model.hpp"
#include "proof/nodes/size_budget.hpp"
#include "proof/symmetry/symmetry.hpp"

namespace spotree::proof {

struct ProofModel {
    GroupedModel model;
    Sizes sizes;
    Cubes cubes;
    Symmetries symmetries;
    std::atomic<int> builds{0};  // of the cubes

    ProofModel(GroupedModel grouped, Sizes of_trees)
        : model(std::move(grouped)),
          sizes(std::move(of_trees)),
          symmetries(model.num_groups, model.num_actions) {}

    // False if that was stopped, for the next attempt to go on with, or they are too many.
    bool build_cubes(auto&& stop) {
        std::scoped_lock hold(lock_);
        if (!cubes.complete) {
            if (cubes.cubes.empty()) ++builds;
            const size_t sized = sizes.count();
            cubes.build(model.num_groups, sizes.depth[sizes.whole], kMostMembers,
                        sized > kFewSizes ? kMostEntries / sized : kMostMembers, stop);
            if (cubes.complete) cubes.complete = symmetries.find_cubes(cubes, stop);
        }
        return cubes.complete;
    }

  private:
    static constexpr size_t kMostMembers = 60'000'000;  // of all cubes, and as many edges: about a gigabyte
    // Checkers have tables of sizes x cubes and refuse larger ones, unless sizes are few (checker/boxes.hpp).
    static constexpr size_t kFewSizes = 9, kMostEntries = 25'000'000;

    std::mutex lock_;
};

}  // namespace spotree::proof
