"""Reading: the sentences, words, people, quantities and facts of a text."""
