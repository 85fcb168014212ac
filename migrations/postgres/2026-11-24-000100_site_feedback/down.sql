DROP TABLE site_feedback;
