"""One step of a scheme with stages, for any system: history, stages, reversal guard, ledger."""
