-- Which programs may work here while a fleet is brought from one version to the next: those that know the layout
-- `oldest` or a later one, also where the layout has gone on without them. A step that they could not live with
-- raises it. This step only adds a table, so it leaves out nobody who would look here.
CREATE TABLE layout (
    id     integer PRIMARY KEY CHECK (id = 1),
    oldest bigint NOT NULL
);

INSERT INTO layout (id, oldest) VALUES (1, 5);
