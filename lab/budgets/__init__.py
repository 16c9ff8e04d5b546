"""How many charts a budget pays for, by our rule and by others'."""
