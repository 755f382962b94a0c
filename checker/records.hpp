// The regions of a certificate, found in its two streams; the layout is in docs/proof.md. Nothing is copied:
// a record knows where its rounds stand.
#pragma once

#include <array>
#include <unordered_map>

#include "model.hpp"

namespace checker {

struct Record {
    int32_t number, parent, first, second, rounds;
    size_t words, numbers;  // where its rounds begin in the streams
    std::span<const int32_t> branching;
    bool referred = false;  // some region is said to equal this one or its image
};

struct Floor {
    int32_t state;
    double scale;
    const double* value;  // [state]
};

struct Round {
    bool regret = false, brief = false;
    int32_t sweeps = 0;
    std::vector<Floor> floors;
    std::span<const int32_t> removed, states;  // group * actions + action; states with a new value
    const double* values = nullptr;            // of these states, or [state] if the round is not brief
    const double* visits = nullptr;            // [state], if it is not brief and has regret
};

constexpr int kMostSweeps = 1000;

// Takes the rounds of a record one after the other from the streams.
class Reader {
  public:
    Reader(std::span<const int32_t> words, std::span<const double> numbers, int states, size_t word = 0,
           size_t number = 0)
        : words_(words), numbers_(numbers), states_(states), word_(word), number_(number) {}

    size_t word() const { return word_; }
    size_t number() const { return number_; }
    bool ended() const { return word_ == words_.size(); }

    std::span<const int32_t> words(int64_t count) {
        if (count < 0 || size_t(count) > words_.size() - word_)
            reject("the certificate is malformed: its words end early");
        word_ += size_t(count);
        return words_.subspan(word_ - size_t(count), size_t(count));
    }

    const double* numbers(int64_t count) {
        if (count < 0 || size_t(count) > numbers_.size() - number_)
            reject("the certificate is malformed: its numbers end early");
        number_ += size_t(count);
        return numbers_.data() + number_ - size_t(count);
    }

    Round round() {
        const auto head = words(3);
        Round found;
        if (head[0] < 0 || head[0] > 3) reject("the certificate is malformed: a round of kind ", head[0]);
        found.regret = head[0] & 1;
        found.brief = head[0] & 2;
        if (found.brief && head[1]) reject("the certificate is malformed: a brief round with floors");
        const auto floors = words(head[1]);
        found.removed = words(head[2]);
        if (found.brief) {
            const auto how = words(2);
            found.sweeps = how[0];
            if (found.sweeps < 0 || found.sweeps > kMostSweeps)
                reject("the certificate is malformed: ", how[0], " sweeps");
            found.states = words(how[1]);
            for (const int32_t i : found.states) {
                if (i < 0 || i >= states_) reject("the certificate is malformed: there is no state ", i);
            }
            found.values = numbers(how[1]);
            return found;
        }
        found.values = numbers(states_);
        for (const int32_t state : floors) {
            const double* scale = numbers(2);  // and the level that the search had
            found.floors.push_back({state, *scale, numbers(states_)});
        }
        if (found.regret) found.visits = numbers(states_);
        return found;
    }

  private:
    std::span<const int32_t> words_;
    std::span<const double> numbers_;
    int states_;
    size_t word_, number_;
};

class Records {
  public:
    std::vector<Record> all;
    int32_t root = -1;  // place in `all`

    Records(std::span<const int32_t> words, std::span<const double> numbers, int states)
        : words_(words), numbers_(numbers), states_(states) {
        for (const double x : numbers) {
            if (!(std::abs(x) <= kMost))
                reject("the certificate is malformed: a number is not finite, or beyond 1e100");
        }
        Reader reader(words, numbers, states);
        std::unordered_map<int32_t, int32_t> place;
        while (!reader.ended()) {
            const size_t begin = reader.word();
            const auto head = reader.words(6);
            const size_t length = head[0] < 0 ? 0 : size_t(head[0]);
            reader.numbers(1);  // the bound that the search had, for resuming
            Record record{head[1], head[2], head[3], head[4], head[5], reader.word(), reader.number(), {}};
            for (int32_t k = 0; k < record.rounds; ++k) reader.round();
            if (reader.word() >= begin + length)
                reject("the certificate is malformed: region ", head[1], " has no branching");
            record.branching = reader.words(int64_t(begin + length - reader.word()));
            if (record.rounds < 0 || !place.try_emplace(record.number, int32_t(all.size())).second)
                reject("the certificate is malformed: region ", head[1],
                       " stands there twice, or has no rounds");
            if (record.parent == -1 && std::exchange(root, int32_t(all.size())) >= 0)
                reject("there must be one root region");
            if (record.parent >= 0 &&
                !parts_.try_emplace({record.parent, record.first, record.second}, int32_t(all.size())).second)
                reject("region ", record.parent, " has one part twice");
            all.push_back(record);
        }
        if (reader.number() != numbers.size())
            reject("the certificate is malformed: it has more numbers than regions need");
        if (root < 0) reject("the certificate is malformed: it has no root region");
        for (const Record& record : all) {
            if (record.branching[0] != 6) continue;
            const auto at = record.branching.size() < 2 ? place.end() : place.find(record.branching[1]);
            if (at == place.end())
                reject("the certificate is malformed: region ", record.number, " stands nowhere");
            all[at->second].referred = true;
        }
    }

    // The parts of a region, by their two words.
    std::vector<int32_t> parts(const Record& whole) const {
        std::vector<int32_t> found;
        constexpr int32_t least = std::numeric_limits<int32_t>::min();
        for (auto at = parts_.lower_bound({whole.number, least, least});
             at != parts_.end() && at->first[0] == whole.number; ++at)
            found.push_back(at->second);
        return found;
    }

    // The part of a region with these two words; -1 if there is none.
    int32_t part(const Record& whole, int32_t first, int32_t second) const {
        const auto at = parts_.find({whole.number, first, second});
        return at == parts_.end() ? -1 : at->second;
    }

    Reader rounds(const Record& record) const {
        return {words_, numbers_, states_, record.words, record.numbers};
    }

  private:
    std::span<const int32_t> words_;
    std::span<const double> numbers_;
    int states_;
    std::map<std::array<int32_t, 3>, int32_t> parts_;  // whole and two words -> place
};

}  // namespace checker
