// One thread that follows rule "tree": descends from a region to its parts, deepest first.
#pragma once

#include <functional>

#include "proof/candidate.hpp"
#include "proof/tree_rule.hpp"

namespace spotree::proof {

class TreeWorker {
  public:
    // `meanwhile`: what else the thread does between two regions.
    TreeWorker(TreeRule& rule, Bounder& bounder, std::function<void()> meanwhile = {})
        : rule_(rule),
          shared_(rule.shared_),
          m_(rule.shared_.model),
          cubes_(rule.shared_.cubes),
          journal_(rule.journal_),
          bounder_(bounder),
          meanwhile_(std::move(meanwhile)) {
        bounder_.viable.clear();
    }

    // The first thread begins, with a root that has been processed (verdict open) as the draft says.
    void begin(const Draft& draft) {
        auto stop = [&] { return shared_.stopped(); };
        Region root = rule_.root_;
        Relaxed sharp = root.relaxed;
        bounder_.relaxer.solve(root.allowed, sharp, kNoLevel, kRelaxed * shared_.tolerance, stop);
        std::vector<double> occupancy;
        bounder_.relaxer.occupancy(sharp, occupancy, stop);
        rule_.weight_.assign(m_.num_groups, 0.0);
        for (int i = 0; i < m_.num_states; ++i) {
            if (m_.group_of[i] >= 0) rule_.weight_[m_.group_of[i]] += occupancy[i];
        }
        look_and_listen();
        const std::vector<Item> whole{{0, shared_.sizes.whole, 0}};
        const Verdict verdict = bounder_.process(root, whole, 1, false, nullptr, nullptr, Effort::none);
        if (verdict == Verdict::open)
            rule_.team_.put({std::make_shared<const Region>(root),
                             whole,
                             partial(root),
                             -1,
                             0,
                             0,
                             draft,
                             std::vector<TreeNode>(1),
                             -1,
                             1.0,
                             {}});
        if (verdict == Verdict::closed) write_region(journal_, -1, 0, 0, draft, {0});
        if (verdict == Verdict::stopped) rule_.cut_short();
        rule_.begun_ = true;
    }

    // Returns when everything is closed or the time is up.
    void work() {
        auto over = [&] { return rule_.stopped() || rule_.over(); };
        while (auto task = rule_.team_.take(over)) {
            nodes_ = std::move(task->nodes);
            sibling_ = task->sibling;
            descend(*task);
            rule_.team_.done();
        }
    }

  private:
    using Shape = std::shared_ptr<const Partial>;

    Shape partial(const Region& region) const {
        return std::make_shared<const Partial>(shared_, region, bounder_);
    }

    void listen() {
        if (shared_.switches.solo) rule_.solo_.tell(bounder_, heard_);
    }

    void look_and_listen() {
        if (!shared_.switches.solo) return;
        rule_.solo_.look(bounder_, [&] {
            listen();
            return shared_.stopped();
        });
        listen();
    }

    void hand_over_or_descend(TreeTask task) {
        if (!rule_.team_.hungry()) return descend(task);
        task.nodes = nodes_;
        task.sibling = sibling_;
        rule_.team_.put(std::move(task));
    }

