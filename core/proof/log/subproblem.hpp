// A piece of the search of rule "tree": a region that was parted, and those of its children that are not
// done.
#pragma once

#include "proof/branching/partial_tree.hpp"
#include "proof/nodes/leaf_cache.hpp"

namespace spotree::proof {

struct Piece {
    std::shared_ptr<const Region> region;
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
    std::shared_ptr<ClosedLeaves> closed = std::make_shared<ClosedLeaves>();  // of the region

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

}  // namespace spotree::proof
