// What Python sees of rsbb.
#include "arrays.hpp"
#include "interrupted.hpp"
#include "rsbb/search.hpp"

namespace spotree::bindings {

namespace {

using spotree::rsbb::Outcome;
using spotree::rsbb::Search;
using spotree::rsbb::Settings;
using spotree::rsbb::Step;

struct StepArrays {
    In2<int32_t> rank;
    In2<double> loss;
    In1<int32_t> values;
    In1<double> scaled, position;
    In1<int32_t> frozen_feature, frozen_cut, frozen_action;
    int32_t depth, max_leaves;
};

Step view(const StepArrays& s) {
    Step step;
    step.rows = static_cast<int64_t>(s.loss.shape(0));
    step.actions = static_cast<int32_t>(s.loss.shape(1));
    step.features = static_cast<int32_t>(s.rank.shape(0));
    step.depth = s.depth;
    step.rank = s.rank.data();
    step.loss = s.loss.data();
    step.values = s.values.data();
    step.scaled = s.scaled.data();
    step.position = s.position.data();
    step.frozen_feature = s.frozen_feature.data();
    step.frozen_cut = s.frozen_cut.data();
    step.frozen_action = s.frozen_action.data();
    step.max_leaves = s.max_leaves;
    return step;
}

void set(Settings* self, bool settled, bool group, bool snap, bool primal, bool actions, uint64_t seed,
         int32_t threads, double seconds, double bytes, double best_gain, double gap_tolerance,
         double resolution, double start_loss) {
    new (self) Settings{{settled, group, snap, primal, actions},
                        seed,
                        threads,
                        seconds,
                        bytes,
                        best_gain,
                        gap_tolerance,
                        resolution,
                        start_loss};
}

Outcome rsbb(const StepArrays& arrays, const Settings& settings) {
    Outcome outcome;
    {
        nb::gil_scoped_release release;
        Stop stop(settings.seconds, interrupted);
        Step step = view(arrays);
        step.prepare();
        outcome = Search(step, settings).run(stop);
    }
    forget_interrupt();
    return outcome;
}

}  // namespace

void add_rsbb(nb::module_& m) {
    using namespace nb::literals;
    const auto fresh = nb::rv_policy::move;
    nb::class_<StepArrays>(m, "RsbbStep")
        .def(nb::init<In2<int32_t>, In2<double>, In1<int32_t>, In1<double>, In1<double>, In1<int32_t>,
                      In1<int32_t>, In1<int32_t>, int32_t, int32_t>(),
             nb::kw_only(), "rank"_a, "loss"_a, "values"_a, "scaled"_a, "position"_a, "frozen_feature"_a,
             "frozen_cut"_a, "frozen_action"_a, "depth"_a, "max_leaves"_a);
    nb::class_<Settings>(m, "RsbbSettings")
        .def("__init__", &set, nb::kw_only(), "settled"_a, "group"_a, "snap"_a, "primal"_a, "actions"_a,
             "seed"_a, "threads"_a, "seconds"_a, "bytes"_a, "best_gain"_a, "gap_tolerance"_a, "resolution"_a,
             "start_loss"_a);
    nb::class_<Outcome>(m, "RsbbOutcome")
        .def_prop_ro(
            "feature", [](const Outcome& o) { return to_array(o.tree.feature); }, fresh)
        .def_prop_ro(
            "cut", [](const Outcome& o) { return to_array(o.tree.cut); }, fresh)
        .def_prop_ro(
            "action", [](const Outcome& o) { return to_array(o.tree.action); }, fresh)
        .def_ro("feasible", &Outcome::feasible)
        .def_prop_ro("reason", [](const Outcome& o) { return static_cast<int>(o.reason); })
        .def_ro("least_loss", &Outcome::least_loss)
        .def_ro("expanded", &Outcome::expanded)
        .def_ro("bounded", &Outcome::bounded)
        .def_ro("discarded", &Outcome::discarded)
        .def_ro("largest_frontier", &Outcome::largest_frontier)
        .def_ro("candidates", &Outcome::candidates);
    m.def("rsbb", &rsbb, "step"_a, "settings"_a);
}

}  // namespace spotree::bindings
