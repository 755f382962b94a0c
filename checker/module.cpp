// What Python sees of the checker: one call, which lets Python look on while it runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "check.hpp"

namespace nb = nanobind;

namespace {

constexpr int MOST_THREADS = 1 << 16;

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

constexpr std::chrono::milliseconds kPause{100};  // between two looks

// Why the certificate is rejected (empty: it is accepted), whether because it is malformed, what it shows
// (value, bound, tolerance), and how many regions it has. `look` gets the regions that are done, and all, now
// and then; what it throws, and Ctrl-C, end the check.
std::tuple<std::string, bool, double, double, double, int64_t> check(const nb::object& mdp,
                                                                     const nb::object& header,
                                                                     In1<int32_t> words, In1<double> numbers,
                                                                     int threads, const nb::object& look) {
    const checker::Arrays model = arrays_of(mdp);
    const checker::Header claimed = header_of(nb::cast<nb::dict>(header));
    checker::Progress progress;
    auto running = std::async(std::launch::async, [&] {
        return checker::check(model, claimed, {words.data(), words.size()}, {numbers.data(), numbers.size()},
                              std::clamp(threads, 1, MOST_THREADS), progress);
    });
    auto wait = [&] {
        nb::gil_scoped_release release;
        return running.wait_for(kPause) == std::future_status::ready;
    };
    try {
        while (!wait()) {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            look(progress.done.load(), progress.total.load());
        }
    } catch (...) {
        progress.stop = true;
        while (!wait()) {
        }
        throw;
    }
    std::string reason;
    bool malformed = false;
    checker::Shown shown{};
    try {
        shown = running.get();
    } catch (const std::bad_alloc&) {
        reason = "the check needs more memory than there is";
    } catch (const checker::Malformed& error) {
        reason = error.what();
        malformed = true;
    } catch (const std::exception& error) {
        reason = error.what();
    }
    return {reason, malformed, shown.value, shown.bound, shown.tolerance, progress.total.load()};
}

}  // namespace

NB_MODULE(_checker, m) {
    using namespace nb::literals;
    m.def("check", &check, nb::kw_only(), "mdp"_a, "header"_a, "words"_a, "numbers"_a, "threads"_a, "look"_a);
}
