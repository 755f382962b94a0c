// Tarjan's walk: strongly connected components of a graph, each after all that it can reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace spotree {

// What the walk remembers of a state; it stands with whatever else is looked up there.
struct Mark {
    int32_t number = 0;  // order of discovery, counted on over all walks: a new walk clears nothing
    int32_t low = 0;     // smallest number reachable so far; kDone once the component is complete
    static constexpr int32_t kDone = std::numeric_limits<int32_t>::max();
};

// Its own stack instead of recursion: chains of 10^6 states are common. A graph has
//   Sums                                  what is added up over the entries of a state while it is open
//   Mark& mark(state)
//   bool open(state, begin, end)          its entries; false breaks the walk off
//   int32_t target(entry), bool leads(entry)
//   void settled(sums, entry, target)     an entry to a complete component
//   void itself(sums, entry)              an entry back to the state
//   void close(sums, begin)               order()[begin ..] is a component; sums are those of its first state
template <class Graph>
class Tarjan {
  public:
    using Sums = typename Graph::Sums;

    // All states reached, component by component.
    const std::vector<int32_t>& order() const { return order_; }

    // Whether a state was reached by the last walk.
    bool has(const Mark& mark) const { return mark.number > base_; }

    // From the roots that are not reached yet; the first call after `clear` begins afresh.
    bool walk(Graph& graph, int32_t root) {
        if (has(graph.mark(root))) return true;
        if (!enter(graph, root)) return false;
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            bool descended = false;
            while (frame.entry < frame.end) {
                const int32_t to = graph.target(frame.entry);
                const Mark next = graph.mark(to);
                if (!graph.leads(frame.entry)) {
                    ++frame.entry;
                    continue;
                }
                if (!has(next)) {
                    if (!enter(graph, to)) return false;
                    descended = true;
                    break;
                }
                if (next.low == Mark::kDone) {
                    graph.settled(frame.sums, frame.entry, to);
                } else if (to == frame.state) {
                    graph.itself(frame.sums, frame.entry);
                } else {
                    Mark& here = graph.mark(frame.state);
                    here.low = std::min(here.low, next.low);
                }
                ++frame.entry;
            }
            if (!descended) leave(graph);
        }
        return true;
    }

    // Forgets all that was reached, at the price of nothing (once in 2^31 states, of a pass over all of
    // them).
    void clear(Graph& graph, int32_t num_states) {
        if (counter_ > Mark::kDone - num_states - 2) {
            for (int32_t s = 0; s < num_states; ++s) graph.mark(s).number = 0;
            counter_ = 0;
        }
        base_ = counter_;
        order_.clear();
        open_.clear();
        frames_.clear();
    }

  private:
    struct Frame {
        int64_t entry, end;
        [[no_unique_address]] Sums sums;
        int32_t state;
    };

    bool enter(Graph& graph, int32_t state) {
        Mark& mark = graph.mark(state);
        mark.number = mark.low = ++counter_;
        int64_t begin, end;
        if (!graph.open(state, begin, end)) return false;
        open_.push_back(state);
        frames_.push_back({begin, end, Sums{}, state});
        return true;
    }

    void leave(Graph& graph) {
        const Frame frame = frames_.back();
        frames_.pop_back();
        Mark& mark = graph.mark(frame.state);
        if (mark.low == mark.number) {
            const size_t begin = order_.size();
            int32_t state;
            do {
                state = open_.back();
                open_.pop_back();
                graph.mark(state).low = Mark::kDone;
                order_.push_back(state);
            } while (state != frame.state);
            graph.close(frame.sums, begin);
        }
    }

    int32_t counter_ = 0, base_ = 0;
    std::vector<int32_t> order_, open_;
    std::vector<Frame> frames_;
};

}  // namespace spotree
