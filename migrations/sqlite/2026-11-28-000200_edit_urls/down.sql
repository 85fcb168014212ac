ALTER TABLE spaces DROP COLUMN edit_url;
