// What Python sees of rsbb.
#include <nanobind/stl/function.h>

#include "arrays.hpp"
#include "rsbb/search.hpp"

namespace spotree::bindings {

namespace {

template <class T>
Out1<T> copy_of(const std::vector<T>& values) {
    auto array = make_array<T>(values.size());
    std::copy(values.begin(), values.end(), array.data());
    return array;
}

// True once Python has been asked to stop (Ctrl-C); the pending KeyboardInterrupt becomes an answer, not an
// error.
bool asked_to_stop() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    return true;
}

nb::tuple rsbb(In2<int32_t> rank, In2<double> loss, In1<int32_t> values, In1<double> scaled,
               In1<double> position, int32_t depth, int32_t max_leaves, In1<int32_t> frozen_feature,
               In1<int32_t> frozen_cut, In1<int32_t> frozen_action, bool settled, bool group, bool snap,
               bool primal, bool actions, uint64_t seed, int32_t threads, double seconds, double bytes,
               double best_gain, double gap_tolerance, double resolution, double start_loss) {
    spotree::rsbb::Step step;
    step.rows = static_cast<int64_t>(loss.shape(0));
    step.actions = static_cast<int32_t>(loss.shape(1));
    step.features = static_cast<int32_t>(rank.shape(0));
    step.depth = depth;
    step.rank = rank.data();
    step.loss = loss.data();
    step.values = values.data();
    step.scaled = scaled.data();
    step.position = position.data();
    step.frozen_feature = frozen_feature.data();
    step.frozen_cut = frozen_cut.data();
    step.frozen_action = frozen_action.data();
    step.max_leaves = max_leaves;
    const spotree::rsbb::Settings settings{{settled, group, snap, primal, actions},
                                           seed,
                                           threads,
                                           seconds,
                                           bytes,
                                           best_gain,
                                           gap_tolerance,
                                           resolution,
                                           start_loss};
    spotree::rsbb::Outcome outcome;
    {
        nb::gil_scoped_release release;
        step.prepare();
        outcome = spotree::rsbb::Search(step, settings).run(asked_to_stop);
    }
    nb::dict counts;
    counts["regions expanded"] = outcome.expanded;
    counts["regions bounded"] = outcome.bounded;
    counts["regions discarded"] = outcome.discarded;
    counts["largest frontier"] = outcome.largest_frontier;
    counts["candidate trees"] = outcome.candidates;
    return nb::make_tuple(copy_of(outcome.tree.feature), copy_of(outcome.tree.cut),
                          copy_of(outcome.tree.action), outcome.least_loss, static_cast<int>(outcome.ending),
                          counts);
}

}  // namespace

void add_rsbb(nb::module_& m) {
    using namespace nb::literals;
    m.def("rsbb", &rsbb, "rank"_a, "loss"_a, "values"_a, "scaled"_a, "position"_a, "depth"_a, "max_leaves"_a,
          "frozen_feature"_a, "frozen_cut"_a, "frozen_action"_a, "settled"_a, "group"_a, "snap"_a, "primal"_a,
          "actions"_a, "seed"_a, "threads"_a, "seconds"_a, "bytes"_a, "best_gain"_a, "gap_tolerance"_a,
          "resolution"_a, "start_loss"_a);
}

}  // namespace spotree::bindings
