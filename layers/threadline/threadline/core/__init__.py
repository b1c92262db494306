"""Values, the turn's state machine, keys and contracts: no I/O, no clock, no environment."""
