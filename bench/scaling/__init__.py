"""How the engines grow: generated tables, questions about them, and what the answers cost."""
