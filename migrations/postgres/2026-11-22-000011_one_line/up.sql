-- Titles of organizations are one line. Only where texts are Unicode can they hold more ends of lines than those of ASCII.
UPDATE organizations SET title = translate(title, E'\n\r', '  ');
DO $$
BEGIN
  IF current_setting('server_encoding') = 'UTF8' THEN
    EXECUTE $join$
      UPDATE organizations SET title = translate(title, E'\u2028\u2029', '  ')
    $join$;
  END IF;
END
$$;
