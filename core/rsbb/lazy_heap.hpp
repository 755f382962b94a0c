// Whose turn it is: the entry with the smallest loss, of equals the newest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace spotree::rsbb {

// A heap of all entries would be taken from the far ends of memory at every turn. This one is a heap of the
// near ones, small enough for a cache; the rest lies in piles, each beyond the last, and is sorted only when
// its turn comes (as in quicksort, one half at a time). The order is that of one heap. An Entry has a `loss`
// and an `order`, which is larger the newer it is.
template <class Entry, size_t kNear = size_t{1} << 15>
class Queue {
  public:
    bool empty() const { return size_ == 0; }
    int64_t size() const { return static_cast<int64_t>(size_); }
    const Entry& top() const { return near_.front(); }

    void push(const Entry& entry) {
        ++size_;
        if (!(entry.loss > border_)) {
            near_.push_back(entry);
            std::push_heap(near_.begin(), near_.end(), later);
            if (near_.size() > most_near_) push_away();
            return;
        }
        auto pile = far_.rbegin();  // the last one has no border
        while (entry.loss > pile->border) ++pile;
        pile->entries.push_back(entry);
    }

    Entry pop() {
        std::pop_heap(near_.begin(), near_.end(), later);
        const Entry entry = near_.back();
        near_.pop_back();
        --size_;
        if (near_.empty()) come_near();
        return entry;
    }

    // Drops all entries that say so.
    template <class Which>
    void erase_if(const Which& which) {
        std::erase_if(near_, which);
        size_ = near_.size();
        std::make_heap(near_.begin(), near_.end(), later);
        for (Pile& pile : far_) {
            std::erase_if(pile.entries, which);
            size_ += pile.entries.size();
        }
        if (near_.empty()) come_near();
    }

    template <class Look>
    void each(const Look& look) const {
        for (const Entry& entry : near_) look(entry);
        for (const Pile& pile : far_) {
            for (const Entry& entry : pile.entries) look(entry);
        }
    }

  private:
    struct Pile {
        double border;  // no loss is larger; those of nearer piles are smaller than all losses here
        std::vector<Entry> entries;
    };

    static bool later(const Entry& a, const Entry& b) {
        return a.loss != b.loss ? a.loss > b.loss : a.order < b.order;
    }
    static bool less(const Entry& a, const Entry& b) { return a.loss < b.loss; }

    // The half with the larger losses, in no order, behind a border; empty where too many are equal.
    static std::vector<Entry> cut_off(std::vector<Entry>& entries, double& border) {
        const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2);
        std::nth_element(entries.begin(), middle, entries.end(), less);
        const double loss = middle->loss;
        const auto beyond =
            std::partition(middle, entries.end(), [&](const Entry& entry) { return entry.loss <= loss; });
        std::vector<Entry> rest(beyond, entries.end());
        if (rest.empty()) return rest;
        entries.erase(beyond, entries.end());
        border = loss;
        return rest;
    }

    void push_away() {
        const double outer = border_;
        std::vector<Entry> rest = cut_off(near_, border_);
        if (!rest.empty()) far_.push_back({outer, std::move(rest)});
        most_near_ = std::max(kNear, 2 * near_.size());
        std::make_heap(near_.begin(), near_.end(), later);
    }

    // The next pile becomes the near one; of a large one its smaller half, again and again.
    void come_near() {
        while (near_.empty() && !far_.empty()) {
            border_ = far_.back().border;
            near_ = std::move(far_.back().entries);
            far_.pop_back();
        }
        if (near_.empty()) border_ = std::numeric_limits<double>::infinity();
        while (near_.size() > kNear / 2) {
            const double outer = border_;
            std::vector<Entry> rest = cut_off(near_, border_);
            if (rest.empty()) break;
            far_.push_back({outer, std::move(rest)});
        }
        most_near_ = std::max(kNear, 2 * near_.size());
        std::make_heap(near_.begin(), near_.end(), later);
    }

    std::vector<Entry> near_;                                  // a heap
    double border_ = std::numeric_limits<double>::infinity();  // of the near ones
    size_t most_near_ = kNear;
    std::vector<Pile> far_;  // the nearest is the last
    size_t size_ = 0;
};

}  // namespace spotree::rsbb
