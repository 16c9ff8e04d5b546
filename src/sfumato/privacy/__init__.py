"""Units, budgets, costs and the ledger: no data, no noise."""
