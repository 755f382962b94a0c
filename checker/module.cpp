// What Python sees of the checker: a check that runs in the background and can be asked and stopped.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "check.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Copies an array of a model.
template <class T>
void take(const nb::object& mdp, const char* name, std::vector<T>& to) {
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(mdp.attr(name));
    to.assign(array.data(), array.data() + array.size());
}

checker::Arrays arrays_of(const nb::object& mdp) {
    checker::Arrays a;
    a.states = nb::cast<int>(mdp.attr("num_states"));
    a.actions = nb::cast<int>(mdp.attr("num_actions"));
    a.features = nb::cast<int>(mdp.attr("num_features"));
    a.discount = nb::cast<double>(mdp.attr("discount"));
    a.must_end = nb::cast<bool>(mdp.attr("must_end"));
    take(mdp, "choice_start", a.choice_start);
    take(mdp, "choice_of", a.choice_of);
    take(mdp, "row_start", a.row_start);
    take(mdp, "target", a.target);
    take(mdp, "probability", a.probability);
    take(mdp, "reward_of_choice", a.reward);
    take(mdp, "initial", a.initial);
    take(mdp, "features", a.feature);
    return a;
}

// An entry of a header: a number, or a list of numbers.
template <class T>
void take(const nb::dict& from, const char* name, T& to) {
    if (!from.contains(name) || !nb::try_cast(from[name], to))
        throw nb::value_error((std::string(name) + " is missing, or beyond what can be counted").c_str());
}

checker::Header header_of(const nb::dict& from) {
    checker::Header h;
    const auto tree = nb::cast<nb::dict>(from["tree"]);
    take(tree, "feature", h.tree.feature);
    take(tree, "threshold", h.tree.threshold);
    take(tree, "left", h.tree.left);
    take(tree, "right", h.tree.right);
    take(tree, "action", h.tree.action);
    take(from, "depth", h.depth);
    take(from, "max_leaves", h.max_leaves);
    take(from, "value", h.value);
    take(from, "bound", h.bound);
    take(from, "margin", h.margin);
    take(from, "group_state", h.group_state);
    take(from, "split_feature", h.split_feature);
    take(from, "split_threshold", h.split_threshold);
    take(from, "symmetry_state", h.symmetry_state);
    take(from, "symmetry_action", h.symmetry_action);
    take(from, "symmetry_feature", h.symmetry_feature);
    return h;
}

class Check {
  public:
    Check(const nb::object& mdp, const nb::object& header, In1<int32_t> words, In1<double> numbers,
          int threads)
        : words_(words),
          numbers_(numbers),
          model_(arrays_of(mdp)),
          header_(header_of(nb::cast<nb::dict>(header))) {
        thread_ = std::thread([this, threads] { run(threads); });
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
    void run(int threads) {
        std::string reason;
        try {
            shown_ = checker::check(model_, header_, {words_.data(), words_.size()},
                                    {numbers_.data(), numbers_.size()}, threads, stop_, done_, total_);
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
    nb::class_<Check>(m, "Check")
        .def(nb::init<const nb::object&, const nb::object&, In1<int32_t>, In1<double>, int>(), nb::kw_only(),
             "mdp"_a, "header"_a, "words"_a, "numbers"_a, "threads"_a)
        .def("wait", &Check::wait, "seconds"_a)
        .def("stop", &Check::stop)
        .def("done", &Check::done)
        .def("total", &Check::total)
        .def("verdict", &Check::verdict);
}
