DROP TABLE former_anchors;
