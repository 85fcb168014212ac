-- Whether the space went to another organization after the review was given: then it never counts again.
ALTER TABLE reviews ADD COLUMN ended BOOLEAN NOT NULL DEFAULT FALSE;
