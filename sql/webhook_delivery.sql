-- The server that delivers the messages of the webhook $1, until when, and the state of the delivery.
SELECT holder, held_until, state FROM webhook_deliveries WHERE webhook = $1
