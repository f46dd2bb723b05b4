"""What people say of products, one category after the other."""

from .bank import Category, aspects, category

_ANY_PARTS = aspects("""
the price~
+ is hard to beat, is more than fair for what you get, made me check it twice
- is a cheek for what you get, went up the day after, is twice what it should be
the instructions*
+ fit on one page and make sense, are clear even to me, had me going in five minutes
- are six pictures and no words, skip the only step that matters, make no sense in any language
customer service~
+ answered within the hour, sent a spare part free of charge, sorted my one question the same day
- never wrote back, kept me on hold for forty minutes, blamed me for everything
- wanted a photo of the receipt three times
the build
+ inspires confidence, is all metal where it counts, has no rattle anywhere
- creaks, is thin plastic throughout, feels like a toy, gave up after a month
""")

_KITCHEN = category(
    "kitchen",
    """
kettle
+ boils in under two minutes, pours without a drip, switches off on the dot
- takes an age to boil, dribbles down the side, makes the water taste of plastic, furs up in a week
blender
+ turns ice to snow in seconds, makes soup as smooth as silk
+ crushes frozen berries without complaint
- leaves lumps in everything, smells of burning after a minute, stalls on a banana
- leaks from the bottom
coffee maker
+ makes a better cup than the café downstairs, keeps the pot hot for hours, brews while I shower
- makes lukewarm dishwater, spits grounds over the counter, drips long after the pot is gone
rice cooker
+ gets it right every single time, keeps dinner warm for late arrivals
+ turns out fluffy rice with no fuss
- burns the bottom layer every time, boils over like a volcano, leaves the middle raw
""",
    aspects("""
the lid
+ clicks shut with a good firm snap, opens with one finger, seals tight
- never quite closes, pops open at the worst moment, cracked in the first week
the handle
+ stays cool, sits well in the hand, feels made for left-handers too
- gets too hot to touch, came loose within days, wobbles
the base
+ stays put on a wet counter, tucks the cord away neatly, has proper rubber feet
- slides all over the counter, rusted around the edge, gets scorching hot
cleaning it~
+ takes ten seconds under the tap, is a breeze, needs nothing but a wipe
- takes longer than cooking, calls for a toothbrush and patience, is a nightmare
the finish
+ still looks new, shrugs off fingerprints, matches everything in my kitchen
- scratches if you look at it, peeled off in flakes, shows every fingerprint
"""),
)

_AUDIO = category(
    "audio",
    """
headset
+ made my calls crystal clear, sits so light I forget it is there, shuts out the whole office
- squeezes my head like a vice, makes me sound like I live in a bucket, crackles when I turn my head
speaker
+ fills the whole garden with sound, makes old records sound new, goes loud without distorting
- buzzes at half volume, sounds like a tin can, cuts out whenever the oven is on
soundbar
+ made every whisper on television clear, turns film night into an event, set itself up in a minute
- lags behind the picture, forgets its settings every night, makes voices sound underwater
radio
+ pulls in stations I never knew existed, wakes me gently at six, sounds far bigger than it is
- loses the station if you walk past, hisses like a goose, resets the clock at every thunderstorm
""",
    aspects("""
the bass
+ is deep without being boomy, gives me shivers, goes lower than I thought possible
- is one long rumble, drowns the singer, is nowhere to be heard
the treble
+ is clear as glass, brings out every cymbal, never turns harsh
- is shrill, hurts my ears, sizzles like bacon
the bluetooth link
+ never drops, pairs in a second, reaches the end of the garden
- drops every ten minutes, takes five tries to pair, gives out at two metres
the volume knob
+ turns like butter, is big and simple, has a lovely click to it
- came off in my hand, jumps from silence to deafening, scratches when turned
the sound
+ is warm and full, is balanced at any volume, has room and air
- is muddy, is thin and tinny, falls apart when turned up
"""),
)

