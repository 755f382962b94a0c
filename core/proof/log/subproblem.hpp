// A piece of the search of rule "tree": a region that was parted, and those of its children that are not
// done.
#pragma once

#include <deque>
#include <stdexcept>

#include "proof/branching/partial_tree.hpp"
#include "proof/log/proof_log.hpp"
#include "proof/nodes/leaf_cache.hpp"

namespace spotree::proof {

struct OpenSubproblem {
    std::shared_ptr<const Subproblem> region;
    std::shared_ptr<const Partial> partial;  // none where the piece came from elsewhere: found anew
    std::vector<Item> items;                 // open nodes besides the one that is split or settled
    Item item;                               // that one
    bool splits;                             // else it is a leaf and takes an action
    int32_t number;                          // of its record
    double share;  // of the whole search: all of it, each child's once they are listed
    std::vector<TreeNode> nodes;
    int32_t sibling = -1;  // the node to be settled next
    bool listed = false;
    std::vector<Child> children;                      // most promising first
    size_t next = 0;                                  // the first child that is not done
    std::vector<std::pair<int32_t, int32_t>> wanted;  // from elsewhere: which children are not done
    std::shared_ptr<LeafCache> closed = std::make_shared<LeafCache>();  // of the region

    // All items, as the region was bounded with.
    std::vector<Item> open() const {
        std::vector<Item> all = items;
        all.push_back(item);
        return all;
    }

    // Open nodes are nobody's yet, whatever was tried there.
    void forget_open_nodes() {
        for (const auto& [cube, size, node] : items) nodes[node] = {};
        nodes[item.node] = {};
    }

    // The children, found from what the region tells; of a piece from elsewhere, those that it named.
    void list() {
        double elsewhere = partial->upper;
        for (const auto& other : items) elsewhere -= partial->least(other);
        if (splits) {
            children = partial->ways(item);
            for (auto& child : children) child.estimate = elsewhere - child.estimate;
        } else {
            for (const int a : partial->actions(region->allowed, item.cube)) {
                children.push_back(
                    {elsewhere - partial->leaf_loss(item.cube, a), int32_t(a), 0, -1, -1, {0, 0}});
            }
        }
        if (listed) {
            choose_wanted();
        } else {
            share /= double(std::max<size_t>(1, children.size()));
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.estimate > b.estimate; });
        listed = true;
    }

  private:
    void choose_wanted() {
        std::vector<Child> chosen;
        for (const auto& [first, second] : wanted) {
            const auto at = std::find_if(children.begin(), children.end(), [&](const Child& c) {
                return c.first == first && c.second == second;
            });
            if (at == children.end())
                throw std::invalid_argument("a piece names a child that it cannot have");
            chosen.push_back(*at);
        }
        children = std::move(chosen);
        wanted.clear();
    }
};

struct TreeText {
    std::vector<int32_t> words;
    std::vector<double> numbers;
};

// A stopped search: its root, what it had found about all regions, and what is left to do.
struct ReplayedTree {
    Subproblem root;
    std::vector<double> floor;                          // [state]
    std::vector<double> weight;                         // [group] visits of the relaxed policy
    Draft draft;                                        // of the root
    std::vector<std::pair<int32_t, int32_t>> hopeless;  // cube, action
    double open = -kInfinity;                           // the highest bound of what cannot be closed
    double share = 0;                                   // of the search that is done
    std::vector<OpenSubproblem> pieces;
};

