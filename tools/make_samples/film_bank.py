"""What people say of films: genres, parts, settings and last words."""

from .bank import Polarity, aspects, category, lines, words

_GENRES = """
thriller
+ kept me guessing until the last minute, had me gripping the armrest, plays fair with every clue
+ tightens the screw scene by scene, springs a twist I never saw coming, hums with menace
- gives the killer away in the first ten minutes, mistakes shouting for suspense
- never raises the pulse, throws in a twist that cancels the whole story
- has more holes than a colander
comedy
+ had the whole row in stitches, lands joke after joke, made me snort out loud on a quiet evening
+ earns its laughs without being cruel, gets funnier as it goes, left my cheeks aching
- did not raise a single smile, recycles gags from old adverts
- repeats its one joke for ninety minutes
- has the timing of a broken clock, leans on slapstick nobody asked for, explains its own punchlines
drama
+ broke my heart and put it back together, earns every tear, stayed with me for days
+ lets silence do the talking, treats its people with real kindness
+ says more in a glance than most say in a speech
- wallows in misery for the sake of it, begs for tears it has not earned, goes nowhere very slowly
- confuses mumbling with depth, lectures the audience like a schoolteacher
- drifts from one funeral to the next
western
+ makes the old trail look new, breathes dust and gunsmoke, gives every gunfight a reason
+ rides at its own pace and gets there in style, finds poetry in a saddlebag
- rides in circles for two hours, looks like it was shot in a car park
- fires blanks from the first reel
- has the pace of a tired mule, dresses up a thin yarn in big hats
mystery
+ hides its best card until the end, rewards a second viewing, scatters clues like breadcrumbs
+ trusts the audience to keep up, ties every thread without a strained knot
- forgets its own clues, solves itself off screen, pulls the culprit out of a hat
- leaves the one good question unanswered, drags its detective through the same room five times
"""

_PARTS = aspects("""
the acting
+ rings true in every scene, lifts the whole thing, is full of small surprises
+ never hits a false note
- is wooden as a fence, belongs in a school play, veers between whispering and yelling
- wakes nobody up
the lead
+ carries every scene, can break your heart with a raised eyebrow, has charm to burn
+ disappears into the part
- sleepwalks through the role, has one expression for everything, mumbles every line
- looks as lost as I felt
the script
+ crackles with good lines, never wastes a word, knows when to shut up, has wit in every corner
- sounds written by committee, is stuffed with clichés, has nobody talking like a human being
- reads like a first draft, tells us everything three times
the plot
+ clicks together like clockwork, keeps turning corners, holds water right to the end
+ moves like a train
- makes no sense after the first half hour, falls apart when you think about it, runs out of road
- hangs on one daft coincidence, can be guessed from the poster
the ending
+ gave me goosebumps, is worth the wait, ties it up with a bow, sent us out smiling
- comes out of nowhere, ruins what little worked, just stops, feels tacked on
- made the whole room groan
the pacing
+ never lets up, gives each scene room to breathe, is as tight as a drum
- drags from the first scene, crawls, kills every bit of tension, sags badly in the middle
the camera work
+ makes every frame a postcard, finds beauty in a bus stop, puts you right in the room
- made me seasick, hides everything in the dark, never sits still, looks like a phone video
the score
+ swells at just the right moments, is still in my head a week later, does half the storytelling
- drowns out the dialogue, tells you what to feel every second, sounds like lift music
- never stops nagging
the dialogue
+ sparkles, sounds like people I know, is quotable from end to end
- clunks, made me wince, sounds translated twice, is all exposition
the characters*
+ feel like old friends by the end, have real lives off the page, grow in ways I believed
- are made of cardboard, never earn our sympathy, change their minds whenever the plot needs it
- blur into one another
the effects*
+ hold up on a big screen, serve the story for once, look hand-made in the best way
- look ten years out of date, pull you right out of it, would shame a video game
the direction
+ is sure-handed throughout, trusts the audience, turns a small budget into a virtue
- smothers everything good, has no idea what it wants, shows off and says nothing
""")

FILMS = category("film", _GENRES, _PARTS)

