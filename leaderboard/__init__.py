"""Reports, comparisons and the leaderboard, all computed from records."""
