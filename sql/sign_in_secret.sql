-- The secret by which processes recognise the challenges of sign-ins.
SELECT secret FROM sign_in_secret WHERE id = 1
