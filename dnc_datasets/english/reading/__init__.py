"""Reading: what a text says: its sentences, words, people, quantities and facts."""
