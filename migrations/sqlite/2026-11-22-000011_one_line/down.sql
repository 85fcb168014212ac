-- What was joined is not parted again: titles of one line were good before, too.
SELECT 1;
