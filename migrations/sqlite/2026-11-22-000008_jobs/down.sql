DROP TABLE condemned;
DROP TABLE heartbeat;
DROP TABLE jobs;
