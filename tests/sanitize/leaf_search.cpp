// Runs the search by leaves on random models under a sanitizer; its trees must lose what it says.
#include "leaf_search/leaf_lower_bound.hpp"
#include "leaf_search/search.hpp"
#include "random_models.hpp"

namespace {

using namespace spotree;
using namespace spotree::leaves;
using hostile::Chance;
using hostile::Groups;
using hostile::Report;

// A model as the search sees it, and the arrays that it looks at.
struct Owned {
    hostile::Model m;
    Groups groups;
    std::vector<double> optimal_value;
    neighbourhood::SearchModel search{};
    double optimum = 0;

    explicit Owned(hostile::Model model) : m(std::move(model)), groups(m, false) {
        optimal_value = m.best_values();
        optimum = m.start_value(optimal_value);
        static_cast<spotree::Model&>(search) = m.view();
        search.num_features = m.features;
        search.num_groups = groups.count;
        search.group_of = groups.group_of.data();
        search.rank = groups.rank.data();
        search.num_values = groups.num_values.data();
        search.optimal_value = optimal_value.data();
        search.prepare(m.choice_of.data());
    }
    Owned(const Owned&) = delete;

    double worth(const Shape& tree) const {
        return m.worth_of([&](int s) {
            const int32_t g = groups.group_of[s];
            return g < 0 ? 0 : tree.action_of(search.rank_of(g));
        });
    }
};

void trial(Chance& chance, Report& report) {
    const double discount = chance.of({0.0, 0.5, 0.9, 0.95});
    Owned model(hostile::random_model(chance, chance.one_in(8) ? 60 : 12, 4, discount));
    const double unit = std::max(1.0, std::abs(model.optimum)), close = 1e-6 * unit * 10;
    Stop never;
    const RegretModel losses(model.search, unit, &never);
    const int32_t most = chance.one_in(2) ? 1 + chance.below(6) : 64;
    const int32_t depth = chance.one_in(3) ? chance.below(4) : -1;
    LeafSearch search(losses, Aim{{}, 0, most, depth, unit}, static_cast<uint64_t>(chance.below(1000)),
                      chance.of({1, 2, 4}));
    if (chance.one_in(2)) search.aim_at({0.0, 0.01 * unit}, 0);
    for (int k = 0; k < 3; ++k) {
        search.round(50'000 + chance.below(200'000), chance.one_in(2) ? 10.0 : chance.below(2000) * 1e-6);
        search.offer(Shape(chance.below(model.m.actions)));
        double before = std::numeric_limits<double>::infinity();
        for (const auto& [leaves, entry] : search.archive.entries()) {
            const double plain = model.worth(entry.tree);
            report.expect(std::abs(model.optimum - entry.loss - plain) <= close, "a tree loses what is said",
                          plain, model.optimum - entry.loss);
            report.expect(entry.loss < before, "more leaves lose less", entry.loss, before);
            report.expect(leaves == entry.tree.num_leaves() && leaves <= most, "leaves are limited", leaves,
                          most);
            report.expect(depth < 0 || entry.tree.depth() <= depth, "depth is limited", entry.tree.depth(),
                          depth);
            before = entry.loss;
        }
    }
    const double least = LeafLowerBound(losses).least_leaves(chance.below(1000), 10'000'000, never);
    for (const auto& [leaves, entry] : search.archive.entries()) {
        if (entry.loss > 1e-12 * unit) continue;
        report.expect(least <= leaves, "no optimal tree is smaller than the bound", least, leaves);
    }
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("leaves", argc, argv, 150, trial); }
