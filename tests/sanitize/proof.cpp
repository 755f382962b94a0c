// Runs proofs on random models under a sanitizer: drained, stopped and resumed, they must hold for every
// tree.
#include "proof/prove.hpp"
#include "random_models.hpp"

namespace {

using namespace spotree::proof;
using hostile::Chance;
using hostile::Groups;
using hostile::Report;

struct Streams {
    int32_t epoch = -1;
    std::vector<int32_t> words;
    std::vector<double> numbers;

    void drain(ProofLog& journal) {
        std::scoped_lock hold(journal.lock);
        if (journal.epoch != epoch) words.clear(), numbers.clear();
        epoch = journal.epoch;
        words.insert(words.end(), journal.words.begin(), journal.words.end());
        numbers.insert(numbers.end(), journal.numbers.begin(), journal.numbers.end());
        journal.words.clear();
        journal.numbers.clear();
    }
};

struct Problem {
    hostile::Model model;
    Groups groups;
    int depth, leaves;
    double tolerance;

    GroupedModel grouped() const {
        return {model.view(), model.choice_of.data(), groups.group_of.data(), groups.count};
    }

    void fill(FeatureBoxes& cubes) const {
        cubes.features = model.features;
        cubes.rank = groups.rank;
        for (const auto& [f, r] : groups.splits()) cubes.splits.push_back({f, r});
    }

    void begin(Prover& prover) const {
        prover.shared.tolerance = tolerance;
        const double worst = *std::min_element(model.reward.begin(), model.reward.end());
        // less than any tree returns
        prover.shared.offer(std::min(0.0, worst) / (1 - std::min(model.discount, 0.95)) - 1000, {});
    }

