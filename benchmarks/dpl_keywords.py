"""Keywords written by hand from the names of labels: no text and no score was looked at.

They are what comes to mind about these subjects; for newsgroups, about those of the early nineties.
"""

from __future__ import annotations


def _listed(lines: str) -> dict[str, tuple[str, ...]]:
    """Each line is a label, and words that speak for it."""
    pairs = [line.partition(":") for line in lines.strip().splitlines()]
    return {label.strip(): tuple(words.split()) for label, _, words in pairs}


YAHOO = _listed(
    """
    society: god jesus bible church religion christian muslim culture society holiday christmas
    science: math equation physics chemistry formula energy cell planet scientists calculate
    """
)

NEWSGROUPS = _listed(
    """
    alt_atheism: atheism atheist atheists
    comp_graphics: graphics image images polygon 3d
    comp_os_ms_windows_misc: windows microsoft win31 ms-windows
    comp_sys_ibm_pc_hardware: motherboard bios ide isa pc
    comp_sys_mac_hardware: mac apple macintosh quadra powerbook
    comp_windows_x: x11 motif xterm widget window
    misc_forsale: sale sell shipping offer price
    rec_autos: car cars engine dealer automobile
    rec_motorcycles: bike bikes motorcycle motorcycles helmet
    rec_sport_baseball: baseball pitcher inning hitter league
    rec_sport_hockey: hockey nhl goalie puck
    sci_crypt: encryption cryptography crypto clipper cipher
    sci_electronics: circuit voltage resistor amplifier electronics
    sci_med: doctor disease patients medical symptoms
    sci_space: space orbit nasa shuttle moon
    soc_religion_christian: christ church christians christianity
    talk_politics_guns: gun guns firearms weapon
    talk_politics_mideast: israel israeli arab turkish palestinian
    talk_politics_misc: government president taxes congress clinton
    talk_religion_misc: religion religious mormon scripture
    """
)
