-- The moment at which an open request lapses next.
SELECT min(expires_at) AS expires_at FROM open_requests WHERE expires_at IS NOT NULL
