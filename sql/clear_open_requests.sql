-- Empties the table open_requests. sql/rebuild_open_requests.sql fills it again.
DELETE FROM open_requests
