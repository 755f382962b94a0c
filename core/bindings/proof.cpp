// Binding of the proof: runs in the background; can be queried, fed and stopped.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "proof/prove.hpp"

namespace spotree::bindings {

namespace {

using namespace spotree::proof;

template <class T, class From>
std::vector<T> copy_of(const From& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

template <class T>
std::vector<T> row_of(const In2<T>& array, size_t row) {
    if (row >= array.shape(0)) throw std::invalid_argument("arrays of different lengths");
    return std::vector<T>(&array(row, 0), &array(row, 0) + array.shape(1));
}

// The problem, and what keeps alive the arrays that it looks at.
struct OwnedProblem : ProofModel {
    OwnedProblem(const ModelArrays& given, In2<int32_t> choice_of, In1<int32_t> group_of, In2<int32_t> rank,
                 In1<int32_t> split_feature, In1<int32_t> split_cut, In2<int32_t> symmetry_group,
                 In2<int32_t> symmetry_action, int depth, int max_leaves, bool must_end)
        : ProofModel(
              GroupedModel(given.model(), choice_of.data(), group_of.data(), int(rank.shape(0)), must_end),
              Sizes(in_range("depth", depth, 0, INT32_MAX),
                    in_range("max_leaves", max_leaves, 1, INT32_MAX))),
          arrays(given, choice_of, group_of) {
        cubes.features = int(rank.shape(1));
        cubes.rank = copy_of<int32_t>(rank);
        for (size_t k = 0; k < split_feature.size(); ++k) {
            cubes.splits.push_back({split_feature.data()[k], split_cut.data()[k]});
        }
        for (size_t k = 0; k < symmetry_group.shape(0); ++k) {
            symmetries.add(row_of(symmetry_group, k), row_of(symmetry_action, k));
        }
        symmetries.close();
    }

    std::tuple<ModelArrays, In2<int32_t>, In1<int32_t>> arrays;
};

using TextArrays = std::tuple<int32_t, Out1<int32_t>, Out1<double>>;
using LeftArrays = std::tuple<Out1<int32_t>, Out1<double>>;

TextArrays as_tuple(const ProofLog::Text& text) {
    return {text.epoch, to_array(text.words), to_array(text.numbers)};
}

class Proof {
  public:
    Proof(OwnedProblem& model, double tolerance) : prover_(model) { prover_.shared.tolerance = tolerance; }

    void start(double seconds, int threads, bool state_rule, bool tree_rule, bool regret, bool floors,
               bool filter, bool solo, bool journal, bool keep_left, double before_floors,
               int64_t memory_limit, int64_t listed, int64_t most_regions) {
        thread_count(threads);
        in_range("memory_limit", memory_limit, 1, INT64_MAX);
        in_range("listed", listed, 0, INT64_MAX);
        in_range("most_regions", most_regions, 0, INT64_MAX);
        prover_.shared.switches = {regret, floors, filter, solo};
        prover_.shared.memory_limit = size_t(memory_limit);
        prover_.by_state.on = prover_.by_tree.on = journal;
        prover_.keep_left = keep_left;
        if (most_regions > 0) prover_.shared.most_regions = most_regions;
        prover_.by_state.listed = prover_.by_tree.listed = size_t(listed);
        const Plan plan{threads, state_rule, tree_rule, seconds, before_floors};
        thread_.start([this, plan] { prover_.run(plan); });
    }

    // Go on with the streams of a stopped proof, which holds up to its bound.
    void resume(In1<int32_t> words, In1<double> numbers, double bound) {
        ReplayedProof old;
        old.words = copy_of<int32_t>(words);
        old.numbers = copy_of<double>(numbers);
        old.bound = bound;
        ReplayedProof(old).replay(
            prover_.shared.model,
            prover_.shared.symmetries);  // a malformed one raises here, not in the background
        prover_.old = std::move(old);
    }

    // Go on with what is left of a stopped search of rule "tree"; `words` and `numbers` are what it wrote,
    // `next` is the number of its next region.
    void reopen(In1<int32_t> words, In1<double> numbers, int32_t next, In1<int32_t> left_words,
                In1<double> left_numbers) {
        prover_.old_search = {copy_of<int32_t>(words),
                              copy_of<double>(numbers),
                              next,
                              {copy_of<int32_t>(left_words), copy_of<double>(left_numbers)}};
    }

    // True once the proof has ended; waits at most so many seconds.
    bool wait(double seconds) {
        nb::gil_scoped_release release;
        const bool ended = thread_.wait(seconds);
        if (ended) thread_.join();
        return ended;
    }

    void stop() {
        nb::gil_scoped_release release;
        prover_.shared.stop.raise(Reason::asked);
        thread_.join();
    }

    void offer(double value, In1<int32_t> split, In1<int32_t> left, In1<int32_t> right, In1<int32_t> action) {
        std::vector<TreeNode> tree(split.size());
        for (size_t k = 0; k < tree.size(); ++k) {
            tree[k] = {split.data()[k], left.data()[k], right.data()[k], action.data()[k]};
        }
        prover_.shared.offer(value, tree);
    }

    double value() const { return prover_.shared.best.load(); }
    double bound() { return prover_.bound(); }
    double certified() { return prover_.certified(); }
    double certified_by_states() { return prover_.certified_by_states(); }
    int64_t regions() const { return prover_.shared.regions.load(); }
    double share() { return prover_.share(); }
    void tell_share(double done) { prover_.tell_share(done); }
    Prover::Winner winner() const { return prover_.winner.load(); }
    Prover::Ending ending() { return prover_.ending(); }

    auto tree() {
        const auto nodes = prover_.shared.tree();
        std::vector<int32_t> split, left, right, action;
        for (const auto& node : nodes) {
            split.push_back(node.split);
            left.push_back(node.left);
            right.push_back(node.right);
            action.push_back(node.action);
        }
        return std::make_tuple(to_array(split), to_array(left), to_array(right), to_array(action));
    }

    // What a rule has written since the last call: its epoch, words and numbers.
    TextArrays drain(bool by_tree) {
        return as_tuple((by_tree ? prover_.by_tree : prover_.by_state).drain());
    }

    // What both rules have written since the last call, what is left of rule "tree" at this moment (words and
    // numbers), and the number of its next region; nothing if that is not known now.
    std::optional<std::tuple<TextArrays, TextArrays, LeftArrays, int32_t>> snapshot(bool for_good) {
        std::optional<Snapshot> found;
        {
            nb::gil_scoped_release release;
            found = prover_.snapshot(for_good);
        }
        if (!found) return {};
        return std::tuple(as_tuple(found->by_state), as_tuple(found->by_tree),
                          LeftArrays(to_array(found->left.words), to_array(found->left.numbers)),
                          found->next);
    }

  private:
    Prover prover_;
    Threads thread_{prover_.shared.stop};  // leaves before the prover does
};

}  // namespace

void add_proof(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<OwnedProblem>(m, "ProofModel")
        .def(nb::init<const ModelArrays&, In2<int32_t>, In1<int32_t>, In2<int32_t>, In1<int32_t>,
                      In1<int32_t>, In2<int32_t>, In2<int32_t>, int, int, bool>(),
             nb::kw_only(), "model"_a, "choice_of"_a, "group_of"_a, "rank"_a, "split_feature"_a,
             "split_cut"_a, "symmetry_group"_a, "symmetry_action"_a, "depth"_a, "max_leaves"_a, "must_end"_a)
        .def("builds", [](const OwnedProblem& p) { return p.builds.load(); });
    nb::enum_<Prover::Winner>(m, "ProofWinner")
        .value("none", Prover::Winner::none)
        .value("root", Prover::Winner::root)
        .value("state", Prover::Winner::state)
        .value("tree", Prover::Winner::tree);
    nb::enum_<Prover::Ending>(m, "ProofEnding")
        .value("stopped", Prover::Ending::stopped)
        .value("closed", Prover::Ending::closed)
        .value("too_large", Prover::Ending::too_large)
        .value("stuck", Prover::Ending::stuck);
    nb::class_<Proof>(m, "Proof")
        .def(nb::init<OwnedProblem&, double>(), "model"_a, "tolerance"_a, nb::keep_alive<1, 2>())
        .def("start", &Proof::start, nb::kw_only(), "seconds"_a, "threads"_a, "state_rule"_a, "tree_rule"_a,
             "regret"_a, "floors"_a, "filter"_a, "solo"_a, "journal"_a, "keep_left"_a, "before_floors"_a,
             "memory_limit"_a, "listed"_a, "most_regions"_a = 0)
        .def("resume", &Proof::resume, "words"_a, "numbers"_a, "bound"_a)
        .def("reopen", &Proof::reopen, nb::kw_only(), "words"_a, "numbers"_a, "next"_a, "left_words"_a,
             "left_numbers"_a)
        .def("wait", &Proof::wait, "seconds"_a)
        .def("stop", &Proof::stop)
        .def("offer", &Proof::offer, "value"_a, nb::kw_only(), "split"_a, "left"_a, "right"_a, "action"_a)
        .def("value", &Proof::value)
        .def("bound", &Proof::bound)
        .def("certified", &Proof::certified)
        .def("certified_by_states", &Proof::certified_by_states)
        .def("regions", &Proof::regions)
        .def("share", &Proof::share)
        .def("tell_share", &Proof::tell_share, "done"_a)
        .def("winner", &Proof::winner)
        .def("ending", &Proof::ending)
        .def("tree", &Proof::tree)
        .def("drain", &Proof::drain, "by_tree"_a)
        .def("snapshot", &Proof::snapshot, "for_good"_a = false);
}

}  // namespace spotree::bindings
