"""The Network page: a drawing of all-against-all comparisons, with a movable threshold."""
