// Binding of the leaf search: runs rounds and holds the best tree of each size.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <random>
#include <tuple>

#include "arrays.hpp"
#include "leaf_search/leaf_lower_bound.hpp"
#include "leaf_search/search.hpp"

namespace spotree::bindings {

namespace {

using leaves::Aim;
using leaves::LeafSearch;
using leaves::RegretModel;
using leaves::Shape;
using neighbourhood::SearchModel;

using Found = std::tuple<double, Out1<int32_t>, Out1<int32_t>, Out1<int32_t>>;

class LeafSearchObject {
  public:
    LeafSearchObject(const ModelArrays& model, In2<int32_t> choice_of, In1<int32_t> group_of,
                     In2<int32_t> rank, In1<int32_t> num_values, In1<double> optimal_value, double span,
                     double unit, int32_t max_leaves, int32_t max_depth, uint64_t seed, int32_t threads,
                     bool must_end, Stop* stop)
        : arrays_(model, choice_of, group_of, rank, num_values, optimal_value),
          model_{model.model(),
                 static_cast<int32_t>(rank.shape(1)),
                 static_cast<int32_t>(rank.shape(0)),
                 group_of.data(),
                 rank.data(),
                 num_values.data(),
                 optimal_value.data(),
                 nullptr,
                 nullptr,
                 0.0,
                 -span,
                 must_end,
                 nullptr,
                 nullptr,
                 {},
                 {}},
          losses_((model_.prepare(choice_of.data()), model_), span, stop),
          search_(losses_,
                  Aim{{},
                      0,
                      in_range("max_leaves", max_leaves, 1, INT32_MAX),
                      in_range("max_depth", max_depth, -1, INT32_MAX),
                      unit},
                  seed, thread_count(threads)) {}

    LeafSearchObject(const LeafSearchObject&) = delete;

    void aim(In1<double> targets, int32_t focus) {
        search_.aim_at({targets.data(), targets.data() + targets.size()}, focus);
    }

    void round(int64_t work, double seconds) {
        nb::gil_scoped_release release;
        search_.round(work, seconds);
    }

    void offer(In1<int32_t> feature, In1<int32_t> cut, In1<int32_t> right) {
        Shape tree;
        tree.node.clear();
        for (size_t k = 0; k < feature.size(); ++k) {
            tree.node.push_back({feature.data()[k], cut.data()[k], right.data()[k]});
        }
        nb::gil_scoped_release release;
        search_.offer(tree);
    }

    std::vector<Found> archive() const {
        std::vector<Found> found;
        for (const auto& [leaves, entry] : search_.archive.entries()) {
            std::vector<int32_t> feature, cut, right;
            for (const leaves::Node& node : entry.tree.node) {
                feature.push_back(node.feature);
                cut.push_back(node.cut);
                right.push_back(node.right);
            }
            found.emplace_back(entry.loss, to_array(feature), to_array(cut), to_array(right));
        }
        return found;
    }

    double least_leaves(int64_t work, double seconds) const {
        nb::gil_scoped_release release;
        Stop stop(seconds);
        std::random_device system;  // names that nobody can know: see SizePenalisedDp
        const uint64_t secret = (static_cast<uint64_t>(system()) << 32) ^ system();
        return leaves::LeafLowerBound(losses_).least_leaves(secret, work, stop);
    }

    int32_t num_states() const { return losses_.num_states; }
    int64_t evaluations() const { return search_.evaluations(); }
    int64_t work() const { return search_.work(); }

  private:
    std::tuple<ModelArrays, In2<int32_t>, In1<int32_t>, In2<int32_t>, In1<int32_t>, In1<double>>
        arrays_;  // keeps alive what the model points to
    SearchModel model_;
    RegretModel losses_;
    LeafSearch search_;
};

}  // namespace

void add_leaves(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LeafSearchObject>(m, "LeafSearch")
        .def(nb::init<const ModelArrays&, In2<int32_t>, In1<int32_t>, In2<int32_t>, In1<int32_t>, In1<double>,
                      double, double, int32_t, int32_t, uint64_t, int32_t, bool, Stop*>(),
             nb::kw_only(), "model"_a, "choice_of"_a, "group_of"_a, "rank"_a, "num_values"_a,
             "optimal_value"_a, "span"_a, "unit"_a, "max_leaves"_a, "max_depth"_a, "seed"_a, "threads"_a,
             "must_end"_a = false, "stop"_a = nb::none())
        .def("aim", &LeafSearchObject::aim, "targets"_a, "focus"_a)
        .def("round", &LeafSearchObject::round, "work"_a, "seconds"_a)
        .def("offer", &LeafSearchObject::offer, "feature"_a, "cut"_a, "right"_a)
        .def("least_leaves", &LeafSearchObject::least_leaves, "work"_a, "seconds"_a)
        .def_prop_ro("archive", &LeafSearchObject::archive, nb::rv_policy::move)
        .def_prop_ro("num_states", &LeafSearchObject::num_states)
        .def_prop_ro("evaluations", &LeafSearchObject::evaluations)
        .def_prop_ro("work", &LeafSearchObject::work);
}

}  // namespace spotree::bindings