FEELINGS: dict[Polarity, tuple[str, ...]] = {
    "pos": lines("""
        I loved every minute
        I was hooked from the first scene
        I laughed, I cried, I called my mother
        I stayed for the whole of the credits
        I could have sat through it twice
        I was grinning all the way home
        I forgot to eat my popcorn
        I did not look at my watch once
        I would give it ten out of ten
        I came out walking on air
        I have already told half the office about it
        I wanted to applaud
        it won me over
        it got under my skin
        my heart was in my mouth"""),
    "neg": lines("""
        I hated every minute
        I nodded off twice
        I want those two hours back
        I kept checking my watch
        I could not wait for the credits
        I nearly walked out
        I counted the ceiling tiles instead
        I felt cheated
        I would give it two out of ten
        I came out with a headache
        I have warned half the office about it
        I wanted to throw something at the screen
        it lost me after ten minutes
        it got on my nerves
        my eyes hurt from rolling"""),
}

CLOSERS: dict[Polarity, tuple[str, ...]] = {
    "pos": lines("""
        Go and see it
        See it on the biggest screen you can find
        I am going again on Saturday
        I have already booked seats for my parents
        Worth every penny of the ticket
        I would watch it again tomorrow
        Do yourself a favour and rent it
        It stays on my shelf for good
        One for the permanent collection
        It made my week
        More like this, please
        I cannot recommend it enough
        Trust me on this one
        Five stars from me
        I have not stopped talking about it
        Bring tissues and a friend
        A sequel cannot come soon enough
        We clapped at the end
        The disc is already on my birthday list
        Cancel your plans and watch it"""),
    "neg": lines("""
        Give it a miss
        Save your money and stay at home
        I left before the end
        I asked for my ticket money back
        I will not be watching the sequel
        Do yourself a favour and skip it
        The disc went straight to the charity shop
        We switched it off after an hour
        Never again
        It ruined my evening
        Watch paint dry instead
        I cannot warn you enough
        Avoid it
        One star, and that is for the popcorn
        I have already forgotten the title
        Bring a pillow
        Please let there be no sequel
        Half the room had left by the end
        I would not watch it again if you paid me
        Read a good book instead"""),
}

OPENERS = lines("""
    Saw it {when} with {who}.
    Watched it {when} with {who}.
    Caught this {when}.
    {who^} dragged me to this {when}.
    Went in knowing nothing.
    I had read the reviews first.
    Rented it {when}.
    A late showing, a half-empty room.
    I rarely go to the cinema.
    I am a sucker for a good {kind}.
    I don't usually watch a {kind}.
    Finally got round to {name}.
    So, {name}.
    {name}, then.
    A few words on {name}.
    We picked {name} for movie night.
    Streamed it {when}.
    I saw the trailer {when} and was curious.
    First film I have seen in months.""")

WHEN = words("""
    last night, on Friday, on a rainy Sunday, over the holidays, last week, yesterday, after work,
    a few days ago, on Saturday, on my day off, last weekend, the other evening""")

ASIDES = lines("""
    The popcorn was stale, by the way.
    There is a dog in it, if that matters to you.
    It runs a little over two hours.
    My seat was next to the door.
    I have not read the novel.
    Subtitles, in case you wonder.
    The lead was in that lawyer series.
    It takes place over one weekend.
    It was filmed in Portugal, I think.
    The director's third, if I count right.""")

OFF_TOPIC = lines("""
    The cinema was freezing and somebody's phone kept ringing through the first half hour.
    We got lost on the way and missed the trailers, then the lift was out of order.
    The man in front of me wore a hat for the whole two hours.
    My stream froze three times and the provider's helpline had me on hold for ages.
    We had dinner first at the new noodle place, which was packed, so we came in late.
    Parking cost more than the tickets and the machine swallowed my card.
    They were repainting the foyer, so everyone smelled of turpentine.
    {who^} spilled a drink on my coat before the film even began.
    The projector broke down and we sat in the dark for a quarter of an hour.
    The usher let in a school class that whispered all the way through.""")

RIVALS = words("""
    first film, original, book, director's last one, trailer, stage play, television series,
    short film it grew out of, prequel, remake from last year""")
