SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE TYPE public.procrastinate_job_event_type AS ENUM (
    'deferred',
    'started',
    'deferred_for_retry',
    'failed',
    'succeeded',
    'cancelled',
    'abort_requested',
    'aborted',
    'scheduled',
    'retried'
);
CREATE TYPE public.procrastinate_job_status AS ENUM (
    'todo',
    'doing',
    'succeeded',
    'failed',
    'cancelled',
    'aborting',
    'aborted'
);
CREATE TYPE public.procrastinate_job_to_defer_v1 AS (
	queue_name character varying,
	task_name character varying,
	priority integer,
	lock text,
	queueing_lock text,
	args jsonb,
	scheduled_at timestamp with time zone
);
CREATE FUNCTION public.forget_prefix(its_prefix text, but text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.organisation_of(prefix text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT split_part(prefix, '.', 1) || '.' $$;
CREATE FUNCTION public.place_of(prefix text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT hashtextextended(prefix, 0) $$;
CREATE FUNCTION public.procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$$;
CREATE FUNCTION public.procrastinate_defer_jobs_v1(jobs public.procrastinate_job_to_defer_v1[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;
    RETURN job_ids;
END;
$$;
CREATE FUNCTION public.procrastinate_defer_periodic_job_v2(_queue_name character varying, _lock character varying, _queueing_lock character varying, _task_name character varying, _priority integer, _periodic_id character varying, _defer_timestamp bigint, _args jsonb) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;
    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;
    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;
    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;
    RETURN _job_id;
END;
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.procrastinate_jobs (
    id bigint NOT NULL,
    queue_name character varying(128) NOT NULL,
    task_name character varying(128) NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    lock text,
    queueing_lock text,
    args jsonb DEFAULT '{}'::jsonb NOT NULL,
    status public.procrastinate_job_status DEFAULT 'todo'::public.procrastinate_job_status NOT NULL,
    scheduled_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    abort_requested boolean DEFAULT false NOT NULL,
    worker_id bigint,
    CONSTRAINT check_not_todo_abort_requested CHECK ((NOT ((status = 'todo'::public.procrastinate_job_status) AND (abort_requested = true))))
);
CREATE FUNCTION public.procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint) RETURNS public.procrastinate_jobs
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;
 RETURN found_jobs;
END;
$$;
CREATE FUNCTION public.procrastinate_finish_job_v1(job_id bigint, end_status public.procrastinate_job_status, delete_job boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$$;
CREATE FUNCTION public.procrastinate_notify_queue_abort_job_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;
CREATE FUNCTION public.procrastinate_notify_queue_job_inserted_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;
CREATE FUNCTION public.procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat double precision) RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$$;
CREATE FUNCTION public.procrastinate_register_worker_v1() RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$$;
CREATE FUNCTION public.procrastinate_retry_job_v1(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$$;
CREATE FUNCTION public.procrastinate_retry_job_v2(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;
END;
$$;
CREATE FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$$;
CREATE FUNCTION public.procrastinate_trigger_function_scheduled_events_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);
	RETURN NEW;
END;
$$;
CREATE FUNCTION public.procrastinate_trigger_function_status_events_insert_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$$;
CREATE FUNCTION public.procrastinate_trigger_function_status_events_update_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$$;
CREATE FUNCTION public.procrastinate_unlink_periodic_defers_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$$;
CREATE FUNCTION public.procrastinate_unregister_worker_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$$;
CREATE FUNCTION public.procrastinate_update_heartbeat_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$$;
CREATE FUNCTION public.put_document(its_key text, its_value json, its_due_at timestamp with time zone, expected bigint, new_rev bigint, begins text) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.see_name(its_name bytea, kept interval) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO seen VALUES (its_name, now() + kept)
        ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE seen.until <= now();
    RETURN FOUND;
END $$;
CREATE FUNCTION public.take_turn(prefix text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    around text := organisation_of(prefix);
BEGIN
    PERFORM pg_advisory_xact_lock(
        place_of('turn ' || CASE around WHEN '-.' THEN prefix ELSE around END));
END $$;
CREATE FUNCTION public.welcome_prefix(its_prefix text) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE public.document (
    key text NOT NULL COLLATE pg_catalog."C",
    value json NOT NULL,
    rev bigint NOT NULL,
    due_at timestamp with time zone
);
CREATE TABLE public.forgotten (
    prefix bigint NOT NULL,
    organisation bigint NOT NULL,
    is_forgotten boolean NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.migration (
    series text NOT NULL,
    step text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.procrastinate_events (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    type public.procrastinate_job_event_type,
    at timestamp with time zone DEFAULT now()
);
CREATE SEQUENCE public.procrastinate_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.procrastinate_events_id_seq OWNED BY public.procrastinate_events.id;
CREATE SEQUENCE public.procrastinate_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.procrastinate_jobs_id_seq OWNED BY public.procrastinate_jobs.id;
CREATE TABLE public.procrastinate_periodic_defers (
    id bigint NOT NULL,
    task_name character varying(128) NOT NULL,
    defer_timestamp bigint,
    job_id bigint,
    periodic_id character varying(128) DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.procrastinate_periodic_defers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.procrastinate_periodic_defers_id_seq OWNED BY public.procrastinate_periodic_defers.id;
CREATE TABLE public.procrastinate_workers (
    id bigint NOT NULL,
    last_heartbeat timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.procrastinate_workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.procrastinate_workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.seen (
    name bytea NOT NULL,
    until timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.procrastinate_events ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_events_id_seq'::regclass);
ALTER TABLE ONLY public.procrastinate_jobs ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_jobs_id_seq'::regclass);
ALTER TABLE ONLY public.procrastinate_periodic_defers ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_periodic_defers_id_seq'::regclass);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:07+00:00","name":"birch","revoked_at":null,"token":{"sealed":"v1.k1.ddoM0RJ9AEJuureccH2Z0pL0ckzCvqQR_g6TeGOY-n1PlVs0GS9AbR1WMznojwgPm0GMRmAmO4VwgiIXCbw_swm1JKEKAVkZqnVLZ1Wg-phxlG89O2v-64an6zcTEsy2cGnlA5ARyQ1UAxBxKAe4VTZdZQ67Glyp"},"refresh":{"sealed":"v1.k1.avozuVaviOj6F6hp0FmGA3VvYW8SDbvcfwx2kt5_sNyhIn7YWyq5tC4mYzz8TQu7FjWU_AWijiAaXyKdj7FdKIiMk_skc2E9ce5S9mV2IbL26YJEf9Bxo2rNdJGatP2HNFf2iE8ij_W7sZfx5y1UeckJTg=="},"expires_at":"2026-03-08T19:00:07.177680+00:00"}', 6851268692215652, '2026-03-09 07:13:23+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/key', '{"v":1,"sealed":"v1.k1.guD1hgNpw-A_JwqImPCBkk1KjH2HvIlf8BIQF4uK6wHp7LhIBU_90s_NmAB1NVKikg6ob5oYJP5LWhw3aiHNh_TCXrjEV6T5CLk8dhquhXA=","last4":"mavq","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-08T07:00:08.008449+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 4913827491507380, '2026-05-23 07:00:08.008449+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/usage/d4083b91.57a961eb281a4e71', '{"v":1,"fingerprint":"57a961eb281a4e71","since":"2026-03-08T09:29:46.062+00:00","minutes":{"2026-03-08T09:30:00.243+00:00":{"digest:C0000000002":1}},"account":{"told_at":"2026-03-08T09:30:00.493+00:00","highest_at":"2026-03-08T09:30:00.493+00:00","remaining":999,"highest":999}}', 4709185219450059, '2026-03-08 10:30:00.494+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/cd4795b12c6c/28f0083a8f5e0774', '{"v":1,"taken_at":"2026-03-03T09:05:00.326138+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 713697079, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/usage/d4083b91.a219f9ee5bbccd9a', '{"v":1,"fingerprint":"a219f9ee5bbccd9a","since":"2026-03-08T09:39:45.592+00:00","minutes":{"2026-03-08T09:39:59.773+00:00":{"digest:C0001000002":1}},"account":{"told_at":"2026-03-08T09:40:00.608+00:00","highest_at":"2026-03-08T09:40:00.608+00:00","remaining":1000,"highest":1000}}', 8303191145828426, '2026-03-08 10:40:00.619293+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/40d8768949b0', '{"v":1,"digest_id":"40d8768949b0","plan":{"channel_id":"C0000000010","schedule":{"days":[0,1,2,3,4,5,6],"at":"18:00:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:06.532006Z","next":{"due_at":"2026-03-02T18:00:00Z","local":"2026-03-02T18:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":{"since":"2026-03-02T07:00:07.296280Z","until":null,"by":"U0000000004","why":null},"run":null,"past":[],"notices":[],"baseline":null,"last_local":null,"silent_runs":0}', 2105069940, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/5c5e35ad97a9', '{"v":1,"digest_id":"5c5e35ad97a9","plan":{"channel_id":"C0000000010","schedule":{"days":[0,1,2,3,4,5,6],"at":"08:30:00","zone":"Europe/Berlin"},"filter_text":"tag:eu","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:06.072587Z","next":{"due_at":"2026-03-02T07:30:00Z","local":"2026-03-02T08:30:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":{"since":"2026-03-02T07:00:06.256276Z","until":"2026-03-08T23:00:00Z","by":"U0000000004","why":null},"run":null,"past":[],"notices":[],"baseline":null,"last_local":null,"silent_runs":0}', 1928842618, '2026-03-08 23:00:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/slack-hold', '{"v":1,"until":"2026-03-08T10:45:00.705566+00:00"}', 3552865706213518, '2026-03-08 10:45:00.705566+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/usage/d4083b91.41a622e6e33e919e', '{"v":1,"fingerprint":"41a622e6e33e919e","since":"2026-03-08T09:44:44.843+00:00","minutes":{"2026-03-08T09:43:59.024+00:00":{"digest:C0000000008":2,"digest:C0000000013":1}},"account":{"told_at":"2026-03-08T09:44:58.787+00:00","highest_at":"2026-03-08T09:44:57.761+00:00","remaining":997,"highest":999}}', 5876518624499677, '2026-03-08 10:45:00.815912+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/audit', '{"v":1,"entries":[{"at":"2026-03-02T07:00:00.701658+00:00","by":"U0000000002","act":"key-set","key":"service_sk_\u2026xcL5"},{"at":"2026-03-02T07:00:00.794030+00:00","by":"U0000000002","act":"managers-changed","added":["U0000000004"]},{"at":"2026-03-02T07:00:00.910311+00:00","by":"U0000000002","act":"managers-changed","added":["S0000000014"]},{"at":"2026-03-02T07:00:01.894939+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:02.984459+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:04.088212+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:05.208166+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:05.608545+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000013"},{"at":"2026-03-02T07:00:05.826085+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000009"},{"at":"2026-03-02T07:00:06.102375+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000010"},{"at":"2026-03-02T07:00:06.268217+00:00","by":"U0000000004","act":"digest-paused","channel_id":"C0000000010"},{"at":"2026-03-02T07:00:07.212152+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000010"},{"at":"2026-03-02T07:00:07.297477+00:00","by":"U0000000004","act":"digest-paused","channel_id":"C0000000010"},{"at":"2026-03-07T17:00:01.002594+00:00","by":"U0000000002","act":"key-replaced","key":"service_sk_\u2026WksG"},{"at":"2026-03-08T07:00:01.853066+00:00","by":"U0000000002","act":"app-installed"}]}', 6625933803022989, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/digest-baseline/59197658c72e/89dcb568388f9a79', '{"v":1,"taken_at":"2026-03-08T09:30:00.500115+00:00","scores":{"shop.delta.example":41.0,"www.delta.example":97.0}}', 5392884057795094, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/home-viewers', '{"v":1,"viewers":{"U0000000002":"2026-03-08T07:00:13.057408+00:00","U0000000004":"2026-03-08T07:00:13.109001+00:00"}}', 2352271469506769, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/75cd63b86956/d9e600a60d3da50a', '{"v":1,"taken_at":"2026-03-08T09:00:00.784291+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 1694918796565298, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/cd4795b12c6c', '{"v":1,"digest_id":"cd4795b12c6c","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:05:00","zone":"UTC"},"filter_text":"","mode":"worse","heartbeat_every":3,"worst_count":10,"mentions":[{"label":"tag:prod","who":["U0000000002"]}]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:02.172902Z","next":{"due_at":"2026-03-09T09:05:00Z","local":"2026-03-09T09:05:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:05:00Z","local":"2026-03-02T09:05:00"},"outcome":"posted","at":"2026-03-02T09:05:01.191585Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:05:00Z","local":"2026-03-03T09:05:00"},"outcome":"posted","at":"2026-03-03T09:05:01.196801Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:05:00Z","local":"2026-03-04T09:05:00"},"outcome":"missed","at":"2026-03-06T10:30:02.237357Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:05:00Z","local":"2026-03-05T09:05:00"},"outcome":"missed","at":"2026-03-06T10:30:02.237357Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:05:00Z","local":"2026-03-06T09:05:00"},"outcome":"quiet","at":"2026-03-06T10:30:02.475839Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:05:00Z","local":"2026-03-07T09:05:00"},"outcome":"quiet","at":"2026-03-07T09:05:00.394985Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-08T09:05:00Z","local":"2026-03-08T09:05:00"},"outcome":"quiet","at":"2026-03-08T09:05:00.506709Z","average":63.666666666666664,"trouble":null,"asked_by":null}],"notices":[],"baseline":"28f0083a8f5e0774","last_local":"2026-03-08T09:05:00","silent_runs":3}', 7741990733942495, '2026-03-09 09:05:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/managers', '{"v":1,"user_ids":["U0000000004"],"group_ids":["S0000000014"]}', 216444198, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/scan/shop.example', '{"v":1,"report":{"host":"shop.example","score":38.0,"scanned_at":"2026-03-02T07:00:01.482153Z","sections":[{"name":"whois","findings":[],"left_out":0,"is_given":false},{"name":"dns","findings":[{"path":["name0"],"value":0},{"path":["name1"],"value":1},{"path":["name2"],"value":2},{"path":["name3"],"value":3},{"path":["name4"],"value":4},{"path":["name5"],"value":5},{"path":["name6"],"value":6},{"path":["name7"],"value":7},{"path":["name8"],"value":8},{"path":["name9"],"value":9},{"path":["name10"],"value":10},{"path":["name11"],"value":11},{"path":["name12"],"value":12},{"path":["name13"],"value":13},{"path":["name14"],"value":14},{"path":["name15"],"value":15},{"path":["name16"],"value":16},{"path":["name17"],"value":17},{"path":["name18"],"value":18},{"path":["name19"],"value":19},{"path":["name20"],"value":20},{"path":["name21"],"value":21},{"path":["name22"],"value":22},{"path":["name23"],"value":23},{"path":["name24"],"value":24},{"path":["name25"],"value":25},{"path":["name26"],"value":26},{"path":["name27"],"value":27},{"path":["name28"],"value":28},{"path":["name29"],"value":29},{"path":["name30"],"value":30},{"path":["name31"],"value":31},{"path":["name32"],"value":32},{"path":["name33"],"value":33},{"path":["name34"],"value":34},{"path":["name35"],"value":35},{"path":["name36"],"value":36},{"path":["name37"],"value":37},{"path":["name38"],"value":38},{"path":["name39"],"value":39},{"path":["name40"],"value":40},{"path":["name41"],"value":41},{"path":["name42"],"value":42},{"path":["name43"],"value":43},{"path":["name44"],"value":44},{"path":["name45"],"value":45},{"path":["name46"],"value":46},{"path":["name47"],"value":47},{"path":["name48"],"value":48},{"path":["name49"],"value":49},{"path":["name50"],"value":50},{"path":["name51"],"value":51},{"path":["name52"],"value":52},{"path":["name53"],"value":53},{"path":["name54"],"value":54},{"path":["name55"],"value":55},{"path":["name56"],"value":56},{"path":["name57"],"value":57},{"path":["name58"],"value":58},{"path":["name59"],"value":59}],"left_out":0,"is_given":true},{"name":"ssl","findings":[{"path":["issuer"],"value":"New CA"}],"left_out":0,"is_given":true},{"name":"security","findings":[{"path":["issues","1","severity"],"value":"high"},{"path":["issues","1","title"],"value":"No DMARC record"}],"left_out":0,"is_given":true}],"changes":[],"since":"2026-03-02T07:00:01.110059Z"}}', 796199164, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/scans', '{"v":1,"hosts":["shop.example"]}', 21345622, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/seen', '{"v":1,"at":"2026-03-02T07:00:00.622952+00:00"}', 277977631, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/move', '{"v":1,"at":"2026-11-22T10:28:12.680097+00:00","documents":23,"print":"8511ad61b5a916f3566ae2fb2a60c5f80345bd7e8700a8d897fb045f737fce49"}', 1, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/key-check', '{"k0":"v1.k0.9oLiAdSFQC0ppYbx3l1kSLZIvu8KigHCAHL2tEEq_du-a9oe3M7q4GkOr1tYQzGyK3R2LYF4oUBrH7Okh8lAi1VqdlCXY-bU","k1":"v1.k1.Pl8Mx-yxfjFDecByzUuAXYxi5JUlrwsOfOg_q-bynRdKDsTLYblgLuKxqlXRuimwHeSPf4TeWSMznZwMC326HjOygd52uJk4"}', 5805530409690775, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/92b32751ce96/570ff9feb71ba51b', '{"v":1,"taken_at":"2026-03-08T09:20:00.488331+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 2974690798752634, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/granted', '{"v":1,"at":"2026-03-08T07:00:09+00:00"}', 8075656196225779, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/check', '{"token":"1c51af8f7227b972"}', 456378318349711, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/key', '{"v":1,"sealed":"v1.k1.IRnX7ElVc-oc3BO2lUcl_AkWKIRJyAjTenE7nH-Om_TJCXcuZ__FMh7KGL2W7KqxRpo7E79iR3s2VCUygRKSXPWfg7KJBbUxO4OLcfMZhTQ=","last4":"AnYp","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"W0000000003","set_at":"2026-03-08T07:00:10.128676+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 3763516176093915, '2026-05-23 07:00:10.128676+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/list/account', '{"v":1}', 4546101330050329, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/key', '{"v":1,"sealed":"v1.k1.3XPOxOGP-rmUkqG5krhe7aW1d0oXe6B8ReutzQ53Z4LOzDTfNImBe5JgHAAekCI_kyKfwy3zdRDkv-D4z8AZfXK8en0pJ9dHnpGv1oyP-90=","last4":"WksG","label":"Domain Tracker for Slack, Mar 2026","expires_on":"2026-06-05","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-07T17:00:00.893112+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null,"earlier":{"sealed":"v1.k0.Q7mHRTl3LyFgYfqvoG8YhDOAD0RiRYqGHRw90bEliRMFH_FfkHhYpOpy4SvKxNTf2VHPUDKJTpvASnz1tmkVzpXFMsgB8_7fez7lcClpHZI=","until":"2026-03-14T17:00:00.893112+00:00","last4":"xcL5","label":"Domain Tracker for Slack","expires_on":"2026-05-31","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-02T07:00:00.699727+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list","scan"],"reminded_days":null,"rotation_told_at":null}}', 1175117456707066, '2026-03-14 17:00:00.893112+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/list/account', '{"v":1}', 5356410716069153, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/92b32751ce96', '{"v":1,"digest_id":"92b32751ce96","plan":{"channel_id":"C0000000013","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:20:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:05.602376Z","next":{"due_at":"2026-03-09T09:20:00Z","local":"2026-03-09T09:20:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:20:00Z","local":"2026-03-02T09:20:00"},"outcome":"posted","at":"2026-03-02T09:20:00.627416Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:20:00Z","local":"2026-03-03T09:20:00"},"outcome":"posted","at":"2026-03-03T09:20:00.712276Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:20:00Z","local":"2026-03-04T09:20:00"},"outcome":"missed","at":"2026-03-06T10:30:02.228159Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:20:00Z","local":"2026-03-05T09:20:00"},"outcome":"missed","at":"2026-03-06T10:30:02.228159Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:20:00Z","local":"2026-03-06T09:20:00"},"outcome":"posted","at":"2026-03-06T10:30:02.675812Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:20:00Z","local":"2026-03-07T09:20:00"},"outcome":"uncertain","at":"2026-03-07T09:20:00.763111Z","average":63.666666666666664,"trouble":"slack","asked_by":null},{"slot":{"due_at":"2026-03-08T09:20:00Z","local":"2026-03-08T09:20:00"},"outcome":"posted","at":"2026-03-08T09:20:00.520360Z","average":63.666666666666664,"trouble":null,"asked_by":null}],"notices":[],"baseline":"570ff9feb71ba51b","last_local":"2026-03-08T09:20:00","silent_runs":0}', 4971809233791446, '2026-03-09 09:20:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/list/account', '{"v":1}', 8149003640465874, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:07.396606+00:00","by":"U0000000002","act":"app-installed"},{"at":"2026-03-08T07:00:08.110051+00:00","by":"U0000000002","act":"key-set","key":"service_sk_\u2026mavq"},{"at":"2026-03-08T07:00:08.806450+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-08T07:00:09.068011+00:00","by":"U0000000002","act":"digests-restricted"}]}', 7985199562141877, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/list/account', '{"v":1}', 4070224744015952, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/digest/59197658c72e', '{"v":1,"digest_id":"59197658c72e","plan":{"channel_id":"C0000000002","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:30:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"W0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:11.123877Z","next":{"due_at":"2026-03-09T09:30:00Z","local":"2026-03-09T09:30:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-08T09:30:00Z","local":"2026-03-08T09:30:00"},"outcome":"posted","at":"2026-03-08T09:30:00.545533Z","average":69.0,"trouble":null,"asked_by":null}],"notices":[],"baseline":"89dcb568388f9a79","last_local":"2026-03-08T09:30:00","silent_runs":0}', 5568787174459282, '2026-03-09 09:30:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:09.515288+00:00","by":"W0000000003","act":"app-installed"},{"at":"2026-03-08T07:00:11.861077+00:00","by":"W0000000003","act":"key-set","key":"service_sk_\u2026ZEhL"},{"at":"2026-03-08T07:00:12.522957+00:00","by":"W0000000004","act":"digest-made","channel_id":"C0001000002"}]}', 7472036146391550, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/usage/d4083b91.29f0e3cd55365e4e', '{"v":1,"fingerprint":"29f0e3cd55365e4e","since":"2026-03-08T09:44:44.843+00:00","minutes":{"2026-03-08T09:44:59.024+00:00":{"digest:C0000000008":1}},"account":{"told_at":"2026-03-08T09:45:00.541+00:00","highest_at":"2026-03-08T09:45:00.541+00:00","remaining":999,"highest":999}}', 1032579151782480, '2026-03-08 10:45:00.556793+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/digest/89285d19f31a', '{"v":1,"digest_id":"89285d19f31a","plan":{"channel_id":"C0001000002","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:40:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"W0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:12.452618Z","next":{"due_at":"2026-03-09T09:40:00Z","local":"2026-03-09T09:40:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T09:40:00Z","local":"2026-03-08T09:40:00"},"channel_id":"C0001000002","state":"waiting","until":"2026-03-08T10:07:01.169133Z","deadline":"2026-03-08T15:40:00Z","token":"16354444fa47aceb","attempt":3,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":"key","baseline":null,"average":null},"past":[],"notices":[],"baseline":null,"last_local":"2026-03-08T09:40:00","silent_runs":0}', 6994548355143540, '2026-03-08 10:07:01.169133+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/digest-rights', '{"v":1,"admins_only":true}', 7288220337319137, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/d3522a0f1017/fd8fcc1be94abde6', '{"v":1,"taken_at":"2026-03-06T10:30:02.440413+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 7570525289893958, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.-/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"W0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"W0000000003","installed_at":"2026-03-08T07:00:09+00:00","name":"globex","revoked_at":null,"token":{"sealed":"v1.k1.ZsO55etxJ_CSB_ezpJNMNIfp0UWtaYqRPiWDog4S2j37WcLWRE43l95MkkdnLv3Y8XBgM-AfgrvCeohUMjTsqAJDuP-U-JxY5Q=="}}', 1768266431434482, '2026-03-09 14:28:07+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/646a3a5a931b/2f68bda8a5e02e9c', '{"v":1,"taken_at":"2026-03-06T10:30:02.452733+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 3857677145469175, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/04072a286fc7/225c8b47fd6bffc3', '{"v":1,"taken_at":"2026-03-06T10:30:02.709798+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 6955520252668660, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/key', '{"v":1,"sealed":"v1.k1.AZ2srflcX25X_FXd3cAabfpwf_RpeEoVtK3b407_1BgW6DtFO0aMlV9lEyl_PLmJ0vpiDFtRmRTiKwbM_zpczGTK3s8VMJu-O8V8GtsfSX8=","last4":"ZEhL","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"W0000000003","set_at":"2026-03-08T07:00:11.824482+00:00","refused_at":"2026-03-08T09:40:00.609484+00:00","told_at":"2026-03-08T09:40:00.723828+00:00","told":["W0000000003"],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 1182434157419674, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/digest/6253b1a4ba52', '{"v":1,"digest_id":"6253b1a4ba52","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:45:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:08.704599Z","next":{"due_at":"2026-03-09T09:45:00Z","local":"2026-03-09T09:45:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T09:45:00Z","local":"2026-03-08T09:45:00"},"channel_id":"C0000000008","state":"waiting","until":"2026-03-08T10:45:00.740187Z","deadline":"2026-03-08T15:45:00Z","token":"4f039c54c264b7bd","attempt":1,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":"slack","baseline":"4f039c54c264b7bd","average":69.0},"past":[],"notices":[],"baseline":null,"last_local":"2026-03-08T09:45:00","silent_runs":0}', 5941238311124108, '2026-03-08 10:45:00.740187+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/granted', '{"v":1,"at":"2026-03-08T07:00:09+00:00"}', 1855885407640705, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:09.494626+00:00","by":"W0000000003","act":"app-installed"},{"at":"2026-03-08T07:00:10.174988+00:00","by":"W0000000003","act":"key-set","key":"service_sk_\u2026AnYp"},{"at":"2026-03-08T07:00:11.279053+00:00","by":"W0000000004","act":"digest-made","channel_id":"C0000000002"}]}', 3492158346002234, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/process/a12d76202a0321bb', '{"v":1,"role":"all","started_at":"2026-03-08T09:49:08.363458+00:00","keys":["k1","k0"]}', 6014652080679702, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/budget', '{"v":1,"keys":{"57a961eb281a4e71":{"told_at":"2026-03-08T09:57:00.728+00:00","highest_at":"2026-03-08T09:57:00.728+00:00","blocked_until":"2026-03-08T10:57:00.729+00:00","settled_at":"2026-03-08T09:57:00.729+00:00","rate_limits":1}}}', 4855527661236105, '2026-03-08 10:57:00.749471+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/kept/U0000000004/17af06302a155e1d', '{"v":1,"sealed":"v1.k1.3YXJ_ykzkYnAHDmBAWsMuUf4neWcApyiAaDvAHPMRgtTaA4WPh4qOj3hIcSycO0A2zFbfBAuvzmjm54h_b1vpcpJUw8erx7riRDHM80jpoBKcIQifwVEhtjboF1KHOilD2rT7FcKaHJSOsUd3Q9L1n0D3C9_wNvS29ticQZEHphykBYF9uQKomMLB3aBpLIvIe9KlwIXOAVIDDngkjErDPk271bMe6LLMqQcR9nD5VWvrZsQHOZqp5CSDw=="}', 7701935627148062, '2026-03-08 10:12:00.916454+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/pending/a12d76202a0321bb-1', '{"v":1,"since":"2026-03-08T09:57:00.169657+00:00","tries":0,"sealed":"v1.k1.aXnQa-YYuOve6Vzfx6uNgFCCf7kfTtjm6ymrhwv2diroHRvlXT0ZSxWv-9TdnciZZeHe4yQ6iHyXLj74jWuikvTg3pOW8FtvOypCnFxUArmLNLbEETk9or6wqywm_ErO8p946_uEHiPL3wJTW66IP3JRstdNFxF7hJibnCJLZ_uxinBPujxL6Ta4g-Nw-G1wKtMWzxnPT3WZqvkIQltPlyTdA8jfDr3dVBkhrvSGGXVteRLShQhAFceVYMT2L55xORVfxQUV-UYYWR9z9vCXq9bPWTMj61TxzjZK6JIv_ikWFZSvTirjEJWZAHBcjlBLtJtUz0syfN4RpQrGz2uAWOjUdwuh0ncXIVvNPnyAOEFyOcVUfC7P6BnM01gtzMbu0ut_7raTEliEPYlgD7Z1YJlbSD1bJzfAsASTvLZ4dMS7PRU4H3vzzwSJtR_fKwHVtcjnyZ1faDIFU4q3_0dNQpjUqQ2Y3eVUO7K5P260lTL3HRml6xOyRoLZ6SN8odQVN4uIPxplIbuYZzMX2BK4_1g="}', 6385101294850180, '2026-03-08 09:57:10.169657+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/75cd63b86956', '{"v":1,"digest_id":"75cd63b86956","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:00:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":5,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:01.841624Z","next":{"due_at":"2026-03-09T09:00:00Z","local":"2026-03-09T09:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:00:00Z","local":"2026-03-02T09:00:00"},"outcome":"posted","at":"2026-03-02T09:00:00.388763Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:00:00Z","local":"2026-03-03T09:00:00"},"outcome":"posted","at":"2026-03-03T09:00:01.171502Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:00:00Z","local":"2026-03-04T09:00:00"},"outcome":"missed","at":"2026-03-06T10:30:02.247891Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:00:00Z","local":"2026-03-05T09:00:00"},"outcome":"missed","at":"2026-03-06T10:30:02.247891Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:00:00Z","local":"2026-03-06T09:00:00"},"outcome":"posted","at":"2026-03-06T10:30:02.695699Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:00:00Z","local":"2026-03-07T09:00:00"},"outcome":"posted","at":"2026-03-07T09:00:00.660547Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-08T09:00:00Z","local":"2026-03-08T09:00:00"},"outcome":"posted","at":"2026-03-08T09:00:00.858918Z","average":63.666666666666664,"trouble":null,"asked_by":null}],"notices":[],"baseline":"d9e600a60d3da50a","last_local":"2026-03-08T09:00:00","silent_runs":0}', 1171138671503500, '2026-03-09 09:00:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/usage/8c657676.41a622e6e33e919e', '{"v":1,"fingerprint":"41a622e6e33e919e","since":"2026-03-08T09:56:59.892+00:00","minutes":{"2026-03-08T09:56:48.759+00:00":{"person:U0000000004":1}},"account":{"told_at":"2026-03-08T09:57:00.465+00:00","highest_at":"2026-03-08T09:57:00.465+00:00","remaining":996,"highest":996}}', 3986069316532959, '2026-03-08 10:57:00.486029+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/646a3a5a931b', '{"v":1,"digest_id":"646a3a5a931b","plan":{"channel_id":"C0000000009","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:15:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:05.775296Z","next":{"due_at":"2026-03-08T09:15:00Z","local":"2026-03-08T09:15:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":{"since":"2026-03-07T09:15:00.680026Z","until":null,"by":null,"why":"not_in_channel"},"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:15:00Z","local":"2026-03-02T09:15:00"},"outcome":"posted","at":"2026-03-02T09:15:00.466819Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:15:00Z","local":"2026-03-03T09:15:00"},"outcome":"posted","at":"2026-03-03T09:15:00.157613Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:15:00Z","local":"2026-03-04T09:15:00"},"outcome":"missed","at":"2026-03-06T10:30:02.236177Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:15:00Z","local":"2026-03-05T09:15:00"},"outcome":"missed","at":"2026-03-06T10:30:02.236177Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:15:00Z","local":"2026-03-06T09:15:00"},"outcome":"posted","at":"2026-03-06T10:30:02.678134Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:15:00Z","local":"2026-03-07T09:15:00"},"outcome":"failed","at":"2026-03-07T09:15:00.680026Z","average":63.666666666666664,"trouble":"not_in_channel","asked_by":null}],"notices":[],"baseline":"2f68bda8a5e02e9c","last_local":"2026-03-07T09:15:00","silent_runs":0}', 4496048422190949, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/usage/8c657676.57a961eb281a4e71', '{"v":1,"fingerprint":"57a961eb281a4e71","since":"2026-03-08T09:56:59.892+00:00","minutes":{"2026-03-08T09:56:48.759+00:00":{"person:W0000000004":1}},"account":{"told_at":"2026-03-08T09:57:00.728+00:00","highest_at":"2026-03-08T09:57:00.728+00:00","blocked_until":"2026-03-08T10:57:00.729+00:00","settled_at":"2026-03-08T09:57:00.729+00:00","rate_limits":1}}', 4883199889860017, '2026-03-08 10:57:00.747848+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/kept/U0000000005/c8c2658b23369b4d', '{"v":1,"sealed":"v1.k1.tr1typnV9FVa_xYqJEmwPBhuxfsLqKl1llsj2IGRzsaithuoLxs8lnfnbBpuwtVfv5zIWukgLPo5gCCbYyuFdgwd6QsRXRppQYQCa0WRz_diFbeerHBhWw49etnrUS7Wy7EIzwbLJmPbAAVecWZ4i-7j3jD6CIYRwEDvfXEEMI4w9AJkJD37d5WxrcJZMzisvjRxV9pNB807C-65-C5hHYcbNKzuqn-dd9qBIGkxRjsjNEPbZuT3wQ4LBwSOSvEeRmUYtkunbShH5Q=="}', 8641436291724883, '2026-03-08 10:12:01.084393+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/04072a286fc7/054b70ffb2eb7d40', '{"v":1,"taken_at":"2026-03-08T10:02:01.172742+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 783935545697882, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/d3522a0f1017', '{"v":1,"digest_id":"d3522a0f1017","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"10:00:00","zone":"UTC"},"filter_text":"below:60","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:03.217323Z","next":{"due_at":"2026-03-09T10:00:00Z","local":"2026-03-09T10:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T10:00:00Z","local":"2026-03-08T10:00:00"},"channel_id":"C0000000008","state":"waiting","until":"2026-03-08T10:03:04.056253Z","deadline":"2026-03-08T16:00:00Z","token":"7bc0d96d686dd033","attempt":2,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":"service","baseline":null,"average":null},"past":[{"slot":{"due_at":"2026-03-02T10:00:00Z","local":"2026-03-02T10:00:00"},"outcome":"posted","at":"2026-03-02T10:00:00.457706Z","average":41.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T10:00:00Z","local":"2026-03-03T10:00:00"},"outcome":"posted","at":"2026-03-03T10:00:00.440467Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T10:00:00Z","local":"2026-03-04T10:00:00"},"outcome":"missed","at":"2026-03-06T10:30:02.214589Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T10:00:00Z","local":"2026-03-05T10:00:00"},"outcome":"missed","at":"2026-03-06T10:30:02.214589Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T10:00:00Z","local":"2026-03-06T10:00:00"},"outcome":"posted","at":"2026-03-06T10:30:03.758550Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T10:00:00Z","local":"2026-03-07T10:00:00"},"outcome":"failed","at":"2026-03-07T16:30:00.575539Z","average":null,"trouble":"service","asked_by":null}],"notices":[],"baseline":"fd8fcc1be94abde6","last_local":"2026-03-08T10:00:00","silent_runs":0}', 5114654942769317, '2026-03-08 10:03:04.056253+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/04072a286fc7', '{"v":1,"digest_id":"04072a286fc7","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"10:02:00","zone":"UTC"},"filter_text":"below:60","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:04.183919Z","next":{"due_at":"2026-03-09T10:02:00Z","local":"2026-03-09T10:02:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T10:02:00Z","local":"2026-03-08T10:02:00"},"channel_id":"C0000000008","state":"posting","until":"2026-03-08T10:03:01.243296Z","deadline":"2026-03-08T16:02:00Z","token":"054b70ffb2eb7d40","attempt":1,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":null,"baseline":"054b70ffb2eb7d40","average":30.0},"past":[{"slot":{"due_at":"2026-03-02T10:02:00Z","local":"2026-03-02T10:02:00"},"outcome":"posted","at":"2026-03-02T10:02:01.213329Z","average":41.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T10:02:00Z","local":"2026-03-03T10:02:00"},"outcome":"posted","at":"2026-03-03T10:02:01.206933Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T10:02:00Z","local":"2026-03-04T10:02:00"},"outcome":"missed","at":"2026-03-06T10:30:02.664884Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T10:02:00Z","local":"2026-03-05T10:02:00"},"outcome":"missed","at":"2026-03-06T10:30:02.664884Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T10:02:00Z","local":"2026-03-06T10:02:00"},"outcome":"posted","at":"2026-03-06T10:30:04.932079Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T10:02:00Z","local":"2026-03-07T10:02:00"},"outcome":"missed","at":"2026-03-07T16:30:00.612544Z","average":null,"trouble":"down","asked_by":null}],"notices":[],"baseline":"225c8b47fd6bffc3","last_local":"2026-03-08T10:02:00","silent_runs":0}', 7038429298439690, '2026-03-08 10:03:01.243296+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:01+00:00","name":"playground","revoked_at":null,"token":{"sealed":"v1.k1.-3BPpptpn0gqqDBPZjKulh8NdUut2gSRN8lCwGL2IUT-zj-OD46RhTi3V7PlAfPZR9GDmcdGo5Jwvzc6eMhqLQUJDViN6YB3mg=="}}', 4467866138957894, '2026-03-09 05:21:51+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:01+00:00","name":"amber","revoked_at":null,"token":{"sealed":"v1.k1.iuO-j5gttojVfr-3aThRpYfJzm9rUOOI1_8p5R_4T5-Srbz00yTp58KfT9DaeOjVqRCZrQQX57pk-s9K-JSCyBogPGGfb0T5TA=="}}', 2712040439834394, '2026-03-09 07:34:48+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:02.277505+00:00","by":"U0000000002","act":"app-installed"}]}', 3825678492738197, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/key', '{"v":1,"sealed":"v1.k1.5wGEPFDW_NQ6irEjsHgCd5aQaCErqJEfV0H99k8L-2Z9wABTZqwiIV9X5lpp9knyKIgVOKiyNvenysjOOwJia6uMBJNRhQjtvDqgx2aeQ0w=","last4":"Ektc","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-08T07:00:03.386731+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 5073866630134972, '2026-05-23 07:00:03.386731+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/list/account', '{"v":1}', 196667318695741, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:02.772865+00:00","by":"U0000000002","act":"app-installed"},{"at":"2026-03-08T07:00:03.467816+00:00","by":"U0000000002","act":"key-set","key":"service_sk_\u2026Ektc"},{"at":"2026-03-08T07:00:04.152938+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-08T07:00:04.294902+00:00","by":"slack","act":"access-revoked"}]}', 2826930186797169, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/digest/4ba8b4cc2efb', '{"v":1,"digest_id":"4ba8b4cc2efb","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"12:00:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:04.033704Z","next":{"due_at":"2026-03-08T12:00:00Z","local":"2026-03-08T12:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[],"notices":[],"baseline":null,"last_local":null,"silent_runs":0}', 5636626613669628, '2026-03-08 12:00:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:02+00:00","name":"coral","revoked_at":"2026-03-08T07:00:04.289934+00:00"}', 2058843477063200, '2026-04-07 07:00:04.289934+00');
INSERT INTO public.forgotten (prefix, organisation, is_forgotten, until) VALUES (1523243295275177809, 6318608596463658898, true, '2026-11-22 11:28:36.674537+00');
INSERT INTO public.forgotten (prefix, organisation, is_forgotten, until) VALUES (6786863652357384449, -5349438903082268692, true, '2026-11-22 11:28:42.582198+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('bot', '0001-documents.sql', '9bf938339d7da048c602fbea0492ba9de69514e1e61eb0ac2505133f95bb2e1a', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.00.00_01_initial', '6d7ba94c51af22f6cf437e01774a2de4d98666886f9c0597bfb24deb86546dfa', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.05.00_01_drop_started_at_column', '8c36c1cbb9c2c2c4e29996d0839cfc0e674638dd59da73d22d5883a66c94a6d8', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.05.00_02_drop_started_at_column', '62fab33b3996ef2bfab09a0502318c51cae1a186db58a2d803e1c341fcf6a149', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.05.00_03_drop_procrastinate_version_table', 'e43a1e3cec48cf071140edce6828107b43ca6b7cfa8ae9dcd527a6fa99e40236', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.06.00_01_fix_procrastinate_fetch_job', '4dac8738ebebc78b890b56db631018a3cd74089fc3a0e6004aaf7c6252779169', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.07.01_01_fix_trigger_status_events_insert', 'e40c589ce32d0b3a0cc5d6b667da42f0fef066e51e6907fad196b1d8b83c9149', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.08.01_01_add_queueing_lock_column', 'c8896579a44c9f258309f96c76b8c9415e1766dedfc4a8ca9158094438e6085b', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.10.00_01_close_fetch_job_race_condition', '0be9e8dfa820f435482a2066fc68e6f44f92d7ca9a90226443c4be448de0fc32', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.10.00_02_add_defer_job_function', 'f49362754442068426b66872cd7f15bb1a9610909a5e8539edbccce79a78c8e8', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.11.00_03_add_procrastinate_periodic_defers', '9cf251e931e905ce31d4e5b8bebea220c035b255e3ec0046ba7659d2a6ee9cb6', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.12.00_01_add_foreign_key_index', 'd4b44b60e1c79891a52145a9804d1f942cdfb6c8717d575ef2b3fec26b70224f', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.14.00_01_add_locks_to_periodic_defer', '7150bc363db295dd7f7114ceab63ae7d52dfece3b91b1735546e64f7b22c1638', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.15.02_01_fix_procrastinate_defer_periodic_job', 'cee1ba5828128ff062cd73a7505e5f5a827aea9d09131049cdde8ed32af767f1', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.16.00_01_add_finish_job_and_retry_job_functions', 'adc143a05e5d53d4e32513cfe389a6201cc47a8169723f7135429109d8b41264', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_01_add_trigger_on_job_deletion', 'a5c49223abe0566e2952013d16089ffc3b29c1238642341632a3e245f22f0b92', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_02_delete_finished_jobs', 'd777d6c03fab2e590f6ac5144ac7401762bb2ba1c2b83504392638427e556242', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_03_add_checks_to_finish_job', '989c1d0a968ebc0f7a33bebfcab41c0e41fcbf4629d6ed67e40d32d0a5b31201', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_04_add_checks_to_retry_job', '588340629e015ef0fef21d702a64b3031fe449d9676474850ca4425dc63fcd87', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.18.01_01_fix_finish_job_compat_issue', '046d1a97cbf2d9fbfbb0fb3a1dd6dc271f0267e55843566acc1cee86eab41288', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.19.00_01_add_index_on_procrastinate_jobs', '3a424d244f9af480f581b493c5d93fea60b03540e369797294518f128c9e6360', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.22.00_01_add_kwargs_to_defer_periodic_job', 'ba2e550f46f912b420aec63b46462ede8291b66552369df567dc0b36360eae3f', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.23.00_01_null_locks_excluded', '24c853edc002f63535d87bbc7bba5093f4e26bc7844b504c0786242aea698c16', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '01.00.00_01_remove_old_finish_job_function', '2665cd1782a2ecb93a7f95e7bf4867335886d31f26acc15fc97be7c8957ae323', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '01.01.01_01_job_id_bigint', '223e3f20475bc76efe3e00509f9ba2d8610e27a77da72a5fcb7dbc4bec357a8b', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.00.03_01_add_job_priority', '34aa498b770d1f6a1bdda291a45866dae7cc2cb509f19d8e0445788b91191142', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.05.00_01_add_periodic_job_priority', '997a8b9d61c5c93752521f7dd52c87799752fe2e0396b3f636c413b23c778280', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.06.00_01_add_cancel_states', '28e8be115842d81d29a0e818338dc319a24be044b469e30df6f535977a25a498', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.08.00_01_add_additional_params_to_retry_job', 'd3c9d446a79ff2a9f3030db01772c33a4c4dd3898151598d05f1979ea4e76319', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.14.01_01_add_indexes_for_fetch_job', '66c0fdc9ea24569f14d2b2ebaf9f8309858e66141dd271d9bf61ecf56c362ada', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.00.00_01_pre_cancel_notification', 'e79f3dc19f80de6f6c54aec9deb4548989b68ae38061a55b6ee3144e313c1ecd', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.00.00_50_post_cancel_notification', 'd16fba7d14d5c699ceb81fd67a450422bd4b8337b1934b4eb00aa5438eddfbdf', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.01.00_01_pre_add_heartbeat', 'f07b98da98e470881e629478f85f142b2f28a659f1ab53e0da1dc7fe917834b8', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.01.00_50_post_add_heartbeat', '562472e1ccfd262792a57dcd771f918dae87b0dc038e3832172b3f1ccce69dc0', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.02.00_01_pre_batch_defer_jobs', '1f8f957339ff8a455bfd27bdbdbda41daca3b19931a032cd2d9356620af93951', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.02.00_50_post_batch_defer_jobs', '8fc1d2c94a057eab36cb074f920f8fab17cb23f8ccee708a64ea52804222ac67', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.03.00_01_pre_priority_lock_fetch_job', '70731b65ba99a63962fd1adc6e1c9b3bef6a480a091f3d41d32c50b7ddc31441', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.04.00_01_pre_add_retry_failed_job_procedure', '6883b7336508620ba856db4a78558158fe15c8e68b2ea05c60b468e73c311255', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.04.00_50_post_add_retry_failed_job_procedure', 'b7938e0a0885d8d00d3f55647bcf141c3f2acac439070c1287734fcb3d98947b', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', 'bot-01-fetching', '38f92fa45a209b37504ed5602c0a3b77ae0d3595949ce2b4ff93aef7e58483ff', '2026-11-22 10:28:12.758648+00');
INSERT INTO public.procrastinate_events (id, job_id, type, at) VALUES (1019, 530, 'started', '2026-11-22 10:29:04.471252+00');
INSERT INTO public.procrastinate_events (id, job_id, type, at) VALUES (1017, 530, 'deferred', '2026-11-22 10:29:04.313385+00');
INSERT INTO public.procrastinate_jobs (id, queue_name, task_name, priority, lock, queueing_lock, args, status, scheduled_at, attempts, abort_requested, worker_id) VALUES (530, 'deliver', 'deliver', 0, '-.T0PLAYGROUND', NULL, '{"digests": ["04072a286fc7"], "workspace": "-.T0PLAYGROUND"}', 'doing', NULL, 0, false, 6);
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (505, 'reminders', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (510, 'proofs', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (509, 'bans', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (507, 'usage', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (216, 'canary', 1795343309500, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (508, 'seen', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (506, 'clean-up', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (511, 'tick', 1795343344000, NULL, '');
INSERT INTO public.procrastinate_workers (id, last_heartbeat) OVERRIDING SYSTEM VALUE VALUES (5, '2026-11-22 10:29:04.401934+00');
INSERT INTO public.procrastinate_workers (id, last_heartbeat) OVERRIDING SYSTEM VALUE VALUES (6, '2026-11-22 10:29:04.409917+00');
INSERT INTO public.seen (name, until) VALUES ('\xbca1440c2752bd7efd7ca0f97bfe007c431f31e200e48485afa9efb7a961ebff', '2026-11-22 10:38:28.660675+00');
INSERT INTO public.seen (name, until) VALUES ('\xea239117c5f4894e5e538a3319cf0be04191abca2de32035409766ea32440afc', '2026-11-22 10:38:28.916863+00');
INSERT INTO public.seen (name, until) VALUES ('\x32fb3e776031733640b3558e82aa779987929461da9bbcdef3400bb86da0048c', '2026-11-22 10:38:29.13375+00');
INSERT INTO public.seen (name, until) VALUES ('\x316fc0e7ec9043f3874e8a15f462c6868ab39d1d6821381b0b83cdadd45e2326', '2026-11-22 10:38:29.683617+00');
INSERT INTO public.seen (name, until) VALUES ('\xd1bb1ed4094ac4f103647a0705968661e467f00b498fae2ae6f41518bc29010d', '2026-11-22 10:38:31.289924+00');
INSERT INTO public.seen (name, until) VALUES ('\xbcdfd0e4c38e39cbd1c66e74ea4a81d447e4ad4d1b3b6238cd7375103b8057a8', '2026-11-22 10:38:31.662051+00');
INSERT INTO public.seen (name, until) VALUES ('\x3e1c118ba3487dffa571e167ac7424b256f457d1118ce34454df8a0008720801', '2026-11-22 10:38:32.047227+00');
INSERT INTO public.seen (name, until) VALUES ('\xc69aa51db337092ed661be12fa895efd438bccfc69836b2a53b4f2f86988364b', '2026-11-22 10:38:32.377231+00');
INSERT INTO public.seen (name, until) VALUES ('\x687a694abcf37b6a458cd71ee799496ccca9dcd9ede4fdf03b76ecf15ef87dfd', '2026-11-22 10:38:32.927341+00');
INSERT INTO public.seen (name, until) VALUES ('\x584189739a2567c8891dfef788ce86a317744cafb282aefbc0b8734cd5ee79b3', '2026-11-22 10:38:33.086096+00');
INSERT INTO public.seen (name, until) VALUES ('\x9bb1c8a77e46e604eedf9a9ca6088375bb7017a1cc01e3ca3cf99fafa0d60d1f', '2026-11-22 10:38:33.396307+00');
INSERT INTO public.seen (name, until) VALUES ('\xa101864f3b9b57c8f11a8ab157b5794c78955ffde9f185ecfe078aa174ac1b66', '2026-11-22 10:38:33.525433+00');
INSERT INTO public.seen (name, until) VALUES ('\xf817170497763964dd434cf9fe8b03f7a158d0aacd72e0bed913d199cb69ee2b', '2026-11-22 10:38:33.683358+00');
INSERT INTO public.seen (name, until) VALUES ('\xa56283dca0382d37d75616a619e208a97b227441e1e7a0aef0789811780f4de3', '2026-11-22 10:38:33.772738+00');
INSERT INTO public.seen (name, until) VALUES ('\xd76afacf319de00984f34691603bbedaded137ec00f9873a6ac8c65a6f167284', '2026-11-22 10:38:34.116344+00');
INSERT INTO public.seen (name, until) VALUES ('\x6a037ebcc4c566bea3a7a3b67bf59493d6c546e03e0969e015a0f0a60a52f667', '2026-11-22 10:38:34.318065+00');
INSERT INTO public.seen (name, until) VALUES ('\x1a02a5dfc1ceac00f218fc31dd5f2515f41c87031c9a7ea68ab8585902a3c529', '2026-11-22 10:38:34.417484+00');
INSERT INTO public.seen (name, until) VALUES ('\x4aa93a12a139a63ef9ea61b39ce40e0d5e23612ccee25a4db4c45c6446032b0b', '2026-11-22 10:38:35.118845+00');
INSERT INTO public.seen (name, until) VALUES ('\x9e547f35a26d5ad9d08a7f1dad7b41917e3d7b41a1654371ab42d685cd6de7d2', '2026-11-22 10:38:35.413926+00');
INSERT INTO public.seen (name, until) VALUES ('\xb2eac0be7174dc25b36cbc09055109577be6e7171269f2a867f63711c3c46d26', '2026-11-22 10:38:35.882255+00');
INSERT INTO public.seen (name, until) VALUES ('\xa9d60de0f953fc114e5ba75cad92c4439bffd6fd0b6d641eb714ee03aec11315', '2026-11-22 10:38:36.072508+00');
INSERT INTO public.seen (name, until) VALUES ('\x194e65be83a6d2f61d6ada332fad83e3403a1358b3904b9e6efed154b37aea09', '2026-11-22 10:38:36.177912+00');
INSERT INTO public.seen (name, until) VALUES ('\x031fa88decfe9242d3e58a47ab34785ec38987ac6660b44d16cc8afa2bfe49bd', '2026-11-22 10:38:36.276555+00');
INSERT INTO public.seen (name, until) VALUES ('\x064afe51065967326e3280448d74fed8c99c5bee573bd195622d15c3a5504ba0', '2026-11-22 10:38:36.615191+00');
INSERT INTO public.seen (name, until) VALUES ('\x903829c8499506faea381606f66f8a3b7ff2f4d4359ab3e60401f66f679e60ef', '2026-11-22 10:38:36.943469+00');
INSERT INTO public.seen (name, until) VALUES ('\x3772d96811082cc57635bc39fdad84fd001daa566c016594fbbd21163ab087f5', '2026-11-22 10:38:37.052123+00');
INSERT INTO public.seen (name, until) VALUES ('\x92b8d44f24b4d5564fafe600e34836185e546f208435fe4124296c0707f58066', '2026-11-22 10:38:37.138025+00');
INSERT INTO public.seen (name, until) VALUES ('\xfba79158d0fc761a1bbb78bb16dde45674c316704f341b36ce270c75ce39f14a', '2026-11-22 10:38:37.375331+00');
INSERT INTO public.seen (name, until) VALUES ('\xdc4bfc2302b61553f0239ba6ce9aa4f74e7eae3b2c40c91fb52f36116e3511a8', '2026-11-22 10:38:37.588902+00');
INSERT INTO public.seen (name, until) VALUES ('\xa22532f1a3a5fa44b009643497a7faa76ca1b280af04b8e2ddf8eb5e8ba9a4fe', '2026-11-22 10:38:38.068351+00');
INSERT INTO public.seen (name, until) VALUES ('\x9b13bb48c84bd6717aada5c7d3326ff664586b6116911ae446a2b41d3edb9892', '2026-11-22 10:38:38.285909+00');
INSERT INTO public.seen (name, until) VALUES ('\x0880d08a334e42d36d94901f35c25197da12cfafcffabcc821efca7ef296355d', '2026-11-22 10:38:38.427523+00');
INSERT INTO public.seen (name, until) VALUES ('\xff9be03eca0e976313fd374e4e5c2ea2b8f3a49df88bf1c7c85df74f5f40b855', '2026-11-22 10:38:38.474712+00');
INSERT INTO public.seen (name, until) VALUES ('\xc325291fdd899657b3e2bd59e384351350e7172288ff85e10a87e126185bec52', '2026-11-22 10:38:38.781952+00');
INSERT INTO public.seen (name, until) VALUES ('\x57dba2ae93b59a42b730ab756a34d2ea33c94805b3a55ff90d4470e76b20e46b', '2026-11-22 10:38:38.898224+00');
INSERT INTO public.seen (name, until) VALUES ('\x4b7b886ff26199800347bad287096aa4c46aa42db9a0c409652565e8c77a35dc', '2026-11-22 10:38:39.050638+00');
INSERT INTO public.seen (name, until) VALUES ('\x5509ad811eb4329c1b2d5e635056a00901c5c09e5d0d84ac2b1d0812a1543207', '2026-11-22 10:38:39.119336+00');
INSERT INTO public.seen (name, until) VALUES ('\xd3848c2bb99f231410c16503d71ea0588ad8bad1c1b1b05ef59449d43993cc39', '2026-11-22 10:38:39.24405+00');
INSERT INTO public.seen (name, until) VALUES ('\xf958f9d0fe16d6b516e5af4acf3dee58f0b0e449f600ac21f8f36e67a91faf09', '2026-11-22 10:38:39.337236+00');
INSERT INTO public.seen (name, until) VALUES ('\xc23d4348cf63e36c2476341d40a6ff93448bd316eeca29af3818b3b1f5bf751a', '2026-11-22 10:38:39.40883+00');
INSERT INTO public.seen (name, until) VALUES ('\x1942ba8dfc3c48fc1eaedf7367b2e6201b57301a48b4a0e384c209cffc0de378', '2026-11-22 10:38:39.732507+00');
INSERT INTO public.seen (name, until) VALUES ('\xa24c5c8be69c28f620b0dca079036d80bab687189b7c83737c012a5b89d3dc33', '2026-11-22 10:38:39.867791+00');
INSERT INTO public.seen (name, until) VALUES ('\x461ffd06aac2b7cc3ad39f264c2c9e6e0d34cddef7350643ab46d58a3645a51e', '2026-11-22 10:38:40.113204+00');
INSERT INTO public.seen (name, until) VALUES ('\xdb82f811d2a5bb6935b0eba667e5c00f7311bc0d460a397b05b4947fd7a94725', '2026-11-22 10:38:40.373528+00');
INSERT INTO public.seen (name, until) VALUES ('\xcdafcb8b0f0f572d4cb475cf896b605d3ecd7c33a9527e644d7d1235255eed43', '2026-11-22 10:38:40.55673+00');
INSERT INTO public.seen (name, until) VALUES ('\x7d93a400a0e204e773e3d7fcd30a64b737d46cc85f8029f42991d8c06a4639dc', '2026-11-22 10:38:40.816023+00');
INSERT INTO public.seen (name, until) VALUES ('\xebb0f15a75cf2a16fd25e0057fa53af4b2338a8717f1640e7e4b60e5ae6d8aed', '2026-11-22 10:38:41.285969+00');
INSERT INTO public.seen (name, until) VALUES ('\x02f9c937746d306e3f19006ddbadc89c02d02109d0d1dad19f14dd79e87e8b31', '2026-11-22 10:38:41.463204+00');
INSERT INTO public.seen (name, until) VALUES ('\xc0caaa0dfea17be95e24c2300252034cdaabd3aac262080b561fa0fd47adaab9', '2026-11-22 10:38:41.568735+00');
INSERT INTO public.seen (name, until) VALUES ('\x8042685a55e2eba37ef7fdf18e9066796b8713cad69ce316ccdebd62a83ead97', '2026-11-22 10:38:41.797566+00');
INSERT INTO public.seen (name, until) VALUES ('\xd7e50c01b8e62722750c06df7d68fcafc8f172cb661046cf6aba2b071e6d29d4', '2026-11-22 10:38:41.942414+00');
INSERT INTO public.seen (name, until) VALUES ('\x3de7cc917b10c3bb4ac29b2715edadb4796f4b9010dfaff8342d8a8b422b06df', '2026-11-22 10:38:42.056746+00');
INSERT INTO public.seen (name, until) VALUES ('\x90f7d2731c4572b069209f2dbdcfcd7d1e1a223d5f77e3037655450a81ba8e3b', '2026-11-22 10:38:42.212733+00');
INSERT INTO public.seen (name, until) VALUES ('\xb12e8d653681ea2ef88090c70c46b2c4f77f2f78d50030c8243a974cd88262b1', '2026-11-22 10:38:42.452199+00');
INSERT INTO public.seen (name, until) VALUES ('\x41d81a74c5fb8133ca6201605866a08fd2f96911d30512438cd376b0d901a947', '2026-11-22 10:38:42.868577+00');
INSERT INTO public.seen (name, until) VALUES ('\x0cb8cc22d1123a3e895ddab411b342fce751657b246ca6d787ac23b7d42c23d9', '2026-11-22 10:38:42.965893+00');
INSERT INTO public.seen (name, until) VALUES ('\xcc94e2dd8e2ff00a51ac106e117c060130d8a5d3433e8ba8bd8d89b4ae326742', '2026-11-22 10:38:56.373496+00');
INSERT INTO public.seen (name, until) VALUES ('\xae465d7d4e158f74e9ba74d3e883e925577bdf79409d83d7dc07e346836765c9', '2026-11-22 10:38:56.856774+00');
INSERT INTO public.seen (name, until) VALUES ('\x48d8a24c5e9b427b6597179b01687bd43ddad672226f124cb1f641689806b709', '2026-11-22 10:38:57.098709+00');
INSERT INTO public.seen (name, until) VALUES ('\x45e5ef3369d00318daf1191b2b4af6dbe661b75100f63a88ae9e4690739fb2e8', '2026-11-22 10:38:57.285978+00');
SELECT pg_catalog.setval('public.procrastinate_events_id_seq', 1020, true);
SELECT pg_catalog.setval('public.procrastinate_jobs_id_seq', 531, true);
SELECT pg_catalog.setval('public.procrastinate_periodic_defers_id_seq', 511, true);
SELECT pg_catalog.setval('public.procrastinate_workers_id_seq', 6, true);
ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.forgotten
    ADD CONSTRAINT forgotten_pkey PRIMARY KEY (prefix);
ALTER TABLE ONLY public.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (series, step);
ALTER TABLE ONLY public.procrastinate_events
    ADD CONSTRAINT procrastinate_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp);
ALTER TABLE ONLY public.procrastinate_workers
    ADD CONSTRAINT procrastinate_workers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.seen
    ADD CONSTRAINT seen_pkey PRIMARY KEY (name);
CREATE INDEX bot_jobs_by_lock ON public.procrastinate_jobs USING btree (lock) WHERE (status = ANY (ARRAY['todo'::public.procrastinate_job_status, 'doing'::public.procrastinate_job_status]));
CREATE INDEX document_due ON public.document USING btree (due_at, key) WHERE (due_at IS NOT NULL);
CREATE INDEX idx_procrastinate_jobs_worker_not_null ON public.procrastinate_jobs USING btree (worker_id) WHERE ((worker_id IS NOT NULL) AND (status = 'doing'::public.procrastinate_job_status));
CREATE INDEX idx_procrastinate_workers_last_heartbeat ON public.procrastinate_workers USING btree (last_heartbeat);
CREATE INDEX procrastinate_events_job_id_fkey_v1 ON public.procrastinate_events USING btree (job_id);
CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON public.procrastinate_jobs USING btree (id, lock) WHERE (status = ANY (ARRAY['todo'::public.procrastinate_job_status, 'doing'::public.procrastinate_job_status]));
CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON public.procrastinate_jobs USING btree (lock) WHERE (status = 'doing'::public.procrastinate_job_status);
CREATE INDEX procrastinate_jobs_priority_idx_v1 ON public.procrastinate_jobs USING btree (priority DESC, id) WHERE (status = 'todo'::public.procrastinate_job_status);
CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON public.procrastinate_jobs USING btree (queue_name);
CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON public.procrastinate_jobs USING btree (queueing_lock) WHERE (status = 'todo'::public.procrastinate_job_status);
CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON public.procrastinate_periodic_defers USING btree (job_id);
CREATE INDEX seen_until ON public.seen USING btree (until);
CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1 AFTER UPDATE OF abort_requested ON public.procrastinate_jobs FOR EACH ROW WHEN (((old.abort_requested = false) AND (new.abort_requested = true) AND (new.status = 'doing'::public.procrastinate_job_status))) EXECUTE FUNCTION public.procrastinate_notify_queue_abort_job_v1();
CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1 AFTER INSERT ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::public.procrastinate_job_status)) EXECUTE FUNCTION public.procrastinate_notify_queue_job_inserted_v1();
CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1 AFTER UPDATE OF abort_requested ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.abort_requested = true)) EXECUTE FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1();
CREATE TRIGGER procrastinate_trigger_delete_jobs_v1 BEFORE DELETE ON public.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION public.procrastinate_unlink_periodic_defers_v1();
CREATE TRIGGER procrastinate_trigger_scheduled_events_v1 AFTER INSERT OR UPDATE ON public.procrastinate_jobs FOR EACH ROW WHEN (((new.scheduled_at IS NOT NULL) AND (new.status = 'todo'::public.procrastinate_job_status))) EXECUTE FUNCTION public.procrastinate_trigger_function_scheduled_events_v1();
CREATE TRIGGER procrastinate_trigger_status_events_insert_v1 AFTER INSERT ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::public.procrastinate_job_status)) EXECUTE FUNCTION public.procrastinate_trigger_function_status_events_insert_v1();
CREATE TRIGGER procrastinate_trigger_status_events_update_v1 AFTER UPDATE OF status ON public.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION public.procrastinate_trigger_function_status_events_update_v1();
ALTER TABLE ONLY public.procrastinate_events
    ADD CONSTRAINT procrastinate_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.procrastinate_jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES public.procrastinate_workers(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.procrastinate_jobs(id);
