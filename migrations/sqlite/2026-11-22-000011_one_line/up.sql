-- Titles of organizations are one line.
UPDATE organizations SET title = replace(replace(replace(replace(title, char(10), ' '), char(13), ' '), char(8232), ' '),
  char(8233), ' ');