_PHONE = category(
    "phone",
    """
phone
+ never stutters, feels quick after a year, does everything I ask before I ask it
- freezes in the middle of calls, restarts itself twice a day, runs hot enough to fry an egg
tablet
+ is perfect on the sofa, keeps two children busy on a long drive, opens anything in a blink
- crawls after every update, forgets the wifi password daily, takes a minute to wake up
flip phone
+ folds flat in any pocket, lets me hang up with a snap, is simple enough for my grandfather
- flops open in my pocket, has a hinge that squeaks, drops calls in every lift and tunnel
""",
    aspects("""
the battery
+ lasts two full days, is still half full at bedtime, charges while I brush my teeth
- is flat by lunchtime, drains overnight doing nothing, swelled up after a month
- begs for the charger by noon
the screen
+ is bright even in full sun, is sharp as a tack, makes photos pop, survived a drop onto tiles
- scratched on day one, is dim outdoors, flickers, has a green line down the middle
the camera
+ takes gorgeous pictures at dusk, focuses in an instant, made my old camera redundant
- smears anything that moves, turns faces orange, needs daylight to see a thing
the software
+ stays out of the way, gets updates every month, is a pleasure to find your way around
- is full of adverts, nags me about accounts I do not want, crashes if you look at it
the buttons*
+ click with purpose, are right where the thumb falls, have a good firm feel
- stick, rattle, stopped working one by one
the charger
+ fills it up in half an hour, stays cool, comes with a long cord for once
- died within a week, hums, only works at a certain angle
"""),
)

_GARDEN = category(
    "garden",
    """
mower
+ starts first pull every time, cuts like a dream even when wet, goes round trees like a dancer
- needs twenty pulls to start, tears the grass instead of cutting it, clogs every few metres
trimmer
+ makes short work of brambles, runs all morning on one charge, leaves a clean edge
- eats its own line, shakes my wrists numb, gives up at the first thistle
sprayer
+ gives a fine even mist, holds pressure all afternoon, reaches the top of the pear tree
- leaks down my sleeve, blocks every two minutes, loses pressure at once
wheelbarrow
+ carries a mountain of bricks, turns on a sixpence, tips with no effort
- tips over when half full, got a flat on the first trip, bent under a bag of sand
""",
    aspects("""
the grip
+ suits small hands, is kind to the wrists, stays dry in the rain
- gives me blisters, slipped off in use, is far too thick for me
assembly~
+ took ten minutes and one spanner, was child's play, went by without a single swear word
- took a whole afternoon, needs three hands, ended with four screws left over and no idea why
the bolts*
+ hold tight after a whole season, are proper stainless steel, all line up
- rusted in the first rain, shake loose every time, do not fit the holes
the weight~
+ is just right, makes it easy to lift into the shed, is kept low where it helps
- is too much for one person, is all at the wrong end, had my back aching for days
the paint
+ has not chipped yet, looks as good as on day one, stands up to winters here
- flaked off within a month, came scratched, bubbled in the sun
"""),
)

_LUGGAGE = category(
    "luggage",
    """
suitcase
+ glides through airports, survived three flights without a dent, holds a fortnight of clothes
- split open on the carousel, lost a wheel at the first kerb, came back from one trip in ruins
backpack
+ swallows more than you would think, sits close to the back, kept my laptop dry in a downpour
- cuts into the shoulders, soaks through in drizzle, came apart on the second hike
duffel bag
+ fits under any seat, stands up by itself, took a beating on the ferry and looks fine
- sags like a wet sock, smells of glue, digs into the hip at every step
""",
    aspects("""
the zip
+ runs smoothly round every corner, is chunky and strong, has never snagged
- jams halfway, burst on day one, catches on the lining every time
the stitching
+ is neat and tight, is doubled wherever it matters, has not moved after a year of abuse
- came undone at the seams, is crooked, frays already
the pockets*
+ are all where I want them, hide a passport nicely, take a water bottle with ease
- are too small for anything, have holes already, swallow my keys for good
the lining
+ wipes clean, is thick and soft, is a lovely bright colour so you find things
- ripped on the first trip, stains everything, bunches up in the corners
the handle
+ locks at just the right height, feels solid, is padded where it counts
- snapped off in the taxi queue, rattles, will not go back in
"""),
)

PRODUCTS: tuple[Category, ...] = tuple(
    Category(each.name, each.domain, each.does, each.parts + _ANY_PARTS)
    for each in (_KITCHEN, _AUDIO, _PHONE, _GARDEN, _LUGGAGE)
)
