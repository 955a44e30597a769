-- Gives the delivery of the webhook $1 to the server $2 until $3, if it is free at $5 or that server has it. The state is
-- replaced by $4, unless $4 is empty.
INSERT INTO webhook_deliveries (webhook, holder, held_until, state)
VALUES ($1, $2, $3, $4)
ON CONFLICT (webhook) DO UPDATE SET
    holder = excluded.holder,
    held_until = excluded.held_until,
    state = CASE WHEN excluded.state = '' THEN webhook_deliveries.state ELSE excluded.state END
WHERE webhook_deliveries.holder = excluded.holder OR webhook_deliveries.held_until <= $5
