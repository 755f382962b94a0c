// One thread that follows rule "tree": descends from a region to its parts, deepest first.
#pragma once

#include <functional>

#include "proof/branching/tree_rule.hpp"
#include "proof/nodes/evaluate_tree.hpp"
#include "proof/nodes/grouped_model.hpp"

namespace spotree::proof {

// A region whose partial tree is to be continued, before that is written down.
struct TreeTask {
    std::shared_ptr<const Subproblem> region;
    std::vector<Item> items;
    std::shared_ptr<const Partial> partial;
    int32_t parent, first, second;
    Draft draft;
    double share;  // of the whole search
    std::optional<SubproblemHash> key;
    std::shared_ptr<LeafCache> closed = std::make_shared<LeafCache>();  // of the region
};

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
        Subproblem root = rule_.root_;
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
        if (verdict == Verdict::open) {
            nodes_.assign(1, {});
            TreeTask task{std::make_shared<const Subproblem>(root),
                          whole,
                          partial(root),
                          -1,
                          0,
                          0,
                          draft,
                          1.0,
                          {},
                          std::make_shared<LeafCache>()};
            if (auto piece = parted(task)) {
                hand_over(std::move(*piece));
            } else if (!complete(task)) {
                rule_.cut_short();
            }
        }
        if (verdict == Verdict::closed) write_region(journal_, -1, 0, 0, draft, {0});
        if (verdict == Verdict::stopped) rule_.cut_short();
        rule_.begun_ = true;
    }

    // Returns when everything is closed or the time is up.
    void work() {
        auto over = [&] { return rule_.enough() || rule_.over(); };
        while (auto piece = rule_.team_.take(over)) {
            nodes_ = std::move(piece->nodes);
            sibling_ = piece->sibling;
            go_on(*piece);
            rule_.team_.done(std::exchange(kept_, {}));
        }
    }

  private:
    using Shape = std::shared_ptr<const Partial>;

    Shape partial(const Subproblem& region) const {
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

    void hand_over(OpenSubproblem piece) {
        pack(piece);
        rule_.team_.put(std::move(piece));
    }

    // The time is up: what is left of a piece is for whoever goes on.
    void keep(OpenSubproblem& piece) {
        pack(piece);
        kept_.push_back(std::move(piece));
    }

    void pack(OpenSubproblem& piece) const {
        piece.nodes = nodes_;
        piece.sibling = sibling_;
        piece.forget_open_nodes();
    }

    // Parts a region and lets somebody follow its children, also when the time is up: what was found about it
    // is not lost. False if it is still to be done.
    bool descend(TreeTask& task) {
        auto piece = parted(task);
        if (!piece) return complete(task);
        if (rule_.team_.hungry()) {
            hand_over(std::move(*piece));
        } else {
            go_on(*piece);
        }
        return true;
    }

    // Writes down how a region is parted; nothing where no node is open any more.
    std::optional<OpenSubproblem> parted(TreeTask& task) {
        const Partial& shape = *task.partial;
        auto& items = task.items;
        if (meanwhile_) meanwhile_();
        std::erase_if(items, [&](const Item& item) {
            if (shape.anything_reached(item.cube)) return false;
            nodes_[item.node] = {-1, -1, -1, 0};
            return true;
        });
        std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
            return *cubes_.begin(a.cube) < *cubes_.begin(b.cube);
        });
        if (items.empty()) return {};
        const size_t at = choose(items, shape);
        const Item item = items[at];
        const bool splits = shape.splittable(item);
        const int32_t number = write(task, {splits ? 2 : 3, int32_t(at)});
        items.erase(items.begin() + int64_t(at));
        OpenSubproblem piece{task.region, task.partial, items, item, splits, number, task.share,
                             {},          -1,           false, {},   0,      {},     task.closed};
        return piece;
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

    // Follows the children one after the other, deepest first.
    void go_on(OpenSubproblem& piece) {
        const auto size = nodes_.size();
        const int32_t sibling = sibling_;
        if (!piece.partial && !revive(piece)) return keep(piece);
        if (piece.children.empty()) piece.list();
        SubproblemForms forms(piece.region->allowed);
        for (; piece.next < piece.children.size(); ++piece.next) {
            const Child& child = piece.children[piece.next];
            if (child.estimate <= shared_.close_at()) {
                rule_.finish(piece.share);
                continue;
            }
            const bool done =
                !rule_.stopped() && (piece.splits ? split(piece, child, forms) : take(piece, child.first));
            nodes_.resize(size);
            sibling_ = sibling;
            if (!done) return keep(piece);
        }
    }

    // Finds anew what a piece from elsewhere knew of its region; false if the time was up. Children that lose
    // too much are not written down, so no more may be found than was written about the region: bounds were
    // rough where a leaf takes an action, sharp where nothing but the root was bounded.
    bool revive(OpenSubproblem& piece) {
        listen();
        Subproblem region = *piece.region;
        const bool settled = std::any_of(nodes_.begin(), nodes_.end(), [](auto& n) { return n.action >= 0; });
        const Verdict verdict = bounder_.process(region, piece.open(), 1, false, nullptr, nullptr,
                                                 settled ? Effort::again : Effort::none);
        if (verdict == Verdict::stopped) return false;
        if (verdict == Verdict::closed) {  // by a better tree: so are all children
            rule_.finish(piece.share * double(piece.listed ? piece.wanted.size() : 1));
            piece.wanted.clear();
            piece.listed = true;
        }
        piece.partial = partial(region);
        piece.region = std::make_shared<const Subproblem>(std::move(region));
        return true;
    }

    // Splits a node in one way; false if that is still to be done.
    bool split(const OpenSubproblem& piece, const Child& child, SubproblemForms& forms) {
        const auto size = int32_t(nodes_.size());
        auto items = piece.items;
        items.push_back({child.left, int32_t(child.share.first), size});
        items.push_back({child.right, int32_t(child.share.second), size + 1});
        const SubproblemHash key = rule_.met_.name(forms, items);
        if (const auto met = rule_.met_.find(key); !met.empty()) {
            write_region(journal_, piece.number, child.first, child.second, {}, met);
            rule_.finish(piece.share);
            return true;
        }
        nodes_[piece.item.node] = {child.first, size, size + 1, -1};
        nodes_.resize(size_t(size) + 2);
        TreeTask task{piece.region, std::move(items), piece.partial, piece.number, child.first, child.second,
                      {},           piece.share,      key,           piece.closed};
        return descend(task);
    }

    // Lets a leaf take an action; false if that is still to be done.
    bool take(const OpenSubproblem& piece, int action) {
        const Item& item = piece.item;
        if (shared_.switches.solo && rule_.solo_.hopeless(bounder_, item.cube, action)) {
            rule_.finish(piece.share);
            return true;
        }
        if (const auto shown = piece.closed->find(item.cube, action)) {
            write_region(journal_, piece.number, action, 0, *shown, {0});
            rule_.finish(piece.share);
            return true;
        }
        const auto region = std::make_shared<Subproblem>(*piece.region);
        TreeTask child{region, piece.items, {}, piece.number, action, 0, {}, piece.share, {}};
        for (const int32_t* g = cubes_.begin(item.cube); g != cubes_.end(item.cube); ++g) {
            if (piece.partial->reached(*g)) region->allowed.keep_only(*g, action);
        }
        nodes_[item.node] = {-1, -1, -1, int32_t(action)};
        SubproblemForms forms(region->allowed);
        child.key = rule_.met_.name(forms, child.items);
        if (const auto met = rule_.met_.find(*child.key); !met.empty()) {
            write_region(journal_, piece.number, action, 0, {}, met);
            rule_.finish(piece.share);
            return true;
        }
        look_and_listen();
        child.draft.brief = journal_.brief();
        const Verdict verdict =
            bounder_.process(*region, child.items, 3, true, journal_.on ? &child.draft : nullptr, nullptr,
                             child.items.empty() ? Effort::full : Effort::rough);
        if (verdict == Verdict::stopped) return false;
        if (verdict == Verdict::closed) {
            if (bounder_.made == 1 && region->relaxed.bound <= shared_.close_at())
                piece.closed->add(item.cube, action, child.draft);
            write(child, {0});
            rule_.finish(piece.share);
            return true;
        }
        child.partial = partial(*region);
        sibling_ = item.node % 2 == 1 ? item.node + 1 : item.node - 1;
        return descend(child);
    }

    // The tree is whole: what it is worth closes its region, once the region's bound is sharp. False if the
    // time was up.
    bool complete(TreeTask& task) {
        std::vector<int32_t> action_of;
        actions_of_tree(cubes_, nodes_, m_.num_groups, action_of);
        std::vector<double> value = task.region->relaxed.value;
        offer_tree(shared_, bounder_.relaxer, nodes_, action_of, value);
        Subproblem region = *task.region;
        task.draft.brief = journal_.brief();
        const Verdict verdict = bounder_.process(region, {}, 1, false, journal_.on ? &task.draft : nullptr);
        if (verdict == Verdict::stopped) return false;
        if (verdict == Verdict::open) rule_.leave_open(region.relaxed.bound);  // as its record says
        write(task, {0});
        rule_.finish(task.share);
        return true;
    }

    TreeRule& rule_;
    Shared& shared_;
    const GroupedModel& m_;
    const FeatureBoxes& cubes_;
    ProofLog& journal_;
    Bounder& bounder_;
    std::function<void()> meanwhile_;
    std::vector<TreeNode> nodes_;
    int32_t sibling_ = -1;
    size_t heard_ = 0;                  // of hopeless leaves
    std::vector<OpenSubproblem> kept_;  // deepest first
};

}  // namespace spotree::proof
