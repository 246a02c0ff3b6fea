-- The documents. `json` and not `jsonb`: strings may hold any character, NUL among them, and
-- jsonb refuses \u0000. Keys sort by code point, which in UTF-8 is the order of bytes.
CREATE TABLE document (
    key text COLLATE "C" PRIMARY KEY,
    value json NOT NULL,
    rev bigint NOT NULL,
    due_at timestamptz
);
CREATE INDEX document_due ON document (due_at, key) WHERE due_at IS NOT NULL;

-- Of which prefixes nothing is written, for an hour. Only their hashes stand here: who has left
-- leaves no id behind. `is_forgotten` is false for a workspace that stays in an organisation
-- that goes.
CREATE TABLE forgotten (
    prefix bigint PRIMARY KEY,
    organisation bigint NOT NULL,
    is_forgotten boolean NOT NULL,
    until timestamptz NOT NULL
);

-- Names that have been seen, as hashes.
CREATE TABLE seen (
    name bytea PRIMARY KEY,
    until timestamptz NOT NULL
);
CREATE INDEX seen_until ON seen (until);

-- The number under which a prefix is locked and forgotten.
CREATE FUNCTION place_of(prefix text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT hashtextextended(prefix, 0) $$;

-- `E1.` for what lies under `E1.T1/…` or `E1.`.
CREATE FUNCTION organisation_of(prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT split_part(prefix, '.', 1) || '.' $$;

-- Keeps erasing and installing apart until the transaction ends: of one workspace, or of one
-- organisation with all that is in it.
CREATE FUNCTION take_turn(prefix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    around text := organisation_of(prefix);
BEGIN
    PERFORM pg_advisory_xact_lock(
        place_of('turn ' || CASE around WHEN '-.' THEN prefix ELSE around END));
END $$;

-- Takes in again what lies under a prefix, in an organisation that is forgotten, too.
CREATE FUNCTION welcome_prefix(its_prefix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    its_place bigint := place_of(its_prefix);
    its_organisation bigint := place_of(organisation_of(its_prefix));
BEGIN
    DELETE FROM forgotten WHERE prefix = its_place
        OR (its_place = its_organisation AND organisation = its_organisation);
    INSERT INTO forgotten
        SELECT its_place, its_organisation, false, now() + interval '1 hour'
        FROM forgotten WHERE prefix = its_organisation AND is_forgotten
        ON CONFLICT (prefix) DO UPDATE SET is_forgotten = false, until = excluded.until;
END $$;

-- Refuses, from its commit on, what lies under a prefix but for the longer ones in `but`. The
-- lock waits for what is being written there at this moment, so that a deletion afterwards
-- finds it.
CREATE FUNCTION forget_prefix(its_prefix text, but text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    each text;
BEGIN
    PERFORM pg_advisory_xact_lock(place_of(its_prefix));
    DELETE FROM forgotten WHERE until <= now();
    PERFORM welcome_prefix(its_prefix);
    INSERT INTO forgotten VALUES (
        place_of(its_prefix), place_of(organisation_of(its_prefix)), true,
        now() + interval '1 hour')
        ON CONFLICT (prefix) DO UPDATE SET is_forgotten = true, until = excluded.until;
    FOREACH each IN ARRAY but LOOP
        PERFORM welcome_prefix(each);
    END LOOP;
END $$;

-- Writes a document, on the condition of `Documents.put`; says 'put', 'conflict' or 'forgotten'.
-- `begins` is the prefix that is welcome again by that, or null. The locks are shared, so that
-- writers never wait for one another; READ COMMITTED sees what was forgotten before the lock
-- was given.
CREATE FUNCTION put_document(
    its_key text, its_value json, its_due_at timestamptz, expected bigint, new_rev bigint,
    begins text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    home text := split_part(its_key, '/', 1) || '/';
    around text := organisation_of(home);
BEGIN
    IF begins IS NOT NULL THEN
        PERFORM take_turn(begins);
    END IF;
    IF home <> 'meta/' THEN
        IF around <> '-.' THEN
            PERFORM pg_advisory_xact_lock_shared(place_of(around));
        END IF;
        PERFORM pg_advisory_xact_lock_shared(place_of(home));
        IF begins IS NULL AND coalesce(
            (SELECT is_forgotten FROM forgotten
                WHERE prefix = place_of(home) AND until > now()),
            (SELECT is_forgotten FROM forgotten
                WHERE prefix = place_of(around) AND until > now()),
            false
        ) THEN
            RETURN 'forgotten';
        END IF;
    END IF;
    IF expected IS NULL THEN
        INSERT INTO document VALUES (its_key, its_value, new_rev, its_due_at)
            ON CONFLICT (key) DO UPDATE SET
                value = excluded.value, rev = excluded.rev, due_at = excluded.due_at;
    ELSIF expected = 0 THEN
        INSERT INTO document VALUES (its_key, its_value, new_rev, its_due_at)
            ON CONFLICT (key) DO NOTHING;
    ELSE
        UPDATE document SET value = its_value, rev = new_rev, due_at = its_due_at
            WHERE key = its_key AND rev = expected;
    END IF;
    IF NOT FOUND THEN
        RETURN 'conflict';
    END IF;
    IF begins IS NOT NULL THEN
        PERFORM welcome_prefix(begins);
    END IF;
    RETURN 'put';
END $$;

-- Says whether a name is new, and remembers it for `kept`. A crash of the server may forget the
-- last second of it, which is cheaper than to wait for the disk before each answer to Slack.
CREATE FUNCTION see_name(its_name bytea, kept interval) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO seen VALUES (its_name, now() + kept)
        ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE seen.until <= now();
    RETURN FOUND;
END $$;
