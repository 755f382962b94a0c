// A region in as few words as its step needs: how it waits for its turn.
#pragma once

#include <bit>
#include <stdexcept>
#include <string>

#include "rsbb/node.hpp"

namespace spotree::rsbb {

// Numbers of a few bits each, one after the other.
class BitWriter {
  public:
    explicit BitWriter(uint64_t* to) : to_(to) {}
    void put(uint64_t value, int bits) {
        word_ |= value << used_;
        used_ += bits;
        if (used_ < 64) return;
        *to_++ = word_;
        used_ -= 64;
        word_ = used_ > 0 ? value >> (bits - used_) : 0;
    }
    void finish() {
        if (used_ > 0) *to_ = word_;
    }

  private:
    uint64_t* to_;
    uint64_t word_ = 0;
    int used_ = 0;
};

class BitReader {
  public:
    explicit BitReader(const uint64_t* from) : from_(from) {}
    uint64_t get(int bits) {
        uint64_t value = *from_ >> used_;
        used_ += bits;
        if (used_ >= 64) {
            ++from_;
            used_ -= 64;
            if (used_ > 0) value |= *from_ << (bits - used_);
        }
        return bits < 64 ? value & ((uint64_t{1} << bits) - 1) : value;
    }

  private:
    const uint64_t* from_;
    int used_ = 0;
};

// Sets as bits; the ends of snapped intervals as numbers of candidate thresholds; of a node that does not
// split nothing, as nobody asks; of a leaf's certain loss what its actions say that it may still take.
class Code {
  public:
    Code(const Step& step, const Shape& shape, bool snap, uint64_t seed)
        : step_(step), shape_(shape), snap_(snap), root_(shape.root(seed)) {
        int64_t positions = 0;
        for (int32_t j = 0; j < step.features; ++j) positions += step.values[j] + 1;
        ends_.assign(step.position, step.position + positions);
        ends_.insert(ends_.end(), root_.low.begin(), root_.low.end());
        ends_.insert(ends_.end(), root_.high.begin(), root_.high.end());
        std::sort(ends_.begin(), ends_.end());
        ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
        end_bits_ = snap ? std::max(1, static_cast<int>(std::bit_width(ends_.size() - 1))) : 64;
        const size_t node_bits = 2 + static_cast<size_t>(step.features) + 2 * static_cast<size_t>(end_bits_);
        const size_t leaf_bits = 1 + static_cast<size_t>(step.actions);
        losses_at_ = 2 + (step.inner * node_bits + step.leaves * leaf_bits + 63) / 64;
    }

    size_t most_words() const { return losses_at_ + static_cast<size_t>(step_.leaves) * step_.actions; }

    // All but the bound; the number of words written.
    size_t write(const Subproblem& region, uint64_t* words) const {
        words[0] = std::bit_cast<uint64_t>(region.settled_loss);
        words[1] = region.key;
        BitWriter bits(words + 2);
        put_set(bits, shape_.split_set(region), step_.inner);
        put_set(bits, shape_.stop_set(region), step_.inner);
        for (int32_t t = 0; t < step_.inner; ++t) {
            if (!shape_.may_split(region, t)) continue;
            put_set(bits, shape_.features(region, t), step_.features);
            bits.put(number_of(region.low[t]), end_bits_);
            bits.put(number_of(region.high[t]), end_bits_);
        }
        uint64_t* at = words + losses_at_;
        for (int32_t l = 0; l < step_.leaves; ++l) {
            put_set(bits, shape_.actions(region, l), step_.actions);
            const bool rows = has_rows(region, l);
            bits.put(rows, 1);
            if (!rows) continue;
            const double* loss = region.certain_loss.data() + l * step_.actions;
            each_member(shape_.actions(region, l), step_.action_words,
                        [&](int32_t k) { *at++ = std::bit_cast<uint64_t>(loss[k]); });
        }
        bits.finish();
        return static_cast<size_t>(at - words);
    }

    // The number of words read.
    size_t read(const uint64_t* words, Subproblem& region) const {
        region.settled_loss = std::bit_cast<double>(words[0]);
        region.key = words[1];
        region.sets = root_.sets;
        region.low = root_.low;
        region.high = root_.high;
        BitReader bits(words + 2);
        get_set(bits, shape_.split_set(region), step_.inner);
        get_set(bits, shape_.stop_set(region), step_.inner);
        for (int32_t t = 0; t < step_.inner; ++t) {
            if (!shape_.may_split(region, t)) continue;
            get_set(bits, shape_.features(region, t), step_.features);
            region.low[t] = end_of(bits.get(end_bits_));
            region.high[t] = end_of(bits.get(end_bits_));
        }
        region.certain_loss.clear();
        const uint64_t* at = words + losses_at_;
        for (int32_t l = 0; l < step_.leaves; ++l) {
            get_set(bits, shape_.actions(region, l), step_.actions);
            if (bits.get(1) == 0) continue;
            if (region.certain_loss.empty()) region.certain_loss.assign(step_.leaves * step_.actions, 0.0);
            double* loss = region.certain_loss.data() + l * step_.actions;
            each_member(shape_.actions(region, l), step_.action_words,
                        [&](int32_t k) { loss[k] = std::bit_cast<double>(*at++); });
        }
        return static_cast<size_t>(at - words);
    }

