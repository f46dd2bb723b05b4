"""Settings, feelings and last words of people who bought something."""

from .bank import Polarity, lines, words

FEELINGS: dict[Polarity, tuple[str, ...]] = {
    "pos": lines("""
        I love it
        I use it every day and still smile
        I wonder how I managed before
        I could not be happier with it
        I would be lost without it
        I am more than satisfied
        I am impressed, and I am hard to impress
        I have no complaints at all
        I would give it ten out of ten
        I have already told the neighbours
        it does exactly what it says
        it just works
        it has earned its place here
        it has paid for itself already
        it makes me happy each time I use it"""),
    "neg": lines("""
        I hate it
        I swear at it every day
        I wonder who tested this
        I could not be more fed up with it
        I was better off without it
        I am thoroughly annoyed
        I am out of patience with it
        I have a whole list of complaints
        I would give it one out of ten
        I have already warned the neighbours
        it does nothing it says on the box
        it just doesn't work
        it gathers dust in the cupboard
        it cost me more in repairs than it is worth
        it makes me angry each time I use it"""),
}

CLOSERS: dict[Polarity, tuple[str, ...]] = {
    "pos": lines("""
        I would buy it again
        I have ordered a second one
        I bought another for my sister
        Highly recommended
        You will not regret it
        Buy it while they still have it
        Worth the wait and the money
        It stays
        Five stars from me
        My old one is in the bin and I don't miss it
        I am keeping it
        Treat yourself
        If it breaks I will buy the same again
        The best money I spent this year
        No hesitation, get one
        Three months in and still glad I got it
        I recommend it to everyone who asks
        The whole family fights over it
        I only wish I had bought it sooner
        Now I want the bigger model too"""),
    "neg": lines("""
        I sent it back
        I want a refund
        It went back the same week
        Avoid
        You will regret it
        Buy anything else
        Not worth the wait or the money
        It is already in the bin
        One star, because zero is not allowed
        I dug my old one out of the bin
        I am returning it
        Spare yourself
        If you see it in a shop, walk on
        The worst money I spent this year
        Do not be fooled by the pictures
        Three weeks in and it is dead
        I warn everyone who asks
        Nobody in the family will touch it
        I only wish I had kept the receipt
        Never buying from them again"""),
}

OPENERS = lines("""
    Bought this {when}.
    Bought one for {who} {when} and kept one for myself.
    {who^} gave me this {when}.
    I have had this {kind} for {span}.
    {span^} of daily use now.
    My third {kind} in as many years.
    I needed a new {kind} in a hurry.
    Replaced my old {kind} with this {when}.
    Ordered the {name} {when}.
    The {name} was on offer, so I took a chance.
    Not my first {kind}.
    Picked the {name} after a long search.
    I read all the reviews first.
    {who^} talked me into the {name}.
    Here is how the {name} did after {span}.
    I don't write many reviews.
    Writing this after {span}.
    We got the {name} as a gift.
    Unpacked it {when}.""")

WHEN = words("""
    in March, last month, in the spring sale, on Monday, before the holidays, two weeks ago,
    last summer, last autumn, in January, a while ago, at the weekend, just after New Year""")

SPAN = words("""
    two weeks, three months, a year, a month, half a year, ten days, a whole summer, six weeks""")

ASIDES = lines("""
    It comes in blue as well.
    Mine is the grey one.
    It needs two screws that are not in the box.
    For the record, I paid full price.
    The box is huge, by the way.
    I live alone, so I use it maybe once a day.
    It is made in three sizes.
    I have the older version too.
    I am left-handed, if that matters.
    The manual is in nine languages.""")

OFF_TOPIC = lines("""
    The courier left it with a neighbour who then went on holiday for a week.
    The parcel was the size of a fridge, so half the street came out to look.
    It arrived on the day we moved house, between the piano and the cat.
    The tracking page said Lisbon, then Oslo, then my own doorstep.
    I had ordered a garden gnome as well, which came two days later in four pieces.
    The driver could not find our road and rang me six times from the wrong village.
    Delivery was on a Tuesday, then a Thursday, then a Tuesday again.
    They had my name wrong on the label and I had to prove who I was.
    {who^} opened the parcel, thinking it was the new shoes.
    The shop sent two invoices and a calendar with horses.""")

RIVALS = words("""
    old model, one my sister has, one it replaced, last version, no-name one from the market,
    one at work, bigger model, one we had on holiday, previous generation""")
