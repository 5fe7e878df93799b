"""Saved runs for other programs: ParaView series, headline series, one self-contained page."""