    void descend(TreeTask& task) {
        const Partial& shape = *task.partial;
        auto& items = task.items;
        if (meanwhile_) meanwhile_();
        if (rule_.stopped()) return rule_.cut_short();
        std::erase_if(items, [&](const Item& item) {
            if (shape.anything_reached(item.cube)) return false;
            nodes_[item.node] = {-1, -1, -1, 0};
            return true;
        });
        std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
            return *cubes_.begin(a.cube) < *cubes_.begin(b.cube);
        });
        if (items.empty()) return complete(task);
        double elsewhere = shape.upper;
        const size_t at = choose(items, shape);
        const Item item = items[at];
        const bool splits = shape.splittable(item);
        const int32_t number = write(task, {splits ? 2 : 3, int32_t(at)});
        items.erase(items.begin() + int64_t(at));
        for (const auto& other : items) elsewhere -= shape.least(other);
        if (splits) {
            part(task, item, elsewhere, number);
        } else {
            settle(task, item, elsewhere, number);
        }
    }

    int32_t write(const TreeTask& task, const std::vector<int32_t>& branching) {
        const int32_t number =
            write_region(journal_, task.parent, task.first, task.second, task.draft, branching);
        if (task.key) rule_.met_.add(*task.key, number);
        return number;
    }

    // The leaf with most visits if there is one (its sibling comes next), else the deepest node with most
    // visits.
    size_t choose(const std::vector<Item>& items, const Partial& shape) const {
        size_t best = 0;
        std::pair<double, double> most{-1e301, -1};
        for (size_t k = 0; k < items.size(); ++k) {
            double weight = 0;
            for (const int32_t* g = cubes_.begin(items[k].cube); g != cubes_.end(items[k].cube); ++g) {
                if (shape.reached(*g)) weight += rule_.weight_[*g];
            }
            const double first = shape.splittable(items[k])  ? -shared_.sizes.depth[items[k].size]
                                 : items[k].node == sibling_ ? 2
                                                             : 1;
            const std::pair<double, double> here{first, weight};
            if (here > most) most = here, best = k;
        }
        return best;
    }

    void part(const TreeTask& task, const Item& item, double elsewhere, int32_t number) {
        auto children = task.partial->ways(item);
        for (auto& child : children) child.estimate = elsewhere - child.estimate;
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.estimate > b.estimate; });
        const double share = task.share / double(std::max<size_t>(1, children.size()));
        const auto size = nodes_.size();
        RegionForms forms(task.region->allowed);
        for (const auto& child : children) {
            if (child.estimate <= shared_.close_at()) {
                rule_.finish(share);
                continue;
            }
            if (rule_.stopped()) return rule_.cut_short();
            auto items = task.items;
            items.push_back({child.left, int32_t(child.share.first), int32_t(size)});
            items.push_back({child.right, int32_t(child.share.second), int32_t(size + 1)});
            const RegionName key = rule_.met_.name(forms, items);
            if (const auto met = rule_.met_.find(key); !met.empty()) {
                write_region(journal_, number, child.first, child.second, {}, met);
                rule_.finish(share);
                continue;
            }
            nodes_.resize(size);
            nodes_[item.node] = {child.first, int32_t(size), int32_t(size + 1), -1};
            nodes_.resize(size + 2);
            hand_over_or_descend({task.region,
                                  std::move(items),
                                  task.partial,
                                  number,
                                  child.first,
                                  child.second,
                                  {},
                                  {},
                                  -1,
                                  share,
                                  key});
        }
        nodes_.resize(size);
    }

    void settle(const TreeTask& task, const Item& item, double elsewhere, int32_t number) {
        std::vector<std::pair<double, int>> actions;
        for (const int a : task.partial->actions(task.region->allowed, item.cube)) {
            actions.emplace_back(elsewhere - task.partial->leaf_loss(item.cube, a), a);
        }
        std::stable_sort(actions.begin(), actions.end(), [](auto& x, auto& y) { return x.first > y.first; });
        const double share = task.share / double(std::max<size_t>(1, actions.size()));
        const int32_t sibling_before = sibling_;
        for (const auto& [estimate, a] : actions) {
            if (estimate > shared_.close_at() && rule_.stopped()) return rule_.cut_short();
            if (estimate <= shared_.close_at() ||
                (shared_.switches.solo && rule_.solo_.hopeless(bounder_, item.cube, a))) {
                rule_.finish(share);
                continue;
            }
            if (!take(task, item, a, number, share)) return rule_.cut_short();
            sibling_ = sibling_before;
        }
    }

    // Lets a leaf take an action; false if the time was up.
    bool take(const TreeTask& task, const Item& item, int action, int32_t number, double share) {
        const auto region = std::make_shared<Region>(*task.region);
        TreeTask child{region, task.items, {}, number, action, 0, {}, {}, -1, share, {}};
        for (const int32_t* g = cubes_.begin(item.cube); g != cubes_.end(item.cube); ++g) {
            if (task.partial->reached(*g)) region->allowed.keep_only(*g, action);
        }
        nodes_[item.node] = {-1, -1, -1, int32_t(action)};
        RegionForms forms(region->allowed);
        child.key = rule_.met_.name(forms, child.items);
        if (const auto met = rule_.met_.find(*child.key); !met.empty()) {
            write_region(journal_, number, action, 0, {}, met);
            rule_.finish(share);
            return true;
        }
        look_and_listen();
        child.draft.brief = journal_.brief();
        const Verdict verdict =
            bounder_.process(*region, child.items, 3, true, journal_.on ? &child.draft : nullptr, nullptr,
                             child.items.empty() ? Effort::full : Effort::rough);
        if (verdict == Verdict::stopped) return false;
        if (verdict == Verdict::closed) {
            write(child, {0});
            rule_.finish(share);
            return true;
        }
        child.partial = partial(*region);
        sibling_ = item.node % 2 == 1 ? item.node + 1 : item.node - 1;
        hand_over_or_descend(std::move(child));
        return true;
    }

    // The tree is whole: what it is worth closes its region, once the region's bound is sharp.
    void complete(TreeTask& task) {
        std::vector<int32_t> action_of;
        actions_of_tree(cubes_, nodes_, m_.num_groups, action_of);
        std::vector<double> value = task.region->relaxed.value;
        offer_tree(shared_, bounder_.relaxer, nodes_, action_of, value);
        Region region = *task.region;
        task.draft.brief = journal_.brief();
        const Verdict verdict = bounder_.process(region, {}, 1, false, journal_.on ? &task.draft : nullptr);
        if (verdict == Verdict::stopped) return rule_.cut_short();
        if (verdict == Verdict::open) rule_.leave_open(region.bound);
        write(task, {0});
        rule_.finish(task.share);
    }

    TreeRule& rule_;
    Shared& shared_;
    const GroupedModel& m_;
    const Cubes& cubes_;
    Journal& journal_;
    Bounder& bounder_;
    std::function<void()> meanwhile_;
    std::vector<TreeNode> nodes_;
    int32_t sibling_ = -1;
    size_t heard_ = 0;  // of hopeless leaves
};

}  // namespace spotree::proof
