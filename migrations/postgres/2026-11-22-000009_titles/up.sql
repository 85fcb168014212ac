-- Titles of organizations neither begin nor end with white space, and have two characters at least. Only where texts are
-- Unicode can they hold more white space than that of ASCII, and can it be named.
UPDATE organizations SET title = btrim(title, E' \t\n\r\f\013');
DO $$
BEGIN
  IF current_setting('server_encoding') = 'UTF8' THEN
    EXECUTE $trim$
      UPDATE organizations SET title = btrim(title, E' \t\n\r\f\013\u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004'
        '\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000')
    $trim$;
  END IF;
END
$$;
UPDATE organizations SET title = 'Organization' WHERE char_length(title) < 2;
