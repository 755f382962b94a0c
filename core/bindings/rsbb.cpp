// Binding of RSBB.
#include <optional>
#include <string>

#include "arrays.hpp"
#include "rsbb/search.hpp"

namespace spotree::bindings {

namespace {

using spotree::rsbb::Outcome;
using spotree::rsbb::Search;
using spotree::rsbb::Settings;
using spotree::rsbb::Step;

constexpr int32_t DEEPEST = 24;  // complete trees: twice the memory for each level

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
    step.depth = in_range("depth", s.depth, 0, DEEPEST);
    step.rank = s.rank.data();
    step.loss = s.loss.data();
    step.values = s.values.data();
    step.scaled = s.scaled.data();
    step.position = s.position.data();
    step.frozen_feature = s.frozen_feature.data();
    step.frozen_cut = s.frozen_cut.data();
    step.frozen_action = s.frozen_action.data();
    step.max_leaves = in_range("max_leaves", s.max_leaves, 1, INT32_MAX);
    return step;
}

void set(Settings* self, bool settled, bool group, bool snap, bool primal, bool actions, uint64_t seed,
         int32_t threads, double bytes, double best_gain, double gap_tolerance, double resolution,
         double start_loss) {
    new (self) Settings{{settled, group, snap, primal, actions},
                        seed,
                        thread_count(threads),
                        bytes,
                        best_gain,
                        gap_tolerance,
                        resolution,
                        start_loss};
}

// A search and the arrays that it looks at.
class RsbbSearch {
  public:
    RsbbSearch(const StepArrays& arrays, const Settings& settings) : arrays_(arrays), step_(view(arrays_)) {
        nb::gil_scoped_release release;
        step_.prepare();
        search_.emplace(step_, settings);
    }

    bool begin() { return search_->begin(); }

    int go_on(double seconds) {
        {
            nb::gil_scoped_release release;
            Stop stop(seconds, interrupted);
            search_->go_on(stop);
        }
        forget_interrupt();
        return static_cast<int>(search_->outcome().reason);
    }

    void take(const In2<int64_t>& regions) {
        if (regions.shape(1) != search_->width())
            throw std::invalid_argument("regions have " + std::to_string(regions.shape(1)) + " words, not " +
                                        std::to_string(search_->width()));
        nb::gil_scoped_release release;
        search_->take(regions.data(), static_cast<int64_t>(regions.shape(0)));
    }

    Out1<int64_t> give(int64_t count, bool all) { return to_array(search_->give(count, all)); }
    Out1<int64_t> regions() { return to_array(search_->regions()); }
    Search& search() { return *search_; }
    const Search& search() const { return *search_; }

  private:
    StepArrays arrays_;
    Step step_;
    std::optional<Search> search_;
};

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
             "seed"_a, "threads"_a, "bytes"_a, "best_gain"_a, "gap_tolerance"_a, "resolution"_a,
             "start_loss"_a);
    nb::class_<Outcome>(m, "RsbbOutcome")
        .def_prop_ro(
            "feature", [](const Outcome& o) { return to_array(o.tree.feature); }, fresh)
        .def_prop_ro(
            "cut", [](const Outcome& o) { return to_array(o.tree.cut); }, fresh)
        .def_prop_ro(
            "action", [](const Outcome& o) { return to_array(o.tree.action); }, fresh)
        .def_prop_ro("loss", [](const Outcome& o) { return o.tree.loss; })
        .def_ro("feasible", &Outcome::feasible)
        .def_prop_ro("reason", [](const Outcome& o) { return static_cast<int>(o.reason); })
        .def_ro("least_loss", &Outcome::least_loss)
        .def_ro("expanded", &Outcome::expanded)
        .def_ro("bounded", &Outcome::bounded)
        .def_ro("discarded", &Outcome::discarded)
        .def_ro("largest_frontier", &Outcome::largest_frontier)
        .def_ro("candidates", &Outcome::candidates);
    nb::class_<RsbbSearch>(m, "RsbbSearch")
        .def(nb::init<const StepArrays&, const Settings&>(), nb::kw_only(), "step"_a, "settings"_a)
        .def("begin", &RsbbSearch::begin)
        .def("go_on", &RsbbSearch::go_on, "seconds"_a)
        .def("take", &RsbbSearch::take, "regions"_a)
        .def("give", &RsbbSearch::give, "count"_a, "all"_a)
        .def("regions", &RsbbSearch::regions)
        .def(
            "meet", [](RsbbSearch& s, double loss) { s.search().meet(loss); }, "loss"_a)
        .def(
            "closed", [](const RsbbSearch& s, double loss) { return s.search().closed(loss); },
            "least_loss"_a)
        .def("conclude", [](RsbbSearch& s) { return s.search().conclude(); })
        .def_prop_ro("open", [](const RsbbSearch& s) { return s.search().open(); })
        .def_prop_ro("width", [](const RsbbSearch& s) { return s.search().width(); })
        .def_prop_ro("open_least", [](const RsbbSearch& s) { return s.search().open_least(); })
        .def_prop_ro("discarded_least", [](const RsbbSearch& s) { return s.search().discarded_least(); })
        .def_prop_ro("incumbent", [](const RsbbSearch& s) { return s.search().incumbent(); });
}

}  // namespace spotree::bindings
