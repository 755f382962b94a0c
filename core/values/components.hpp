// The strongly connected components of a chain, each after all that it can reach (Tarjan's algorithm).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exact/stop.hpp"
#include "values/chain.hpp"

namespace spotree {

// Reusable: finding components again costs time in the states found before and now, not in all states.
class Components {
  public:
    // Components of the states reachable from `roots`; null: of all states. False if it had to stop: then
    // they are of no use, and cannot be found again.
    bool find(const Chain& chain, const int32_t* roots, int64_t num_roots, exact::Stop* stop = nullptr) {
        for (const int32_t state : order_) component_of_[state] = -1;
        order_.clear();
        start_.assign(1, 0);
        component_of_.resize(chain.num_states, -1);
        mark_.resize(chain.num_states);
        if (!roots) num_roots = chain.num_states;
        for (int64_t i = 0; i < num_roots; ++i) {
            const int32_t root = roots ? roots[i] : static_cast<int32_t>(i);
            if (component_of_[root] == -1 && !visit(chain, root, stop)) return false;
        }
        return true;
    }

    int32_t size() const { return static_cast<int32_t>(start_.size()) - 1; }
    const int32_t* begin(int32_t component) const { return order_.data() + start_[component]; }
    const int32_t* end(int32_t component) const { return order_.data() + start_[component + 1]; }
    // All states found, component by component.
    const std::vector<int32_t>& order() const { return order_; }
    // -1 for a state that was not found.
    int32_t component_of(int32_t state) const { return component_of_[state]; }

  private:
    static constexpr int32_t kOnStack = -2;

    struct Frame {
        int32_t state, discovered;
        int64_t next, end;
    };

    void open(const Chain& chain, int32_t state) {
        mark_[state] = clock_;
        component_of_[state] = kOnStack;
        stack_.push_back(state);
        frames_.push_back({state, clock_++, chain.begin(state), chain.end(state)});
    }

    // Depth-first search with its own stack: chains of 10^6 states are common. `mark_` starts as the time of
    // discovery and falls to the earliest mark that can be reached among states without a component yet.
    bool visit(const Chain& chain, int32_t root, exact::Stop* stop) {
        clock_ = 0;
        open(chain, root);
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const int32_t state = frame.state;
            int32_t low = mark_[state];
            int32_t fresh = -1;
            while (frame.next < frame.end && fresh < 0) {
                const int64_t entry = frame.next++;
                const int32_t next = chain.target[entry];
                if (component_of_[next] >= 0 || chain.probability[entry] == 0.0) continue;
                if (component_of_[next] == kOnStack) {
                    low = std::min(low, mark_[next]);
                } else {
                    fresh = next;
                }
            }
            mark_[state] = low;
            if (fresh >= 0) {
                open(chain, fresh);
                if (stop && stop->check_at(clock_)) return false;
                continue;
            }
            if (low == frame.discovered) close(state);
            frames_.pop_back();
            if (!frames_.empty()) {
                int32_t& above = mark_[frames_.back().state];
                above = std::min(above, low);
            }
        }
        return true;
    }

    // The component of `state` is all that was found since and has no component yet.
    void close(int32_t state) {
        const int32_t component = size();
        int32_t member;
        do {
            member = stack_.back();
            stack_.pop_back();
            component_of_[member] = component;
            order_.push_back(member);
        } while (member != state);
        start_.push_back(static_cast<int32_t>(order_.size()));
    }

    std::vector<int32_t> order_, start_{0}, component_of_, mark_, stack_;
    std::vector<Frame> frames_;
    int32_t clock_ = 0;
};

}  // namespace spotree
