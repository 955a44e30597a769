-- The next time after $1 at which the time of a grant or of a remembered denial passes. It may have ended before.
SELECT min(data ->> 'expiresAt') AS expires_at FROM events
WHERE (type = 'TOOL_APPROVAL_RESPONSE' OR type = 'GRANT_PROLONGED') AND data ->> 'expiresAt' IS NOT NULL
    AND data ->> 'expiresAt' > $1
