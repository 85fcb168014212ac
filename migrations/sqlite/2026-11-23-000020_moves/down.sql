DROP TABLE moves;
