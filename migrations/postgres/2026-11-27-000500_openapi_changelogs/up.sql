-- What a changelog lists of a version (domain::openapi_spec::ChangelogEntry). NULL for versions that were added before this
-- was stored, and for those whose comparison failed. A version whose text is kept is made again, and gets it then.
ALTER TABLE openapi_versions ADD COLUMN changelog JSON;
