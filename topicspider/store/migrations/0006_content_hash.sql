-- Signatures are counted in another way than before: 0 says nothing, so that the next visit is no change because of that.
UPDATE pages SET content_hash = 0 WHERE content_hash <> 0;