  private:
    static void put_set(BitWriter& bits, const uint64_t* set, int32_t size) {
        for (; size >= 64; size -= 64) bits.put(*set++, 64);
        if (size > 0) bits.put(*set, size);
    }
    static void get_set(BitReader& bits, uint64_t* set, int32_t size) {
        for (; size >= 64; size -= 64) *set++ = bits.get(64);
        if (size > 0) *set = bits.get(size);
    }

    uint64_t number_of(double end) const {
        if (!snap_) return std::bit_cast<uint64_t>(end);
        const int64_t number = count_below(ends_.data(), std::ssize(ends_), end);
        if (number == std::ssize(ends_) || ends_[number] != end)
            throw std::logic_error("a snapped interval of rsbb ends between two thresholds");
        return static_cast<uint64_t>(number);
    }
    double end_of(uint64_t number) const { return snap_ ? ends_[number] : std::bit_cast<double>(number); }

    // Whether the certain loss says anything; what it is of actions that a leaf may not take is never asked.
    bool has_rows(const Subproblem& region, int32_t leaf) const {
        if (region.certain_loss.empty()) return false;
        const double* loss = region.certain_loss.data() + leaf * step_.actions;
        bool any = false;
        for (int32_t k = 0; k < step_.actions; ++k) any |= loss[k] != 0;
        return any;
    }

    const Step& step_;
    const Shape& shape_;
    const bool snap_;
    const Subproblem root_;
    std::vector<double> ends_;  // of snapped intervals, ascending
    int end_bits_;
    size_t losses_at_;
};

// What can be computed anew is not packed, but for the bound, which sorts regions that nobody unpacks. A
// packed region is a claim: `unpack` takes none that is not part of the whole space, or that holds no tree.
class Packing {
  public:
    Packing(const Step& step, const Shape& shape, uint64_t seed)
        : step_(step), shape_(shape), root_(shape.root(seed)) {}

    size_t width() const { return 2 + root_.sets.size() + 2 * static_cast<size_t>(step_.inner); }

    void pack(const Subproblem& region, std::vector<int64_t>& words) const {
        words.push_back(std::bit_cast<int64_t>(region.least_loss));
        words.push_back(std::bit_cast<int64_t>(region.key));
        for (const uint64_t word : region.sets) words.push_back(std::bit_cast<int64_t>(word));
        for (const double low : region.low) words.push_back(std::bit_cast<int64_t>(low));
        for (const double high : region.high) words.push_back(std::bit_cast<int64_t>(high));
    }

    // Leaves the bound and the losses to be computed.
    void unpack(const int64_t* words, int64_t number, Subproblem& region) const {
        region = root_;
        region.key = std::bit_cast<uint64_t>(words[1]);
        words += 2;
        for (uint64_t& word : region.sets) {
            word = std::bit_cast<uint64_t>(*words++);
        }
        for (double& low : region.low) low = std::bit_cast<double>(*words++);
        for (double& high : region.high) high = std::bit_cast<double>(*words++);
        for (size_t w = 0; w < region.sets.size(); ++w) {
            if ((region.sets[w] & ~root_.sets[w]) != 0) refuse(number, "allows what the problem does not");
        }
        for (int32_t t = 0; t < step_.inner; ++t) check(region, t, number);
        for (int32_t l = 0; l < step_.leaves; ++l) {
            if (shape_.action_count(region, l) == 0) refuse(number, "has a leaf without an action");
        }
        if (!shape_.fits_leaves(region)) refuse(number, "needs more leaves than are allowed");
    }

  private:
    void check(Subproblem& region, int32_t node, int64_t number) const {
        if (!shape_.may_split(region, node) && !shape_.may_stop(region, node))
            refuse(number, "has a node that may neither split nor stop");
        if (!(root_.low[node] <= region.low[node] && region.low[node] <= region.high[node] &&
              region.high[node] <= root_.high[node]))
            refuse(number, "has thresholds outside of their range");
        if (node > 0 && shape_.may_split(region, node) && !shape_.may_split(region, (node - 1) / 2))
            refuse(number, "splits below a node that does not");
        if (!shape_.may_split(region, node)) return;
        if (shape_.feature_count(region, node) == 0 || !shape_.tighten(region, node))
            refuse(number, "has a split without a feature");
    }

    [[noreturn]] static void refuse(int64_t number, const char* why) {
        throw std::invalid_argument("region " + std::to_string(number) + " " + why);
    }

    const Step& step_;
    const Shape& shape_;
    const Subproblem root_;
};

}  // namespace spotree::rsbb
