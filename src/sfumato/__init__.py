"""sfumato: charts of data that nobody may see."""
