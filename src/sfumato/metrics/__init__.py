"""How close two pictures are: for evaluation, never for a release."""
