-- An index ends in the id by itself: these are a topic's pages, and its changes, in the order of their ids. Without them each part that
-- is read of many pages sorts all of them again.
CREATE INDEX pages_in_order ON pages (topic);

CREATE INDEX changes_in_order ON changes (topic);
