ALTER TABLE change_requests DROP COLUMN links;
