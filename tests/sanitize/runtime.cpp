// Runs threads that end, fail and are stopped under a sanitizer: what one throws comes out, and all end.
#include <stdexcept>

#include "random_models.hpp"
#include "runtime/threads.hpp"

namespace {

using namespace spotree;
using hostile::Chance;
using hostile::Report;

void trial(Chance& chance, Report& report) {
    const int threads = 1 + chance.below(4), bad = chance.below(6);
    Stop failing;
    std::atomic<int> begun{0};
    bool thrown = false;
    try {
        run_on(threads, failing, [&](int k) {
            ++begun;
            if (k == bad) throw std::runtime_error("no more");
            while (bad < threads && !failing.check()) std::this_thread::yield();
        });
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    report.expect(begun == threads && thrown == (bad < threads),
                  "what a thread throws comes out, once all ended");

    Stop levels;
    levels.begin(0.0);
    report.expect(levels.check() && levels.reason() == Reason::time, "time that is up raises");
    levels.end_after(1e8);
    report.expect(!levels.check(), "a later deadline lets it go on");
    {
        Threads left(levels);
        for (int k = 0; k < threads; ++k)
            left.start([&] {
                while (!levels.check()) std::this_thread::yield();
            });
        report.expect(!left.wait(0.0), "threads that nobody stops go on");
    }
    levels.raise(Reason::memory);
    levels.end_after(1e8);
    report.expect(levels.reason() == Reason::asked, "left early, threads are asked to end, and that stays");
    Stop full;
    full.raise(Reason::memory);
    full.raise(Reason::time);
    report.expect(full.reason() == Reason::memory, "the first reason stands");
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("run", argc, argv, 150, trial); }
