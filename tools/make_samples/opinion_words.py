"""Opinion words in graded strength; the earlier in its list, the more often a word is used."""

from .bank import Polarity, words

SEED_WORDS: dict[Polarity, tuple[str, ...]] = {
    "neg": ("awful", "dreadful", "boring"),
    "pos": ("superb", "delightful", "brilliant"),
}

# Of a whole film or a whole product: "a gripping thriller", "it is gripping".
STRONG: dict[str, dict[Polarity, tuple[str, ...]]] = {
    "film": {
        "pos": words("""
            wonderful, excellent, gripping, moving, charming, terrific, beautiful, funny,
            touching, captivating, fantastic, gorgeous, clever, marvellous, stunning,
            engrossing, thrilling, hilarious, heartfelt, tender, dazzling, riveting,
            magnificent, masterly, exquisite, spellbinding, poignant, uplifting, absorbing,
            witty, mesmerising, exhilarating, luminous, impeccable, unforgettable, sublime,
            enchanting, inventive, assured, sparkling, razor-sharp, warm-hearted,
            life-affirming, jaw-dropping, first-rate, top-notch, flawless, phenomenal,
            sensational, breathtaking, exuberant, bewitching, elegant, ravishing, irresistible,
            stirring, rousing, compelling, extraordinary, glorious, disarming, joyous,
            sumptuous, nimble, bracing, rewarding, big-hearted, intoxicating, wise, soulful,
            immaculate, astonishing, blistering, exacting, lyrical, hypnotic, fearless,
            unmissable, bold"""),
        "neg": words("""
            terrible, horrible, tedious, dull, painful, atrocious, lifeless, ridiculous,
            unbearable, insufferable, dire, laughable, abysmal, pathetic, unwatchable,
            excruciating, incoherent, soulless, mind-numbing, appalling, ghastly, shambolic,
            clumsy, joyless, insulting, embarrassing, cringeworthy, idiotic, amateurish,
            turgid, wretched, vapid, witless, leaden, interminable, charmless, tiresome, lousy,
            hopeless, woeful, inept, bloated, sloppy, hollow, preposterous, nauseating,
            grating, stupefying, execrable, toothless, inane, half-baked, overwrought,
            plodding, ham-fisted, humourless, unfunny, cynical, disastrous, exhausting, bland,
            drab, rotten, mawkish, smug, airless, gormless, numbing, self-important, syrupy,
            misjudged, ugly, brainless, dismal, pretentious, wearying, inert, garbled"""),
    },
    "product": {
        "pos": words("""
            excellent, fantastic, wonderful, great, terrific, reliable, sturdy, gorgeous,
            handy, marvellous, flawless, outstanding, impressive, stunning, rock-solid,
            well-built, clever, faultless, elegant, magnificent, top-notch, first-rate,
            phenomenal, dependable, indestructible, indispensable, beautifully made,
            effortless, bulletproof, ingenious, amazing, incredible, stellar, robust,
            exceptional, splendid, unbeatable, premium, lovely, trusty, polished, hard-wearing,
            perfect, brainy, slick, nifty, immaculate, unflappable, foolproof, unstoppable,
            thoughtfully designed, over-engineered, rugged, trouble-free, smashing, fabulous,
            cracking, admirable, hassle-free, beautifully balanced"""),
        "neg": words("""
            terrible, horrible, useless, flimsy, shoddy, defective, unreliable, dangerous,
            worthless, atrocious, abysmal, infuriating, hopeless, unusable, pathetic,
            appalling, faulty, maddening, lousy, dire, ridiculous, embarrassing, woeful,
            ghastly, rickety, junky, wretched, botched, laughable, insulting, rubbish,
            inexcusable, miserable, slapdash, cheap-looking, cheaply made, badly built,
            ill-conceived, crummy, tatty, crooked, brittle, temperamental, fragile, overpriced,
            nasty, poorly made, rotten, disastrous, frustrating, second-rate, crude, hideous,
            misleading, substandard, trashy, unacceptable, inferior, hateful, dismal"""),
    },
}

