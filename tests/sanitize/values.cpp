// Solves random chains under a sanitizer: every method must agree with plain iteration, within its own bound.
#include <thread>

#include "random_models.hpp"
#include "values/backup.hpp"
#include "values/chain_solver.hpp"
#include "values/recurrent_classes.hpp"

namespace {

using namespace spotree;
using hostile::Chance;
using hostile::Model;
using hostile::Report;

Chain chain_of(const Model& m, const hostile::Rows& row_of) {
    return {m.states, m.row_start.data(), row_of.data(), m.target.data(), m.probability.data(), m.discount};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

void check_solver(const Model& m, Chance& chance, Report& report, ChainSolver& solver) {
    hostile::Rows row_of(m.states), roots;
    for (int s = 0; s < m.states; ++s) {
        const auto first = static_cast<int>(m.choice_start[s]);
        row_of[s] =
            chance.one_in(20) ? -1 : first + chance.below(static_cast<int>(m.choice_start[s + 1]) - first);
        if (m.initial[s] > 0) roots.push_back(s);
    }
    const bool all = chance.one_in(2);
    const BlockLimits limits{chance.of({0, 1, 3, 24}), chance.of({0, 2, 20'000})};
    solver.factor(chain_of(m, row_of), all ? nullptr : roots.data(), static_cast<int64_t>(roots.size()),
                  limits);
    std::vector<double> right(m.states, 0.0), value(m.states, 0.0), visits(m.states, 0.0);
    for (int s = 0; s < m.states; ++s) right[s] = row_of[s] < 0 ? 0.0 : m.reward[row_of[s]];
    double error = 0;
    std::thread other([&] {  // one solver serves several threads
        std::vector<double> again(m.states, 0.0);
        solver.solve(right.data(), again.data());
    });
    error = solver.error(solver.solve(right.data(), value.data()));
    solver.solve_transposed(m.initial.data(), visits.data());
    other.join();
    const std::vector<double> plain = m.values(row_of);
    double worst = 0, size = 1;
    for (const int32_t s : solver.components().order()) {
        worst = std::max(worst, std::abs(value[s] - plain[s]));
        size = std::max(size, std::abs(plain[s]));
    }
    report.expect(worst <= error + 1e-9 * size, "values are within their bound of plain ones", worst, error);
    report.expect(error <= 1e-8 * size, "the bound is small", error, size);
    const double both[] = {dot(visits, right), m.start_value(value)};
    report.expect(std::abs(both[0] - both[1]) <= 1e-8 * size, "visits and values tell one return", both[0],
                  both[1]);
    std::vector<int32_t> endless_of(m.states, -1);
    endless(chain_of(m, row_of), solver.components(), endless_of.data());
    for (const int32_t s : solver.components().order()) {
        double kept = 0;
        for (int64_t e = m.row_start[std::max(row_of[s], 0)];
             row_of[s] >= 0 && e < m.row_start[row_of[s] + 1]; ++e)
            kept += m.probability[e];
        if (endless_of[s] >= 0) report.expect(kept > 1 - 1e-9, "an endless state never ends", kept);
    }
}

void check_backups(const Model& m, Chance& chance, Report& report) {
    std::vector<double> value(m.states, 0.0), backed(m.reward.size());
    Stop stop;
    for (int k = chance.below(30); k > 0; --k) sweep(m.view(), k % 2 == 1, value.data(), stop);
    backup(m.view(), value.data(), backed.data());
    for (int row = 0; row < m.rows(); ++row)
        report.expect(std::abs(backed[row] - m.ahead(row, value)) <= 1e-9, "backup is one look ahead", row);
    const double missed = most_missed(m.view(), value.data());
    const std::vector<double> best = m.best_values();
    for (int s = 0; s < m.states; ++s)
        report.expect(value[s] + missed >= best[s] - 1e-9, "no policy gains more than missed",
                      value[s] + missed, best[s]);
}

}  // namespace

int main(int argc, char** argv) {
    ChainSolver solver;  // used again and again
    return hostile::run("values", argc, argv, 1500, [&](Chance& chance, Report& report) {
        const int most = chance.one_in(15) ? 300 : 25;
        const double discount = chance.of({0.0, 0.5, 0.9, 0.97, 1.0});
        const hostile::Model m = hostile::random_model(chance, most, chance.one_in(20) ? 80 : 4, discount);
        for (int k = 0; k < 3; ++k) check_solver(m, chance, report, solver);
        check_backups(m, chance, report);
    });
}
