-- Titles of organizations neither begin nor end with white space, and have two characters at least.
UPDATE organizations SET title = trim(title, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196,
  8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288));
UPDATE organizations SET title = 'Organization' WHERE length(title) < 2;
