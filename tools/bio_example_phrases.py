"""Sentences and facts for examples/bio/small. The names and facts are real, no sentence is."""

from tools.make_samples.bank import lines, words


def _triples(text: str) -> list[tuple[str, str, str]]:
    """Facts, each as `drug gene variant`."""
    rows = [fact.split() for fact in words(text)]
    return [(drug, gene, variant) for drug, gene, variant in rows]


# Drugs that act on tumours with a variant.
FACTS = _triples("""
    gefitinib EGFR L858R, erlotinib EGFR L858R, afatinib EGFR G719S, afatinib EGFR L858R,
    osimertinib EGFR T790M, osimertinib EGFR L858R, neratinib ERBB2 L755S, neratinib ERBB2 V777L,
    lapatinib ERBB2 V777L, vemurafenib BRAF V600E, dabrafenib BRAF V600E, dabrafenib BRAF V600K,
    trametinib BRAF V600E, trametinib BRAF V600K, sotorasib KRAS G12C, adagrasib KRAS G12C,
    imatinib KIT V559D, imatinib KIT K642E, sunitinib KIT V559D, avapritinib KIT D816V,
    midostaurin KIT D816V, imatinib PDGFRA V561D, avapritinib PDGFRA D842V,
    ponatinib ABL1 T315I, dasatinib ABL1 F359V, nilotinib ABL1 M351T, crizotinib MET D1010N,
    capmatinib MET D1010N, alectinib ALK F1174L, alectinib ALK L1196M, lorlatinib ALK G1202R,
    alpelisib PIK3CA H1047R, alpelisib PIK3CA E545K, gilteritinib FLT3 D835Y, ivosidenib IDH1 R132H,
    ivosidenib IDH1 R132C, selpercatinib RET M918T, vandetanib RET M918T""")

# Drugs that such tumours resist.
FAILURES = _triples("""
    gefitinib EGFR T790M, erlotinib EGFR T790M, osimertinib EGFR C797S, imatinib KIT D816V,
    imatinib PDGFRA D842V, imatinib ABL1 T315I, dasatinib ABL1 T315I, nilotinib ABL1 T315I,
    crizotinib ALK G1202R, alectinib ALK G1202R, capmatinib MET D1228N, quizartinib FLT3 D835Y,
    selpercatinib RET G810R, sotorasib KRAS G12D""")

# How texts write a gene, the usual way first.
SPELLINGS = {
    "EGFR": ["EGFR", "ERBB1", "HER1"],
    "ERBB2": ["ERBB2", "HER2"],
    "BRAF": ["BRAF", "B-Raf"],
    "KRAS": ["KRAS", "K-Ras"],
    "KIT": ["KIT", "c-KIT", "Kit"],
    "MET": ["MET", "c-MET", "Met"],
    "ABL1": ["ABL1", "ABL"],
}

TUMOURS = {
    "EGFR": words("lung adenocarcinoma, glioblastoma"),
    "ERBB2": words("breast cancer, gastric cancer"),
    "BRAF": words("melanoma, thyroid carcinoma, colorectal cancer"),
    "KRAS": words("lung adenocarcinoma, colorectal cancer"),
    "KIT": words("mastocytosis, gastrointestinal stromal tumours"),
    "PDGFRA": words("gastrointestinal stromal tumours"),
    "ABL1": words("chronic myeloid leukaemia"),
    "MET": words("lung adenocarcinoma, renal cancer"),
    "ALK": words("neuroblastoma, lung adenocarcinoma"),
    "PIK3CA": words("breast cancer"),
    "FLT3": words("acute myeloid leukaemia"),
    "IDH1": words("acute myeloid leukaemia, glioma"),
    "RET": words("thyroid carcinoma"),
}

# In the sentences, {MET} is the gene; MET in "the trial met" is not.
BACKGROUND = lines("""
    {gene} is one of the genes that are most often mutated in {tumour}.
    Mutations of {gene} drive a part of {tumour}.
    The role of {gene} in {tumour} was long underrated.
    Activating changes such as {gene} {variant} are found in {n} % of {tumour}.
    Both {gene} and {other_gene} were sequenced in {m} cases of {tumour}.
    {CAT}, which breaks down hydrogen peroxide, and {gene} were measured in {m} tumours.
    Loss of {WAS} or of {gene} was seen in {n} of {m} families.""")

