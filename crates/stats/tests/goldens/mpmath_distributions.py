"""Reference values at hard places of the distributions: `python3 mpmath_distributions.py > mpmath_distributions.json`."""
import json
import mpmath as mp

mp.mp.dps = 40
cases = []


def put(f, value, **arguments):
    if abs(value) > mp.mpf("1e-290"):
        cases.append({"f": f, **{k: float(v) for k, v in arguments.items()}, "value": float(value)})


def lower_beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


shapes = [0.01, 0.5, 3.7, 60, 2500]
for a in shapes:
    for b in shapes:
        a_, b_ = mp.mpf(a), mp.mpf(b)
        mean, sd = a_ / (a_ + b_), mp.sqrt(a_ * b_ / (a_ + b_) ** 2 / (a_ + b_ + 1))
        for z in (-6, 0, 2):
            x = float(mean + z * sd)
            if 0 < x < 1:
                put("beta_cdf", lower_beta(a_, b_, mp.mpf(x)), a=a, b=b, x=x)
for a in shapes:
    a_ = mp.mpf(a)
    for z in (-5, -1, 0, 1, 8):
        x = float(a_ + z * mp.sqrt(a_))
        if x > 0:
            put("gamma_lower", mp.gammainc(a_, 0, mp.mpf(x), regularized=True), a=a, x=x)
            put("gamma_upper", mp.gammainc(a_, mp.mpf(x), mp.inf, regularized=True), a=a, x=x)
for df in (0.7, 1, 3, 10.5, 300, 5000):
    d = mp.mpf(df)
    for x in (1e-8, 0.01, 1, 3, 15, 1e4):
        x_ = mp.mpf(x)
        put("t_sf", lower_beta(d / 2, mp.mpf(1) / 2, d / (d + x_ * x_)) / 2, df=df, x=x)
for df in (2, 9, 40):
    d = mp.mpf(df)
    a = d / 2
    norm = mp.log(2) + a * mp.log(a) - mp.loggamma(a)
    sd = 1 / mp.sqrt(2 * d)
    marks = [mp.mpf(10) ** -12, mp.mpf(10) ** -4] + [m for m in (1 + k * sd for k in range(-9, 10, 2)) if m > 0.02] + [1 + 14 * sd]
    for nc in (-1, 3, 12):
        for x in (0.5, 9):
            f = lambda s: mp.exp(norm + (d - 1) * mp.log(s) - a * s * s) * mp.ncdf(nc - x * s)
            mp.mp.dps = 20
            value = mp.quad(f, marks)
            mp.mp.dps = 40
            if value > mp.mpf("1e-12"):
                put("nct_sf", value, df=df, nc=nc, x=x)
print(json.dumps({
    "about": "Distribution functions at hard places: large and small shapes, both tails.",
    "reference": {"mpmath": mp.__version__},
    "tolerance": "relative 1e-12 (nct: 1e-10)",
    "cases": cases,
}, indent=0))
