// Binding of the neighbourhood search: runs rounds and holds the incumbent.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "neighbourhood/portfolio.hpp"

namespace spotree::bindings {

namespace {

using neighbourhood::SearchModel;

constexpr int32_t DEEPEST = 24;  // complete trees: twice the memory for each level

class TreeSearch {
  public:
    TreeSearch(const ModelArrays& model, In2<int32_t> choice_of, In1<int32_t> group_of, In2<int32_t> rank,
               In1<int32_t> num_values, In1<double> optimal_value, In1<double> optimal_weight,
               In1<double> random_weight, double optimum, double random_return, int32_t depth,
               int32_t max_leaves, uint64_t seed, int32_t threads, bool must_end)
        : arrays_(model, choice_of, group_of, rank, num_values, optimal_value, optimal_weight, random_weight),
          model_{model.model(),
                 static_cast<int32_t>(rank.shape(1)),
                 static_cast<int32_t>(rank.shape(0)),
                 group_of.data(),
                 rank.data(),
                 num_values.data(),
                 optimal_value.data(),
                 random_weight.data(),
                 optimal_weight.data(),
                 optimum,
                 random_return,
                 must_end,
                 nullptr,
                 nullptr,
                 {},
                 {}},
          depth_(in_range("depth", depth, 0, DEEPEST)),
          portfolio_((model_.prepare(choice_of.data()), model_), depth_,
                     in_range("max_leaves", max_leaves, 1, INT32_MAX), seed, thread_count(threads)) {}

    TreeSearch(const TreeSearch&) = delete;

    void round(int64_t work, double seconds) {
        nb::gil_scoped_release release;
        portfolio_.round(work, seconds);
    }

    bool enumerate(int64_t work, double seconds) {
        nb::gil_scoped_release release;
        return portfolio_.enumerate(model_, work, seconds);
    }

    double positions() const { return neighbourhood::Enumeration::positions(model_, depth_); }

    void offer(In1<int32_t> feature, In1<int32_t> cut, In1<int32_t> action, double seconds) {
        const CompleteTree tree = full_tree(feature, cut, action);
        nb::gil_scoped_release release;
        portfolio_.offer(tree, seconds);
    }

    double expected_return(In1<int32_t> feature, In1<int32_t> cut, In1<int32_t> action, double reject_below) {
        const CompleteTree tree = full_tree(feature, cut, action);
        nb::gil_scoped_release release;
        return portfolio_.expected_return(tree, reject_below);
    }

    int64_t probe(int64_t count, uint64_t seed, bool early) const {
        nb::gil_scoped_release release;
        return portfolio_.probe(model_, count, seed, early);
    }

    auto tree() const {
        const CompleteTree& tree = portfolio_.best.tree;
        std::vector<int32_t> feature, cut;
        for (const Split& split : tree.split) {
            feature.push_back(split.feature);
            cut.push_back(split.cut);
        }
        return std::make_tuple(to_array(feature), to_array(cut), to_array(tree.action));
    }

    double value() const { return portfolio_.best.value; }
    int64_t evaluations() const { return portfolio_.evaluations(); }
    int64_t work() const { return portfolio_.work(); }

  private:
    CompleteTree full_tree(In1<int32_t> feature, In1<int32_t> cut, In1<int32_t> action) const {
        CompleteTree tree(depth_, 0);
        if (feature.size() != tree.split.size() || cut.size() != tree.split.size() ||
            action.size() != tree.action.size()) {
            throw nb::value_error("a complete tree of the search's depth is needed");
        }
        for (size_t k = 0; k < tree.split.size(); ++k) tree.split[k] = {feature.data()[k], cut.data()[k]};
        std::copy(action.data(), action.data() + action.size(), tree.action.begin());
        return tree;
    }

    std::tuple<ModelArrays, In2<int32_t>, In1<int32_t>, In2<int32_t>, In1<int32_t>, In1<double>, In1<double>,
               In1<double>>
        arrays_;  // keeps alive what the model points to
    SearchModel model_;
    int32_t depth_;
    neighbourhood::Portfolio portfolio_;
};

}  // namespace

void add_neighbourhood(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<TreeSearch>(m, "TreeSearch")
        .def(nb::init<const ModelArrays&, In2<int32_t>, In1<int32_t>, In2<int32_t>, In1<int32_t>, In1<double>,
                      In1<double>, In1<double>, double, double, int32_t, int32_t, uint64_t, int32_t, bool>(),
             nb::kw_only(), "model"_a, "choice_of"_a, "group_of"_a, "rank"_a, "num_values"_a,
             "optimal_value"_a, "optimal_weight"_a, "random_weight"_a, "optimum"_a, "random_return"_a,
             "depth"_a, "max_leaves"_a, "seed"_a, "threads"_a, "must_end"_a = false)
        .def("round", &TreeSearch::round, "work"_a, "seconds"_a)
        .def("enumerate", &TreeSearch::enumerate, "work"_a, "seconds"_a)
        .def_prop_ro("positions", &TreeSearch::positions)
        .def("offer", &TreeSearch::offer, "feature"_a, "cut"_a, "action"_a, "seconds"_a = 1e9)
        .def("expected_return", &TreeSearch::expected_return, "feature"_a, "cut"_a, "action"_a,
             "reject_below"_a)
        .def("probe", &TreeSearch::probe, "count"_a, "seed"_a, "early"_a)
        .def_prop_ro("tree", &TreeSearch::tree, nb::rv_policy::move)
        .def_prop_ro("value", &TreeSearch::value)
        .def_prop_ro("evaluations", &TreeSearch::evaluations)
        .def_prop_ro("work", &TreeSearch::work);
}

}  // namespace spotree::bindings