    template <class ActionOf>
    double worth(ActionOf action_of) const {
        return model.worth_of(
            [&](int s) { return groups.group_of[s] < 0 ? 0 : action_of(groups.group_of[s]); });
    }
};

// One proof in the background, as Python runs it: asked and drained now and then, perhaps stopped.
Streams prove(Prover& prover, const Plan& plan, int looks, bool by_tree) {
    Streams streams;
    std::atomic<bool> ended{false};
    std::thread runner([&] {
        prover.run(plan);
        ended = true;
    });
    for (int k = 0; !ended && (looks < 0 || k < looks); ++k) {
        streams.drain(by_tree ? prover.by_tree : prover.by_state);
        prover.bound();
        prover.share();
        prover.shared.tree();
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    if (looks >= 0) prover.shared.stop.raise(spotree::Reason::asked);
    runner.join();
    streams.drain(by_tree ? prover.by_tree : prover.by_state);
    return streams;
}

void set_up(Prover& prover, Chance& chance, bool journal) {
    prover.shared.switches = {!chance.one_in(4), !chance.one_in(4), !chance.one_in(4), !chance.one_in(4)};
    prover.shared.memory_limit = chance.one_in(3) ? 3000 : size_t{1} << 30;
    prover.by_state.on = prover.by_tree.on = journal;
    prover.by_state.listed = prover.by_tree.listed = chance.one_in(2) ? 500 : 1'000'000;
}

void check(const Problem& p, Prover& prover, Chance& chance, Report& report) {
    const double close = 1e-8 + p.tolerance, bound = prover.bound();
    const std::vector<TreeNode> tree = prover.shared.tree();
    const bool proved = prover.winner.load() != Prover::Winner::none;
    if (!tree.empty()) {
        std::vector<int32_t> action_of;
        actions_of_tree(prover.shared.cubes, tree, p.groups.count, action_of);
        const double plain = p.worth([&](int g) { return action_of[g]; }), said = prover.shared.best;
        // A tree whose evaluation was stopped counts for less.
        report.expect(said <= plain + close && (!proved || plain <= said + close),
                      "the tree is worth what is said", plain, said);
    }
    for (int k = 0; k < 10; ++k) {
        const int splits =
            p.leaves < 1 << std::min(p.depth, 29) ? 0 : p.depth;  // with few leaves: single actions
        const auto action_of =
            hostile::random_actions(p.groups, p.model.features, p.model.actions, splits, chance);
        const double plain = p.worth([&](int g) { return action_of[g]; });
        report.expect(plain <= bound + close, "no tree returns more than the bound", plain, bound);
    }
    if (!proved) return;
    report.expect(bound <= prover.shared.best + close, "a proof leaves no gap", bound, prover.shared.best);
    if (p.depth > 1 || p.leaves < 1 << std::min(p.depth, 29) || p.model.actions > 6) return;
    const double best = hostile::best_of_shallow(p.model, p.groups, p.depth);
    if (best == -HUGE_VAL) return report.expect(tree.empty(), "there is no feasible tree");
    report.expect(std::abs(best - prover.shared.best) <= close, "the best tree is found", best,
                  prover.shared.best);
}

// A file may hold anything: it is read or refused, never trusted.
void read_spoilt(const Prover& prover, const Streams& written, Chance& chance) {
    for (int k = 0; k < 20 && !written.words.empty(); ++k) {
        ReplayedProof spoilt;
        spoilt.words = written.words;
        spoilt.numbers = written.numbers;
        if (chance.one_in(4)) spoilt.words.resize(chance.below(static_cast<int>(spoilt.words.size())) + 1);
        if (chance.one_in(4))
            spoilt.numbers.resize(chance.below(static_cast<int>(spoilt.numbers.size()) + 1));
        for (int j = chance.below(3); j > 0; --j) {
            spoilt.words[chance.below(static_cast<int>(spoilt.words.size()))] =
                chance.of({-1, -2, 0, 1, 2, 3, 7, 64, INT32_MAX, INT32_MIN});
        }
        if (chance.one_in(3) && !spoilt.numbers.empty())
            spoilt.numbers[chance.below(static_cast<int>(spoilt.numbers.size()))] =
                chance.of<double>({NAN, -HUGE_VAL, 1e308});
        try {
            ReplayedProof(spoilt).replay(prover.shared.model, prover.shared.symmetries);
        } catch (const std::exception&) {
            continue;
        }
        Prover again(prover.shared.problem);  // what is not refused must not do harm
        again.shared.tolerance = prover.shared.tolerance;
        again.by_state.on = true;
        again.old = std::move(spoilt);
        again.run({1, true, false, 0.05, 0.4});
    }
}

void trial(Chance& chance, Report& report) {
    const double discount = chance.of({0.0, 0.5, 0.9, 0.95, 1.0});
    const bool wide = chance.one_in(40);  // more actions than most
    hostile::Model model = hostile::random_model(chance, wide ? 3 : 12,
                                                 wide                ? 1500
                                                 : chance.one_in(10) ? 70
                                                                     : 4,
                                                 discount);
    Groups groups(model, true);
    const int depth = wide ? chance.below(2) : chance.one_in(25) ? 25 + chance.below(20) : chance.below(4);
    const int full = 1 << std::min(depth, 29);
    const Problem p{std::move(model), std::move(groups), depth,
                    chance.one_in(3) ? 1 + chance.below(std::min(full, 9)) : 1'000'000'000, 1e-6};
    const Plan plan{chance.of({1, 2, 4}), !chance.one_in(4), !chance.one_in(4),
                    chance.of({0.05, 0.3, 1.0, HUGE_VAL}), chance.of({0.0, 0.01, 0.4})};
    const bool endless = !(plan.state_rule || plan.tree_rule);
    ProofModel shared(
        p.grouped(),
        Sizes(p.depth, p.leaves));  // by all attempts, of which the first may be stopped amid its cubes
    p.fill(shared.cubes);
    shared.symmetries.close();
    Prover prover(shared);
    p.begin(prover);
    set_up(prover, chance, !chance.one_in(4));
    const bool stops = chance.one_in(2) || endless || plan.seconds > 1;
    const bool by_tree = chance.one_in(3);
    const Streams written =
        prove(prover, plan, stops ? chance.below(chance.one_in(3) ? 200 : 8) : -1, by_tree);
    check(p, prover, chance, report);
    if (by_tree || !prover.by_state.on || prover.winner.load() == Prover::Winner::tree) return;
    report.expect(!written.words.empty(), "what was proved is written down");
    Prover second(shared);
    p.begin(second);
    set_up(second, chance, true);
    second.shared.offer(prover.shared.best, prover.shared.tree());  // what was closed was closed against this
    second.old.emplace();
    second.old->words = written.words;
    second.old->numbers = written.numbers;
    second.old->bound = prover.certified();
    try {
        ReplayedProof(*second.old).replay(second.shared.model, second.shared.symmetries);
    } catch (const std::exception& error) {
        return report.expect(false, error.what());
    }
    prove(second, {chance.of({1, 2, 4}), true, chance.one_in(2), 0.3, 0.4},
          chance.one_in(2) ? chance.below(8) : -1, false);
    check(p, second, chance, report);
    read_spoilt(second, written, chance);
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("proof", argc, argv, 150, trial); }
