-- The documents. `json` and not `jsonb`: strings may hold any character, NUL among them, and
-- jsonb refuses \u0000. Keys sort by code point, which in UTF-8 is the order of bytes.
CREATE TABLE document (
    key text COLLATE "C" PRIMARY KEY,
    value json NOT NULL,
    rev bigint NOT NULL,
    due_at timestamptz
);
CREATE INDEX document_due ON document (due_at, key) WHERE due_at IS NOT NULL;

-- Of which workspaces nothing is written, for an hour. Only hashes stand here: who has left
-- leaves no id behind.
CREATE TABLE forgotten (
    prefix bigint PRIMARY KEY,
    organisation bigint NOT NULL,
    until timestamptz NOT NULL
);

-- Names that have been seen, as hashes.
CREATE TABLE seen (
    name bytea PRIMARY KEY,
    until timestamptz NOT NULL
);
CREATE INDEX seen_until ON seen (until);

-- The number under which a prefix is locked and refused.
CREATE FUNCTION place_of(prefix text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT hashtextextended(prefix, 0) $$;

-- Takes in again what lies under `E1.T1/`, or under `E1.`.
CREATE FUNCTION welcome_prefix(its_prefix text) RETURNS void LANGUAGE sql AS $$
    DELETE FROM forgotten WHERE place_of(its_prefix) IN (prefix, organisation);
$$;

-- Deletes what lies from a prefix to its end, and refuses it from then on. The lock waits for
-- what is being written there at this moment, so that the deletion finds it.
CREATE FUNCTION delete_under(its_prefix text, its_end text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(place_of(its_prefix));
    DELETE FROM forgotten WHERE until <= now();
    INSERT INTO forgotten VALUES (
        place_of(its_prefix), place_of(split_part(its_prefix, '.', 1) || '.'),
        now() + interval '1 hour')
        ON CONFLICT (prefix) DO UPDATE SET until = excluded.until;
    DELETE FROM document WHERE key >= its_prefix AND (its_end IS NULL OR key < its_end);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
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
BEGIN
    IF home <> 'meta/' THEN
        PERFORM pg_advisory_xact_lock_shared(place_of(home));
        IF begins IS NULL AND EXISTS (
            SELECT FROM forgotten WHERE prefix = place_of(home) AND until > now()
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
