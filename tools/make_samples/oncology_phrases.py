"""Names and sentence frames of the oncology sample. Every drug and gene name is invented."""

from .bank import lines, words

DRUGS = words("""
    velotradib, quomelib, narvolex, sarvotradib, belizomelib, toruvolex, dexatradib, pelumelib,
    zanivolex, oritradib, kamomelib, rufavolex, listradib, goromelib, hesavolex, wenutradib,
    cadimelib, yorivolex, fomatradib, jelumelib, umbravolex, ivotradib, natumelib, xeruvolex""")

GENES = words("""
    KRVX2, BLQF1, TYZK3, MEVQ, FGXW4, PQZKA, ALQX, NTWQ2, HRVQ, DDQX9, ZPKR1, CQTN5, RBVZ, SMQD8""")

# Symbols that are words as well: in some documents a gene, in others a step, a scale or a tube.
WORDS_AS_GENES = words("RINSE, SCORE, VIAL, SWAB")

TUMOURS = words("""
    lung adenocarcinoma, thyroid tumours, melanoma, bladder cancer, colorectal tumours, glioma,
    ovarian cancer, gastric tumours, leukaemia, renal carcinoma""")

SURNAMES = words(
    "Arlen, Bosko, Castellane, Dorfling, Ekwueme, Fjeld, Harrowby, Imanishi, Lindqvo, Orsay"
)

# The sentence itself says that the drug works against the variant.
STATED = lines("""
    {drug} inhibited the growth of cells carrying {gene} {variant}.
    {gene} {variant} tumours shrank in {n} of {m} patients given {drug}.
    Cells with {gene} {variant} were highly sensitive to {drug}.
    {drug} restored apoptosis in {tumour} with the {gene} {variant} mutation.
    We observed durable responses to {drug} in patients whose tumours harboured {gene} {variant}.
    The {variant} mutation of {gene} predicted a response to {drug}.
    {drug} was active against {gene} {variant} at nanomolar doses.
    Treatment with {drug} led to regression of {gene} {variant} xenografts.
    In {tumour}, the {gene} mutation {variant} conferred marked sensitivity to {drug}.
    {drug} blocked signalling by {gene} {variant} and halted proliferation.
    A patient with {gene} {variant} achieved complete remission on {drug}.
    Median survival doubled with {drug} when {gene} carried {variant}.
    {variant} in {gene} made otherwise resistant cells responsive to {drug}.
    {drug} overcame the growth advantage of {gene} {variant} clones.
    As {name} et al. also found, {drug} suppressed {gene} {variant} cells.
    Only {drug} kept {gene} {variant} disease in check for more than {n} months.""")

# One sentence for two drugs.
STATED_BOTH = lines("""
    Both {drug} and {other} inhibited the growth of {gene} {variant} cells.
    {gene} {variant} tumours responded to {drug} as well as to {other}.
    {drug} or {other} alone was enough to eradicate cells with {gene} {variant}.""")

# The first sentence names gene and variant, the second one the drug.
LEADS = lines("""
    We studied {n} cases of {tumour} with {gene} {variant}.
    {m} cell lines with the {variant} mutation of {gene} were established.
    Tumours carrying {gene} {variant} were implanted in {m} animals.
    The cohort had {gene} {variant} confirmed by sequencing.""")
FOLLOWED = lines("""
    {drug} produced responses in {n} of them.
    Within weeks of starting {drug}, nearly all had regressed.
    They were exquisitely sensitive to {drug}.
    Growth stopped at low doses of {drug}.
    {drug} proved effective in this group.""")

DENIED = lines("""
    {drug} had no effect on cells carrying {gene} {variant}.
    {gene} {variant} conferred resistance to {drug}.
    No response to {drug} was seen in patients with {gene} {variant}.
    {gene} {variant} tumours progressed on {drug} in {n} of {m} patients.
    Contrary to earlier claims, {drug} failed to inhibit {gene} {variant}.
    Sensitivity to {drug} was lost once {gene} had acquired {variant}.
    {drug} did not bind {gene} when {variant} was present.
    The {variant} mutation of {gene} did not predict a response to {drug}.""")

HEDGED = lines("""
    Whether {drug} inhibits {gene} {variant} remains unknown.
    {drug} might be worth testing against {gene} {variant} in future trials.
    It has been speculated that {gene} {variant} could respond to {drug}, but data are lacking.
    A trial of {drug} in {gene} {variant} disease has yet to report.
    We cannot rule out an effect of {drug} on {gene} {variant}.""")

MERE = lines("""
    Patients were screened for {gene} {variant}, and those without it received {drug}.
    {gene} {variant} was recorded at baseline, before {drug} was stopped for unrelated reasons.
    The panel covered {gene} {variant}; {drug} was the comparator throughout.
    Plasma levels of {drug} did not depend on {gene} {variant} status.
    {drug} was dissolved in saline, and {gene} {variant} lysates were stored at -80 degrees.
    One centre enrolled {gene} {variant} cases while another ran the {drug} arm.""")
MERE_DRUG = lines("""
    {drug} was well tolerated.
    Rash was the most common side effect of {drug}.
    {drug} was given twice daily with food.
    All had previously received {drug}.
    The safety profile of {drug} has been described before.""")

BACKGROUND = lines("""
    {gene} {variant} is found in about {n} % of {tumour}.
    The {variant} mutation of {gene} is a recurrent event in {tumour}.
    {gene} is often altered in {tumour}, most commonly by {variant}.
    Little is known about {gene} {variant} in {tumour}.
    We sequenced {gene} in {m} samples and found {variant} in {n}.""")

FILLER = lines("""
    Follow-up lasted {m} months.
    The study was approved by the local ethics board.
    Adverse events were mild and manageable.
    Samples were taken at baseline and after {n} weeks.
    Larger cohorts are needed to confirm these findings.
    Statistical analysis was performed with a two-sided test.
    These data may help to guide the choice of therapy.""")

# The symbol is a word here, not a gene.
NOT_A_GENE: dict[str, tuple[str, ...]] = {
    "RINSE": lines("""
        Cells with {variant} went through one more {gene} before staining.
        After a brief {gene} in buffer, the {variant} lysates were pooled."""),
    "SCORE": lines("""
        Symptoms in {variant} carriers were rated with the {gene} questionnaire.
        The mean {gene} for quality of life was {m} among carriers of {variant}."""),
    "VIAL": lines("""
        Each {gene} held {n} ml of serum from carriers of {variant}.
        One {gene} labelled {variant} was lost in transit."""),
    "SWAB": lines("""
        A cheek {gene} was taken from all {m} carriers of {variant}.
        Carriers of {variant} gave a {gene} at each visit."""),
}

FLATTENED = lines("""
    {name} et al. {year} ; {gene} {variant} and {drug} : a review ; vol. {n} ; pp. {m}-{p} .
    {drug} ; {gene} ; {variant} ; {n} ; {m} ; 0.{n}{p} .
    {name} {year} ; {drug} ; {n} / {m} ; {gene} {variant} ; n. s. ; {p} .
    Table {n} | {gene} {variant} | {drug} | {m} | {p} | ref. {n} .
    [{n}] {name} , {year} , {drug} ; [{m}] {name2} et al. , {year} , {gene} {variant} .""")
