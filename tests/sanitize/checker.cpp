// Runs the native checker under a sanitizer: it accepts what a proof has written down, and whatever a file
// holds instead, it never accepts a bound that a tree exceeds.
#include "../../checker/check.hpp"
#include "proof/prove.hpp"
#include "random_models.hpp"

namespace {

using hostile::Chance;
using hostile::Report;
namespace proof = spotree::proof;

struct File {
    checker::Arrays model;
    checker::Header header;
    std::vector<int32_t> words;
    std::vector<double> numbers;
};

checker::Arrays arrays_of(const hostile::Model& m) {
    checker::Arrays a;
    a.states = m.states, a.actions = m.actions, a.features = m.features, a.discount = m.discount;
    a.choice_start = m.choice_start, a.row_start = m.row_start;
    a.choice_of = m.choice_of, a.target = m.target;
    a.probability = m.probability, a.reward = m.reward, a.initial = m.initial, a.feature = m.feature;
    return a;
}

// The splits of a model, by thresholds halfway between the values of its groups.
void add_splits(const hostile::Model& m, const hostile::Groups& groups, checker::Header& header) {
    for (const auto& [f, r] : groups.splits()) {
        std::set<double> values;
        for (const int32_t s : groups.first) values.insert(m.at(s, f));
        const auto above = std::next(values.begin(), r);
        header.split_feature.push_back(f);
        header.split_threshold.push_back((*std::prev(above) + *above) / 2);
    }
}

void add_tree(const std::vector<proof::TreeNode>& nodes, checker::Header& header) {
    for (const auto& node : nodes) {
        const bool inner = node.split >= 0;
        header.tree.feature.push_back(inner ? header.split_feature[node.split] : -1);
        header.tree.threshold.push_back(inner ? header.split_threshold[node.split] : 0.0);
        header.tree.left.push_back(node.left);
        header.tree.right.push_back(node.right);
        header.tree.action.push_back(inner ? -1 : node.action);
    }
}

// The verdict: empty if the file is accepted; stopped now and then, which is none.
std::string verdict(const File& file, int threads, bool stopped) {
    checker::Progress progress;
    std::jthread impatient;
    if (stopped) impatient = std::jthread([&] { progress.stop = true; });
    try {
        checker::check(file.model, file.header, file.words, file.numbers, threads, progress);
    } catch (const std::exception& error) {
        return error.what();
    }
    return progress.stop ? "stopped" : "";
}

template <class T>
T& any_of(std::vector<T>& from, Chance& chance) {
    return from[chance.below(static_cast<int>(from.size()))];
}

// One entry of one array of a header, model or stream becomes something else, or an array gets shorter.
void spoil(File& file, Chance& chance) {
    const auto number = [&] { return chance.of({-1, -2, 0, 1, 2, 3, 6, 7, 64, INT32_MAX, INT32_MIN}); };
    const auto real = [&] {
        return chance.of<double>(
            {NAN, HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 1e99, -1.0, 0.0, 0.5, 2.0, 5e-324});
    };
    const auto change = [&](auto& array, auto value) {
        if (array.empty()) return;
        if (chance.one_in(6)) return array.resize(chance.below(static_cast<int>(array.size()) + 1));
        any_of(array, chance) = value;
    };
    checker::Header& h = file.header;
    switch (chance.below(18)) {
        case 0:
            return change(h.tree.feature, number());
        case 1:
            return change(h.tree.threshold, real());
        case 2:
            return change(chance.one_in(2) ? h.tree.left : h.tree.right, number());
        case 3:
            return change(h.tree.action, number());
        case 4:
            return change(h.group_state, number());
        case 5:
            return change(h.split_feature, number());
        case 6:
            return change(h.split_threshold, real());
        case 7:
            return h.symmetry_state.resize(file.model.states, number());
        case 8:  // within what Python lets through, and few enough shapes for a quick trial
            return void(chance.one_in(2) ? h.depth = chance.below(8) : h.max_leaves = 1 + chance.below(40));
        case 9:
            return void((chance.one_in(2) ? h.value : h.margin) = real());
        case 10:
            return void(h.bound = chance.one_in(2) ? real() : h.bound - 1e-3);
        case 11:
            return change(chance.one_in(2) ? file.model.target : file.model.choice_of, number());
        case 12:
            return change(chance.one_in(2) ? file.model.probability : file.model.initial, real());
        case 13:
            return change(chance.one_in(2) ? file.model.row_start : file.model.choice_start,
                          int64_t(number()));
        case 14:
            return change(file.numbers, real());
        default:
            return change(file.words, number());
    }
}

struct Problem {
    hostile::Model model;
    hostile::Groups groups;
    int depth, leaves;
};

bool exceeded(const checker::Header& claimed, double best) {
    return best > std::max(claimed.bound, claimed.value) + claimed.margin + 1e-8;
}

// Whether what the file claims is about this very model, and about no fewer trees.
bool same_question(const File& file, const Problem& p) {
    const checker::Arrays& a = file.model;
    return file.header.depth >= p.depth && file.header.max_leaves >= p.leaves && a.target == p.model.target &&
           a.choice_of == p.model.choice_of && a.probability == p.model.probability &&
           a.initial == p.model.initial && a.row_start == p.model.row_start &&
           a.choice_start == p.model.choice_start;
}

void trial(Chance& chance, Report& report) {
    hostile::Model model =
        hostile::random_model(chance, 10, chance.one_in(20) ? 70 : 4, chance.of({0.0, 0.5, 0.9, 0.95}));
    hostile::Groups groups(model, true);
    const int depth = chance.below(4), full = 1 << depth;
    const Problem p{std::move(model), std::move(groups), depth,
                    chance.one_in(3) ? 1 + chance.below(full) : 1'000'000'000};
    const double tolerance = 1e-6;
    proof::ProofModel shared(
        {p.model.view(), p.model.choice_of.data(), p.groups.group_of.data(), p.groups.count},
        proof::Sizes(p.depth, p.leaves));
    shared.cubes.features = p.model.features;
    shared.cubes.rank = p.groups.rank;
    for (const auto& [f, r] : p.groups.splits()) shared.cubes.splits.push_back({f, r});
    shared.symmetries.close();
    proof::Prover prover(shared);
    prover.shared.tolerance = tolerance / 2;  // the other half is for the checker's rounding
    prover.shared.offer(-1e4, {});            // less than any tree returns
    prover.by_state.on = prover.by_tree.on = true;
    prover.by_state.listed = prover.by_tree.listed = chance.one_in(2) ? 500 : 0;
    prover.run({chance.of({1, 2}), !chance.one_in(3), true, chance.one_in(4) ? 0.002 : 20.0, 0.01});
    const auto winner = prover.winner.load();
    const auto tree = prover.shared.tree();
    if (tree.empty()) return;  // no feasible tree, or stopped before the first

    File file{arrays_of(p.model), {}, {}, {}};
    file.header.depth = p.depth, file.header.max_leaves = p.leaves;
    file.header.margin = tolerance;
    file.header.group_state = p.groups.first;
    add_splits(p.model, p.groups, file.header);
    add_tree(tree, file.header);
    std::vector<int32_t> action_of;
    actions_of_tree(shared.cubes, tree, p.groups.count, action_of);
    file.header.value = p.model.worth_of(
        [&](int s) { return p.groups.group_of[s] < 0 ? 0 : action_of[p.groups.group_of[s]]; });
    file.header.bound = std::max(file.header.value, prover.certified());
    auto& journal = winner == proof::Prover::Winner::tree ? prover.by_tree : prover.by_state;
    file.words = journal.words, file.numbers = journal.numbers;

    const std::string said = verdict(file, chance.of({1, 2, 4}), false);
    const bool no_stakes =
        said.find("tolerance") != std::string::npos;  // the returns do not differ by as much
    if (!said.empty() && !no_stakes) std::printf("%s\n", said.c_str());
    report.expect(said.empty() || no_stakes, "what a proof has written is accepted");
    if (chance.one_in(3)) verdict(file, chance.of({1, 2, 4}), true);

    const double best = p.depth < 2 && p.leaves >= full ? hostile::best_of_shallow(p.model, p.groups, p.depth)
                                                        : file.header.value;
    for (int k = 0; k < 60; ++k) {
        File spoilt = file;
        for (int j = 1 + chance.below(2); j > 0; --j) spoil(spoilt, chance);
        const bool accepted = verdict(spoilt, chance.of({1, 2}), chance.one_in(20)).empty();
        report.expect(!accepted || !same_question(spoilt, p) || !exceeded(spoilt.header, best),
                      "no file shows a bound that a tree exceeds", best, spoilt.header.bound);
    }
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("checker", argc, argv, 150, trial); }
