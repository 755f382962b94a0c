// Runs the search over trees on random models under a sanitizer; what it returns must be worth what it says.
#include "neighbourhood/portfolio.hpp"
#include "random_models.hpp"

namespace {

using namespace spotree;
using namespace spotree::neighbourhood;
using hostile::Chance;
using hostile::Groups;
using hostile::Model;
using hostile::Report;

// A model as the search sees it, and the arrays that it looks at.
struct Owned {
    Model m;
    Groups groups;
    std::vector<double> optimal_value, optimal_weight, random_weight;
    SearchModel search{};

    explicit Owned(Model model) : m(std::move(model)), groups(m, false) {
        optimal_value = m.best_values();
        std::vector<double> best(m.reward.size(), 0.0), even(m.reward.size(), 0.0);
        for (int s = 0; s < m.states; ++s) {
            const auto first = static_cast<int32_t>(m.choice_start[s]),
                       end = static_cast<int32_t>(m.choice_start[s + 1]);
            int32_t chosen = first;
            for (int32_t row = first; row < end; ++row) {
                even[row] = 1.0 / (end - first);
                if (m.ahead(row, optimal_value) > m.ahead(chosen, optimal_value)) chosen = row;
            }
            best[chosen] = 1.0;
        }
        optimal_weight = m.visits(best);
        random_weight = m.visits(even);
        double random_return = 0;
        for (int s = 0; s < m.states; ++s) {
            for (auto row = m.choice_start[s]; row < m.choice_start[s + 1]; ++row)
                random_return += random_weight[s] * even[row] * m.reward[row];
        }
        static_cast<spotree::Model&>(search) = m.view();
        search.num_features = m.features;
        search.num_groups = groups.count;
        search.group_of = groups.group_of.data();
        search.rank = groups.rank.data();
        search.num_values = groups.num_values.data();
        search.optimal_value = optimal_value.data();
        search.random_weight = random_weight.data();
        search.optimal_weight = optimal_weight.data();
        search.optimum = m.start_value(optimal_value);
        search.random_return = random_return;
        search.prepare(m.choice_of.data());
    }
    Owned(const Owned&) = delete;

    double worth(const CompleteTree& tree) const {
        return m.worth_of([&](int s) {
            const int32_t g = groups.group_of[s];
            return g < 0 ? 0 : tree.action_of(search.rank_of(g));
        });
    }
};

CompleteTree random_tree(const Owned& model, int depth, Chance& chance) {
    CompleteTree tree(depth, chance.below(model.m.actions));
    for (int32_t& action : tree.action) action = chance.below(model.m.actions);
    for (Split& split : tree.split) {
        if (model.m.features > 0) split.feature = chance.below(model.m.features);
        if (model.m.features > 0) split.cut = chance.below(model.groups.num_values[split.feature] + 1);
    }
    return tree;
}

// A model that forgives hardly anything is the strict one, and one that forgives more has the same optimum.
void forgives(const Owned& model, int depth, double close, Chance& chance, Report& report) {
    const OptimalRows right(model.search);
    if (!ForgivingMdp::worthwhile(model.search, right)) return;
    ForgivingMdp forgiving(model.search, right);
    Evaluator evaluator(forgiving.model());
    const CompleteTree tree = random_tree(model, depth, chance);
    const double strict = model.worth(tree);
    forgiving.forgive(chance.of({0.01, 0.3, 0.99}));
    const double forgiven = evaluator.expected_return(tree, kInfeasible);
    report.expect(forgiven <= model.search.optimum + close, "no forgiven tree beats the optimum", forgiven,
                  model.search.optimum);
    forgiving.forgive(1e-12);
    const double hardly = evaluator.expected_return(tree, kInfeasible);
    const auto& choices =
        model.m.choice_of;  // who is forgiven may come to where his tree does what is forbidden
    const bool forbids = std::find(choices.begin(), choices.end(), -1) != choices.end();
    report.expect(
        strict == hardly || std::abs(strict - hardly) <= close || (forbids && hardly == kInfeasible),
        "hardly forgiven is strict", strict, hardly);
}

// Nothing is turned away for losing less than may be lost, and nothing that changes nothing.
void screens(const Owned& model, int depth, Chance& chance, Report& report) {
    const CompleteTree tree = random_tree(model, depth, chance);
    if (model.worth(tree) == kInfeasible) return;
    Random random(static_cast<uint64_t>(chance.below(1000)));
    SurrogateFilter screen(model.search);
    screen.rejected(100);
    for (int k = 0; k < 20; ++k) {
        const bool away = screen.turns_away(tree, tree, 0.0, random);
        report.expect(!away, "a tree that changes nothing is not turned away", away, 0);
        const double anything = 1e12 * (1 + std::abs(model.search.optimum) + model.search.scale());
        const CompleteTree candidate = random_tree(model, depth, chance);
        const bool lost = screen.turns_away(tree, candidate, anything, random);
        report.expect(!lost, "what may lose anything is not turned away", lost, 0);
    }
}

void trial(Chance& chance, Report& report) {
    const double discount = chance.of({0.0, 0.5, 0.9, 0.95, 1.0});
    const int actions = chance.one_in(12) ? 70 : 4;
    Owned model(hostile::random_model(chance, chance.one_in(8) ? 120 : 14, actions, discount));
    model.search.must_end = chance.one_in(4);
    const int deepest = std::max(0, model.groups.count - 1);  // as the ladder in Python bounds it
    const int depth = std::min(deepest, chance.below(4));
    const int leaves = chance.one_in(3) ? 1 + chance.below(1 << depth) : 1 << depth;
    const double close = 1e-6 * (1 + std::abs(model.search.optimum) + model.search.scale());
    const auto check = [&](const Portfolio& found) {
        if (found.best.value == kInfeasible) return;
        const double plain = model.worth(found.best.tree);
        report.expect(std::abs(plain - found.best.value) <= close, "a tree is worth what is said", plain,
                      found.best.value);
        report.expect(found.best.value <= model.search.optimum + close, "no tree beats the optimum",
                      found.best.value, model.search.optimum);
        report.expect(found.best.tree.count_leaves() <= leaves, "leaves are limited",
                      found.best.tree.count_leaves(), leaves);
    };
    forgives(model, depth, close, chance, report);
    screens(model, depth, chance, report);
    Portfolio search(model.search, depth, leaves, static_cast<uint64_t>(chance.below(1000)),
                     chance.of({1, 2, 4}));
    for (int k = 0; k < 3; ++k) {
        search.round(20'000 + chance.below(150'000), chance.one_in(2) ? 10.0 : chance.below(2000) * 1e-6);
        check(search);
        const CompleteTree given = random_tree(model, depth, chance);
        const double plain = model.worth(given), said = search.expected_return(given, kInfeasible);
        report.expect(plain == said || std::abs(plain - said) <= close || model.search.must_end,
                      "returns agree", plain, said);
        search.offer(given, chance.one_in(4) ? 0.0 : 10.0);
        check(search);
    }
    search.probe(model.search, 50, 3, chance.one_in(2));
    if (depth > 1) return;
    bool proved = false;
    for (int k = 0; k < 50 && !proved; ++k)
        proved = search.enumerate(model.search, 200'000, chance.one_in(4) ? 1e-6 : 10.0);
    check(search);
    if (!proved || leaves < 1 << depth || model.search.must_end || model.m.actions > 4) return;
    const double best = hostile::best_of_shallow(model.m, model.groups, depth);
    report.expect(best == search.best.value || std::abs(best - search.best.value) <= close,
                  "the best of all trees is found", best, search.best.value);
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("neighbourhood", argc, argv, 250, trial); }
