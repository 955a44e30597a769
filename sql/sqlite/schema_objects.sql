-- The objects of the schema: kind, name, table, and the text that defines them. SQLite makes the objects whose name
-- begins with sqlite_ by itself, and the list of migrations is compared when the log is opened.
SELECT type, name, tbl_name, sql FROM sqlite_schema
WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> '_sqlx_migrations'
ORDER BY type, name
