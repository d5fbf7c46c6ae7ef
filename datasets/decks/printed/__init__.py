"""Backs as printers print them: pictures and patterns to the very edge, lettering, logos, plain colours, suit signs."""