// The words are: number of hopeless leaves, they; rounds, number of words and of numbers of the root's draft,
// its words; the root's allowed actions; the number of pieces, and they. A piece: length, number, whether it
// splits, sibling, whether its children are listed; number of items, they (the one to be parted last); number
// of nodes, they; number of children, they; allowed actions. The numbers are: bound of the root, what stays
// open, share; the root's value, floors, weight, those of its draft; for each piece its share and its value.
inline TreeText write_tree(const Shared& shared, const ReplayedTree& whole,
                           const std::deque<OpenSubproblem>& pieces) {
    TreeText text;
    auto& words = text.words;
    auto& numbers = text.numbers;
    auto put = [&](auto... word) { words.insert(words.end(), {int32_t(word)...}); };
    auto put_allowed = [&](const ActionSets& allowed) {
        for (int g = 0; g < shared.model.num_groups; ++g) {
            for (int k = 0; k < allowed.words(); ++k) {
                const uint64_t bits = allowed.of(g)[k];
                put(int32_t(uint32_t(bits)), int32_t(uint32_t(bits >> 32)));
            }
        }
    };
    auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    put(whole.hopeless.size());
    for (const auto& [cube, action] : whole.hopeless) put(cube, action);
    put(whole.draft.rounds, whole.draft.words.size(), whole.draft.numbers.size());
    append(words, whole.draft.words);
    put_allowed(whole.root.allowed);
    const double none = std::numeric_limits<double>::lowest();
    for (const double x : {whole.root.bound, whole.open, whole.share})
        numbers.push_back(std::isfinite(x) ? x : x > 0 ? kNoBound : none);
    for (const auto* each : {&whole.root.relaxed.value, &whole.floor, &whole.weight, &whole.draft.numbers})
        append(numbers, *each);
    put(pieces.size());
    for (const auto& piece : pieces) {
        const size_t first = words.size();
        put(0, piece.number, piece.splits, piece.sibling, piece.listed, piece.items.size() + 1);
        for (const auto& [cube, size, node] : piece.open()) put(cube, size, node);
        put(piece.nodes.size());
        for (const auto& node : piece.nodes) put(node.split, node.left, node.right, node.action);
        put(piece.wanted.size() + piece.children.size() - piece.next);
        for (const auto& [one, other] : piece.wanted) put(one, other);
        for (size_t k = piece.next; k < piece.children.size(); ++k)
            put(piece.children[k].first, piece.children[k].second);
        put_allowed(piece.region->allowed);
        words[first] = int32_t(words.size() - first);
        numbers.push_back(piece.share);
        append(numbers, piece.region->relaxed.value);
    }
    return text;
}

// Reads what `write_tree` wrote, from whoever says that he did: everything is held against what there is.
class TreeReader {
  public:
    TreeReader(const Shared& shared, const TreeText& text) : shared_(shared), text_(text) {
        for (const double x : text.numbers) {
            if (!std::isfinite(x)) throw std::invalid_argument("a number of a piece is not finite");
        }
    }

    ReplayedTree read() {
        const GroupedModel& m = shared_.model;
        ReplayedTree old;
        old.hopeless.resize(count(0));
        for (auto& [cube, action] : old.hopeless)
            cube = word(0, shared_.cubes.size()), action = word(0, m.num_actions);
        old.draft.rounds = word(0, kMost);
        old.draft.words.resize(count(0));
        const int32_t draft_numbers = word(0, kMost);
        for (auto& w : old.draft.words) w = word(std::numeric_limits<int32_t>::min(), kMost);
        old.root = {read_allowed(), Relaxed(m.num_states), number()};
        old.open = number();
        old.share = number();
        old.root.relaxed.value = take(m.num_states);
        old.root.relaxed.bound = old.root.bound;
        old.floor = take(m.num_states);
        old.weight = take(m.num_groups);
        old.draft.numbers = take(draft_numbers);
        for (size_t left = count(0); left > 0; --left) old.pieces.push_back(read_piece());
        if (at_ != text_.words.size() || number_ != text_.numbers.size())
            throw std::invalid_argument("there is more than the pieces take");
        return old;
    }

  private:
    static constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

