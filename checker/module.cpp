// What Python sees of the checker: a check that runs in the background and can be asked and stopped.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "check.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto copied(const Array& array) {
    using T = std::remove_const_t<typename Array::Scalar>;
    return std::vector<T>(array.data(), array.data() + array.size());
}

struct Model : checker::Arrays {
    Model(In1<int64_t> choice_start_, In2<int32_t> choice_of_, In1<int64_t> row_start_, In1<int32_t> target_,
          In1<double> probability_, In1<double> reward_, In1<double> initial_, In2<double> features_,
          double discount_, bool must_end_) {
        states = int(choice_of_.shape(0));
        actions = int(choice_of_.shape(1));
        features = int(features_.shape(1));
        discount = discount_;
        must_end = must_end_;
        choice_start = copied(choice_start_);
        choice_of = copied(choice_of_);
        row_start = copied(row_start_);
        target = copied(target_);
        probability = copied(probability_);
        reward = copied(reward_);
        initial = copied(initial_);
        feature = copied(features_);
    }
};

struct Tree : checker::Tree {
    Tree(In1<int32_t> feature_, In1<double> threshold_, In1<int32_t> left_, In1<int32_t> right_,
         In1<int32_t> action_) {
        feature = copied(feature_);
        threshold = copied(threshold_);
        left = copied(left_);
        right = copied(right_);
        action = copied(action_);
    }
};

struct Header : checker::Header {
    Header(const Tree& tree_, int depth_, int64_t max_leaves_, double value_, double bound_, double margin_,
           In1<int32_t> group_state_, In1<int32_t> split_feature_, In1<double> split_threshold_,
           In1<int32_t> symmetry_state_, In1<int32_t> symmetry_action_, In1<int32_t> symmetry_feature_) {
        tree = tree_;
        depth = depth_;
        max_leaves = max_leaves_;
        value = value_;
        bound = bound_;
        margin = margin_;
        group_state = copied(group_state_);
        split_feature = copied(split_feature_);
        split_threshold = copied(split_threshold_);
        symmetry_state = copied(symmetry_state_);
        symmetry_action = copied(symmetry_action_);
        symmetry_feature = copied(symmetry_feature_);
    }
};

class Check {
  public:
    Check(const Model& model, const Header& header, In1<int32_t> words, In1<double> numbers, int threads)
        : words_(words), numbers_(numbers), model_(model), header_(header), threads_(threads) {
        thread_ = std::thread([this] { run(); });
    }

    ~Check() { stop(); }

    // True once there is a verdict; waits at most so many seconds.
    bool wait(double seconds) {
        nb::gil_scoped_release release;
        std::unique_lock hold(lock_);
        return changed_.wait_for(hold, std::chrono::duration<double>(seconds), [this] { return ended_; });
    }

    void stop() {
        nb::gil_scoped_release release;
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

    int64_t done() const { return done_.load(); }
    int64_t total() const { return total_.load(); }

    // Why the certificate is rejected (empty: it is accepted), and what it shows: value, bound, tolerance.
    std::tuple<std::string, double, double, double> verdict() {
        std::scoped_lock hold(lock_);
        if (!ended_) throw std::runtime_error("the check has not ended");
        return {reason_, shown_.value, shown_.bound, shown_.tolerance};
    }

  private:
    void run() {
        std::string reason;
        try {
            shown_ = checker::check(model_, header_, {words_.data(), words_.size()},
                                    {numbers_.data(), numbers_.size()}, threads_, stop_, done_, total_);
            if (stop_) reason = "the check was stopped";
        } catch (const std::bad_alloc&) {
            reason = "the check needs more memory than there is";
        } catch (const std::exception& error) {
            reason = error.what();
        }
        std::scoped_lock hold(lock_);
        reason_ = reason;
        ended_ = true;
        changed_.notify_all();
    }

    In1<int32_t> words_;
    In1<double> numbers_;
    checker::Arrays model_;
    checker::Header header_;
    int threads_;
    checker::Shown shown_{};
    std::atomic<bool> stop_{false};
    std::atomic<int64_t> done_{0}, total_{0};
    std::mutex lock_;
    std::condition_variable changed_;
    bool ended_ = false;
    std::string reason_;
    std::thread thread_;
};

}  // namespace

NB_MODULE(_checker, m) {
    using namespace nb::literals;
    nb::class_<Model>(m, "Model")
        .def(nb::init<In1<int64_t>, In2<int32_t>, In1<int64_t>, In1<int32_t>, In1<double>, In1<double>,
                      In1<double>, In2<double>, double, bool>(),
             nb::kw_only(), "choice_start"_a, "choice_of"_a, "row_start"_a, "target"_a, "probability"_a,
             "reward"_a, "initial"_a, "features"_a, "discount"_a, "must_end"_a);
    nb::class_<Tree>(m, "Tree").def(
        nb::init<In1<int32_t>, In1<double>, In1<int32_t>, In1<int32_t>, In1<int32_t>>(), nb::kw_only(),
        "feature"_a, "threshold"_a, "left"_a, "right"_a, "action"_a);
    nb::class_<Header>(m, "Header")
        .def(nb::init<const Tree&, int, int64_t, double, double, double, In1<int32_t>, In1<int32_t>,
                      In1<double>, In1<int32_t>, In1<int32_t>, In1<int32_t>>(),
             nb::kw_only(), "tree"_a, "depth"_a, "max_leaves"_a, "value"_a, "bound"_a, "margin"_a,
             "group_state"_a, "split_feature"_a, "split_threshold"_a, "symmetry_state"_a, "symmetry_action"_a,
             "symmetry_feature"_a);
    nb::class_<Check>(m, "Check")
        .def(nb::init<const Model&, const Header&, In1<int32_t>, In1<double>, int>(), nb::kw_only(),
             "model"_a, "header"_a, "words"_a, "numbers"_a, "threads"_a)
        .def("wait", &Check::wait, "seconds"_a)
        .def("stop", &Check::stop)
        .def("done", &Check::done)
        .def("total", &Check::total)
        .def("verdict", &Check::verdict);
}
