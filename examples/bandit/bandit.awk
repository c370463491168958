# A ten-armed bandit: plays `steps` rounds by `policy` and reports to the file that FAIRTRIAL_METRICS names.
# Only POSIX awk. The generator is written out, so that a seed gives the same game with every awk.

function uniform() {                       # Lehmer generator, modulus 2^31 - 1
    state = (state * 16807) % 2147483647
    return state / 2147483647
}

function normal() {                        # Box and Muller
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())
}

function best_by_estimate(   arm, best) {
    best = 1
    for (arm = 2; arm <= arms; arm++) if (estimate[arm] > estimate[best]) best = arm
    return best
}

function best_by_bound(step,   arm, best, bound, highest) {
    for (arm = 1; arm <= arms; arm++) {
        if (pulls[arm] == 0) return arm
        bound = estimate[arm] + sqrt(0.5 * log(step) / pulls[arm])
        if (arm == 1 || bound > highest) { highest = bound; best = arm }
    }
    return best
}

function choose(step) {
    if (policy == "ucb") return best_by_bound(step)
    if (policy == "greedy") return uniform() < 0.1 ? 1 + int(uniform() * arms) : best_by_estimate()
    print "unknown policy: " policy > "/dev/stderr"
    exit 2
}

BEGIN {
    arms = 10
    state = (seed * 48271 + 11) % 2147483647
    for (warm = 0; warm < 20; warm++) uniform()
    for (arm = 1; arm <= arms; arm++) {
        value[arm] = normal()
        estimate[arm] = 0
        pulls[arm] = 0
        if (arm == 1 || value[arm] > best_value) best_value = value[arm]
    }
    report = ENVIRON["FAIRTRIAL_METRICS"]
    if (report == "") report = "/dev/stdout"
    for (step = 1; step <= steps; step++) {
        arm = choose(step)
        reward = value[arm] + normal()
        pulls[arm]++
        estimate[arm] += (reward - estimate[arm]) / pulls[arm]
        regret += best_value - value[arm]
        window += value[arm]
        if (step % 50 == 0) {
            printf "{\"step\": %d, \"reward\": %.6f}\n", step, window / 50 >> report
            window = 0
        }
    }
    printf "{\"regret\": %.6f}\n", regret >> report
    printf "%s, seed %d: regret %.1f after %d steps\n", policy, seed, regret, steps
}