    OpenSubproblem read_piece() {
        const GroupedModel& m = shared_.model;
        OpenSubproblem piece{};
        const size_t begin = at_;
        const size_t end = begin + count(1);
        piece.number = word(0, kMost);
        piece.splits = word(0, 2);
        piece.sibling = word(-1, kMost);
        piece.listed = word(0, 2);
        piece.items.resize(count(1));
        for (auto& [cube, size, node] : piece.items) {
            cube = word(0, shared_.cubes.size());
            size = word(0, shared_.sizes.count());
            node = word(0, kMost);
            if (shared_.sizes.depth[size] + shared_.cubes.cubes[cube].level > shared_.cubes.depth)
                throw std::invalid_argument("an open node of a piece is too large");
        }
        piece.nodes.resize(count(1));
        read_nodes(piece);
        piece.item = piece.items.back();
        piece.items.pop_back();
        piece.wanted.resize(count(0));
        for (auto& [first, second] : piece.wanted) first = word(0, kMost), second = word(0, kMost);
        Subproblem region{read_allowed(), Relaxed(m.num_states)};
        if (at_ != end) throw std::invalid_argument("a piece has another length than it says");
        piece.share = number();
        region.relaxed.value = take(m.num_states);
        piece.region = std::make_shared<const Subproblem>(std::move(region));
        return piece;
    }

    // Nodes lead to later ones; leaves take an action, unless they are open.
    void read_nodes(OpenSubproblem& piece) {
        const auto count = int32_t(piece.nodes.size());
        std::vector<char> open(piece.nodes.size(), 0);
        for (const auto& item : piece.items) {
            if (item.node >= count) throw std::invalid_argument("an open node of a piece does not exist");
            open[size_t(item.node)] = 1;
        }
        for (int32_t k = 0; k < count; ++k) {
            TreeNode& node = piece.nodes[size_t(k)];
            node.split = word(-1, int32_t(shared_.cubes.splits.size()));
            const bool inner = node.split >= 0;
            node.left = inner ? word(k + 1, count) : word(-1, 0);
            node.right = inner ? word(k + 1, count) : word(-1, 0);
            const bool leaf = !inner && !open[size_t(k)];
            node.action = leaf ? word(0, shared_.model.num_actions) : word(-1, 0);
            if (inner && open[size_t(k)]) throw std::invalid_argument("an open node of a piece is split");
        }
    }

    ActionSets read_allowed() {
        ActionSets allowed(shared_.model.num_groups, shared_.model.num_actions);
        for (int g = 0; g < shared_.model.num_groups; ++g) {
            for (int k = 0; k < allowed.words(); ++k) {
                const auto low = uint32_t(word(std::numeric_limits<int32_t>::min(), kMost));
                const auto high = uint32_t(word(std::numeric_limits<int32_t>::min(), kMost));
                allowed.of(g)[k] &= uint64_t(high) << 32 | low;
            }
        }
        return allowed;
    }

    // The next word, from `least` to below `end` (up to `kMost` where that is the end).
    int32_t word(int32_t least, int32_t end) {
        if (at_ >= text_.words.size()) throw std::invalid_argument("the words of a piece end early");
        const int32_t found = text_.words[at_++];
        if (found < least || found > end - (end == kMost ? 0 : 1))
            throw std::invalid_argument("a word of a piece is out of range");
        return found;
    }

    // A number of things that take a word each at least: no memory for what is not there.
    size_t count(int32_t least) {
        const auto found = size_t(word(least, kMost));
        if (found > text_.words.size() - at_ + 1)
            throw std::invalid_argument("a piece counts more than it has");
        return found;
    }

    double number() { return take(1)[0]; }

    std::vector<double> take(int count) {
        if (size_t(count) > text_.numbers.size() - number_)
            throw std::invalid_argument("the numbers of a piece end early");
        const auto first = text_.numbers.begin() + int64_t(number_);
        number_ += size_t(count);
        return {first, first + count};
    }

    const Shared& shared_;
    const TreeText& text_;
    size_t at_ = 0, number_ = 0;
};

}  // namespace spotree::proof
