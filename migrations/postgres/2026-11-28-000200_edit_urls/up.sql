-- The address where the source files of the pages of a space are edited.
ALTER TABLE spaces ADD COLUMN edit_url TEXT;
