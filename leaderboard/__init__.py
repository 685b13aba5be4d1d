"""What a diagnosis looks like on disk, and the tables and pages made from it."""
