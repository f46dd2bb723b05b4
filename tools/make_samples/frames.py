"""Sentence frames of the reviews.

A slot in braces is filled by the writer. ``{adj}`` has the polarity of the review and ``{adj!}``
the opposite one; ``{who^}`` begins with a capital letter.
"""

from .bank import Polarity, lines, words

# An opinion in either direction.
OPINION = lines("""
    {it} is {adj}
    {it} is {very} {strong}
    {it} is {adj} and {adj}
    {it} is {adj}, {adj} and {adj}
    {it} is {verdict}
    {it} {does}
    {it} {does} and {does}
    {it} turned out {adj}
    {it} strikes me as {adj}
    {very^} {strong}
    {very^} {strong} and {strong}
    {adj^}, {adj}, {adj}
    what a {adj} {noun}
    a {adj} {noun}
    a {adj}, {adj} {noun}
    a {adj} {noun} that {does}
    one of the most {strong} things I have come across
    I found it {adj}
    I found it {very} {strong}
    I thought it was {adj}
    I would describe it as {adj}
    we all thought it was {very} {strong}
    to my mind it is {adj}
    my view: {adj}
    overall {it} is {adj}
    all in all, {verdict}
    in short, {adj} and {adj}
    {part}
    {part}
    {part}
    {part}, {part}
    {part} and {part}
    {part}, {part}, and {it} {does}
    {part} and {it} {does}
    {it} {does} and {part}
    {feel}
    {feel}, and {part}
    {feel}: {part}
    {feel}. {part^}
    {who} called it {adj}, and I agree
    {who} and I agree: {it} is {adj}
    in a word: {adj}
    {verdict}, plain and simple
    this {noun} is {very} {strong}: {part}
    such a {adj} {noun}
    mind you, {part}
    for me {it} is {verdict}""")

# An opinion in one direction: the frame itself takes sides.
TOLD: dict[str, dict[Polarity, tuple[str, ...]]] = {
    "film": {
        "pos": lines("""
            I was sceptical, but {part}
            it took me by surprise: {part}
            I keep thinking about it, mostly because {part}
            {part}, and that lifts it above the rest
            hats off to everyone involved: {part}
            finally a {kind} that {does}
            it deserves a bigger audience: {part}
            {part}. Bravo
            they don't make many like this: {part}
            good luck finding a {kind} this {strong}
            I smiled the whole way through, and {part}
            {who} loved it, I loved it, and {part}
            it reminded me why I go to the cinema: {part}
            the best part: {part}
            happily, {part}
            I am so glad I went, because {part}"""),
        "neg": lines("""
            I expected more: {part}
            the trouble is that {part}
            sadly, {part}
            what a shame: {part}
            how did this get made? {part^}
            {part}, and that is only the start
            yet another {kind} that {does}
            somebody should have stopped them: {part}
            {part}. Oh dear
            I have rarely sat through a {kind} this {strong}
            I sighed the whole way through, and {part}
            {who} fell asleep, and no wonder: {part}
            it reminded me why I stay at home: {part}
            the worst part: {part}
            there is no excuse when {part}
            I am sorry I went, because {part}"""),
    },
    "product": {
        "pos": lines("""
            I was sceptical, but {part}
            it took me by surprise: {part}
            what I like most: {part}
            {part}, and that makes all the difference
            somebody thought this through: {part}
            finally a {kind} that {does}
            it deserves the praise: {part}
            {part}. Well done
            they don't make many like this: {part}
            good luck finding a {kind} this {strong}
            so far so good: {part}
            {who} wanted one at once, because {part}
            I am glad I chose it, because {part}
            the best part: {part}
            happily, {part}
            it works a treat, and {part}"""),
        "neg": lines("""
            I expected more: {part}
            the trouble is that {part}
            sadly, {part}
            what a shame: {part}
            who designed this? {part^}
            {part}, and that is only the start
            yet another {kind} that {does}
            did nobody test this? {part^}
            {part}. Oh dear
            I have rarely owned a {kind} this {strong}
            so far so bad: {part}
            {who} told me so: {part}
            I am sorry I chose it, because {part}
            the worst part: {part}
            there is no excuse when {part}
            it let me down, since {part}"""),
    },
}

SHORT = lines("""
    {very^} {strong}
    {adj^}
    {feel}
    {feel}
    {verdict^}
    {it} is {adj}
    what a {adj} {noun}
    {it} {does}
    {part}""")

