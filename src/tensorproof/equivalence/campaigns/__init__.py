"""Campaigns: the jobs, the processes that run them, and the store of what they found."""
