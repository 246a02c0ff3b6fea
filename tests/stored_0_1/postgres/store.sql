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
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:01+00:00","name":"birch","revoked_at":null,"token":{"sealed":"v1.k1.KbvHVBHRIxxdY2EBpo6H3ICn9EN2rwh-972Q33lM3bciyHVr-7Po9kMpqJU8upgFCwSkvLqQemAHTvdrOLgB9oTcKu4J8n-ny_wpQSSlNNgL05rbRkRvL9PszRy3bNEKVUhhNjKDtYZfMLgBmqmTpKAwo-o2AWg7"},"refresh":{"sealed":"v1.k1.0dzUsz2cuHkURlPQ-AxUackS6joD49vJWB7xGA4icRtxUFb1sP3i94v59O3oe5r0mEusv3iRcgehYIYrmwcdcATB9TajbOmPOQ6FHbEehzJHwn4CmFAIbXvX3lvD70STSm_n6X_50DA3c9bgz3oI4HEHhA=="},"expires_at":"2026-03-08T19:00:01.797595+00:00"}', 6573122557501949, '2026-03-09 07:13:23+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/463308963cff/c21582e44a13b77c', '{"v":1,"taken_at":"2026-03-08T09:20:00.579362+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 7148829631426204, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/d3cb3b1eb96b/72dc687f70d5f930', '{"v":1,"taken_at":"2026-03-03T09:05:00.272473+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 385051841, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/digest-baseline/b5cbc34139b2/5bd5c88e5f7f674b', '{"v":1,"taken_at":"2026-03-08T09:30:00.729380+00:00","scores":{"shop.delta.example":41.0,"www.delta.example":97.0}}', 5884292843338426, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/digest-rights', '{"v":1,"admins_only":true}', 5630306643089521, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:01.849747+00:00","by":"U0000000002","act":"app-installed"},{"at":"2026-03-08T07:00:01.974415+00:00","by":"U0000000002","act":"key-set","key":"service_sk_\u202634Gk"},{"at":"2026-03-08T07:00:02.226306+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-08T07:00:02.318928+00:00","by":"U0000000002","act":"digests-restricted"}]}', 5421844620981487, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/47bbbcd8f61e', '{"v":1,"digest_id":"47bbbcd8f61e","plan":{"channel_id":"C0000000010","schedule":{"days":[0,1,2,3,4,5,6],"at":"18:00:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:04.949148Z","next":{"due_at":"2026-03-02T18:00:00Z","local":"2026-03-02T18:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":{"since":"2026-03-02T07:00:05.936583Z","until":null,"by":"U0000000004","why":null},"run":null,"past":[],"notices":[],"baseline":null,"last_local":null,"silent_runs":0}', 798676921, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/list/account', '{"v":1}', 2238781387416537, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/usage/b3a589a4.0da6a361f8e11afd', '{"v":1,"fingerprint":"0da6a361f8e11afd","since":"2026-03-08T09:39:54.863+00:00","minutes":{"2026-03-08T09:39:26.675+00:00":{"digest:C0001000002":1}},"account":{"told_at":"2026-03-08T09:40:00.412+00:00","highest_at":"2026-03-08T09:40:00.412+00:00","remaining":1000,"highest":1000}}', 4123484473332463, '2026-03-08 10:40:00.419141+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/13689df30bbd/9663d1e07bdff87b', '{"v":1,"taken_at":"2026-03-06T10:30:00.902201+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 3662723817742695, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/audit', '{"v":1,"entries":[{"at":"2026-03-02T07:00:00.470733+00:00","by":"U0000000002","act":"key-set","key":"service_sk_\u2026Qe5-"},{"at":"2026-03-02T07:00:00.529473+00:00","by":"U0000000002","act":"managers-changed","added":["U0000000004"]},{"at":"2026-03-02T07:00:00.578999+00:00","by":"U0000000002","act":"managers-changed","added":["S0000000014"]},{"at":"2026-03-02T07:00:00.911206+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:02.010107+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:03.113358+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:04.214905+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-02T07:00:04.370275+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000013"},{"at":"2026-03-02T07:00:04.469248+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000009"},{"at":"2026-03-02T07:00:04.667498+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000010"},{"at":"2026-03-02T07:00:04.753878+00:00","by":"U0000000004","act":"digest-paused","channel_id":"C0000000010"},{"at":"2026-03-02T07:00:05.765558+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000010"},{"at":"2026-03-02T07:00:05.938448+00:00","by":"U0000000004","act":"digest-paused","channel_id":"C0000000010"},{"at":"2026-03-07T17:00:00.260399+00:00","by":"U0000000002","act":"key-replaced","key":"service_sk_\u2026y-eL"},{"at":"2026-03-08T07:00:00.568585+00:00","by":"U0000000002","act":"app-installed"}]}', 2064214285691088, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/usage/b3a589a4.eccfb6c3a70cad10', '{"v":1,"fingerprint":"eccfb6c3a70cad10","since":"2026-03-08T09:44:54.389+00:00","minutes":{"2026-03-08T09:44:26.201+00:00":{"digest:C0000000008":2,"digest:C0000000013":1}},"account":{"told_at":"2026-03-08T09:44:58.864+00:00","highest_at":"2026-03-08T09:44:57.967+00:00","remaining":997,"highest":999}}', 3878672902453023, '2026-03-08 10:45:00.376411+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/kept/U0000000005/c8c2658b23369b4d', '{"v":1,"sealed":"v1.k1.J1wm3zqieg7kPjglVYBwv7bQlOXHf1ZvlUkg7qfTBhvrXb1IoZVaYxKI6SlpGOKQ8XUGrF3ifBhmUwEGTwO86qbs31SJqevyN6WkFChWkclVz-tcomzGUuy8O6TyJcw4m4dasLexDRe5QALtsc1A1sy-3XF3uAKmyKYKBs0ZFyIIXxTSR2Uyd1zw0GwwclD7DQNiyP-cMeBH4a5B5hBX21D8qyQhr1DZJ-wkN3BB3gRddOXYxKcP5p-o2KUXVyypN7_FfWzBO310VA=="}', 6079135912461525, '2026-03-08 10:12:00.531314+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/digest/db4189ae92a4', '{"v":1,"digest_id":"db4189ae92a4","plan":{"channel_id":"C0001000002","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:40:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"W0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:03.030060Z","next":{"due_at":"2026-03-09T09:40:00Z","local":"2026-03-09T09:40:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T09:40:00Z","local":"2026-03-08T09:40:00"},"channel_id":"C0001000002","state":"waiting","until":"2026-03-08T10:07:01.137380Z","deadline":"2026-03-08T15:40:00Z","token":"13a9ce5359e4b6a5","attempt":3,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":"key","baseline":null,"average":null},"past":[],"notices":[],"baseline":null,"last_local":"2026-03-08T09:40:00","silent_runs":0}', 1198749862134032, '2026-03-08 10:07:01.13738+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/bd5399989115', '{"v":1,"digest_id":"bd5399989115","plan":{"channel_id":"C0000000010","schedule":{"days":[0,1,2,3,4,5,6],"at":"08:30:00","zone":"Europe/Berlin"},"filter_text":"tag:eu","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:04.634071Z","next":{"due_at":"2026-03-02T07:30:00Z","local":"2026-03-02T08:30:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":{"since":"2026-03-02T07:00:04.744954Z","until":"2026-03-08T23:00:00Z","by":"U0000000004","why":null},"run":null,"past":[],"notices":[],"baseline":null,"last_local":null,"silent_runs":0}', 1899676998, '2026-03-08 23:00:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/granted', '{"v":1,"at":"2026-03-08T07:00:02+00:00"}', 3967227884772359, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/managers', '{"v":1,"user_ids":["U0000000004"],"group_ids":["S0000000014"]}', 115514380, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/scan/shop.example', '{"v":1,"report":{"host":"shop.example","score":38.0,"scanned_at":"2026-03-02T07:00:00.755302Z","sections":[{"name":"whois","findings":[],"left_out":0,"is_given":false},{"name":"dns","findings":[{"path":["name0"],"value":0},{"path":["name1"],"value":1},{"path":["name2"],"value":2},{"path":["name3"],"value":3},{"path":["name4"],"value":4},{"path":["name5"],"value":5},{"path":["name6"],"value":6},{"path":["name7"],"value":7},{"path":["name8"],"value":8},{"path":["name9"],"value":9},{"path":["name10"],"value":10},{"path":["name11"],"value":11},{"path":["name12"],"value":12},{"path":["name13"],"value":13},{"path":["name14"],"value":14},{"path":["name15"],"value":15},{"path":["name16"],"value":16},{"path":["name17"],"value":17},{"path":["name18"],"value":18},{"path":["name19"],"value":19},{"path":["name20"],"value":20},{"path":["name21"],"value":21},{"path":["name22"],"value":22},{"path":["name23"],"value":23},{"path":["name24"],"value":24},{"path":["name25"],"value":25},{"path":["name26"],"value":26},{"path":["name27"],"value":27},{"path":["name28"],"value":28},{"path":["name29"],"value":29},{"path":["name30"],"value":30},{"path":["name31"],"value":31},{"path":["name32"],"value":32},{"path":["name33"],"value":33},{"path":["name34"],"value":34},{"path":["name35"],"value":35},{"path":["name36"],"value":36},{"path":["name37"],"value":37},{"path":["name38"],"value":38},{"path":["name39"],"value":39},{"path":["name40"],"value":40},{"path":["name41"],"value":41},{"path":["name42"],"value":42},{"path":["name43"],"value":43},{"path":["name44"],"value":44},{"path":["name45"],"value":45},{"path":["name46"],"value":46},{"path":["name47"],"value":47},{"path":["name48"],"value":48},{"path":["name49"],"value":49},{"path":["name50"],"value":50},{"path":["name51"],"value":51},{"path":["name52"],"value":52},{"path":["name53"],"value":53},{"path":["name54"],"value":54},{"path":["name55"],"value":55},{"path":["name56"],"value":56},{"path":["name57"],"value":57},{"path":["name58"],"value":58},{"path":["name59"],"value":59}],"left_out":0,"is_given":true},{"name":"ssl","findings":[{"path":["issuer"],"value":"New CA"}],"left_out":0,"is_given":true},{"name":"security","findings":[{"path":["issues","1","severity"],"value":"high"},{"path":["issues","1","title"],"value":"No DMARC record"}],"left_out":0,"is_given":true}],"changes":[],"since":"2026-03-02T07:00:00.657533Z"}}', 560221270, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/scans', '{"v":1,"hosts":["shop.example"]}', 1160566946, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/seen', '{"v":1,"at":"2026-03-02T07:00:00.313637+00:00"}', 1820435428, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/home-viewers', '{"v":1,"viewers":{"U0000000002":"2026-03-08T07:00:03.265442+00:00","U0000000004":"2026-03-08T07:00:03.292269+00:00"}}', 1308105825092066, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/move', '{"v":1,"at":"2026-11-22T11:03:59.980058+00:00","documents":23,"print":"0079e22b995322b2d57302c7e505db75df593ed2540a88ee2d693504a1ccc4e7"}', 1, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/key-check', '{"k0":"v1.k0.3XUK2lw1nwwBeO54yUYkntnC9pGDdgUmcDnGRTiWj2lUyw49nlLXqP_syqUhNSsSl1TxwX8PwkhB-GlNLzMUr_pSBObYTW_w","k1":"v1.k1.trVELd6zSY0-w4mDpFKnV9DLd61dwDThnAStRc_HfiA3k-kKfVMW9tC0t0ALQZ-1EsGNNmo4LYzgj2TuBhxEZanIpWcYNOtw"}', 7447175025883029, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/887f8099b0c9/522d93e278f977ee', '{"v":1,"taken_at":"2026-03-08T09:00:00.531577+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 4799215935888722, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/key', '{"v":1,"sealed":"v1.k1.YMQiodncuuG0GF_SioFEww3n-LUnXLd2MlviSD1O4LzOSNe2HSwKnrCBbVSilajTunF2N8dIAJ09Chkh8-qBNNAkHaoFXocqj1AZr08rzzg=","last4":"9xM-","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-08T07:00:01.088614+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 959614513076653, '2026-05-23 07:00:01.088614+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/digest/89c2ec5e4c49', '{"v":1,"digest_id":"89c2ec5e4c49","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"12:00:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:01.293304Z","next":{"due_at":"2026-03-08T12:00:00Z","local":"2026-03-08T12:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[],"notices":[],"baseline":null,"last_local":null,"silent_runs":0}', 2404734443245828, '2026-03-08 12:00:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/usage/b3a589a4.94ba44f9ba714e72', '{"v":1,"fingerprint":"94ba44f9ba714e72","since":"2026-03-08T09:44:54.389+00:00","minutes":{"2026-03-08T09:44:26.201+00:00":{"digest:C0000000008":1}},"account":{"told_at":"2026-03-08T09:45:00.316+00:00","highest_at":"2026-03-08T09:45:00.316+00:00","remaining":999,"highest":999}}', 4519978360128729, '2026-03-08 10:45:00.317428+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/key', '{"v":1,"sealed":"v1.k1.oCdxJneadvM8r6S2gmf3LUbS2PYLCFHH6YZboh7m7rz-k3RjgeYmodKmAdqRgeYSH5WHrvJUh9ZxUalcqUCaduHQTEqLvn_3QUi_xC1swoI=","last4":"cx0z","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"W0000000003","set_at":"2026-03-08T07:00:02.878810+00:00","refused_at":"2026-03-08T09:40:00.412908+00:00","told_at":"2026-03-08T09:40:00.455568+00:00","told":["W0000000003"],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 5748239779578211, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/check', '{"token":"f78394ec41dc731a"}', 6676966574394263, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/key', '{"v":1,"sealed":"v1.k1.iY4CVi6ddpvjQH1OaQNTKTmciqg93nRVBrkdg-bJ6OOPd7a7x8IXxrs3x5XfjwuxS_fzPOusZohZRfZNlGUafbHM3M6m9vcRZ5rPzsC4JYA=","last4":"y-eL","label":"Domain Tracker for Slack, Mar 2026","expires_on":"2026-06-05","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-07T17:00:00.250241+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null,"earlier":{"sealed":"v1.k0.sBqu8-ZCBu4t3y1QFfYutdjMolfECR9Oed1NmCeI_NEYBz8AOmdvKNueXzMFqOvA0JCpLVwxLYwTdfFZFivs7moE92rFjswHCkFDpYRO5pQ=","until":"2026-03-14T17:00:00.250241+00:00","last4":"Qe5-","label":"Domain Tracker for Slack","expires_on":"2026-05-31","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-02T07:00:00.464783+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list","scan"],"reminded_days":null,"rotation_told_at":null}}', 8881111855885346, '2026-03-14 17:00:00.250241+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/463308963cff', '{"v":1,"digest_id":"463308963cff","plan":{"channel_id":"C0000000013","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:20:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:04.361516Z","next":{"due_at":"2026-03-09T09:20:00Z","local":"2026-03-09T09:20:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:20:00Z","local":"2026-03-02T09:20:00"},"outcome":"posted","at":"2026-03-02T09:20:00.561635Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:20:00Z","local":"2026-03-03T09:20:00"},"outcome":"posted","at":"2026-03-03T09:20:00.503230Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:20:00Z","local":"2026-03-04T09:20:00"},"outcome":"missed","at":"2026-03-06T10:30:00.751939Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:20:00Z","local":"2026-03-05T09:20:00"},"outcome":"missed","at":"2026-03-06T10:30:00.751939Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:20:00Z","local":"2026-03-06T09:20:00"},"outcome":"posted","at":"2026-03-06T10:30:00.894194Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:20:00Z","local":"2026-03-07T09:20:00"},"outcome":"uncertain","at":"2026-03-07T09:20:01.047255Z","average":63.666666666666664,"trouble":"slack","asked_by":null},{"slot":{"due_at":"2026-03-08T09:20:00Z","local":"2026-03-08T09:20:00"},"outcome":"posted","at":"2026-03-08T09:20:00.594850Z","average":63.666666666666664,"trouble":null,"asked_by":null}],"notices":[],"baseline":"c21582e44a13b77c","last_local":"2026-03-08T09:20:00","silent_runs":0}', 2061839545514853, '2026-03-09 09:20:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/usage/b3a589a4.57571ddf795611fa', '{"v":1,"fingerprint":"57571ddf795611fa","since":"2026-03-08T09:29:55.589+00:00","minutes":{"2026-03-08T09:29:27.400+00:00":{"digest:C0000000002":1}},"account":{"told_at":"2026-03-08T09:30:00.726+00:00","highest_at":"2026-03-08T09:30:00.726+00:00","remaining":999,"highest":999}}', 7117895698800372, '2026-03-08 10:30:00.728787+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/digest/b5cbc34139b2', '{"v":1,"digest_id":"b5cbc34139b2","plan":{"channel_id":"C0000000002","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:30:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"W0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:02.725682Z","next":{"due_at":"2026-03-09T09:30:00Z","local":"2026-03-09T09:30:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-08T09:30:00Z","local":"2026-03-08T09:30:00"},"outcome":"posted","at":"2026-03-08T09:30:00.767069Z","average":69.0,"trouble":null,"asked_by":null}],"notices":[],"baseline":"5bd5c88e5f7f674b","last_local":"2026-03-08T09:30:00","silent_runs":0}', 5778373210158456, '2026-03-09 09:30:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/digest/638c3c3200fb', '{"v":1,"digest_id":"638c3c3200fb","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:45:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-08T07:00:02.204269Z","next":{"due_at":"2026-03-09T09:45:00Z","local":"2026-03-09T09:45:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T09:45:00Z","local":"2026-03-08T09:45:00"},"channel_id":"C0000000008","state":"waiting","until":"2026-03-08T10:45:00.351201Z","deadline":"2026-03-08T15:45:00Z","token":"c27f487cd4328a45","attempt":1,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":"slack","baseline":"c27f487cd4328a45","average":69.0},"past":[],"notices":[],"baseline":null,"last_local":"2026-03-08T09:45:00","silent_runs":0}', 2816945935735589, '2026-03-08 10:45:00.351201+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/slack-hold', '{"v":1,"until":"2026-03-08T10:45:00.344015+00:00"}', 776597672607417, '2026-03-08 10:45:00.344015+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/key', '{"v":1,"sealed":"v1.k1.M3_eAXJ-LSJPaNdIaNw5h2lX-_m0xCyxkTtuO2OxKddnd5b0RKlFE8OULsyWPMV-k463glPd27RPr1umevqcHIgcB7aBeDTdmnbGj5UPVTM=","last4":"34Gk","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"U0000000002","set_at":"2026-03-08T07:00:01.966902+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 606099733302956, '2026-05-23 07:00:01.966902+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/f0fbc3ad2bd0/ec7e29b313030279', '{"v":1,"taken_at":"2026-03-06T10:30:00.822280+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 6635269517769292, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/633ffc4979fe/8903022d4e07f323', '{"v":1,"taken_at":"2026-03-06T10:30:00.828535+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 6208203773404479, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/list/account', '{"v":1}', 36745808404252, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0EMBER/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:02.475733+00:00","by":"W0000000003","act":"app-installed"},{"at":"2026-03-08T07:00:02.891533+00:00","by":"W0000000003","act":"key-set","key":"service_sk_\u2026cx0z"},{"at":"2026-03-08T07:00:03.077333+00:00","by":"W0000000004","act":"digest-made","channel_id":"C0001000002"}]}', 5802127588335711, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/budget', '{"v":1,"keys":{"57571ddf795611fa":{"told_at":"2026-03-08T09:57:00.400+00:00","highest_at":"2026-03-08T09:57:00.400+00:00","blocked_until":"2026-03-08T10:57:00.400+00:00","settled_at":"2026-03-08T09:57:00.400+00:00","rate_limits":1}}}', 5408947656961329, '2026-03-08 10:57:00.426062+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/kept/U0000000004/17af06302a155e1d', '{"v":1,"sealed":"v1.k1.b0T_XF6vW9R_5ckPsnJZfEfBegMK_zQZ9wwmqbJDS-LdM0R1gSLlXnhiYI4lfU6Srz7MHGMH0YVznDlZHs22SV4aZ7KUvSkz58JJa2jMDKWHwNmBef-_C_0Rvln0Gbjwmf8XW4vnfHIinapPkFgtX_7Q9TyHNsT37Lm4V05aCj0lwmBxirN4iL063Kw596Xjmc3L-kzZpujWlF3HdfZmZgtdnCmMfta2w2XcTjlmCRmDEmyMNX8GS9nIcA=="}', 8389217563660579, '2026-03-08 10:12:00.490146+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/pending/feccb20ca32c2f0c-1', '{"v":1,"since":"2026-03-08T09:57:00.124639+00:00","tries":0,"sealed":"v1.k1.OCuYChSr0OI2HiFklG5EQVEyEfoWhmap-5x_vAY84NW8pLEzeNon1ZYSsPGI08wK6f-FsGhH8TFnbCG40g1DehjISvkpFTNV7RTbLJ2XdoHqafUoL9KRUrKGURF4UuVZgE1DPBljVXFBif-EPxbGm0VYNwIAFkFlT6Ir-NS51J_zvESYOcC4EMExgDdSgHGztNUOMK0YbpC7q80Z8XJawcqOAwXpRXmmszcBO3x2jSk6Bn1Ok_3VcJh1wstfPeOtih8aOUxKofRHR1nRUVgp4M58bB-17ECMiiB_Ugccd-D_tNGVFUiWYdvoWoTNaImdVCyjBT8auJ6J5hCDuOvJlF9nhXHRU5fR-9W4xo8zS3eAkLWIi5fooamIXe_giC8JgPP3Q3DO3QVcfPrq7Nxv3krBUBeNfkpQSbaoOHDqYBJjwFn9NSTmXNwEYZkIL4J-yO1oLWl4y1_mkBdg0v9pgvsBvoLQ9NBeCSOJrdUgihkRt2GcRYFEVhCkKjH_2PJA-JUeW4wWtGocjqKh9sPvSdc="}', 5382271849002044, '2026-03-08 09:57:10.124639+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('meta/process/feccb20ca32c2f0c', '{"v":1,"role":"all","started_at":"2026-03-08T09:49:03.490241+00:00","keys":["k1","k0"]}', 352783623543455, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/633ffc4979fe', '{"v":1,"digest_id":"633ffc4979fe","plan":{"channel_id":"C0000000009","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:15:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:04.453438Z","next":{"due_at":"2026-03-08T09:15:00Z","local":"2026-03-08T09:15:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":{"since":"2026-03-07T09:15:00.538675Z","until":null,"by":null,"why":"not_in_channel"},"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:15:00Z","local":"2026-03-02T09:15:00"},"outcome":"posted","at":"2026-03-02T09:15:00.383645Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:15:00Z","local":"2026-03-03T09:15:00"},"outcome":"posted","at":"2026-03-03T09:15:00.698941Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:15:00Z","local":"2026-03-04T09:15:00"},"outcome":"missed","at":"2026-03-06T10:30:00.750110Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:15:00Z","local":"2026-03-05T09:15:00"},"outcome":"missed","at":"2026-03-06T10:30:00.750110Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:15:00Z","local":"2026-03-06T09:15:00"},"outcome":"posted","at":"2026-03-06T10:30:00.900413Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:15:00Z","local":"2026-03-07T09:15:00"},"outcome":"failed","at":"2026-03-07T09:15:00.538675Z","average":63.666666666666664,"trouble":"not_in_channel","asked_by":null}],"notices":[],"baseline":"8903022d4e07f323","last_local":"2026-03-07T09:15:00","silent_runs":0}', 166716143829671, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0BIRCH/list/account', '{"v":1}', 8090138018155041, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/d3cb3b1eb96b', '{"v":1,"digest_id":"d3cb3b1eb96b","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:05:00","zone":"UTC"},"filter_text":"","mode":"worse","heartbeat_every":3,"worst_count":10,"mentions":[{"label":"tag:prod","who":["U0000000002"]}]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:01.030873Z","next":{"due_at":"2026-03-09T09:05:00Z","local":"2026-03-09T09:05:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:05:00Z","local":"2026-03-02T09:05:00"},"outcome":"posted","at":"2026-03-02T09:05:01.284697Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:05:00Z","local":"2026-03-03T09:05:00"},"outcome":"posted","at":"2026-03-03T09:05:01.226638Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:05:00Z","local":"2026-03-04T09:05:00"},"outcome":"missed","at":"2026-03-06T10:30:00.726076Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:05:00Z","local":"2026-03-05T09:05:00"},"outcome":"missed","at":"2026-03-06T10:30:00.726076Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:05:00Z","local":"2026-03-06T09:05:00"},"outcome":"quiet","at":"2026-03-06T10:30:00.840856Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:05:00Z","local":"2026-03-07T09:05:00"},"outcome":"quiet","at":"2026-03-07T09:05:00.656275Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-08T09:05:00Z","local":"2026-03-08T09:05:00"},"outcome":"quiet","at":"2026-03-08T09:05:00.428588Z","average":63.666666666666664,"trouble":null,"asked_by":null}],"notices":[],"baseline":"72dc687f70d5f930","last_local":"2026-03-08T09:05:00","silent_runs":3}', 194904298011605, '2026-03-09 09:05:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/usage/0f40dd96.eccfb6c3a70cad10', '{"v":1,"fingerprint":"eccfb6c3a70cad10","since":"2026-03-08T09:57:00.015+00:00","minutes":{"2026-03-08T09:56:21.969+00:00":{"person:U0000000004":1}},"account":{"told_at":"2026-03-08T09:57:00.275+00:00","highest_at":"2026-03-08T09:57:00.275+00:00","remaining":996,"highest":996}}', 4957764296289211, '2026-03-08 10:57:00.280866+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.-/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"W0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"W0000000003","installed_at":"2026-03-08T07:00:02+00:00","name":"globex","revoked_at":null,"token":{"sealed":"v1.k1.68k9pNDdlNshnrCCOKLdho37zVp1JFZs9SwncbWF9LCKBfGVgNiPpY4_wsEaocGnuUVcDRcTQ0Y5g8du-DRSupTBAtQ9g_tfxQ=="}}', 1815915042527566, '2026-03-09 14:28:07+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/granted', '{"v":1,"at":"2026-03-08T07:00:02+00:00"}', 7236938105597200, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/f0fbc3ad2bd0', '{"v":1,"digest_id":"f0fbc3ad2bd0","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"10:00:00","zone":"UTC"},"filter_text":"below:60","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:02.114611Z","next":{"due_at":"2026-03-09T10:00:00Z","local":"2026-03-09T10:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T10:00:00Z","local":"2026-03-08T10:00:00"},"channel_id":"C0000000008","state":"waiting","until":"2026-03-08T10:03:03.240332Z","deadline":"2026-03-08T16:00:00Z","token":"ddf38c9da68cc10e","attempt":2,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":"service","baseline":null,"average":null},"past":[{"slot":{"due_at":"2026-03-02T10:00:00Z","local":"2026-03-02T10:00:00"},"outcome":"posted","at":"2026-03-02T10:00:00.614798Z","average":41.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T10:00:00Z","local":"2026-03-03T10:00:00"},"outcome":"posted","at":"2026-03-03T10:00:00.702378Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T10:00:00Z","local":"2026-03-04T10:00:00"},"outcome":"missed","at":"2026-03-06T10:30:00.715916Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T10:00:00Z","local":"2026-03-05T10:00:00"},"outcome":"missed","at":"2026-03-06T10:30:00.715916Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T10:00:00Z","local":"2026-03-06T10:00:00"},"outcome":"posted","at":"2026-03-06T10:30:00.894601Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T10:00:00Z","local":"2026-03-07T10:00:00"},"outcome":"failed","at":"2026-03-07T16:30:00.436174Z","average":null,"trouble":"service","asked_by":null}],"notices":[],"baseline":"ec7e29b313030279","last_local":"2026-03-08T10:00:00","silent_runs":0}', 6921169315037053, '2026-03-08 10:03:03.240332+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:02.441041+00:00","by":"W0000000003","act":"app-installed"},{"at":"2026-03-08T07:00:02.600248+00:00","by":"W0000000003","act":"key-set","key":"service_sk_\u2026RHeX"},{"at":"2026-03-08T07:00:02.738288+00:00","by":"W0000000004","act":"digest-made","channel_id":"C0000000002"}]}', 3516428272022780, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/key', '{"v":1,"sealed":"v1.k1.NXCFQy0AucwCilRfqOhJneJ9W7zj4-Jsv6SGZ33GBflY_b-yFXb7oCyrTN5Ffj8f7kYcwOEB0uSSM7rVjKdwDGRYNhDhoym9Squ7B00-LCk=","last4":"RHeX","label":"Domain Tracker for Slack","expires_on":"2026-06-06","scopes":["read_domains","write_domains"],"set_by":"W0000000003","set_at":"2026-03-08T07:00:02.596104+00:00","refused_at":null,"told_at":null,"told":[],"lacks":[],"works":["list"],"reminded_days":null,"rotation_told_at":null}', 2782546611030091, '2026-05-23 07:00:02.596104+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/887f8099b0c9', '{"v":1,"digest_id":"887f8099b0c9","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"09:00:00","zone":"UTC"},"filter_text":"","mode":"always","heartbeat_every":null,"worst_count":5,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:00.893924Z","next":{"due_at":"2026-03-09T09:00:00Z","local":"2026-03-09T09:00:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":null,"past":[{"slot":{"due_at":"2026-03-02T09:00:00Z","local":"2026-03-02T09:00:00"},"outcome":"posted","at":"2026-03-02T09:00:00.487134Z","average":69.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T09:00:00Z","local":"2026-03-03T09:00:00"},"outcome":"posted","at":"2026-03-03T09:00:01.242211Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T09:00:00Z","local":"2026-03-04T09:00:00"},"outcome":"missed","at":"2026-03-06T10:30:00.740097Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T09:00:00Z","local":"2026-03-05T09:00:00"},"outcome":"missed","at":"2026-03-06T10:30:00.740097Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T09:00:00Z","local":"2026-03-06T09:00:00"},"outcome":"posted","at":"2026-03-06T10:30:02.050486Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T09:00:00Z","local":"2026-03-07T09:00:00"},"outcome":"posted","at":"2026-03-07T09:00:00.324936Z","average":63.666666666666664,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-08T09:00:00Z","local":"2026-03-08T09:00:00"},"outcome":"posted","at":"2026-03-08T09:00:00.564642Z","average":63.666666666666664,"trouble":null,"asked_by":null}],"notices":[],"baseline":"522d93e278f977ee","last_local":"2026-03-08T09:00:00","silent_runs":0}', 8689582759955053, '2026-03-09 09:00:00+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('E0GLOBEX.T0DELTA/usage/0f40dd96.57571ddf795611fa', '{"v":1,"fingerprint":"57571ddf795611fa","since":"2026-03-08T09:57:00.015+00:00","minutes":{"2026-03-08T09:56:21.969+00:00":{"person:W0000000004":1}},"account":{"told_at":"2026-03-08T09:57:00.400+00:00","highest_at":"2026-03-08T09:57:00.400+00:00","blocked_until":"2026-03-08T10:57:00.400+00:00","settled_at":"2026-03-08T09:57:00.400+00:00","rate_limits":1}}', 6140781199238119, '2026-03-08 10:57:00.417005+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest/13689df30bbd', '{"v":1,"digest_id":"13689df30bbd","plan":{"channel_id":"C0000000008","schedule":{"days":[0,1,2,3,4,5,6],"at":"10:02:00","zone":"UTC"},"filter_text":"below:60","mode":"always","heartbeat_every":null,"worst_count":10,"mentions":[]},"made_by":"U0000000004","made_by_name":"bob","made_at":"2026-03-02T07:00:03.263154Z","next":{"due_at":"2026-03-09T10:02:00Z","local":"2026-03-09T10:02:00"},"version":1,"changed_by":null,"changed_at":null,"moved_at":null,"pause":null,"run":{"slot":{"due_at":"2026-03-08T10:02:00Z","local":"2026-03-08T10:02:00"},"channel_id":"C0000000008","state":"posting","until":"2026-03-08T10:03:01.154468Z","deadline":"2026-03-08T16:02:00Z","token":"02c4048beb14d160","attempt":1,"asked_by":null,"is_extra":false,"is_unwanted":false,"trouble":null,"baseline":"02c4048beb14d160","average":30.0},"past":[{"slot":{"due_at":"2026-03-02T10:02:00Z","local":"2026-03-02T10:02:00"},"outcome":"posted","at":"2026-03-02T10:02:01.159890Z","average":41.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-03T10:02:00Z","local":"2026-03-03T10:02:00"},"outcome":"posted","at":"2026-03-03T10:02:01.145728Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-04T10:02:00Z","local":"2026-03-04T10:02:00"},"outcome":"missed","at":"2026-03-06T10:30:00.896455Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-05T10:02:00Z","local":"2026-03-05T10:02:00"},"outcome":"missed","at":"2026-03-06T10:30:00.896455Z","average":null,"trouble":"down","asked_by":null},{"slot":{"due_at":"2026-03-06T10:02:00Z","local":"2026-03-06T10:02:00"},"outcome":"posted","at":"2026-03-06T10:30:03.134316Z","average":30.0,"trouble":null,"asked_by":null},{"slot":{"due_at":"2026-03-07T10:02:00Z","local":"2026-03-07T10:02:00"},"outcome":"missed","at":"2026-03-07T16:30:00.437170Z","average":null,"trouble":"down","asked_by":null}],"notices":[],"baseline":"9663d1e07bdff87b","last_local":"2026-03-08T10:02:00","silent_runs":0}', 5231806388428752, '2026-03-08 10:03:01.154468+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/digest-baseline/13689df30bbd/02c4048beb14d160', '{"v":1,"taken_at":"2026-03-08T10:02:01.144117+00:00","scores":{"shop.example":30.0,"www.example":97.0,"new.example":null,"fresh.example":64.0}}', 1968133882446182, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/list/account', '{"v":1}', 4690422221208020, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0PLAYGROUND/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:00+00:00","name":"playground","revoked_at":null,"token":{"sealed":"v1.k1.GCktJ13koz3NBYjSg50S4cj7CHCGFH6LbZM2jIohBNT3bU2nmWB87yCPoH6pItNCzThfLxLLw8VbjkKpMBdD_FSV3EKnSa1oPw=="}}', 1910575417435396, '2026-03-09 05:21:51+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:00+00:00","name":"amber","revoked_at":null,"token":{"sealed":"v1.k1.OVkOQ0f7rPwixduYD8kB734L73FwNiwvR6G5HGiqcRzDDesd5K0bpapvxYMMSTTigxRxv60hN09hE3_jN0h1eadRAKd5fGV-YA=="}}', 33417467057924, '2026-03-09 07:34:48+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0AMBER/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:00.686700+00:00","by":"U0000000002","act":"app-installed"}]}', 5941691612387388, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/list/account', '{"v":1}', 6403327996871964, NULL);
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/installation', '{"v":1,"app_id":"A0PLAYGROUND","bot_id":"B0PLAYGROUND","bot_user_id":"U0000000001","scopes":["commands","chat:write","im:write","users:read","channels:read","groups:read","usergroups:read"],"installed_by":"U0000000002","installed_at":"2026-03-08T07:00:00+00:00","name":"coral","revoked_at":"2026-03-08T07:00:01.360903+00:00"}', 367311142504891, '2026-04-07 07:00:01.360903+00');
INSERT INTO public.document (key, value, rev, due_at) VALUES ('-.T0CORAL/audit', '{"v":1,"entries":[{"at":"2026-03-08T07:00:00.887164+00:00","by":"U0000000002","act":"app-installed"},{"at":"2026-03-08T07:00:01.109722+00:00","by":"U0000000002","act":"key-set","key":"service_sk_\u20269xM-"},{"at":"2026-03-08T07:00:01.316022+00:00","by":"U0000000004","act":"digest-made","channel_id":"C0000000008"},{"at":"2026-03-08T07:00:01.365619+00:00","by":"slack","act":"access-revoked"}]}', 2411788339562855, NULL);
INSERT INTO public.forgotten (prefix, organisation, is_forgotten, until) VALUES (1523243295275177809, 6318608596463658898, true, '2026-11-22 12:04:14.695984+00');
INSERT INTO public.forgotten (prefix, organisation, is_forgotten, until) VALUES (6786863652357384449, -5349438903082268692, true, '2026-11-22 12:04:16.154591+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('bot', '0001-documents.sql', '9bf938339d7da048c602fbea0492ba9de69514e1e61eb0ac2505133f95bb2e1a', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.00.00_01_initial', '6d7ba94c51af22f6cf437e01774a2de4d98666886f9c0597bfb24deb86546dfa', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.05.00_01_drop_started_at_column', '8c36c1cbb9c2c2c4e29996d0839cfc0e674638dd59da73d22d5883a66c94a6d8', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.05.00_02_drop_started_at_column', '62fab33b3996ef2bfab09a0502318c51cae1a186db58a2d803e1c341fcf6a149', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.05.00_03_drop_procrastinate_version_table', 'e43a1e3cec48cf071140edce6828107b43ca6b7cfa8ae9dcd527a6fa99e40236', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.06.00_01_fix_procrastinate_fetch_job', '4dac8738ebebc78b890b56db631018a3cd74089fc3a0e6004aaf7c6252779169', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.07.01_01_fix_trigger_status_events_insert', 'e40c589ce32d0b3a0cc5d6b667da42f0fef066e51e6907fad196b1d8b83c9149', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.08.01_01_add_queueing_lock_column', 'c8896579a44c9f258309f96c76b8c9415e1766dedfc4a8ca9158094438e6085b', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.10.00_01_close_fetch_job_race_condition', '0be9e8dfa820f435482a2066fc68e6f44f92d7ca9a90226443c4be448de0fc32', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.10.00_02_add_defer_job_function', 'f49362754442068426b66872cd7f15bb1a9610909a5e8539edbccce79a78c8e8', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.11.00_03_add_procrastinate_periodic_defers', '9cf251e931e905ce31d4e5b8bebea220c035b255e3ec0046ba7659d2a6ee9cb6', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.12.00_01_add_foreign_key_index', 'd4b44b60e1c79891a52145a9804d1f942cdfb6c8717d575ef2b3fec26b70224f', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.14.00_01_add_locks_to_periodic_defer', '7150bc363db295dd7f7114ceab63ae7d52dfece3b91b1735546e64f7b22c1638', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.15.02_01_fix_procrastinate_defer_periodic_job', 'cee1ba5828128ff062cd73a7505e5f5a827aea9d09131049cdde8ed32af767f1', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.16.00_01_add_finish_job_and_retry_job_functions', 'adc143a05e5d53d4e32513cfe389a6201cc47a8169723f7135429109d8b41264', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_01_add_trigger_on_job_deletion', 'a5c49223abe0566e2952013d16089ffc3b29c1238642341632a3e245f22f0b92', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_02_delete_finished_jobs', 'd777d6c03fab2e590f6ac5144ac7401762bb2ba1c2b83504392638427e556242', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_03_add_checks_to_finish_job', '989c1d0a968ebc0f7a33bebfcab41c0e41fcbf4629d6ed67e40d32d0a5b31201', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.17.00_04_add_checks_to_retry_job', '588340629e015ef0fef21d702a64b3031fe449d9676474850ca4425dc63fcd87', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.18.01_01_fix_finish_job_compat_issue', '046d1a97cbf2d9fbfbb0fb3a1dd6dc271f0267e55843566acc1cee86eab41288', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.19.00_01_add_index_on_procrastinate_jobs', '3a424d244f9af480f581b493c5d93fea60b03540e369797294518f128c9e6360', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.22.00_01_add_kwargs_to_defer_periodic_job', 'ba2e550f46f912b420aec63b46462ede8291b66552369df567dc0b36360eae3f', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '00.23.00_01_null_locks_excluded', '24c853edc002f63535d87bbc7bba5093f4e26bc7844b504c0786242aea698c16', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '01.00.00_01_remove_old_finish_job_function', '2665cd1782a2ecb93a7f95e7bf4867335886d31f26acc15fc97be7c8957ae323', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '01.01.01_01_job_id_bigint', '223e3f20475bc76efe3e00509f9ba2d8610e27a77da72a5fcb7dbc4bec357a8b', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.00.03_01_add_job_priority', '34aa498b770d1f6a1bdda291a45866dae7cc2cb509f19d8e0445788b91191142', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.05.00_01_add_periodic_job_priority', '997a8b9d61c5c93752521f7dd52c87799752fe2e0396b3f636c413b23c778280', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.06.00_01_add_cancel_states', '28e8be115842d81d29a0e818338dc319a24be044b469e30df6f535977a25a498', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.08.00_01_add_additional_params_to_retry_job', 'd3c9d446a79ff2a9f3030db01772c33a4c4dd3898151598d05f1979ea4e76319', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '02.14.01_01_add_indexes_for_fetch_job', '66c0fdc9ea24569f14d2b2ebaf9f8309858e66141dd271d9bf61ecf56c362ada', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.00.00_01_pre_cancel_notification', 'e79f3dc19f80de6f6c54aec9deb4548989b68ae38061a55b6ee3144e313c1ecd', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.00.00_50_post_cancel_notification', 'd16fba7d14d5c699ceb81fd67a450422bd4b8337b1934b4eb00aa5438eddfbdf', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.01.00_01_pre_add_heartbeat', 'f07b98da98e470881e629478f85f142b2f28a659f1ab53e0da1dc7fe917834b8', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.01.00_50_post_add_heartbeat', '562472e1ccfd262792a57dcd771f918dae87b0dc038e3832172b3f1ccce69dc0', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.02.00_01_pre_batch_defer_jobs', '1f8f957339ff8a455bfd27bdbdbda41daca3b19931a032cd2d9356620af93951', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.02.00_50_post_batch_defer_jobs', '8fc1d2c94a057eab36cb074f920f8fab17cb23f8ccee708a64ea52804222ac67', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.03.00_01_pre_priority_lock_fetch_job', '70731b65ba99a63962fd1adc6e1c9b3bef6a480a091f3d41d32c50b7ddc31441', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.04.00_01_pre_add_retry_failed_job_procedure', '6883b7336508620ba856db4a78558158fe15c8e68b2ea05c60b468e73c311255', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', '03.04.00_50_post_add_retry_failed_job_procedure', 'b7938e0a0885d8d00d3f55647bcf141c3f2acac439070c1287734fcb3d98947b', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.migration (series, step, checksum, applied_at) VALUES ('procrastinate', 'bot-01-fetching', '38f92fa45a209b37504ed5602c0a3b77ae0d3595949ce2b4ff93aef7e58483ff', '2026-11-22 11:04:00.051812+00');
INSERT INTO public.procrastinate_events (id, job_id, type, at) VALUES (667, 334, 'deferred', '2026-11-22 11:04:29.211932+00');
INSERT INTO public.procrastinate_events (id, job_id, type, at) VALUES (669, 334, 'started', '2026-11-22 11:04:29.341049+00');
INSERT INTO public.procrastinate_jobs (id, queue_name, task_name, priority, lock, queueing_lock, args, status, scheduled_at, attempts, abort_requested, worker_id) VALUES (334, 'deliver', 'deliver', 0, '-.T0PLAYGROUND', NULL, '{"digests": ["13689df30bbd"], "workspace": "-.T0PLAYGROUND"}', 'doing', NULL, 0, false, 6);
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (309, 'reminders', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (312, 'seen', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (314, 'proofs', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (313, 'bans', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (310, 'clean-up', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (315, 'tick', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (174, 'canary', 1795345452500, NULL, '');
INSERT INTO public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) VALUES (311, 'usage', 1795345469000, NULL, '');
INSERT INTO public.procrastinate_workers (id, last_heartbeat) OVERRIDING SYSTEM VALUE VALUES (5, '2026-11-22 11:04:27.146548+00');
INSERT INTO public.procrastinate_workers (id, last_heartbeat) OVERRIDING SYSTEM VALUE VALUES (6, '2026-11-22 11:04:27.149061+00');
INSERT INTO public.seen (name, until) VALUES ('\xf52751b87189a5d4c67c8b3fccc317a8bad2640acadfc8b16cbca2c6ade73330', '2026-11-22 11:14:12.785175+00');
INSERT INTO public.seen (name, until) VALUES ('\x89da86b6e5170dbcbacd40e593e4f0c9c2f03766fa75b1b25ea3d44608a3741b', '2026-11-22 11:14:12.865042+00');
INSERT INTO public.seen (name, until) VALUES ('\x273f15f9bbb13fbb8810891ec1bebf7ec355fb0afe7b6d06c2b0167c5ded2d69', '2026-11-22 11:14:12.893938+00');
INSERT INTO public.seen (name, until) VALUES ('\xe7bfe6ccca5e7f76829b4f63384486bd7e56d0a58deb2872dd210f3e198b3a1d', '2026-11-22 11:14:12.961952+00');
INSERT INTO public.seen (name, until) VALUES ('\x04f8ff8e60d1f04cf1ec2546cf509b0f36f14b60107247bcffd22ca350a509ab', '2026-11-22 11:14:13.487878+00');
INSERT INTO public.seen (name, until) VALUES ('\x2373aa182962a6131a4159360121d4db2e94818aacbbfe42b76fc9f701f23f71', '2026-11-22 11:14:13.519931+00');
INSERT INTO public.seen (name, until) VALUES ('\x4b0c77a546510379b76f5d6b74bc92d397f13705d2f6c8249e5c4631b6645d1a', '2026-11-22 11:14:13.648427+00');
INSERT INTO public.seen (name, until) VALUES ('\xc66e358cfc9711bb11f4376fff80ee1ae9a3dc54f4adc273bb0976b6250b7928', '2026-11-22 11:14:13.778106+00');
INSERT INTO public.seen (name, until) VALUES ('\x70f6b79de393b6dd7352abc2640135ad2d9355bd6f4562b12a64e792a14664ff', '2026-11-22 11:14:13.977197+00');
INSERT INTO public.seen (name, until) VALUES ('\xb8e34a0a4ca5b382f13ebda06dc93340cc616f054168974ae994089d4e8d003d', '2026-11-22 11:14:14.052678+00');
INSERT INTO public.seen (name, until) VALUES ('\x9c739842f2732b6caccaf3a85280809c725e453fd4e7520036e377b190197ee8', '2026-11-22 11:14:14.130226+00');
INSERT INTO public.seen (name, until) VALUES ('\xb2d5d86b26440a7fde2c8cbca2af42bf8513429c492566dd7d69771190af679f', '2026-11-22 11:14:14.19852+00');
INSERT INTO public.seen (name, until) VALUES ('\x29d9035e4f3fae668d4a8379bf10ac855adf2016956fd28088323d5a78a7b7cc', '2026-11-22 11:14:14.238157+00');
INSERT INTO public.seen (name, until) VALUES ('\x9f97757ebb21ee72eeef13fedeb93fd8e409e144581e0e2d23b300701f22d79d', '2026-11-22 11:14:14.265282+00');
INSERT INTO public.seen (name, until) VALUES ('\x253a780603c4c84529ebebf9f62b34360e8240eef1ce1d618906e70851973163', '2026-11-22 11:14:14.353696+00');
INSERT INTO public.seen (name, until) VALUES ('\xb8c224cb1af82d1b7fd3180cc9b54133838ef8ca6bcb0203de6d66e06d5e6fbb', '2026-11-22 11:14:14.376552+00');
INSERT INTO public.seen (name, until) VALUES ('\xe3098eaed8d34b411a52478b38651eb49281a4de8910f2a09b91f68d02341454', '2026-11-22 11:14:14.385715+00');
INSERT INTO public.seen (name, until) VALUES ('\xb7c274dec423b72e78907167b68aaa1de20ee1bfc57e8bb0f7f87a05169b84c0', '2026-11-22 11:14:14.455089+00');
INSERT INTO public.seen (name, until) VALUES ('\xc03e49da26909f79b2b3b46eee1797c9accb45f969ea56800b787d81bc285651', '2026-11-22 11:14:14.491988+00');
INSERT INTO public.seen (name, until) VALUES ('\x4016639eae57ff5f061fbdcd05d1c38619a8b3997bbac67d83c6122494948f57', '2026-11-22 11:14:14.536871+00');
INSERT INTO public.seen (name, until) VALUES ('\x8988982f6ef71deb85752e7b64168d7cc5d380271036b3268c4ac6d2df6c01cc', '2026-11-22 11:14:14.556449+00');
INSERT INTO public.seen (name, until) VALUES ('\x7eb54d594c02360941f02258198f66cba0a14dff2df72b5f4f31d6fd930e4e51', '2026-11-22 11:14:14.588219+00');
INSERT INTO public.seen (name, until) VALUES ('\x48ff79caf651b9aa5d7c982511d679b5f5ec8d8aa8603af867120e6fe01d05b9', '2026-11-22 11:14:14.607786+00');
INSERT INTO public.seen (name, until) VALUES ('\xf0faefc30d36625035cd46a39c6e4d18a66461f266251f1312fd88765e83918a', '2026-11-22 11:14:14.677187+00');
INSERT INTO public.seen (name, until) VALUES ('\x91df5ab520b7e199e517dc888625811e325eda27b7417ad86e4783d64979afc6', '2026-11-22 11:14:14.755315+00');
INSERT INTO public.seen (name, until) VALUES ('\x61462589a100cc2a7506753c5bdaffa8fd08293345cd3b3bc2a13b2162794369', '2026-11-22 11:14:14.800235+00');
INSERT INTO public.seen (name, until) VALUES ('\x958b53eac0ff9d25f808263f3208e3592de88d1b1c0aefeaa87c7c46c88580cc', '2026-11-22 11:14:14.837985+00');
INSERT INTO public.seen (name, until) VALUES ('\x2c9061d011e3c6d7cddc1ad7f169b11ed24fc05badc16e62bd5ee48cd779599d', '2026-11-22 11:14:14.898728+00');
INSERT INTO public.seen (name, until) VALUES ('\x6671201c871b3d20e22ca431a93739f2fc7707af01936ae244defaa9f7b61d69', '2026-11-22 11:14:14.941644+00');
INSERT INTO public.seen (name, until) VALUES ('\xca1aa8eacca2dad70d7d04415faeb2d8ae7299752fa7b0d496271c7a433ea186', '2026-11-22 11:14:14.994225+00');
INSERT INTO public.seen (name, until) VALUES ('\x564568574ac0d7661dffd475253cf3a6b5c70d8865701101d1cafa0430578e07', '2026-11-22 11:14:15.047484+00');
INSERT INTO public.seen (name, until) VALUES ('\x59adffd15dde0b203daf16da8c950ce9c01ae1ecd47b88c3079b8c4e9697a0cd', '2026-11-22 11:14:15.088273+00');
INSERT INTO public.seen (name, until) VALUES ('\x1944138a8978fdb9fb256435f5e8a9c6e965e6f31cbce01d77acc10b8bd24aff', '2026-11-22 11:14:15.169924+00');
INSERT INTO public.seen (name, until) VALUES ('\xa1f989bbe9683746110326939769bcff3487917773b50576b9e8d57acb8e5fc2', '2026-11-22 11:14:15.260939+00');
INSERT INTO public.seen (name, until) VALUES ('\x59756f2fb6c30a2f50f26fb5b543ee5d403eacaac681ecf0f4672c0336e03d03', '2026-11-22 11:14:15.305829+00');
INSERT INTO public.seen (name, until) VALUES ('\x466c0dfa081af604e56f7922c78c93e94a08f4bfad55de3086333c127562f316', '2026-11-22 11:14:15.353378+00');
INSERT INTO public.seen (name, until) VALUES ('\xa97606ed7463c94cc70cd48e0a3a1ff2216eebec797731c22f3d1988b018f28a', '2026-11-22 11:14:15.3739+00');
INSERT INTO public.seen (name, until) VALUES ('\x1709e08059e359daaf98a3b122248db3821c4c0a94dc464976d525aa1f344de9', '2026-11-22 11:14:15.39796+00');
INSERT INTO public.seen (name, until) VALUES ('\x01f17a8c67a12fa1272732d23093eb042798327ae176314790c8272741e55ecd', '2026-11-22 11:14:15.453453+00');
INSERT INTO public.seen (name, until) VALUES ('\xa714b2594e02a8a1964987a038aeade9b5e22c4f0504ba70de011ccf67219165', '2026-11-22 11:14:15.482084+00');
INSERT INTO public.seen (name, until) VALUES ('\x3df03d252a7a0cec968fa356b495d3ab4d50a75a00b136cc3722b5f700951931', '2026-11-22 11:14:15.536264+00');
INSERT INTO public.seen (name, until) VALUES ('\x89aab5a11881719f7e1235918ad8ddbfb8477c6f4fc8d5f925e27f8601b6c789', '2026-11-22 11:14:15.574094+00');
INSERT INTO public.seen (name, until) VALUES ('\x552dd322ff3762373dd52d8222f98bac1b9edfda63cdf99bca8bfe718a35b631', '2026-11-22 11:14:15.620445+00');
INSERT INTO public.seen (name, until) VALUES ('\xdca0fa1a569958a88503dad9b8dc201bd375e5d733d35b0b96fb648669b2f81b', '2026-11-22 11:14:15.652619+00');
INSERT INTO public.seen (name, until) VALUES ('\xb2a404fdd03f9a6f718592482eb66410bca94a8caa425d380b241c6fdce1a72d', '2026-11-22 11:14:15.690846+00');
INSERT INTO public.seen (name, until) VALUES ('\x5798fe2fabf6acf91884c917dee4554aa6c819003d5a3ee659161d534f44ff0a', '2026-11-22 11:14:15.710291+00');
INSERT INTO public.seen (name, until) VALUES ('\x5db394c6048cc52448d4a925b4d472d7f11f6d779af50194fdcf35ee931a131a', '2026-11-22 11:14:15.755909+00');
INSERT INTO public.seen (name, until) VALUES ('\xf359f4963ba1c7d14c623d4511b74043d65ffe54a00ed198f165cfdc14eb1415', '2026-11-22 11:14:15.785916+00');
INSERT INTO public.seen (name, until) VALUES ('\x2abd7211687a5bf389708c7b742433e863a78bd23784ecf9df9054b7665fc4e8', '2026-11-22 11:14:15.832723+00');
INSERT INTO public.seen (name, until) VALUES ('\x317b2408311d501a998b83af8296bfe33bb6c795f9f53160bf8bc9ecd4c341cb', '2026-11-22 11:14:15.905253+00');
INSERT INTO public.seen (name, until) VALUES ('\x9e7bfde7d8c95b24e7d1019c853c415bddf15bf9d114fcdcc6b54305d3dccd7d', '2026-11-22 11:14:15.933596+00');
INSERT INTO public.seen (name, until) VALUES ('\xa4adbd1dd85d36b8720109b45d0a14f1d3f09b5425650c63f49d2cf97d3115a7', '2026-11-22 11:14:15.965626+00');
INSERT INTO public.seen (name, until) VALUES ('\xb9a34ffce862e71c305dd3dd717cfa15ed1888161bbed64f2caaf1f6f79cef99', '2026-11-22 11:14:15.996732+00');
INSERT INTO public.seen (name, until) VALUES ('\x315581b592e3511fbfd65cb96ff7ef0358231e6993b2adb66c4280d0067446e7', '2026-11-22 11:14:16.12563+00');
INSERT INTO public.seen (name, until) VALUES ('\x3fe672409fd349fa71d9c1c9b161baf2db3b2c5e83dc9c2473d2d240deb8f00e', '2026-11-22 11:14:16.262032+00');
INSERT INTO public.seen (name, until) VALUES ('\x64333f4cfddb16cf02937314d502ea7c891e68ebf7c0a9dbb9cd24955d626e87', '2026-11-22 11:14:16.280716+00');
INSERT INTO public.seen (name, until) VALUES ('\x21b9fd9c4b61af283f7087485f15dad0f37556d688b9a3fe8a311adda18f45c0', '2026-11-22 11:14:23.157265+00');
INSERT INTO public.seen (name, until) VALUES ('\xcbcd39d550e112cd1c64782fee7bd5365fa1fcdc934281b65f4a9f9f36b4274f', '2026-11-22 11:14:23.389929+00');
INSERT INTO public.seen (name, until) VALUES ('\xbd30c7d8183143b34595e38634b3bfb89849c5670c67e92521e8a4c9abf8347d', '2026-11-22 11:14:23.508261+00');
INSERT INTO public.seen (name, until) VALUES ('\xaf86e0c4d5809b7c37a77ef31081f8b203a11dc53ce47096a3aa78fdf90dfcc8', '2026-11-22 11:14:23.560779+00');
SELECT pg_catalog.setval('public.procrastinate_events_id_seq', 670, true);
SELECT pg_catalog.setval('public.procrastinate_jobs_id_seq', 335, true);
SELECT pg_catalog.setval('public.procrastinate_periodic_defers_id_seq', 315, true);
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
