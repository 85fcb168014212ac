-- The links of a change request (domain::change_request::ChangeRequestLinks). NULL if it has none.
ALTER TABLE change_requests ADD COLUMN links TEXT;
