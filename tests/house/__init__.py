"""The house rules as code: each reads one source file and yields what breaks it there."""
