// The strongly connected components of a chain, each after all that it can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/chain.hpp"
#include "linear/tarjan.hpp"
#include "runtime/stop.hpp"

namespace spotree {

// Reusable: finding components again costs time in the states found now, not in all states.
class Components {
  public:
    // Components of the states reachable from `roots`; null: of all states. False if it had to stop: then
    // they are of no use.
    bool find(const Chain& chain, const int32_t* roots, int64_t num_roots, Stop* stop = nullptr) {
        node_.resize(chain.num_states);
        start_.assign(1, 0);
        Graph graph{chain, *this, stop};
        tarjan_.clear(graph, chain.num_states);
        if (!roots) num_roots = chain.num_states;
        for (int64_t i = 0; i < num_roots; ++i) {
            if (!tarjan_.walk(graph, roots ? roots[i] : static_cast<int32_t>(i))) return false;
        }
        return true;
    }

    int32_t size() const { return static_cast<int32_t>(start_.size()) - 1; }
    const int32_t* begin(int32_t component) const { return order().data() + start_[component]; }
    const int32_t* end(int32_t component) const { return order().data() + start_[component + 1]; }
    // All states found, component by component.
    const std::vector<int32_t>& order() const { return tarjan_.order(); }
    // -1 for a state that was not found.
    int32_t component_of(int32_t state) const {
        return tarjan_.has(node_[state].mark) ? node_[state].component : -1;
    }

  private:
    struct Node {
        Mark mark;
        int32_t component = -1;
    };

    struct Graph {
        struct Sums {};
        const Chain& chain;
        Components& found;
        Stop* stop;
        int64_t opened = 0;

        Mark& mark(int32_t state) { return found.node_[state].mark; }
        bool open(int32_t state, int64_t& begin, int64_t& end) {
            begin = chain.begin(state);
            end = chain.end(state);
            return !(stop && stop->check_at(opened++));
        }
        int32_t target(int64_t entry) const { return chain.target[entry]; }
        bool leads(int64_t entry) const { return chain.probability[entry] != 0.0; }
        void settled(Sums&, int64_t, int32_t) const {}
        void itself(Sums&, int64_t) const {}
        void close(const Sums&, size_t begin) {
            const int32_t component = found.size();
            for (size_t k = begin; k < found.order().size(); ++k) {
                found.node_[found.order()[k]].component = component;
            }
            found.start_.push_back(static_cast<int32_t>(found.order().size()));
        }
    };

    std::vector<int32_t> start_{0};
    std::vector<Node> node_;
    Tarjan<Graph> tarjan_;
};

}  // namespace spotree
