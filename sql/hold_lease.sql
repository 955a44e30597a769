-- Gives the task $1 to the server $2 until $3, if it is free at $5 or that server has it. The state is replaced by $4,
-- unless $4 is empty.
INSERT INTO leases (task, holder, held_until, state)
VALUES ($1, $2, $3, $4)
ON CONFLICT (task) DO UPDATE SET
    holder = excluded.holder,
    held_until = excluded.held_until,
    state = CASE WHEN excluded.state = '' THEN leases.state ELSE excluded.state END
WHERE leases.holder = excluded.holder OR leases.held_until <= $5