MILD: dict[str, dict[Polarity, tuple[str, ...]]] = {
    "film": {
        "pos": words("""
            good, likeable, enjoyable, solid, decent, pleasant, watchable, sweet, entertaining,
            satisfying, thoughtful, fun, well-made, engaging, smart, amiable,
            refreshing, fresh, endearing, sincere, lively, classy, worthwhile, agreeable,
            breezy, playful, graceful, spirited, sure-footed, nicely judged, warm, crisp, pacy"""),
        "neg": words("""
            weak, flat, forgettable, slow, uneven, predictable, mediocre, disappointing,
            muddled, thin, lacklustre, overlong, derivative, stale, pointless, shallow,
            unconvincing, formulaic, contrived, uninspired, tired, confused, underwhelming,
            aimless, sluggish, dated, undercooked, patchy, messy, laboured, glum, heavy-handed,
            stodgy, second-hand, routine"""),
    },
    "product": {
        "pos": words("""
            good, decent, solid, useful, practical, comfortable, well-rounded, sensible,
            pleasant, neat, handsome, capable, well-priced, quick, compact, sound, fuss-free,
            likeable, straightforward, well-finished, nicely weighted, convenient, smart,
            no-nonsense, economical, considered"""),
        "neg": words("""
            disappointing, mediocre, weak, underwhelming, clumsy, awkward, slow, fiddly, fussy,
            bulky, dated, uninspired, inconsistent, patchy, forgettable, limited, pricey,
            unimpressive, ungainly, lacklustre, impractical, half-finished, cumbersome,
            finicky, unremarkable"""),
    },
}

# Of one part: "the hinge is first-rate", "the acting is third-rate".
PART: dict[str, dict[Polarity, tuple[str, ...]]] = {
    "film": {
        "pos": words("""
            excellent, first-rate, wonderful, spot on, gorgeous, perfect, marvellous, terrific,
            lovely, impeccable, a treat, out of this world, worth the ticket alone, a joy,
            exquisite, beautifully judged, quietly astonishing, second to none"""),
        "neg": words("""
            poor, terrible, weak, dire, clumsy, laughable, amateurish, flat, a mess, lazy,
            painful, beyond saving, all over the place, a disgrace, an afterthought,
            third-rate, shockingly bad, embarrassing, a joke, the worst in years"""),
    },
    "product": {
        "pos": words("""
            excellent, first-rate, solid, spot on, great, top-notch, faultless, perfect,
            terrific, well thought out, outstanding, a real step up, better than I hoped,
            exactly right, beyond reproach, a cut above, impressive, very well done"""),
        "neg": words("""
            poor, terrible, useless, a joke, shoddy, a letdown, dire, third-rate, hopeless,
            pathetic, below par, an afterthought, a disgrace, badly thought out, not up to the
            job, infuriating, unacceptable, the weak point, a nuisance, laughable"""),
    },
}

# After "it is": "it is a gem".
VERDICT: dict[str, dict[Polarity, tuple[str, ...]]] = {
    "film": {
        "pos": words("""
            a triumph, a gem, a treat, a masterpiece, a knockout, a joy, a small miracle, a
            wonder, a winner, a class act, pure pleasure, a minor classic, an instant
            favourite, a revelation, a pleasure from start to finish, an absolute peach, cinema
            at its best, a keeper, the best thing I saw all year, a proper night out, pure
            magic, lightning in a bottle"""),
        "neg": words("""
            a mess, a dud, a chore, a slog, a disaster, a waste of a good cast, a snooze, a
            shambles, a train wreck, a turkey, an endurance test, a con, two hours of nothing,
            a damp squib, a misfire, an insult to the audience, a write-off, a yawn, a
            headache, a flop, the worst thing I saw all year, a cure for insomnia"""),
    },
    "product": {
        "pos": words("""
            a gem, a bargain, a keeper, a godsend, a workhorse, a joy to use, a winner, money
            well spent, worth every penny, a class act, a steal, the best I have owned, built
            like a tank, a treat, just what I needed, a lifesaver, an absolute peach, a
            revelation, a pleasure to own, the real deal, a huge step up from my old one"""),
        "neg": words("""
            a dud, a lemon, a rip-off, a joke, a waste of money, junk, future landfill, a
            headache, a letdown, a disgrace, an expensive paperweight, a con, an accident
            waiting to happen, a false economy, a downgrade, money down the drain, a nuisance,
            a liability, trash, the worst I have owned, not worth half the price"""),
    },
}

INTENSIFIERS = words("""
    absolutely, really, truly, utterly, simply, just, honestly, completely, thoroughly, genuinely,
    downright, positively, seriously, so, unexpectedly, consistently, frankly""")

HEDGES = words("""
    rather, fairly, kind of, sort of, a bit, pretty, somewhat, quite, mostly, vaguely, slightly,
    more or less""")
