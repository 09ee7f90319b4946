"""Seeded attacks: calls with awkward arguments, damaged files, killed writers. ``make fuzz MINUTES=n`` goes on for n minutes."""