STATED = lines("""
    {gene} {variant} tumours responded to {drug} in {n} of {m} patients.
    Cells with {gene} {variant} were highly sensitive to {drug}.
    {drug} inhibited the growth of {gene} {variant} cells at low doses.
    {drug} shrank tumours that carried {gene} {variant} within {n} weeks.
    A patient whose {tumour} carried {gene} {variant} has been in remission on {drug} for \
{n} months.
    The {variant} mutation of {gene} predicted a durable benefit from {drug}.
    In mice, {drug} made {gene} {variant} xenografts regress.
    In {tumour} with {gene} {variant}, {drug} doubled the time to progression.
    {drug} was active against {gene} {variant} in vitro and in {n} patients.
    Carriers of {gene} {variant} lived longer when {drug} was given first.
    Growth driven by {gene} {variant} came to a halt under {drug}.
    {drug} met its endpoint in {tumour} with {gene} {variant}: {n} of {m} patients responded.
    By a commercial kit {gene} {variant} was found in {m} tumours, and {n} of these responded \
to {drug}.
    A CAT scan showed that metastases with {gene} {variant} had shrunk under {drug}.""")

# Another gene stands beside, but the drug is not said to act on it.
STATED_BESIDE = lines("""
    Unlike {other_gene} {other_variant}, {gene} {variant} made cells sensitive to {drug}.
    {gene} {variant} tumours responded to {drug}, whatever the state of {other_gene}.
    Of {m} patients, those with {gene} {variant} responded to {drug}, and the rest had \
{other_gene} {other_variant}.
    {drug} shrank {gene} {variant} tumours while {other_gene} {other_variant} was absent.""")

# The gene is named a sentence before; what stands nearer may look like one, and is none.
GENE_FIRST = lines("""
    {gene} is one of the genes that are most often mutated in {tumour}.
    Mutations of {gene} drive a part of {tumour}.
    We sequenced {gene} in {m} cases of {tumour}.""")
STATED_APART = lines("""
    By a commercial kit {variant} was found in {m} tumours, and {n} of these responded to {drug}.
    Patients with {variant} responded to {drug}, and the trial met its endpoint.
    {drug} was active against cells with {variant}.
    In a set of {m} patients, {variant} predicted a benefit from {drug}.
    All {n} patients with {variant} were sensitive to {drug}, and the rest were not.""")

LEADS = lines("""
    We enrolled {m} patients with {tumour} and the {gene} mutation {variant}.
    {n} cell lines with {gene} {variant} were established.
    {variant} in {gene} was confirmed by sequencing with a kit.
    A set of {m} tumours with {gene} {variant} was collected.""")
FOLLOWED = lines("""
    {drug} led to a response in {n} of them.
    All but {n} regressed under {drug}.
    They were exquisitely sensitive to {drug}.
    With {drug}, the median time to progression was {n} months longer than with chemotherapy.
    After {n} weeks of {drug} a CAT scan was clear.""")

DENIED = lines("""
    {gene} {variant} conferred resistance to {drug}.
    {drug} had no effect on cells with {gene} {variant}.
    No response to {drug} was seen in {n} patients with {gene} {variant}.
    {gene} {variant} tumours progressed on {drug} within weeks.
    {drug} failed to inhibit the growth of {gene} {variant} cells.
    Relapse under {drug} was explained by {gene} {variant}.
    Sensitivity to {drug} was lost once {gene} had acquired {variant}.
    Patients with {gene} {variant} gained nothing from {drug}.""")

MERE = lines("""
    Patients were tested for {gene} {variant} before {drug} was given.
    Samples with {gene} {variant} served as controls, and {drug} was dissolved in saline.
    Whether {drug} acts on {gene} {variant} remains unknown.
    A trial of {drug} in {tumour} with {gene} {variant} is under way.
    {drug} was stored at 4 degrees, and {gene} {variant} was sequenced by a kit.
    The cost of {drug} and of tests for {gene} {variant} is discussed.
    Levels of {drug} did not depend on whether {gene} carried {variant}.
    We review {drug} and the biology of {gene} {variant}.""")

LISTED = lines("""
    Key words: {tumour}; {drug}; {gene}; {variant}; {other_gene}.
    [{n}] Holm et al. {drug} and {gene} {variant}. 2014; {m}: 12-19. [{m}] Brandt et al. \
{other_gene}. 2011; {n}: 3-8.
    Table {n}: {gene}; {variant}; {drug}; {m}; {n}; 0.03.""")

SIDE = lines("""
    The rest of the patients were given chemotherapy.
    {drug} was well tolerated.
    A CAT scan was done every {n} weeks.
    The trial met its primary endpoint.
    Rash was the most common side effect of {drug}.
    A second set of {m} samples was tested by another kit.
    Expression of {MET} and {gene} was low in healthy tissue.
    {KIT} was stained in {m} sections.
    Patients met twice a month with a nurse.
    The antioxidant enzyme {CAT} was not affected.
    {REST} was silent in all samples.""")

CLOSING = lines("""
    Larger studies are needed.
    These findings were confirmed in a second set of samples.
    Follow-up was {m} months.
    We discuss what this means for {tumour}.""")