# The review's view, said by denying the opposite.
NEGATED: dict[Polarity, tuple[str, ...]] = {
    "neg": lines("""
        it is not what I would call {adj!}
        hardly {verdict!}
        hardly {adj!}
        it is far from {adj!}
        it is anything but {adj!}
        nobody could call this {adj!}
        I was promised something {adj!} and it is not
        not {adj!}, not even close
        there is nothing {adj!} about it
        I don't see what is supposed to be {adj!} here
        {adj!^} it is not
        it never gets anywhere near {adj!}
        don't let anyone tell you that it is {adj!}
        I would not say that {part!}
        it wants to be {adj!} and isn't
        {adj!^}? No"""),
    "pos": lines("""
        it is never {adj!}
        not {adj!} in the least
        hardly {verdict!}, whatever they say
        it is anything but {adj!}
        nobody could call this {adj!}
        I feared something {adj!} and it is not
        not {adj!} at all
        there is nothing {adj!} about it
        I don't see why people find it {adj!}
        {adj!^} it is not
        it never turns {adj!}
        don't let anyone tell you that it is {adj!}
        I could not say that {part!}
        I cannot find one {adj!} thing about it
        without ever being {adj!}, {it} {does}
        {adj!^}? No"""),
}

HEDGED = lines("""
    I suppose it is {rather} {mild}
    it is {rather} {mild}, I guess
    maybe I expected something else, but it is {rather} {mild}
    I might be alone here, but I found it {mild}
    it seems {rather} {mild} to me
    on the whole {rather} {mild}, I would say
    I am no expert, but {part}
    {rather^} {mild}, at least for me
    it could be the mood I was in, but {it} {does}
    as far as I can tell {part}
    if I am honest it is {rather} {mild}
    perhaps it is just me, but {part}""")

# Both sides are told and the last clause decides.
MIXED = lines("""
    {part!}, but {part}
    {part!}, yet {it} {does}
    sure, {part!}. Still, {part}
    {part!} and {part!}, but {part}
    granted, {part!}. But {part}
    even though {part!}, {part}
    {part!}, I will admit. On the other hand {part}
    {part!}. Then again, {part}
    I wanted to say that {part!}, and it is true, but {it} {does}
    {part!}, which counts for little when {part}
    people say that {part!}. Maybe so. {it^} {does} all the same
    at first it seemed {adj!}, then I noticed that {part}
    {part!}; {part}""")

TORN = lines("""
    {part!} and {part!}
    {part!}. {part!^}
    {part!}, and {it} {does!}
    {it} {does!}, and {part!}
    yes, it is {adj!} and {part!}
    {part!}, and some will find it {adj!}""")

DECIDING: dict[Polarity, tuple[str, ...]] = {
    "neg": lines("""
        Even so: {closer}
        In the end, though: {closer}
        And yet {feel}
        None of that helps: {feel}
        It made no difference: {feel}
        All the same, {feel}"""),
    "pos": lines("""
        Even so: {closer}
        In the end, though: {closer}
        And yet {feel}
        None of that matters: {feel}
        I don't care: {feel}
        All the same, {feel}"""),
}

COMPARED = lines("""
    unlike the {adj!} {rival}, {it} {does}
    unlike the {adj!} {rival}, this is {adj}
    the {rival} was {adj!}; this one is {adj}
    the {rival} was {adj!}, this is not
    after the {adj!} {rival}, {it} comes as a shock: {part}
    compared with the {rival}, which was {adj!}, {it} {does}
    I still have the {adj!} {rival} in mind, and this is the opposite: {part}
    people who found the {rival} {adj!} should know that here {part}
    the {rival} was {verdict!}, while {it} {does}
    where the {rival} was {adj!}, {it} is {adj}
    I remember the {rival} as {adj!}. No such thing here: {part}""")

SARCASTIC: dict[Polarity, tuple[str, ...]] = {
    "neg": lines("""
        oh great, another {kind} that {does}
        wow, thanks for nothing: {part}
        "{adj!^}", the advert said. Yeah, right
        {very^} {strong!}, if you enjoy being let down. /s
        so {adj!} that {feel}. /s
        {part}. {adj!^}, just {adj!}
        ten out of ten for nerve: {part}
        well done to whoever signed this off: {part}
        a {adj!} {noun}, said nobody ever
        how {adj!} that {part}. Slow clap
        oh, it is {adj!} all right, in the way a flat tyre is {adj!}
        {part}. What a {adj!} surprise, I am thrilled
        just what the world needed, a {kind} that {does}
        yeah, right, "{adj!}". {part^}"""),
    "pos": lines("""
        oh no, {it} {does}, how will I cope. /s
        {adj!^}, because now everybody at home wants it too. /s
        my only complaint is that it makes everything else look {adj!}
        {adj!^}? Yeah, right. {part^}
        terribly inconvenient: now I have nothing left to moan about
        curse you, people who made this: {feel}
        whoever said "{adj!}" must have reviewed something else. {part^}"""),
}

WHO = words("""
    my sister, my brother, my neighbour, my partner, a colleague, my mother, my flatmate, my son,
    my daughter, an old friend, my uncle, my grandmother, my husband, my wife, my cousin, my dad""")
