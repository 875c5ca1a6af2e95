DROP INDEX changes_in_order {on_changes};

DROP INDEX pages_in_order {on_pages};
