"""The Null game of Skat: one declarer against two defenders, lost with the first trick taken."""
