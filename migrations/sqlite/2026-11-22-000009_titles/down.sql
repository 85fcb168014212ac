-- What was cut off is not put back: titles without it were good before, too.
SELECT 1;
