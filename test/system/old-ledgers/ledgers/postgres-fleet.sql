SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA "haft_jobs";
CREATE TYPE "haft_jobs"."job_state" AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);
CREATE FUNCTION "haft_jobs"."create_queue"("queue_name" "text", "options" "jsonb") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN
      WITH q as (
        INSERT INTO haft_jobs.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false)
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;
      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;
      EXECUTE format('CREATE TABLE haft_jobs.%I (LIKE haft_jobs.job INCLUDING DEFAULTS)', tablename);
      EXECUTE haft_jobs.job_table_format($cmd$ALTER TABLE haft_jobs.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE haft_jobs.job_table_format($cmd$ALTER TABLE haft_jobs.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES haft_jobs.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE haft_jobs.job_table_format($cmd$ALTER TABLE haft_jobs.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES haft_jobs.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE haft_jobs.job_table_format($cmd$CREATE INDEX job_i11 ON haft_jobs.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE haft_jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON haft_jobs.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE haft_jobs.job_table_format($cmd$CREATE INDEX job_i7 ON haft_jobs.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE haft_jobs.job_table_format($cmd$CREATE INDEX job_i9 ON haft_jobs.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      IF options->>'policy' = 'short' THEN
        EXECUTE haft_jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON haft_jobs.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE haft_jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON haft_jobs.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE haft_jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON haft_jobs.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE haft_jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON haft_jobs.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE haft_jobs.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON haft_jobs.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE haft_jobs.job_table_format($cmd$CREATE INDEX job_i10 ON haft_jobs.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE haft_jobs.job_table_format($cmd$ALTER TABLE haft_jobs.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;
      EXECUTE format('ALTER TABLE haft_jobs.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE haft_jobs.job ATTACH PARTITION haft_jobs.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$;
CREATE FUNCTION "haft_jobs"."delete_queue"("queue_name" "text") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM haft_jobs.queue
      WHERE name = queue_name
      INTO v_table, v_partition;
      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS haft_jobs.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM haft_jobs.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM haft_jobs.queue WHERE name = queue_name;
    END;
    $$;
CREATE FUNCTION "haft_jobs"."job_table_format"("command" "text", "table_name" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$;
CREATE FUNCTION "haft_jobs"."job_table_run"("command" "text", "tbl_name" "text" DEFAULT NULL::"text", "queue_name" "text" DEFAULT NULL::"text") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM haft_jobs.queue WHERE name = queue_name;
      END IF;
      IF tbl_name IS NOT NULL THEN
        EXECUTE haft_jobs.job_table_format(command, tbl_name);
        RETURN;
      END IF;
      EXECUTE haft_jobs.job_table_format(command, 'job_common');
      FOR tbl IN SELECT table_name FROM haft_jobs.queue WHERE partition = true
      LOOP
        EXECUTE haft_jobs.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$;
CREATE FUNCTION "haft_jobs"."job_table_run_async"("command_name" "text", "version" integer, "command" "text", "tbl_name" "text" DEFAULT NULL::"text", "queue_name" "text" DEFAULT NULL::"text") RETURNS "void"
    LANGUAGE "plpgsql"
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM haft_jobs.queue WHERE name = queue_name;
      END IF;
      IF tbl_name IS NOT NULL THEN
        INSERT INTO haft_jobs.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          haft_jobs.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;
      INSERT INTO haft_jobs.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        haft_jobs.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        haft_jobs.job_table_format(command, queue.table_name)
      FROM haft_jobs.queue
      WHERE partition = true;
    END;
    $$;
CREATE FUNCTION "public"."haft_records_fixed"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
   BEGIN
     IF TG_OP = 'DELETE' AND OLD.seq <= (SELECT seq FROM haft_anchor WHERE chain = OLD.chain) THEN RETURN OLD; END IF;
     RAISE EXCEPTION 'rows of the ledger do not change, and are only pruned from the beginning of their chain';
   END $$;
SET default_tablespace = '';
SET default_table_access_method = "heap";
CREATE TABLE "haft_jobs"."bam" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "version" integer NOT NULL,
    "status" "text" DEFAULT 'pending'::"text" NOT NULL,
    "queue" "text",
    "table_name" "text" NOT NULL,
    "command" "text" NOT NULL,
    "error" "text",
    "created_on" timestamp with time zone DEFAULT "clock_timestamp"() NOT NULL,
    "started_on" timestamp with time zone,
    "completed_on" timestamp with time zone
);
CREATE TABLE "haft_jobs"."haft_shares" (
    "flow" "text" NOT NULL,
    "finish" bigint NOT NULL
);
CREATE TABLE "haft_jobs"."haft_workers" (
    "id" "text" NOT NULL,
    "host" "text" NOT NULL,
    "pid" integer NOT NULL,
    "agents" "text" NOT NULL,
    "concurrency" integer NOT NULL,
    "state" "text" NOT NULL,
    "running" integer NOT NULL,
    "taken" bigint NOT NULL,
    "ended" bigint NOT NULL,
    "rate" double precision NOT NULL,
    "started_at" timestamp with time zone DEFAULT "now"() NOT NULL,
    "seen_at" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "haft_jobs"."job" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "priority" integer DEFAULT 0 NOT NULL,
    "data" "jsonb",
    "state" "haft_jobs"."job_state" DEFAULT 'created'::"haft_jobs"."job_state" NOT NULL,
    "retry_limit" integer DEFAULT 2 NOT NULL,
    "retry_count" integer DEFAULT 0 NOT NULL,
    "retry_delay" integer DEFAULT 0 NOT NULL,
    "retry_backoff" boolean DEFAULT false NOT NULL,
    "retry_delay_max" integer,
    "expire_seconds" integer DEFAULT 900 NOT NULL,
    "deletion_seconds" integer DEFAULT 604800 NOT NULL,
    "singleton_key" "text",
    "singleton_on" timestamp without time zone,
    "group_id" "text",
    "group_tier" "text",
    "start_after" timestamp with time zone DEFAULT "now"() NOT NULL,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "started_on" timestamp with time zone,
    "completed_on" timestamp with time zone,
    "keep_until" timestamp with time zone DEFAULT ("now"() + '336:00:00'::interval) NOT NULL,
    "output" "jsonb",
    "dead_letter" "text",
    "policy" "text",
    "heartbeat_on" timestamp with time zone,
    "heartbeat_seconds" integer,
    "blocked" boolean DEFAULT false NOT NULL,
    "blocking" boolean DEFAULT false NOT NULL,
    "pending_dependencies" integer DEFAULT 0 NOT NULL,
    "source_name" "text",
    "source_id" "uuid",
    "source_created_on" timestamp with time zone,
    "source_retry_count" integer
)
PARTITION BY LIST ("name");
CREATE TABLE "haft_jobs"."job_common" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "priority" integer DEFAULT 0 NOT NULL,
    "data" "jsonb",
    "state" "haft_jobs"."job_state" DEFAULT 'created'::"haft_jobs"."job_state" NOT NULL,
    "retry_limit" integer DEFAULT 2 NOT NULL,
    "retry_count" integer DEFAULT 0 NOT NULL,
    "retry_delay" integer DEFAULT 0 NOT NULL,
    "retry_backoff" boolean DEFAULT false NOT NULL,
    "retry_delay_max" integer,
    "expire_seconds" integer DEFAULT 900 NOT NULL,
    "deletion_seconds" integer DEFAULT 604800 NOT NULL,
    "singleton_key" "text",
    "singleton_on" timestamp without time zone,
    "group_id" "text",
    "group_tier" "text",
    "start_after" timestamp with time zone DEFAULT "now"() NOT NULL,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "started_on" timestamp with time zone,
    "completed_on" timestamp with time zone,
    "keep_until" timestamp with time zone DEFAULT ("now"() + '336:00:00'::interval) NOT NULL,
    "output" "jsonb",
    "dead_letter" "text",
    "policy" "text",
    "heartbeat_on" timestamp with time zone,
    "heartbeat_seconds" integer,
    "blocked" boolean DEFAULT false NOT NULL,
    "blocking" boolean DEFAULT false NOT NULL,
    "pending_dependencies" integer DEFAULT 0 NOT NULL,
    "source_name" "text",
    "source_id" "uuid",
    "source_created_on" timestamp with time zone,
    "source_retry_count" integer,
    CONSTRAINT "job_key_strict_fifo_singleton_key_check" CHECK ((NOT (("policy" = 'key_strict_fifo'::"text") AND ("singleton_key" IS NULL))))
);
CREATE TABLE "haft_jobs"."job_dependency" (
    "child_name" "text" NOT NULL,
    "child_id" "uuid" NOT NULL,
    "parent_name" "text" NOT NULL,
    "parent_id" "uuid" NOT NULL
);
CREATE TABLE "haft_jobs"."queue" (
    "name" "text" NOT NULL,
    "policy" "text" NOT NULL,
    "retry_limit" integer NOT NULL,
    "retry_delay" integer NOT NULL,
    "retry_backoff" boolean NOT NULL,
    "retry_delay_max" integer,
    "expire_seconds" integer NOT NULL,
    "retention_seconds" integer NOT NULL,
    "deletion_seconds" integer NOT NULL,
    "dead_letter" "text",
    "partition" boolean NOT NULL,
    "table_name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "warning_queued" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "ready_history" integer[] DEFAULT '{}'::integer[] NOT NULL,
    "heartbeat_seconds" integer,
    "notify" boolean DEFAULT false NOT NULL,
    "singletons_active" "text"[],
    "monitor_claim_on" timestamp with time zone,
    "monitor_on" timestamp with time zone,
    "maintain_on" timestamp with time zone,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    CONSTRAINT "queue_check" CHECK (("dead_letter" IS DISTINCT FROM "name"))
);
CREATE TABLE "haft_jobs"."queue_stats" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "captured_on" timestamp with time zone DEFAULT "now"() NOT NULL
)
PARTITION BY RANGE ("captured_on");
CREATE TABLE "haft_jobs"."queue_stats_20261118" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "captured_on" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "haft_jobs"."queue_stats_20261119" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "name" "text" NOT NULL,
    "deferred_count" integer DEFAULT 0 NOT NULL,
    "queued_count" integer DEFAULT 0 NOT NULL,
    "ready_count" integer DEFAULT 0 NOT NULL,
    "active_count" integer DEFAULT 0 NOT NULL,
    "failed_count" integer DEFAULT 0 NOT NULL,
    "total_count" integer DEFAULT 0 NOT NULL,
    "captured_on" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "haft_jobs"."schedule" (
    "name" "text" NOT NULL,
    "key" "text" DEFAULT ''::"text" NOT NULL,
    "cron" "text" NOT NULL,
    "timezone" "text",
    "data" "jsonb",
    "options" "jsonb",
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_on" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "haft_jobs"."subscription" (
    "event" "text" NOT NULL,
    "name" "text" NOT NULL,
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL,
    "updated_on" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "haft_jobs"."version" (
    "version" integer NOT NULL,
    "cron_on" timestamp with time zone,
    "bam_on" timestamp with time zone,
    "flow_on" timestamp with time zone,
    "reindex_on" timestamp with time zone,
    "monitor_backoff_on" timestamp with time zone
);
CREATE TABLE "haft_jobs"."warning" (
    "id" "uuid" DEFAULT "gen_random_uuid"() NOT NULL,
    "type" "text" NOT NULL,
    "message" "text" NOT NULL,
    "data" "jsonb",
    "created_on" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "public"."haft_anchor" (
    "seq" bigint NOT NULL,
    "hash" "text" NOT NULL,
    "chain" integer DEFAULT 0 NOT NULL
);
CREATE TABLE "public"."haft_approvals" (
    "id" "text" NOT NULL,
    "entry_id" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "tool" "text" NOT NULL,
    "definition" "text" NOT NULL,
    "status" "text" NOT NULL,
    "always" "text",
    "asked_seq" bigint NOT NULL,
    "asked_at" double precision
);
CREATE TABLE "public"."haft_breakers" (
    "name" "text" NOT NULL,
    "failures" integer NOT NULL,
    "open_until" timestamp with time zone NOT NULL,
    "test_until" timestamp with time zone
);
CREATE TABLE "public"."haft_chains" (
    "chain" integer NOT NULL,
    "owner" "text",
    "writer" "text",
    "is_full" boolean DEFAULT false NOT NULL
)
WITH ("fillfactor"='50');
CREATE TABLE "public"."haft_commits" (
    "writer" "text" NOT NULL,
    "number" bigint NOT NULL,
    "at" timestamp with time zone NOT NULL,
    "fence" bigint DEFAULT 0 NOT NULL
)
WITH ("fillfactor"='50');
CREATE TABLE "public"."haft_entries" (
    "open_seq" bigint NOT NULL,
    "entry_id" "text" NOT NULL,
    "call_id" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "tool" "text" NOT NULL,
    "agent" "text",
    "at" double precision NOT NULL,
    "ending" "text" NOT NULL,
    "owner" "text" NOT NULL,
    "start_seq" bigint,
    "close_seq" bigint,
    "last_seq" bigint NOT NULL,
    "closed_at" double precision,
    "in_run" integer NOT NULL,
    "keyed" integer NOT NULL,
    "payloads" integer NOT NULL,
    "session" "text",
    "elsewhere" "text",
    "month" integer DEFAULT 24322 NOT NULL
)
PARTITION BY RANGE ("month");
CREATE TABLE "public"."haft_entries_2026_12" (
    "open_seq" bigint NOT NULL,
    "entry_id" "text" NOT NULL,
    "call_id" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "tool" "text" NOT NULL,
    "agent" "text",
    "at" double precision NOT NULL,
    "ending" "text" NOT NULL,
    "owner" "text" NOT NULL,
    "start_seq" bigint,
    "close_seq" bigint,
    "last_seq" bigint NOT NULL,
    "closed_at" double precision,
    "in_run" integer NOT NULL,
    "keyed" integer NOT NULL,
    "payloads" integer NOT NULL,
    "session" "text",
    "elsewhere" "text",
    "month" integer DEFAULT 24322 NOT NULL,
    CONSTRAINT "haft_entries_2026_12_month" CHECK (("month" = 24323))
);
CREATE TABLE "public"."haft_entries_2027_01" (
    "open_seq" bigint NOT NULL,
    "entry_id" "text" NOT NULL,
    "call_id" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "tool" "text" NOT NULL,
    "agent" "text",
    "at" double precision NOT NULL,
    "ending" "text" NOT NULL,
    "owner" "text" NOT NULL,
    "start_seq" bigint,
    "close_seq" bigint,
    "last_seq" bigint NOT NULL,
    "closed_at" double precision,
    "in_run" integer NOT NULL,
    "keyed" integer NOT NULL,
    "payloads" integer NOT NULL,
    "session" "text",
    "elsewhere" "text",
    "month" integer DEFAULT 24322 NOT NULL,
    CONSTRAINT "haft_entries_2027_01_month" CHECK (("month" = 24324))
);
CREATE TABLE "public"."haft_entries_2027_02" (
    "open_seq" bigint NOT NULL,
    "entry_id" "text" NOT NULL,
    "call_id" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "tool" "text" NOT NULL,
    "agent" "text",
    "at" double precision NOT NULL,
    "ending" "text" NOT NULL,
    "owner" "text" NOT NULL,
    "start_seq" bigint,
    "close_seq" bigint,
    "last_seq" bigint NOT NULL,
    "closed_at" double precision,
    "in_run" integer NOT NULL,
    "keyed" integer NOT NULL,
    "payloads" integer NOT NULL,
    "session" "text",
    "elsewhere" "text",
    "month" integer DEFAULT 24322 NOT NULL,
    CONSTRAINT "haft_entries_2027_02_month" CHECK (("month" = 24325))
);
CREATE TABLE "public"."haft_entries_until_2026_11" (
    "open_seq" bigint NOT NULL,
    "entry_id" "text" NOT NULL,
    "call_id" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "tool" "text" NOT NULL,
    "agent" "text",
    "at" double precision NOT NULL,
    "ending" "text" NOT NULL,
    "owner" "text" NOT NULL,
    "start_seq" bigint,
    "close_seq" bigint,
    "last_seq" bigint NOT NULL,
    "closed_at" double precision,
    "in_run" integer NOT NULL,
    "keyed" integer NOT NULL,
    "payloads" integer NOT NULL,
    "session" "text",
    "elsewhere" "text",
    "month" integer DEFAULT 24322 NOT NULL
);
CREATE TABLE "public"."haft_keys" (
    "key_hash" "text" NOT NULL,
    "entry_id" "text" NOT NULL,
    "call_hash" "text" NOT NULL,
    "keyed_seq" bigint NOT NULL
);
CREATE TABLE "public"."haft_limits" (
    "name" "text" NOT NULL,
    "tokens" double precision NOT NULL,
    "at" timestamp with time zone NOT NULL,
    "holders" "jsonb" DEFAULT '{}'::"jsonb" NOT NULL
);
CREATE TABLE "public"."haft_mail" (
    "id" "text" NOT NULL,
    "purpose" "text" NOT NULL,
    "recipient" "text" NOT NULL,
    "sender" "text" NOT NULL,
    "answers" "text",
    "sealed" "bytea" NOT NULL,
    "at" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "public"."haft_meta" (
    "name" "text" NOT NULL,
    "value" "text" NOT NULL
);
CREATE TABLE "public"."haft_owners" (
    "owner" "text" NOT NULL,
    "host" "text" NOT NULL,
    "pid" integer NOT NULL,
    "thread" integer NOT NULL,
    "born" "text" NOT NULL,
    "heartbeat" double precision NOT NULL,
    "beats" bigint DEFAULT 0 NOT NULL,
    "lease_until" double precision
);
CREATE TABLE "public"."haft_payloads" (
    "entry_id" "text" NOT NULL,
    "kind" "text" NOT NULL,
    "run_id" "text" NOT NULL,
    "sealed" "bytea",
    "file" "text"
);
CREATE TABLE "public"."haft_pool_jobs" (
    "id" "text" NOT NULL,
    "pool" "text" NOT NULL,
    "caller" "text" NOT NULL,
    "state" "text" NOT NULL,
    "worker" "text",
    "sealed" "bytea" NOT NULL,
    "result" "bytea",
    "at" timestamp with time zone DEFAULT "now"() NOT NULL
);
CREATE TABLE "public"."haft_records" (
    "seq" bigint NOT NULL,
    "at" double precision NOT NULL,
    "kind" "text" NOT NULL,
    "entry_id" "text",
    "run_id" "text",
    "body" "text" NOT NULL,
    "hash" "text" NOT NULL,
    "chain" integer DEFAULT 0 NOT NULL,
    "prev" "text",
    "mac" "text",
    "key_id" "text",
    "month" integer DEFAULT 24322 NOT NULL
)
PARTITION BY RANGE ("month");
CREATE TABLE "public"."haft_records_2026_12" (
    "seq" bigint NOT NULL,
    "at" double precision NOT NULL,
    "kind" "text" NOT NULL,
    "entry_id" "text",
    "run_id" "text",
    "body" "text" NOT NULL,
    "hash" "text" NOT NULL,
    "chain" integer DEFAULT 0 NOT NULL,
    "prev" "text",
    "mac" "text",
    "key_id" "text",
    "month" integer DEFAULT 24322 NOT NULL,
    CONSTRAINT "haft_records_2026_12_month" CHECK (("month" = 24323))
);
CREATE TABLE "public"."haft_records_2027_01" (
    "seq" bigint NOT NULL,
    "at" double precision NOT NULL,
    "kind" "text" NOT NULL,
    "entry_id" "text",
    "run_id" "text",
    "body" "text" NOT NULL,
    "hash" "text" NOT NULL,
    "chain" integer DEFAULT 0 NOT NULL,
    "prev" "text",
    "mac" "text",
    "key_id" "text",
    "month" integer DEFAULT 24322 NOT NULL,
    CONSTRAINT "haft_records_2027_01_month" CHECK (("month" = 24324))
);
CREATE TABLE "public"."haft_records_2027_02" (
    "seq" bigint NOT NULL,
    "at" double precision NOT NULL,
    "kind" "text" NOT NULL,
    "entry_id" "text",
    "run_id" "text",
    "body" "text" NOT NULL,
    "hash" "text" NOT NULL,
    "chain" integer DEFAULT 0 NOT NULL,
    "prev" "text",
    "mac" "text",
    "key_id" "text",
    "month" integer DEFAULT 24322 NOT NULL,
    CONSTRAINT "haft_records_2027_02_month" CHECK (("month" = 24325))
);
CREATE TABLE "public"."haft_records_until_2026_11" (
    "seq" bigint NOT NULL,
    "at" double precision NOT NULL,
    "kind" "text" NOT NULL,
    "entry_id" "text",
    "run_id" "text",
    "body" "text" NOT NULL,
    "hash" "text" NOT NULL,
    "chain" integer DEFAULT 0 NOT NULL,
    "prev" "text",
    "mac" "text",
    "key_id" "text",
    "month" integer DEFAULT 24322 NOT NULL
);
CREATE TABLE "public"."haft_roots" (
    "number" bigint NOT NULL,
    "at" double precision NOT NULL,
    "heads" "text" NOT NULL,
    "is_whole" boolean NOT NULL,
    "root" "text" NOT NULL,
    "prev" "text" NOT NULL,
    "hash" "text" NOT NULL,
    "mac" "text",
    "key_id" "text"
);
CREATE TABLE "public"."haft_run_messages" (
    "run_id" "text" NOT NULL,
    "number" integer NOT NULL,
    "call_id" "text",
    "pending" integer NOT NULL,
    "sealed" "bytea",
    "file" "text"
);
CREATE TABLE "public"."haft_runs" (
    "run_id" "text" NOT NULL,
    "agent" "text" NOT NULL,
    "principal" "text",
    "status" "text" NOT NULL,
    "reason" "text",
    "turns" integer NOT NULL,
    "usage" "text" NOT NULL,
    "started_at" double precision NOT NULL,
    "updated_at" double precision NOT NULL,
    "owner" "text",
    "given" integer NOT NULL,
    "messages" integer NOT NULL,
    "began_seq" bigint NOT NULL,
    "last_seq" bigint NOT NULL,
    "recorded" integer NOT NULL,
    "epoch" bigint DEFAULT 1 NOT NULL,
    "digest" "text"
);
ALTER TABLE ONLY "haft_jobs"."job" ATTACH PARTITION "haft_jobs"."job_common" DEFAULT;
ALTER TABLE ONLY "haft_jobs"."queue_stats" ATTACH PARTITION "haft_jobs"."queue_stats_20261118" FOR VALUES FROM ('2026-11-18 00:00:00+00') TO ('2026-11-19 00:00:00+00');
ALTER TABLE ONLY "haft_jobs"."queue_stats" ATTACH PARTITION "haft_jobs"."queue_stats_20261119" FOR VALUES FROM ('2026-11-19 00:00:00+00') TO ('2026-11-20 00:00:00+00');
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2026_12" FOR VALUES FROM (24323) TO (24324);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2027_01" FOR VALUES FROM (24324) TO (24325);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2027_02" FOR VALUES FROM (24325) TO (24326);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_until_2026_11" FOR VALUES FROM (MINVALUE) TO (24323);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2026_12" FOR VALUES FROM (24323) TO (24324);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2027_01" FOR VALUES FROM (24324) TO (24325);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2027_02" FOR VALUES FROM (24325) TO (24326);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_until_2026_11" FOR VALUES FROM (MINVALUE) TO (24323);
INSERT INTO "haft_jobs"."haft_shares" VALUES
	('["acme","normal"]', 360),
	('["acme","low"]', 540);
INSERT INTO "haft_jobs"."haft_workers" VALUES
	('ccb971f4-59e9-4ae5-8635-5d6e6caf555e', 'vm', 25831, '["clerk"]', 16, 'working', 0, 0, 0, 0, '2026-11-18 21:05:15.176926+00', '2026-11-18 21:05:15.176926+00');
INSERT INTO "haft_jobs"."job_common" VALUES
	('738c6b02-a6d7-4e81-a48a-9b2715fea951', 'runs', 1999999880, '{"parked": true}', 'created', 1000, 0, 0, false, NULL, 86399, 604800, NULL, NULL, NULL, NULL, '2126-11-19 21:05:13.531+00', '2026-11-18 21:05:12.577825+00', NULL, NULL, '2127-11-19 21:05:13.531+00', NULL, NULL, 'standard', NULL, 30, false, false, 0, NULL, NULL, NULL, NULL),
	('360d2cc3-847e-4393-9df2-171b31b43abc', 'runs', 1999999820, '{"parked": true}', 'created', 1000, 0, 0, false, NULL, 86399, 604800, NULL, NULL, NULL, NULL, '2126-11-19 21:05:13.958+00', '2026-11-18 21:05:13.023691+00', NULL, NULL, '2127-11-19 21:05:13.958+00', NULL, NULL, 'standard', NULL, 30, false, false, 0, NULL, NULL, NULL, NULL),
	('05729be8-3f3e-4faa-a9f6-d0a2df516578', 'runs', 1999999820, NULL, 'active', 1000, 0, 0, false, NULL, 86399, 604800, NULL, NULL, NULL, NULL, '2026-11-18 21:05:13.26561+00', '2026-11-18 21:05:13.26561+00', '2026-11-18 21:05:15.180579+00', NULL, '2027-11-18 21:05:13.26561+00', NULL, NULL, 'standard', '2026-11-18 21:05:15.180579+00', 30, false, false, 0, NULL, NULL, NULL, NULL),
	('855e328e-ebbe-4954-b831-5f014672f3e1', 'runs', 1999999760, NULL, 'active', 1000, 0, 0, false, NULL, 86399, 604800, NULL, NULL, NULL, NULL, '2026-11-18 21:05:13.272033+00', '2026-11-18 21:05:13.272033+00', '2026-11-18 21:05:15.180579+00', NULL, '2027-11-18 21:05:13.272033+00', NULL, NULL, 'standard', '2026-11-18 21:05:15.180579+00', 30, false, false, 0, NULL, NULL, NULL, NULL),
	('34367d69-1478-8503-81b5-b96caeefa2bc', 'runs', 1999999700, NULL, 'created', 1000, 0, 0, false, NULL, 86399, 604800, NULL, NULL, NULL, NULL, '2026-11-18 21:05:16.09264+00', '2026-11-18 21:05:16.09264+00', NULL, NULL, '2027-11-18 21:05:16.09264+00', NULL, NULL, 'standard', NULL, 30, false, false, 0, NULL, NULL, NULL, NULL),
	('fc99f6fe-388a-47f3-b3bb-26089ba77707', 'runs', 1999999700, '{"due": {"tenant": "\"acme\"", "priority": "low"}}', 'created', 1000, 0, 0, false, NULL, 86399, 604800, NULL, NULL, NULL, NULL, '2026-11-18 21:05:17.099+00', '2026-11-18 21:05:16.104149+00', NULL, NULL, '2027-11-18 21:05:17.099+00', NULL, NULL, 'standard', NULL, 30, false, false, 0, NULL, NULL, NULL, NULL);
INSERT INTO "haft_jobs"."queue" VALUES
	('__pgboss__send-it', 'standard', 2, 0, false, NULL, 900, 1209600, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-18 21:05:11.62207+00', '2026-11-18 21:05:11.62207+00'),
	('runs-dead', 'standard', 2, 0, false, NULL, 900, 31536000, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-18 21:05:11.660124+00', '2026-11-18 21:05:11.660124+00'),
	('runs', 'standard', 1000, 0, false, NULL, 86399, 31536000, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, '{}', 30, false, NULL, NULL, NULL, NULL, '2026-11-18 21:05:11.666658+00', '2026-11-18 21:05:11.666658+00'),
	('runs-due', 'standard', 1000, 2, false, NULL, 60, 1209600, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-18 21:05:11.668481+00', '2026-11-18 21:05:11.668481+00');
INSERT INTO "haft_jobs"."schedule" VALUES
	('runs-due', 'schedule-71db1b28-2202-874c-8b08-77da6fc7201b', '0 3 1 1 *', 'Europe/Oslo', '{"priority": "normal", "schedule": "schedule-71db1b28-2202-874c-8b08-77da6fc7201b"}', '{"tz": "Europe/Oslo", "key": "schedule-71db1b28-2202-874c-8b08-77da6fc7201b"}', '2026-11-18 21:05:13.118769+00', '2026-11-18 21:05:13.118769+00');
INSERT INTO "haft_jobs"."version" VALUES
	(40, '2026-11-18 21:05:11.66696+00', '2026-11-18 21:05:11.63466+00', '2026-11-18 21:05:11.66184+00', NULL, NULL);
INSERT INTO "public"."haft_anchor" VALUES
	(0, '0000000000000000000000000000000000000000000000000000000000000000', 0),
	(4294967296, '0000000000000000000000000000000000000000000000000000000000000000', 1),
	(8589934592, '0000000000000000000000000000000000000000000000000000000000000000', 2),
	(12884901888, '0000000000000000000000000000000000000000000000000000000000000000', 3);
INSERT INTO "public"."haft_approvals" VALUES
	('7580546e-c4e1-472d-b371-cee795076a99', 'entry-94fa0cb1687e4c59-9', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 4294967325, 1795035912531),
	('1e73186c-55b2-403c-9af9-e97f9a0468c6', 'entry-94fa0cb1687e4c59-d', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'answered', NULL, 4294967340, 1795035912958);
INSERT INTO "public"."haft_chains" VALUES
	(1, '50c8d102-330b-41c7-aa53-d9e89a79305f', '663e740c-ef21-4d1a-895f-88ab736ba63a', false),
	(0, '46b8cf49-0ffc-4998-81d4-2399430c3885', 'b794c335-a7bb-4486-a007-2edb06e01977', false),
	(3, '29fc3e18-aaf6-499c-ae5a-17428cc15695', 'e7072f9a-fb3b-44a4-a1d3-18e44791947a', false),
	(2, '6e973001-989e-494e-b63c-33c2bbe1eb9b', 'ebbc6d2b-0eb2-417a-b179-91018f067d94', false);
INSERT INTO "public"."haft_commits" VALUES
	('663e740c-ef21-4d1a-895f-88ab736ba63a', 31, '2026-11-18 21:05:31.438712+00', 0),
	('b794c335-a7bb-4486-a007-2edb06e01977', 3, '2026-11-18 21:05:25.828719+00', 0),
	('123bae9b-b660-4dad-a7b1-9015e23bc1cf', 8, '2026-11-18 21:05:15.487851+00', 1),
	('e7072f9a-fb3b-44a4-a1d3-18e44791947a', 3, '2026-11-18 21:05:26.534781+00', 0),
	('ebbc6d2b-0eb2-417a-b179-91018f067d94', 3, '2026-11-18 21:05:29.542683+00', 0);
INSERT INTO "public"."haft_entries_until_2026_11" VALUES
	(4294967298, 'entry-94fa0cb1687e4c59-1', 'entry-94fa0cb1687e4c59-1', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 'model:fixture/model', 'clerk', 1795035912212, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967299, 4294967299, 1795035912224, 1, 0, 0, NULL, NULL, 24322),
	(4294967301, 'entry-94fa0cb1687e4c59-2', 'lookup-90', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 'lookup', 'clerk', 1795035912224, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967302, 4294967302, 1795035912231, 1, 0, 0, NULL, NULL, 24322),
	(4294967304, 'entry-94fa0cb1687e4c59-3', 'entry-94fa0cb1687e4c59-3', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 'model:fixture/model', 'clerk', 1795035912239, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967305, 4294967305, 1795035912247, 1, 0, 0, NULL, NULL, 24322),
	(4294967307, 'entry-94fa0cb1687e4c59-4', 'charge-90', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 'charge', 'clerk', 1795035912247, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967308, 4294967308, 1795035912266, 1, 0, 0, NULL, NULL, 24322),
	(4294967310, 'entry-94fa0cb1687e4c59-5', 'entry-94fa0cb1687e4c59-5', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 'model:fixture/model', 'clerk', 1795035912279, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967311, 4294967311, 1795035912282, 1, 0, 0, NULL, NULL, 24322),
	(4294967315, 'entry-94fa0cb1687e4c59-6', 'entry-94fa0cb1687e4c59-6', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 'model:fixture/model', 'clerk', 1795035912343, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967316, 4294967316, 1795035912355, 1, 0, 0, NULL, NULL, 24322),
	(4294967318, 'entry-94fa0cb1687e4c59-7', 'lookup-91', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 'lookup', 'clerk', 1795035912355, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967319, 4294967319, 1795035912363, 1, 0, 0, NULL, NULL, 24322),
	(4294967321, 'entry-94fa0cb1687e4c59-8', 'entry-94fa0cb1687e4c59-8', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 'model:fixture/model', 'clerk', 1795035912374, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967322, 4294967322, 1795035912383, 1, 0, 0, NULL, NULL, 24322),
	(4294967324, 'entry-94fa0cb1687e4c59-9', 'refund-91', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 'refund', 'clerk', 1795035912383, 'pending', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967326, 4294967326, 1795035912551, 1, 0, 0, NULL, NULL, 24322),
	(4294967330, 'entry-94fa0cb1687e4c59-a', 'entry-94fa0cb1687e4c59-a', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', 'model:fixture/model', 'clerk', 1795035912815, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967331, 4294967331, 1795035912927, 1, 0, 0, NULL, NULL, 24322),
	(4294967333, 'entry-94fa0cb1687e4c59-b', 'lookup-97', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', 'lookup', 'clerk', 1795035912928, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967334, 4294967334, 1795035912943, 1, 0, 0, NULL, NULL, 24322),
	(4294967336, 'entry-94fa0cb1687e4c59-c', 'entry-94fa0cb1687e4c59-c', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', 'model:fixture/model', 'clerk', 1795035912948, 'executed', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967337, 4294967337, 1795035912953, 1, 0, 0, NULL, NULL, 24322),
	(4294967339, 'entry-94fa0cb1687e4c59-d', 'refund-97', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', 'refund', 'clerk', 1795035912953, 'pending', '50c8d102-330b-41c7-aa53-d9e89a79305f', NULL, 4294967341, 4294967341, 1795035912959, 1, 0, 0, NULL, '[8589934593]', 24322),
	(8589934596, 'entry-c1123a5f2e98438f-1', 'entry-c1123a5f2e98438f-1', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 'model:fixture/model', 'clerk', 1795035915201, 'executed', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, 8589934598, 8589934598, 1795035915340, 1, 0, 0, NULL, NULL, 24322),
	(8589934597, 'entry-c1123a5f2e98438f-2', 'entry-c1123a5f2e98438f-2', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', 'model:fixture/model', 'clerk', 1795035915313, 'executed', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, 8589934601, 8589934601, 1795035915359, 1, 0, 0, NULL, NULL, 24322),
	(8589934600, 'entry-c1123a5f2e98438f-3', 'lookup-92', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 'lookup', 'clerk', 1795035915342, 'executed', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, 8589934604, 8589934604, 1795035915449, 1, 0, 0, NULL, NULL, 24322),
	(8589934603, 'entry-c1123a5f2e98438f-4', 'lookup-93', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', 'lookup', 'clerk', 1795035915360, 'executed', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, 8589934605, 8589934605, 1795035915449, 1, 0, 0, NULL, NULL, 24322),
	(8589934609, 'entry-c1123a5f2e98438f-6', 'entry-c1123a5f2e98438f-6', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', 'model:fixture/model', 'clerk', 1795035915467, 'executed', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, 8589934610, 8589934610, 1795035915483, 1, 0, 0, NULL, NULL, 24322),
	(9, 'entry-041c09d52bbe4c60-2', 'pool-running', 'run-041c09d52bbe4c60-1', 'render', 'clerk', 1795035925763, 'open', '46b8cf49-0ffc-4998-81d4-2399430c3885', NULL, NULL, 9, NULL, 0, 0, 0, NULL, NULL, 24322),
	(8589934608, 'entry-c1123a5f2e98438f-5', 'entry-c1123a5f2e98438f-5', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 'model:fixture/model', 'clerk', 1795035915467, 'unknown', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, NULL, 12884901889, 1795035926533, 1, 0, 0, NULL, '[8589934608]', 24322),
	(8589934612, 'entry-c1123a5f2e98438f-7', 'charge-93', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', 'charge', 'clerk', 1795035915484, 'unknown', '8f65b12f-c056-4a42-98e1-96965296a650', NULL, NULL, 12884901890, 1795035926533, 1, 0, 0, NULL, '[8589934612]', 24322),
	(8589934613, 'entry-8a710750e1fd44fe-2', 'pool-waiting', 'run-8a710750e1fd44fe-1', 'render', 'clerk', 1795035929516, 'open', '6e973001-989e-494e-b63c-33c2bbe1eb9b', NULL, NULL, 8589934613, NULL, 0, 0, 0, NULL, NULL, 24322);
INSERT INTO "public"."haft_meta" VALUES
	('schema', '4');
INSERT INTO "public"."haft_owners" VALUES
	('29fc3e18-aaf6-499c-ae5a-17428cc15695', 'fixture-host 00000000-0000-4000-8000-000000000000 pid:[1]', 26033, 0, '352044', 1795035925613, 1, 1795035955.614209),
	('46b8cf49-0ffc-4998-81d4-2399430c3885', 'fixture-host 00000000-0000-4000-8000-000000000000 pid:[1]', 26024, 0, '352042', 1795035925731, 1, 1795035955.73819),
	('6e973001-989e-494e-b63c-33c2bbe1eb9b', 'fixture-host 00000000-0000-4000-8000-000000000000 pid:[1]', 26349, 0, '352738', 1795035929483, 1, 1795035959.485181),
	('50c8d102-330b-41c7-aa53-d9e89a79305f', 'fixture-host 00000000-0000-4000-8000-000000000000 pid:[1]', 24669, 0, '342956', 1795035931439, 3, 1795035961.439322);
INSERT INTO "public"."haft_pool_jobs" VALUES
	('60a088be-a9e7-4853-a66c-640e0299bc35', 'gpu', 'vm-26024-a4139030d213', 'running', 'vm-26033-5ba4a72e8011', '\x022157745a89c5e3ebec7fb77ed38924cc28766b2897e13d1f28ff232abe78c39337b2355c9f18c901fae2d53a4ea7aef5de681918e5b0b2716ba1197074638f95208cef459505e41bb52dd60d61b6794763c740775122ef39d7ae99d8e0cc2160db0cd92a532fc80c33b6ec5dd4ec5e3a8a18cf5481f1b70b406de6db61d08b72aa0530b99a0472f9826f1e15a60937c82c0caf44a7388600971320866ea8360ae69c8c2c11627c9ba975e0d48f36ed50db5521730ea089ad87b7fd22027dd2b61fc2386cf21c48d9285b74f11c4f535cec35bda57b1687fa41c48eaddc683817952de31f7462c8d33d024e85e81b23a611247d1844dca9e7abe05bc99f206cd2c7f9197c2670c565431a30efa4e1a8170191ae376c4f136a823e25a097f134b5e5e6ae9909770052bb84981443cafb24bac3af9fe1bebb9477528da6b76bb99b613b866a065db3f0ff282c60009e1ceb3669a211ab622e4356ab735fe147352fa7203f73e45710e642aac74b8a982d2607ca792c', NULL, '2026-11-18 21:05:25.987866+00'),
	('685e1578-1ddb-4805-8cf7-2379a8cb2248', 'gpu', 'vm-26349-926808f6fcc4', 'waiting', NULL, '\x022157745ab63c422e60c900a29d406d72390fa48ccb890d6794294b7df1f827fedbfa289a61ab34fc0a79456816640fc072122accb8024577c05478ee08217f2521d6be3f9a25437c98a2849d5a99a3d7cd90e9f9b567a7fab4e213d4deb339f46b86eb8d5880a66ba1f21e6702ef808341448d6767480dee8052616b05d457f41c1a8941b1420ab6afaf5e654ce71688fadaac536664d123cd5d8746d432c62e216714ed9b1f199be34119c0e22f8e088c07da4d2670a1d87290599ac2700d4fc9ffaf32bb7872c69cf30e7d3b493e6d7f8d6ea4ef42d9a98cc0c50659ed242a42d5d642f8ee3b842deca91007c61f8f6f3f0ac6cda4821a8995095e08d939c3a5a7562187d4c13d0f7f7f2aa63ebbef4a462b7693a9792400340098ad338ae5e4af1d61484d7f9a8392881680d4539b6ba0a0210c5310bbdce0607ac656def71bac10bf09a00f96058f124d5ef47b8873cb09554fbfce6738071537eae2d001c75feea8577cf8538e019833933df4e2c1c617', NULL, '2026-11-18 21:05:29.614681+00');
INSERT INTO "public"."haft_records_until_2026_11" VALUES
	(1, 1795035911739, 'run-began', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","digest":"435b3caf9b67f089019ab74438c2a33c1454fc30aac46656a47cb03f949b87e6","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', '08ba062a6fb98234741a05329950d767ae9872804308e6ad76366eec684804b8', 0, '0000000000000000000000000000000000000000000000000000000000000000', 'jtx2hl4Vss0sLlj6SOcgpUrsvbjs9XeIIQfsH3RWIT8', '2157745a', 24322),
	(4294967297, 1795035912083, 'run-resumed', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","epoch":2,"status":"running"}', 'e7e4fa462073f94ef2662f36c30c0a12292db6781bef572b50068402b7b9f021', 1, '0000000000000000000000000000000000000000000000000000000000000000', '6ozTE8ozaUJQHnw3JVG-z6N5zx84G22kGI_Lc3-Jjqg', '2157745a', 24322),
	(4294967298, 1795035912212, 'opened', 'entry-94fa0cb1687e4c59-1', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-1","epoch":2,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Charge order 90\"}}","inputHash":"05f4d2ba216984fb1029c420e767df2b245eb28de72cc781388d64adfc9de12c","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '94ae285d0631a3b765579faec7fb12dda12258ca9d16191328ff999315cae5ec', 1, 'e7e4fa462073f94ef2662f36c30c0a12292db6781bef572b50068402b7b9f021', 'bqsdoKEZCflOEutvO46e0WGnWR4EVp9MmIA_o7x_FRM', '2157745a', 24322),
	(4294967299, 1795035912224, 'closed', 'entry-94fa0cb1687e4c59-1', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"attempts":[{"number":1,"startedAt":1795035912223,"inputHash":"2c88315268c00ab1c1e95377d8159108598350b034c52b42275e0b1266aeb28e","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":11.345322,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-90\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":90}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', '5816a0184e0ab0beda8703d77ed4e3204c09f2e2daab7b279ddb2ab8f4e213f3', 1, '94ae285d0631a3b765579faec7fb12dda12258ca9d16191328ff999315cae5ec', '5E6kxsP-XMGpAY_gIcNmD9590Nia01lQ2kMO1q8KVWQ', '2157745a', 24322),
	(4294967300, 1795035912224, 'run-step', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"digest":"8f72b1e5d3554a3408ecba560489d5a35045ee13e8aaf8e8be2b57e579a83b8e","epoch":2,"messages":2}', '0ae5880f7e0bc1cf34268048f8a813535ead1e10409913d20c5403c46df362e7', 1, '5816a0184e0ab0beda8703d77ed4e3204c09f2e2daab7b279ddb2ab8f4e213f3', '7QlrYv1P1AHNXy2Bk6ZRm3bAyLGeJ3O2OdxEZ7tOSpQ', '2157745a', 24322),
	(4294967301, 1795035912224, 'opened', 'entry-94fa0cb1687e4c59-2', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","callId":"lookup-90","epoch":2,"input":"{\"order\":90}","inputHash":"ad7a8c4234ef68efbfcf712d6863ac1be5deed4ae2c9a2d86cf01f35dd3b50b2","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', '53c3eff4594b7523c07aeb7bb29dae52f4eb9d4370a8bd3685c50d7401719ed8', 1, '0ae5880f7e0bc1cf34268048f8a813535ead1e10409913d20c5403c46df362e7', 'e_pBpzoCYELKzaG12Eigtt9dTkT4ZDEViiFWzFmSERI', '2157745a', 24322),
	(4294967302, 1795035912231, 'closed', 'entry-94fa0cb1687e4c59-2', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"attempts":[{"number":1,"startedAt":1795035912230,"inputHash":"ad7a8c4234ef68efbfcf712d6863ac1be5deed4ae2c9a2d86cf01f35dd3b50b2","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":6.507526,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":90,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', '8177f2b836bfbac118f1e61ececd7e1ab2a44198bf3aa0f664eca58889925f55', 1, '53c3eff4594b7523c07aeb7bb29dae52f4eb9d4370a8bd3685c50d7401719ed8', 'iBlABTo0KonpvPjhX3CR1G4rPZQLp9F1O-FbqBwFhYU', '2157745a', 24322),
	(4294967303, 1795035912239, 'run-step', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"digest":"bd3e30df97557339110bbae98e638bab7f4adc3b36b5db4bff67cca53fab806f","epoch":2,"messages":3}', '643e8dcc3e0da2db2b54763c3e10fba1cfa6b425910ef5a2a9ba193adaabbffd', 1, '8177f2b836bfbac118f1e61ececd7e1ab2a44198bf3aa0f664eca58889925f55', 'dEGvBO-LVRvFBvACWjXnwM6k9uc7ZTZDJouVVEowRy8', '2157745a', 24322),
	(4294967304, 1795035912239, 'opened', 'entry-94fa0cb1687e4c59-3', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-3","epoch":2,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":90,\\\"cents\\\":1990}\"}}","inputHash":"f3761d80293019a2bbd480d6c515927c2b135d8320472054e7ec626cbd90b6a5","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '1fd532550631bbb879f5d8d0fd833489f024745f7e88663f1ec3a0fc54126ef7', 1, '643e8dcc3e0da2db2b54763c3e10fba1cfa6b425910ef5a2a9ba193adaabbffd', 'hc34GAWciMU2zdpMJrCZdoq2J0URN2b7JM457wGZDcg', '2157745a', 24322),
	(4294967305, 1795035912247, 'closed', 'entry-94fa0cb1687e4c59-3', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"attempts":[{"number":1,"startedAt":1795035912246,"inputHash":"09e174ca938049a3b4875083c135c30d37a53b7afed8ce4377af7bdcd51b2cc6","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":7.148392,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"charge-90\",\"tool\":\"charge\",\"input\":\"{\\\"order\\\":90}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'ab7b371f434c161e7f4e259c7a27d64a03b913e413336339a0b6231f6cf541c2', 1, '1fd532550631bbb879f5d8d0fd833489f024745f7e88663f1ec3a0fc54126ef7', 'INM1ic6gDprodrkFRwZLtqhclopFETQ_slLhznUfATM', '2157745a', 24322),
	(4294967306, 1795035912247, 'run-step', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"digest":"691b9ba0634e1882acbf30328f1b246992878d35e39dae024ac0987c9e4728c4","epoch":2,"messages":4}', 'c6729365207336d39f74b4cb7a2248302660484fbdda58b3491ed19a94846693', 1, 'ab7b371f434c161e7f4e259c7a27d64a03b913e413336339a0b6231f6cf541c2', 'aMJ42fgr5XnmclxrBRz8GlWRZQ0hfeX9lywttT1xGsQ', '2157745a', 24322),
	(4294967307, 1795035912247, 'opened', 'entry-94fa0cb1687e4c59-4', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","callId":"charge-90","epoch":2,"input":"{\"order\":90}","inputHash":"ad7a8c4234ef68efbfcf712d6863ac1be5deed4ae2c9a2d86cf01f35dd3b50b2","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '143f2dd55b746a5b599ce5802226a18582df0156c6030150470b4fbe03482fff', 1, 'c6729365207336d39f74b4cb7a2248302660484fbdda58b3491ed19a94846693', 'ZryMo1o2zZNLLN_1L3AXcbgaxDvV9d5fIpbgVH5Pkqs', '2157745a', 24322),
	(4294967308, 1795035912266, 'closed', 'entry-94fa0cb1687e4c59-4', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"attempts":[{"number":1,"startedAt":1795035912266,"inputHash":"ad7a8c4234ef68efbfcf712d6863ac1be5deed4ae2c9a2d86cf01f35dd3b50b2","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":18.988972,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":90,\"charged\":true}","ruleIds":[],"tool":"charge"}', '66acbb3fc03cb95dc6cd7a1a34184656da130deff9bdb21b98bf317e138e4772', 1, '143f2dd55b746a5b599ce5802226a18582df0156c6030150470b4fbe03482fff', '0jyiXsLeEh_4zUmsHLlKK7ynsHrxZ6jbPizYapRuoIg', '2157745a', 24322),
	(4294967309, 1795035912279, 'run-step', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"digest":"747b20a52012ec5250e36e8e2aaa3cdf2c7a2b930965da6c59c885a8e7bfe273","epoch":2,"messages":5}', '5abf24bdbc9bc5e0377f0d1c7d9c8435cdb6dc6a6b0a777ab5ae1ed420c24418', 1, '66acbb3fc03cb95dc6cd7a1a34184656da130deff9bdb21b98bf317e138e4772', '8v-TO4yLuroIMzkCLeMhH6GW3mJxDShV61esjH45zSc', '2157745a', 24322),
	(4294967310, 1795035912279, 'opened', 'entry-94fa0cb1687e4c59-5', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-5","epoch":2,"input":"{\"messages\":6,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":90,\\\"charged\\\":true}\"}}","inputHash":"82b9f94ee7ab348ca7d8012fe4080b9d41795a1cd561bc73c1c18d49b563aa45","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', 'a4ce01d73c86d500f33d4e429f6f434a13b0995bb8c23b8f15437b4efbd66b88', 1, '5abf24bdbc9bc5e0377f0d1c7d9c8435cdb6dc6a6b0a777ab5ae1ed420c24418', 'p5WTNvdiDQyiXNlXYh2kyUbrJbtoMK6I8DhGz3d62Go', '2157745a', 24322),
	(4294967311, 1795035912282, 'closed', 'entry-94fa0cb1687e4c59-5', 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"attempts":[{"number":1,"startedAt":1795035912281,"inputHash":"92333c3b696d2419cf669e7bfa3c3b98923d49cde063e95d662b218cc9fc99c1","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":2.631404,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"Order 90: done.\",\"calls\":[],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"stop\"}","ruleIds":[],"tool":"model:fixture/model"}', 'b6d55b118f2d8f8e925a03977ebffe54c6941b5361ee80fe7e7b22c612d0b364', 1, 'a4ce01d73c86d500f33d4e429f6f434a13b0995bb8c23b8f15437b4efbd66b88', 'SNxZ5s11NsFZjWrnN4XbqeKS14NrJxxJqhxUVxasDxE', '2157745a', 24322),
	(4294967312, 1795035912282, 'run-step', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"digest":"a63fd8d6ac4f7b372750c071cce96c0bf704088e4f606e613c647eddcaa78ad1","epoch":2,"messages":6}', 'd1be40b6cc28d16661b0eb9f11f0fc5100b112f46c174d0f35155eb74a83a13e', 1, 'b6d55b118f2d8f8e925a03977ebffe54c6941b5361ee80fe7e7b22c612d0b364', '-dQImH55oe_t3xAE0HYbHyk0SylgG1RSUafzmGoIXQs', '2157745a', 24322),
	(4294967313, 1795035912282, 'run-ended', NULL, 'job-f45e7a0f-5272-4fdf-ab16-9efc12200260', '{"agent":"clerk","epoch":2,"status":"done"}', 'ac919e14f47afcb4974467d652921bdcc0b7421a41c577d58526ee13485ecda8', 1, 'd1be40b6cc28d16661b0eb9f11f0fc5100b112f46c174d0f35155eb74a83a13e', '37cIS1HkbfmecIcJp21HdvQTHrHD5idlz64BQuKvzYs', '2157745a', 24322),
	(4294967314, 1795035912333, 'run-resumed', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","epoch":2,"status":"running"}', '48c0f086c0847b078eb013eb4046676ad0d5aa9ee7e7cccb6e74235ee2de5d6b', 1, 'ac919e14f47afcb4974467d652921bdcc0b7421a41c577d58526ee13485ecda8', 'VA7EIDbu9oLfdRrywD644Al5Sh9bB9eLqyIDr0WFs7g', '2157745a', 24322),
	(4294967315, 1795035912343, 'opened', 'entry-94fa0cb1687e4c59-6', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-6","epoch":2,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Refund order 91\"}}","inputHash":"ed4ac31104e22a70cddc117168a57abd3b4719125b58a9a5ce0632d7545be471","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '363ba0499e6cf68dd241f58fcd4be48a3e382757f8750a21e27aa9cc27ac530c', 1, '48c0f086c0847b078eb013eb4046676ad0d5aa9ee7e7cccb6e74235ee2de5d6b', 'mPvaOVRCOIOgQ5duNH9sMgrmsRKjHADUVGbQW-X9fAc', '2157745a', 24322),
	(4294967316, 1795035912355, 'closed', 'entry-94fa0cb1687e4c59-6', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"attempts":[{"number":1,"startedAt":1795035912355,"inputHash":"4f4b466d58a8f1b7aba82185f24d6ec129014047edc08acc1f5b0620cf0b3c81","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":12.331572,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-91\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":91}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', '179e4dd8289d52b4019d31eb9ce202c236c73a126bcec62f03dcddc542fcde97', 1, '363ba0499e6cf68dd241f58fcd4be48a3e382757f8750a21e27aa9cc27ac530c', 'xlULLsC-Eel1YfgAVZk5q4BFddMCMtqFzfSQ6jaBI7E', '2157745a', 24322),
	(4294967317, 1795035912355, 'run-step', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"digest":"b5d1564b199d9c894360e2197586b9743d65599ca60745dbf4b95e7e46b5a33e","epoch":2,"messages":2}', '802213ebab2e4531b297074891860fdcb6523724e6b0216f952063197d198aac', 1, '179e4dd8289d52b4019d31eb9ce202c236c73a126bcec62f03dcddc542fcde97', '_B9wO0rXScXL2oUOL_JrXmJgQO9BnI4iZN28YkvFwzE', '2157745a', 24322),
	(4294967318, 1795035912355, 'opened', 'entry-94fa0cb1687e4c59-7', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","callId":"lookup-91","epoch":2,"input":"{\"order\":91}","inputHash":"203ab32639f5ebb3d54d160f2f0961a4831476b8a7ca0e9289b3392fd8eafeeb","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', '948abf5e7f2640649d344c054bfdc0ae143b92e4850b527ff3fba7c42fe5eb5b', 1, '802213ebab2e4531b297074891860fdcb6523724e6b0216f952063197d198aac', 'XxRPy5oxpoGUjA1qieGgfq243Kt67mpOmexPwdohdwc', '2157745a', 24322),
	(4294967319, 1795035912363, 'closed', 'entry-94fa0cb1687e4c59-7', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"attempts":[{"number":1,"startedAt":1795035912362,"inputHash":"203ab32639f5ebb3d54d160f2f0961a4831476b8a7ca0e9289b3392fd8eafeeb","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":7.054913,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":91,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', '13994805e91cd758ac9eb149f0c472b9e6af6d186a4336d9cbef5fde1fd5351a', 1, '948abf5e7f2640649d344c054bfdc0ae143b92e4850b527ff3fba7c42fe5eb5b', 'GYbftJ01HHp3_VCgp1Z3zoekuh9pHMQYp7u6HKP_KB4', '2157745a', 24322),
	(4294967320, 1795035912373, 'run-step', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"digest":"12b4bc7cf3beaa1281369bbecf9321a778500539537996058f3b18e56d4f0141","epoch":2,"messages":3}', '66fa31f599fe7114a176242947f2b7322ab68fdc5ca33894547c7d1f3c48dfec', 1, '13994805e91cd758ac9eb149f0c472b9e6af6d186a4336d9cbef5fde1fd5351a', 's9M5ObW1OIVmGq0cT5yfQdEnlS9gCJcKhGhr0I6DKCM', '2157745a', 24322),
	(2, 1795035912306, 'run-began', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","digest":"75ce9dbd548733a24e59e4e649886af286e8cbe6450e4138e0cd77a7551da2e2","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', '81cd609ac72dd5afeca532d307cae29d32ae6d565485d2571abe0bb231b3728d', 0, '08ba062a6fb98234741a05329950d767ae9872804308e6ad76366eec684804b8', 'i6uiJbUQzP-ejMG_aOykbMlCf-dQ9fybewt_W3my5e0', '2157745a', 24322),
	(3, 1795035912603, 'run-began', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","digest":"a178e064a3b44fdb6ac052a992fecc1833b1a4a8f80278cf29f4332dd36aefd3","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', 'ea2b638f2b0f4f8230e9e34c456b416fab397710e68d9064409e543eae18088d', 0, '81cd609ac72dd5afeca532d307cae29d32ae6d565485d2571abe0bb231b3728d', 'wgvfRuPAxmF1afOqgIq4moj8QB45q3fhlwWjA--17BY', '2157745a', 24322),
	(4, 1795035913073, 'run-began', NULL, 'schedule-71db1b28-2202-874c-8b08-77da6fc7201b', '{"agent":"clerk","digest":"d232df8d4a3e3e866987e2e83e17ac9d9d29b05a0af4e8c9e09c6ef13b15ef87","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', '41e36286f16db93cb8f18d54267a7da5e6c984e6a0c2b318213ff8f88389bc0b', 0, 'ea2b638f2b0f4f8230e9e34c456b416fab397710e68d9064409e543eae18088d', '6CcCSBXlL6dIZnGaDviFU7d_1ia2uML_x_1HvqZ4bTg', '2157745a', 24322),
	(5, 1795035913259, 'run-began', NULL, 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"agent":"clerk","digest":"afceddccc9bffd55e0ab816f3edb63e48e8d953349896b07eed37f4c7949ee4f","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', '6ca1c22218ddde86461d2079ee1a39674aca3b32fbe3384289c77b10e0e10803', 0, '41e36286f16db93cb8f18d54267a7da5e6c984e6a0c2b318213ff8f88389bc0b', 'YJ8ldN22UfAlkHzmgoMx_ryRYgogU4CygyO2HbDwVmw', '2157745a', 24322),
	(6, 1795035913267, 'run-began', NULL, 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","digest":"5526b2cae4c18e3c176554087ddbadb6713423b45bf34b13def434211b73c2ea","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', 'fca4f9a3ce2fc6520cd31fff7fbb9b8d13b1601ac7a1d83b83c6b473350ac732', 0, '6ca1c22218ddde86461d2079ee1a39674aca3b32fbe3384289c77b10e0e10803', 'WSrD2rbZASyTp7IUsU7YfV4sa4MC-qAUAxYocdCMiM8', '2157745a', 24322),
	(7, 1795035916031, 'run-began', NULL, 'job-34367d69-1478-8503-81b5-b96caeefa2bc', '{"agent":"clerk","digest":"3fb6ab792030670027db2c25128a81b8ec5c315d1cc7de7b5c9231551809fd6a","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c"},"status":"running"}', 'd4fb16be1d13cb75a55063afa1a0ad7ac9b314dbf62d7269a0729e9771d73796', 0, 'fca4f9a3ce2fc6520cd31fff7fbb9b8d13b1601ac7a1d83b83c6b473350ac732', 'dL2ipptHPgaGNZypfh7AUzMXBn6RjaTokqB-0TuP8pI', '2157745a', 24322),
	(8, 1795035916099, 'run-began', NULL, 'job-fc99f6fe-388a-47f3-b3bb-26089ba77707', '{"agent":"clerk","digest":"df9bec111408c973e9b3f37966831bdb9b84d22a915b2988bac0ec5ef16fb304","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"queued":{"definition":"83eed7059dea88e74f8bc841c3fb50f1c1b0d420aeff4a7faa60abc59b43a02c","notBefore":1795035917099},"status":"running"}', '38eeecd93fe8d76084b9592d239484af490bdbd80d3d2a15ec2f5e9492563fdf', 0, 'd4fb16be1d13cb75a55063afa1a0ad7ac9b314dbf62d7269a0729e9771d73796', 'yEJ1RxrE9SXYbA7IybFQfCQAOEvFxsw1mDoFlTbBxrw', '2157745a', 24322),
	(4294967321, 1795035912374, 'opened', 'entry-94fa0cb1687e4c59-8', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-8","epoch":2,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":91,\\\"cents\\\":1990}\"}}","inputHash":"06ac4ee328da2595bff57eab3b5fa6390611880bd441465613988dbb483995e5","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '2056f65cfe1762bb9815e67f0ece6e739da81d42eca8f36a71a8898acfcfe3e1', 1, '66fa31f599fe7114a176242947f2b7322ab68fdc5ca33894547c7d1f3c48dfec', 'VZAks8DedNSGjMXz4J06HRPakB3eveLS8oMvU_r2vmE', '2157745a', 24322),
	(4294967322, 1795035912383, 'closed', 'entry-94fa0cb1687e4c59-8', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"attempts":[{"number":1,"startedAt":1795035912382,"inputHash":"2ceaf2038c97513924b56b696a03b6d74315c529690ff9af29964d247e4207de","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":8.726095,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"refund-91\",\"tool\":\"refund\",\"input\":\"{\\\"order\\\":91}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', '793e741ed69592e19db1914fe2e89fe571a1a72b80797406d6b2edce3cb9ad55', 1, '2056f65cfe1762bb9815e67f0ece6e739da81d42eca8f36a71a8898acfcfe3e1', 'fsqn0ej-j8YMzSnZdUtyjYUnCnhd-nGWSRwbgqSkjf8', '2157745a', 24322),
	(4294967323, 1795035912383, 'run-step', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"digest":"99afe686b306132d4ac25084946b4341fc0e09afd599de4decaf4e0c9412e8c3","epoch":2,"messages":4}', '882a343ff2f47d9fe45e7879cab302c8da4279e34d9ed3c7073df05ccb90c990', 1, '793e741ed69592e19db1914fe2e89fe571a1a72b80797406d6b2edce3cb9ad55', 'iZJlNSWl7nJHB-fNR11KtgXgqyIMklBU9BS4GPdTpTI', '2157745a', 24322),
	(4294967324, 1795035912383, 'opened', 'entry-94fa0cb1687e4c59-9', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","callId":"refund-91","epoch":2,"input":"{\"order\":91}","inputHash":"203ab32639f5ebb3d54d160f2f0961a4831476b8a7ca0e9289b3392fd8eafeeb","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', 'a6f5bda607f68cdc581546de7dfd51cedff6f3a0b85a7aaa0051ac5ffab96f02', 1, '882a343ff2f47d9fe45e7879cab302c8da4279e34d9ed3c7073df05ccb90c990', 'Q_z5uOTghZQZDWw_n_pJu0bdcvm_wr3bQOuMOXGE09Y', '2157745a', 24322),
	(4294967325, 1795035912531, 'asked', 'entry-94fa0cb1687e4c59-9', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"callId":"refund-91","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795912531,"id":"7580546e-c4e1-472d-b371-cee795076a99","input":{"order":91},"inputHash":"203ab32639f5ebb3d54d160f2f0961a4831476b8a7ca0e9289b3392fd8eafeeb","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '82f9cac0fa9f5c98de653f6ce1d7fb461a9e38117976f7657107975e589c8f27', 1, 'a6f5bda607f68cdc581546de7dfd51cedff6f3a0b85a7aaa0051ac5ffab96f02', '2ovv4Tgr9-7CXwqLXhVKdh3HQn_rJXL36MmDKYOJOPU', '2157745a', 24322),
	(4294967326, 1795035912551, 'closed', 'entry-94fa0cb1687e4c59-9', 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":168.101342,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '6b848c0548fa9dfafb3e857e412518c265313eff37f5915c6a392aa1689b89ee', 1, '82f9cac0fa9f5c98de653f6ce1d7fb461a9e38117976f7657107975e589c8f27', 'tdJ57CJITYO060rQWVRhNYQiJg1WjJ_p4ArmAJRa9oI', '2157745a', 24322),
	(4294967327, 1795035912559, 'run-step', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"digest":"cdc0332563c5137fd83920902ffc992efecc410a1524ff44e257a39b1a288cf5","epoch":2,"messages":5}', 'e8441616ee697f8f92642a1e7db53340abb2079cc24d8ddb127570ff93de6746', 1, '6b848c0548fa9dfafb3e857e412518c265313eff37f5915c6a392aa1689b89ee', 'rKn-eHQcICHvDY57SSGNbmVfIyqLqYlnHEIF08hQjIE', '2157745a', 24322),
	(4294967328, 1795035912559, 'run-ended', NULL, 'job-738c6b02-a6d7-4e81-a48a-9b2715fea951', '{"agent":"clerk","epoch":2,"reason":"A person must answer first.","status":"pending"}', 'f33449f7aad5723bc37f990ce6b9ce1f2011f6d50324e67b1fa18bc8d5a1e8a4', 1, 'e8441616ee697f8f92642a1e7db53340abb2079cc24d8ddb127570ff93de6746', 'CUX3v9bVhUiVklSb7nx_Gpaoq5bSXVLDUB0l_kIVdHc', '2157745a', 24322),
	(4294967329, 1795035912786, 'run-resumed', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","epoch":2,"status":"running"}', 'e16a8761e3f397761273d7138001bde8270469d06b85986273541760b258bd3a', 1, 'f33449f7aad5723bc37f990ce6b9ce1f2011f6d50324e67b1fa18bc8d5a1e8a4', 'ngLcnY0NeKL7cpJX9L6Ola2xTBkblxUyWJKdsZmjWXw', '2157745a', 24322),
	(4294967330, 1795035912815, 'opened', 'entry-94fa0cb1687e4c59-a', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-a","epoch":2,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Refund order 97\"}}","inputHash":"3fd2a661c4984f6197cd105c80389cf19faae49b1edd0675be1c9a4af4366db3","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '62e21822fcbddab7a3dce1fd26b3d39bf4bddd1ae5f18cdeb660e8861f2b1b63', 1, 'e16a8761e3f397761273d7138001bde8270469d06b85986273541760b258bd3a', 'fztBcNStCswF4DC2sqSBep5aCat4-81Irn8FVUAL1Ac', '2157745a', 24322),
	(4294967331, 1795035912927, 'closed', 'entry-94fa0cb1687e4c59-a', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"attempts":[{"number":1,"startedAt":1795035912927,"inputHash":"2721807d9825a3d81c3743ed416dac2c6555fe9b5e2b3d7c75dd5d2dc402ec16","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":111.912326,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-97\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":97}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'dc7a034df9992edc4124e9e844574408156741c3774bda8da423cc65f5969388', 1, '62e21822fcbddab7a3dce1fd26b3d39bf4bddd1ae5f18cdeb660e8861f2b1b63', 'SJv2uYk6sO3wNh9Jh_znUz89XUHGnow0R4aO_itqdLQ', '2157745a', 24322),
	(4294967332, 1795035912927, 'run-step', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"digest":"39cde0d2f26d66de829c2c9da1371bf92be385fb42dbbed4c0fb7ae0f0173eac","epoch":2,"messages":2}', '6c5dca7ab498d97daffd0ed95f340587c38e66089ef4710c8b2df62944b4b6c2', 1, 'dc7a034df9992edc4124e9e844574408156741c3774bda8da423cc65f5969388', '__MASN2P-XqHXR6CMCyqlhku1v84QT26DraTfTEo4NQ', '2157745a', 24322),
	(4294967333, 1795035912928, 'opened', 'entry-94fa0cb1687e4c59-b', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","callId":"lookup-97","epoch":2,"input":"{\"order\":97}","inputHash":"958c8e8e3a1a036ee6175b564e08f253ef3e9a73219cfe7f7347d3b7a94e02b0","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', 'da57f91158d60d0c06dede560ae8dfb45c9bdf2a4f71c8283608f771dddc40a0', 1, '6c5dca7ab498d97daffd0ed95f340587c38e66089ef4710c8b2df62944b4b6c2', 'jIiMuewF1fJt-jtOgjwRdHEcguLNvYIQUA5iPyTC3S8', '2157745a', 24322),
	(4294967334, 1795035912943, 'closed', 'entry-94fa0cb1687e4c59-b', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"attempts":[{"number":1,"startedAt":1795035912943,"inputHash":"958c8e8e3a1a036ee6175b564e08f253ef3e9a73219cfe7f7347d3b7a94e02b0","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":14.982096,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":97,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', 'a1366e62370c5d9f8d6aa504c1a291a29a17bd9121b6472096a0a74cabcc52ee', 1, 'da57f91158d60d0c06dede560ae8dfb45c9bdf2a4f71c8283608f771dddc40a0', 'OIq3jDOuR_lkXlDuFNwSiDEQjbD903YOJ8qCBz_AoxM', '2157745a', 24322),
	(4294967335, 1795035912948, 'run-step', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"digest":"1792ddd6cb6195222eaf293d732d32b8974f40acbeb7d71fda084ecbfb24a6ef","epoch":2,"messages":3}', 'f51d57901fc98fd9db24899a46aaed56f7f89af7caa0b7fd06344d2c2c324f21', 1, 'a1366e62370c5d9f8d6aa504c1a291a29a17bd9121b6472096a0a74cabcc52ee', '_F_2nUoltODkyiPjTI1yM6hTfXcHK_zL-W0nufz7aa4', '2157745a', 24322),
	(4294967336, 1795035912948, 'opened', 'entry-94fa0cb1687e4c59-c', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","callId":"entry-94fa0cb1687e4c59-c","epoch":2,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":97,\\\"cents\\\":1990}\"}}","inputHash":"3fcf0a795ec23dde5667381bdb47b7304114d832a99da37f072079779d7af3fb","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '82e8551f5e75084e83839b066844cc147d897e2ba6ec220bbab63210b84c1b3a', 1, 'f51d57901fc98fd9db24899a46aaed56f7f89af7caa0b7fd06344d2c2c324f21', 'rM5dDSK-SWTt8bDeOFxEk4whAGPB4T8vjTuV4eLF8WQ', '2157745a', 24322),
	(4294967337, 1795035912953, 'closed', 'entry-94fa0cb1687e4c59-c', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"attempts":[{"number":1,"startedAt":1795035912953,"inputHash":"722fd32df5c80b0fcf7adf3cc68aafa130ad38356a8c5f13d3848d9b03eb8b89","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":4.741322,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"refund-97\",\"tool\":\"refund\",\"input\":\"{\\\"order\\\":97}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'f273fe83083ad948f51feb1b6adf8e5168b8401696abe177dc8cfe3203d31a13', 1, '82e8551f5e75084e83839b066844cc147d897e2ba6ec220bbab63210b84c1b3a', 'v7JFoDe7OKD_JykNBEQS9eM7-3CFKWicw-52-3eQkss', '2157745a', 24322),
	(4294967338, 1795035912953, 'run-step', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"digest":"ebc7fb72b77f324ab674e01b6aab6515ef9ebdcef1a77fd251b78de01827e65c","epoch":2,"messages":4}', '5f95b0f2f3be7ed440d953f453c0769ef9fad1a31257ebde427c8d2072f44849', 1, 'f273fe83083ad948f51feb1b6adf8e5168b8401696abe177dc8cfe3203d31a13', 'ZRWJbUwy7PwaX6MZ9jRUqzVTHpSoR1b_a0o3R94nQyA', '2157745a', 24322);
INSERT INTO "public"."haft_records_until_2026_11" VALUES
	(4294967339, 1795035912953, 'opened', 'entry-94fa0cb1687e4c59-d', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","callId":"refund-97","epoch":2,"input":"{\"order\":97}","inputHash":"958c8e8e3a1a036ee6175b564e08f253ef3e9a73219cfe7f7347d3b7a94e02b0","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '26c14340e2b414eb68be246494ecaaa93603ee3805a4140368be1029717f2ab4', 1, '5f95b0f2f3be7ed440d953f453c0769ef9fad1a31257ebde427c8d2072f44849', 'CyZiEyl6E0CiII5LEx5IG4huPjoejEo0RiUE1ZczR1I', '2157745a', 24322),
	(4294967340, 1795035912958, 'asked', 'entry-94fa0cb1687e4c59-d', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"callId":"refund-97","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795912958,"id":"1e73186c-55b2-403c-9af9-e97f9a0468c6","input":{"order":97},"inputHash":"958c8e8e3a1a036ee6175b564e08f253ef3e9a73219cfe7f7347d3b7a94e02b0","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '8acf05e6dbae559a1d05d47d44ec751475e680f3f7288322c82699c54153f6d2', 1, '26c14340e2b414eb68be246494ecaaa93603ee3805a4140368be1029717f2ab4', 'VT-YhL2O-HueMK3V6rFHq1dZ7oVgU6g7Ytq2ahxvO-4', '2157745a', 24322),
	(4294967341, 1795035912959, 'closed', 'entry-94fa0cb1687e4c59-d', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":4.967719,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '5d05dcb711ff6064c8e0fefc39b969ce3c0da863bbdc73c9611e197f12200b4c', 1, '8acf05e6dbae559a1d05d47d44ec751475e680f3f7288322c82699c54153f6d2', 'N8DH6MJON210oG_xxYP65vIjkhX6OUzD3lIE9-a4cf8', '2157745a', 24322),
	(4294967342, 1795035913008, 'run-step', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"digest":"f97d415f84a74a6863ba8f7faf7dc2313f9f196d86e52a675c45aad529865e77","epoch":2,"messages":5}', '31faf07d029d3e2edd3e86850528abd5f629102ca6c77f0c44862f2995c1d2f3', 1, '5d05dcb711ff6064c8e0fefc39b969ce3c0da863bbdc73c9611e197f12200b4c', '83W6cJy3JNZaE06BwVtZ2t8E3rvYEUvQVihjMPdYt4E', '2157745a', 24322),
	(4294967343, 1795035913008, 'run-ended', NULL, 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"agent":"clerk","epoch":2,"reason":"A person must answer first.","status":"pending"}', '5828f03c2bc02e49aa32dd89596a16b897f442ea5c92a335b30ff10fec79de66', 1, '31faf07d029d3e2edd3e86850528abd5f629102ca6c77f0c44862f2995c1d2f3', '8fe3gt0Mz5ukVLj-YegBEbFQMCJe83swlVmJXYVhGYU', '2157745a', 24322),
	(8589934593, 1795035913215, 'answered', 'entry-94fa0cb1687e4c59-d', 'job-360d2cc3-847e-4393-9df2-171b31b43abc', '{"at":1795035913215,"by":"grace","decision":{"kind":"allow"},"id":"1e73186c-55b2-403c-9af9-e97f9a0468c6","isExact":true}', '3c539018119e1a77ec1296d85d919e79ea5c4a7ef1b92758eaedf9d4a5c148ee', 2, '0000000000000000000000000000000000000000000000000000000000000000', 'qslj-77StDTahPXX9g_3r0etQt8e04wYYHKCwoSJ_xU', '2157745a', 24322),
	(8589934594, 1795035915188, 'run-resumed', NULL, 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"agent":"clerk","epoch":2,"status":"running"}', '16665827cac4dc80987c6defddbd5a49840cf1541aa0143e565010174991aaca', 2, '3c539018119e1a77ec1296d85d919e79ea5c4a7ef1b92758eaedf9d4a5c148ee', 'uhKs31d1IN52wWw2UsWCFcZs7few0rfd91ErM3GmkSk', '2157745a', 24322),
	(8589934595, 1795035915189, 'run-resumed', NULL, 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","epoch":2,"status":"running"}', '1fd4afc7f566c1232391aa994a2188d2378a57d2d795949092e5f18d9f348d5b', 2, '16665827cac4dc80987c6defddbd5a49840cf1541aa0143e565010174991aaca', 'Zi-NJ97ohq9SOxJ-Hg_yTs9DiwjUFmtnLWSUbL66Di0', '2157745a', 24322),
	(8589934596, 1795035915201, 'opened', 'entry-c1123a5f2e98438f-1', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"agent":"clerk","callId":"entry-c1123a5f2e98438f-1","epoch":2,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Charge order 92\"}}","inputHash":"a53465114db1141f1ab2ac38c5e3d901e0ecab67eab965f874705f0a7493d259","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '6b3e619115f57528ea6c6ddf829058b019c31d9749aa4c642e273fef2a07a49d', 2, '1fd4afc7f566c1232391aa994a2188d2378a57d2d795949092e5f18d9f348d5b', 'nJkPk3OwZIdYt34-Lrw7GbD3DJuj_wBH_bxlLcYB69E', '2157745a', 24322),
	(8589934597, 1795035915313, 'opened', 'entry-c1123a5f2e98438f-2', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","callId":"entry-c1123a5f2e98438f-2","epoch":2,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Charge order 93\"}}","inputHash":"1b85fff8f6a33695f446d0d71bc52a49722ee46a0955960cc588672cf3eec1d3","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', 'ed8464d5d36962f05f44169ab9a2c3b56baa19d9534f9d08a89fd2775273b153', 2, '6b3e619115f57528ea6c6ddf829058b019c31d9749aa4c642e273fef2a07a49d', 'gs8NnFh83-x7VW2pnPg9hbxW0dsgWRBPWZh_nJbL5uc', '2157745a', 24322),
	(8589934598, 1795035915340, 'closed', 'entry-c1123a5f2e98438f-1', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"attempts":[{"number":1,"startedAt":1795035915333,"inputHash":"4da008b95960586c85bbb35335554abd82e8f6e0bf188c29f29730d45fc3fce2","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":137.699457,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-92\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":92}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'e87efe9997959c41993ca2a83d0e6d4e61250cd37a0084a6c576abfe7b1648cf', 2, 'ed8464d5d36962f05f44169ab9a2c3b56baa19d9534f9d08a89fd2775273b153', '9i93pBDawg4KQaThidAqpkjxyAHtgBRdGpFBYb9tsuY', '2157745a', 24322),
	(8589934599, 1795035915341, 'run-step', NULL, 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"digest":"5dc6364f9f7faa23a2e271e871a4f74c76c4d05fbc3496ff31e86f74af85f325","epoch":2,"messages":2}', '64419751c0436337774649ebd3182a7f3975bdba14878ba04169f6aac8eaff53', 2, 'e87efe9997959c41993ca2a83d0e6d4e61250cd37a0084a6c576abfe7b1648cf', 'jDfPY4AHAJAgPElw6vqWtgrZq2UCQldbGfbTuxgGnWo', '2157745a', 24322),
	(8589934600, 1795035915342, 'opened', 'entry-c1123a5f2e98438f-3', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"agent":"clerk","callId":"lookup-92","epoch":2,"input":"{\"order\":92}","inputHash":"b542e87acdd2113e1ebfd6bff870d53ceac5b0def0937a4350ea1a63ed965730","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', 'c35424bbc5e0e100628dbe845f604da7bc5b353f7db3bb6fac4cf1ceb3d7ee22', 2, '64419751c0436337774649ebd3182a7f3975bdba14878ba04169f6aac8eaff53', '9WpCUeGx7sLYlz6ZJvka75hrROnFQPvKv9WJ_anftWo', '2157745a', 24322),
	(8589934601, 1795035915359, 'closed', 'entry-c1123a5f2e98438f-2', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"attempts":[{"number":1,"startedAt":1795035915334,"inputHash":"bb09ef5e88c447fc2efeeef793bba966f5f0ef30c015970990727301ec2488e8","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":46.009493,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-93\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":93}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', '8a4ecc4a89eb6f3f530d365d2acb5100f3b6da599d090481b835d32a22d728e7', 2, 'c35424bbc5e0e100628dbe845f604da7bc5b353f7db3bb6fac4cf1ceb3d7ee22', 'J2s8qmk0Tl3ueiZ2WwZ6sVnLua5gXIpZSxwV1qmxIQE', '2157745a', 24322),
	(8589934602, 1795035915360, 'run-step', NULL, 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"digest":"29ca5dc2b0d71fc0732bcabfb565751c02eac0c83875d1b12e0d9b328cecfadc","epoch":2,"messages":2}', '1919fe93f63c838bccf8769f65d93edbb605f77dbba62963ce78a52b553547ee', 2, '8a4ecc4a89eb6f3f530d365d2acb5100f3b6da599d090481b835d32a22d728e7', 'lFZw3OBQY3pdtcVndlfxwKO_-4ohEW1NwLEGzjvPjW4', '2157745a', 24322),
	(8589934603, 1795035915360, 'opened', 'entry-c1123a5f2e98438f-4', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","callId":"lookup-93","epoch":2,"input":"{\"order\":93}","inputHash":"b55b679ef345caa3eec97965e0dcba4b2abbc9e2152e3db172212e4c9ec3d5d2","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', '9793a6bff101380c1a53049fa922d0ce89040bf4ba8aee08e5531559eb05414d', 2, '1919fe93f63c838bccf8769f65d93edbb605f77dbba62963ce78a52b553547ee', 'hXAPD-_k2g1b7dHxb3FEE4QqhpVEE_OU9_9fqMMTegw', '2157745a', 24322),
	(8589934604, 1795035915449, 'closed', 'entry-c1123a5f2e98438f-3', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"attempts":[{"number":1,"startedAt":1795035915448,"inputHash":"b542e87acdd2113e1ebfd6bff870d53ceac5b0def0937a4350ea1a63ed965730","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":106.440135,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":92,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', 'a7fc61dbb9dd14fa283306338cfe155c3bee49500f8f7b14c0dd15008c293bf6', 2, '9793a6bff101380c1a53049fa922d0ce89040bf4ba8aee08e5531559eb05414d', 'p_vwNtZ1s5cu75vbRMwHiu95woauTm0uwjLDvOjvmak', '2157745a', 24322),
	(8589934605, 1795035915449, 'closed', 'entry-c1123a5f2e98438f-4', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"attempts":[{"number":1,"startedAt":1795035915448,"inputHash":"b55b679ef345caa3eec97965e0dcba4b2abbc9e2152e3db172212e4c9ec3d5d2","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":88.959372,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":93,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', '9afcf8682cc447b866606e46632f8eac54a8d8bd3b109cd4cd198d7054bab891', 2, 'a7fc61dbb9dd14fa283306338cfe155c3bee49500f8f7b14c0dd15008c293bf6', 'NVEtohLtRDJ95jlBdBT0QfqFUOZq2_sS_frcOGqxAU8', '2157745a', 24322),
	(8589934606, 1795035915466, 'run-step', NULL, 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"digest":"6033c66091f794a0b685fa9a1893b417daffa532bba60cce8a62cbb10a1d845a","epoch":2,"messages":3}', '234946dd5490f789c1133f29e0808615a50e8385502076a86c81a574a9d61551', 2, '9afcf8682cc447b866606e46632f8eac54a8d8bd3b109cd4cd198d7054bab891', 'jfmSwKYoSSiTn2ia1BbokiChx2f4IeOJ-FU970fSp3g', '2157745a', 24322),
	(8589934607, 1795035915467, 'run-step', NULL, 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"digest":"5eb05fa5acbf2ac9e29374b210faaa77660b97d88bbcd584b1f74452cddb5805","epoch":2,"messages":3}', 'c98278371da3b7b06a9bb3fd60268a2826855616bd0461e457a1456be09cdcec', 2, '234946dd5490f789c1133f29e0808615a50e8385502076a86c81a574a9d61551', 'IfIwKUT10Jr5ChhDVt2mI2fHbXvW_l5CbQABhEGW2DY', '2157745a', 24322),
	(8589934608, 1795035915467, 'opened', 'entry-c1123a5f2e98438f-5', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"agent":"clerk","callId":"entry-c1123a5f2e98438f-5","epoch":2,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":92,\\\"cents\\\":1990}\"}}","inputHash":"e48745beb194ba5de9dce7b99ce6d59bdd8d2f8d2d8503616de09c5367a5cc38","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '909f41f471fd8114019f2149731db09ca854ec66bf83818e769eb7f507633e66', 2, 'c98278371da3b7b06a9bb3fd60268a2826855616bd0461e457a1456be09cdcec', 'ET2v9CH2dTNa4RQnC_FIRjZhtxAoaLcWmDEysRDDTlE', '2157745a', 24322),
	(8589934609, 1795035915467, 'opened', 'entry-c1123a5f2e98438f-6', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","callId":"entry-c1123a5f2e98438f-6","epoch":2,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":93,\\\"cents\\\":1990}\"}}","inputHash":"5510a4e3b91de7ec64d23f6de27a481e2ac740bad4ea6738ceeb6db42731c28b","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '81acbfbb189ed2cfad935fd3fd0257659a644b12fbd12df16c90cc0051a1af4d', 2, '909f41f471fd8114019f2149731db09ca854ec66bf83818e769eb7f507633e66', 'FkEaWPIvyl1WuJKec6OArFe2r2KeVt_J_s9duGejTLg', '2157745a', 24322),
	(8589934610, 1795035915483, 'closed', 'entry-c1123a5f2e98438f-6', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"attempts":[{"number":1,"startedAt":1795035915483,"inputHash":"24b76d46662c18f94372b73d6db01a92bbeda8698aa2a1859669a9b933801c04","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":15.970069,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"charge-93\",\"tool\":\"charge\",\"input\":\"{\\\"order\\\":93}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'aee801cf1fa3b351bcb725fdb753b5ad52f53a5466de1bfa393573dc4c588970', 2, '81acbfbb189ed2cfad935fd3fd0257659a644b12fbd12df16c90cc0051a1af4d', 'NJLnJqJH2uwybxX9cA_-bxek3lGVSMXb8LTnSzP1Rtk', '2157745a', 24322),
	(8589934611, 1795035915484, 'run-step', NULL, 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"digest":"99348a964aa85766574a0881bca139f67896c9ae919e3f3334fd1a2e8d589cce","epoch":2,"messages":4}', '367b3c2600fa1d55e7b817afa7064f59c21b322b8ad9b2b9826f6462805ad371', 2, 'aee801cf1fa3b351bcb725fdb753b5ad52f53a5466de1bfa393573dc4c588970', 's7-yZSkSgFRAmRRR3NA_uWdB36O3bTWcFZNixGtrEWI', '2157745a', 24322),
	(8589934612, 1795035915484, 'opened', 'entry-c1123a5f2e98438f-7', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","callId":"charge-93","epoch":2,"input":"{\"order\":93}","inputHash":"b55b679ef345caa3eec97965e0dcba4b2abbc9e2152e3db172212e4c9ec3d5d2","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '825de2347c75a43a8bc7a6e08e5a774dbd662df724e139a27206c39350b187a7', 2, '367b3c2600fa1d55e7b817afa7064f59c21b322b8ad9b2b9826f6462805ad371', 'Zo2arKmu-o3ZiYiWfkbQyqYc0qD16enNFdVM4nAM6Wo', '2157745a', 24322),
	(9, 1795035925763, 'opened', 'entry-041c09d52bbe4c60-2', 'run-041c09d52bbe4c60-1', '{"agent":"clerk","callId":"pool-running","input":"{\"what\":\"a fjord\"}","inputHash":"56bf48aec97e444754c225e25d94f2d93d5a22a552e0db7e943d036f8c6e785d","isExact":true,"tenant":"acme","tool":"render","user":"ada"}', '01cf4a5bb079885b4abd3e993c55168764970383ccfddcfaa769671899676e69', 0, '38eeecd93fe8d76084b9592d239484af490bdbd80d3d2a15ec2f5e9492563fdf', 'ITezwfGesjh1pT2S5xOdJpBZVm4FmrrDDAYFrkn3_AQ', '2157745a', 24322),
	(12884901889, 1795035926533, 'lost', 'entry-c1123a5f2e98438f-5', 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"ending":"unknown","behind":[8589934608]}', '80855c4def0e4fd1b6134bddee7d38e3f4bfd0a6f96f965ded20c0814a9d4f85', 3, '0000000000000000000000000000000000000000000000000000000000000000', 'XOzTxgoUFpq_80XPDCzEuId9_jvRldHT08ykQDaLbMw', '2157745a', 24322),
	(12884901890, 1795035926533, 'lost', 'entry-c1123a5f2e98438f-7', 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"ending":"unknown","behind":[8589934612]}', 'c04d0f4910cb1056d4afd131fceb2148d7e8039d246274cdd16910241616b01b', 3, '80855c4def0e4fd1b6134bddee7d38e3f4bfd0a6f96f965ded20c0814a9d4f85', 'motmSDbP78GFzYUbITlgwWz3xc_w7lMXIVzW7kz5WwU', '2157745a', 24322),
	(12884901891, 1795035926533, 'run-lost', NULL, 'job-05729be8-3f3e-4faa-a9f6-d0a2df516578', '{"agent":"clerk","epoch":3,"status":"running"}', 'ab6a5bc988ab15e3a21bda997d8aaadb16ec3ce11db08c11fb883d70112ecca6', 3, 'c04d0f4910cb1056d4afd131fceb2148d7e8039d246274cdd16910241616b01b', 'cLLf6a8MIc02wfCpFUly2n4-EAaS3tbpM3HuDrF1BsM', '2157745a', 24322),
	(12884901892, 1795035926533, 'run-lost', NULL, 'job-855e328e-ebbe-4954-b831-5f014672f3e1', '{"agent":"clerk","epoch":3,"status":"running"}', '2b37e2dae07675fadc57a37fb7b6c1b300cc341b222c0770ab336d9094447edd', 3, 'ab6a5bc988ab15e3a21bda997d8aaadb16ec3ce11db08c11fb883d70112ecca6', 'sSVSbNAEjfD4ofbXZBOkx573Ez9hlpbhEsuEkxLv5wY', '2157745a', 24322),
	(8589934613, 1795035929516, 'opened', 'entry-8a710750e1fd44fe-2', 'run-8a710750e1fd44fe-1', '{"agent":"clerk","callId":"pool-waiting","input":"{\"what\":\"a lake\"}","inputHash":"7f810c9be46eec3a76a2caf8d33d07ae46b6d7e0e03122ce5141bdac11468eee","isExact":true,"tenant":"acme","tool":"render","user":"ada"}', 'ab19009d54dfc243432280ee63391be9b225b6a3984f071e5133fbf659227ba8', 2, '825de2347c75a43a8bc7a6e08e5a774dbd662df724e139a27206c39350b187a7', '4hAQN4jVaA_cKh2P5WSkAr5uhCkrRB7t3qcCPtxDMj4', '2157745a', 24322);
INSERT INTO "public"."haft_roots" VALUES
	(1, 1795035916754, '[[8,"38eeecd93fe8d76084b9592d239484af490bdbd80d3d2a15ec2f5e9492563fdf"],[4294967343,"5828f03c2bc02e49aa32dd89596a16b897f442ea5c92a335b30ff10fec79de66"],[8589934612,"825de2347c75a43a8bc7a6e08e5a774dbd662df724e139a27206c39350b187a7"]]', true, 'bdcd0bb37410b1488fd7b7aa070b34e0d384c02a963fb5c4497ec204f20f8cf1', '0000000000000000000000000000000000000000000000000000000000000000', 'ea4f16d0527a2488586c0aa0402f84b1186cd35ad79a02666c92dd60ed0cf393', 'AI0rjRJMWWnJDWp4dmmiIpfEBGG2Mp13DFynzwmnSrc', '2157745a'),
	(2, 1795035927503, '[[9,"01cf4a5bb079885b4abd3e993c55168764970383ccfddcfaa769671899676e69"],[12884901892,"2b37e2dae07675fadc57a37fb7b6c1b300cc341b222c0770ab336d9094447edd"]]', false, 'aa92c2a0feb15f38ec7f5fcc6577e53ba97f5cb15d9e78106cf3c3319802f97f', 'ea4f16d0527a2488586c0aa0402f84b1186cd35ad79a02666c92dd60ed0cf393', 'e2144e796aadd56104058f2d9a502744b03cd162c15df6737d5af9021e87e006', '7LCN2Y8_3XrxFW26aAJ9n_KdWXPcte9yzgZzTDeqIy0', '2157745a');
INSERT INTO "public"."haft_run_messages" VALUES
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 0, NULL, 0, '\x022157745a5b5d006781d68e7abeba639cb3ecfead3ca8000d5a9c4906ff8b7508d3966a8f10a79d7a75227204b9f18833832d5b132e10c4d73831277a274b483890421ff30ace54759c0abb', NULL),
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 1, NULL, 0, '\x022157745a07d50b8f798dbcea9772f77a8c35b023cabb06c08fa0760a849c92ba611ac3c7384134bdb595fa02dffca7e4767feabe5eb3c2510cd57b89bdac1313aa19572e515a178eac1830dcb7a267394066cab2bcb34b155317d3fb94f73bbc4bd25b234c0e3a17ac8e69d5e9aa70fbf7dc7b23ae5df8cd642f95af560883add9c0406ee4700b61edc721d693fad54dd749dfa09c3566cbe5f945e53703a106ed', NULL),
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 2, 'lookup-90', 0, '\x022157745a6669b453a387f810a190c91cd84eaad1d57b629697cc8ddaf0e0066d99290d1c6fe0d5714742659195185cbd051e37f55d275a1288e8be82e904aa6b997d3817ac774b101cc8f7279ceb2219aacc01380a4e4b657b0666efa9fab46167f5f46dc6aa1b8ab937fea9801541b995aaaee4e57a7c74feb6e8b0dc3fbf128cfb0bd8421cbcbc', NULL),
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 3, NULL, 0, '\x022157745a167497ca422c546d3ed094ecbafade9b6fbaa37caaeaabaf68e3ee2cbae9f5c96471f163b635eac16d13aab2c38ba2b18ef0287ce7522a52fdfde3b79f7923922e434d70b68679670fdb56df3d5d3d3a1f42fe455852512639233eed8e2e3430d6bfe6ada0f9ca847945b417651d89a27ac57345d5aa68a84e35a9da59b944ede26a924e85b681c7f5d6a473e6558701e0106aeb6af360f3a865aed179', NULL),
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 4, 'charge-90', 0, '\x022157745af026c4d5cb30f0eaa96ea00972fa30bad23f54c6386bd78ba926095c8e34902d3d5f5e5c47d60178590a8dbaeff30f54974783f68dbf20106274df78df1cd6d0e62eb9ca0936b337cfe043e532dff2d784f799d1310d908fcf8d23146a24693fb1eb2ae8bb9b0c0cb1e78f8b64eabcf754f10b5e256d0357dab6d5268717e3f329defed4f1e5', NULL),
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 5, NULL, 0, '\x022157745a5acbd5964864271f4016c04132445079f0eae2f45f53eba0ea3175817a7dceb1a3518810ca45557a69d8f33d297c14596f989712c59000a002596ffe47abf0e61e41e24869554722d8cc8ac2a009aa76b8268c21a7a3ecb2defeb3fd', NULL),
	('job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 0, NULL, 0, '\x022157745a6db2783b281d20b4a0d5ae410cf329b40ce3011a027a05bfa0a00696ccd132d040119bd8fa50ca818c23d20aa2f77e10745fde52fca2db6645da42fdfdf85b4d38a83282dac35a', NULL),
	('job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 1, NULL, 0, '\x022157745aea1faba84e28f0c1a31891015460347a6522db279995f89d4ec8955ccc19fb3738fdb3ffb8d378442f7b0840c091abaf76dae46f11541835d18af1b102b4d300f5b9b3188c61922be7a6744df577d98a06dae0c4946224a5c2e5dca595d43e73643054443ef3d4bd21661766840b70f20711c1cae01a5df81225e9f2b89a35264248cd8ed4f06b1a38b32cec9a7b479ac5f04f7153f5c869f984169f7a', NULL),
	('job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 2, 'lookup-91', 0, '\x022157745a50d5bbebde0464da464d76115e1a91ba2656949ce77eeaf817451e9dc30c94f90336dc42a327638482a64389333c381aae7d2598df1923a00f7fffee94ccda304c0757dbb96654bf7eb4e01f3ac3b5ce64d6c443275fdc4936d5fde7a34064aac953435854ed5a83e219bbf43a0fa6039aafa7eec63c7526937861399726c3fa07b53a2d', NULL),
	('job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 3, NULL, 0, '\x022157745a3b8bcdc81a0aaa3ed202cfcadc0fcd8051d7845aa42a4aba5c04d1a7751714722381e4283890c0f84a741b8ecc802bc74ecbb4b059c20e1018eed2eec4a3e1cfeabff1ebe4c14bc25442542cf3409b679d6d296607b0809a57a1bacf8a3968f51ade8c730d6e3bf52ae00bd43132a95ca348a4326890527680e9e31038a36d9057f3cbf70a44bc4557166de4e7979e80ed9c8401fae380c76718f226a7', NULL),
	('job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 4, 'refund-91', 1, '\x022157745a0d23bf3c2f9ae23bf7e1a83e0d070d43f62b27cfee5ec4c59ad140bc691f2261669fba28446b3617c18714b8d044169e18f24d76ba22a1606e9ee1f9c2849b61ed30a957e9779220bd34bbc5c89495e409ffb93b03626ee8d8b1db6fff2cd50f7c8e45d6596371b4fed31cc6561a9d02880f189609bb5f9d45038a39608dd2b6dee1fdfb3310594b100248b50736fabf33d850ddadc5ffdd30d95d9acf5e0f1aa6cc09de29d9d8dc7864113824ce4ce7d5a3cad6172c1ac60e56a5dcd7561c8b193a4f74e0e2bf15956d3e231ecc', NULL),
	('job-360d2cc3-847e-4393-9df2-171b31b43abc', 0, NULL, 0, '\x022157745a205e8cd443f2b3fb3be0caeb531f7e5cdd9dbd83f254f744667ae4ae602ef21de706f1e7e818af1414e0f29cfaccb8a3ca27c09e695c842b2a4f309bcfc531ef43169fbb375f12', NULL),
	('job-360d2cc3-847e-4393-9df2-171b31b43abc', 1, NULL, 0, '\x022157745a767eb7bfebb5ddc5735fec7b5208242063315f5f7479744706d873f036ca59fdd9681bca46e7c559c9814b306c4765c3be504edb5ae8d42dd21b1f7486099ed3d3c5469cd444cde8a49b0b9be376a022db682253a5133032b8a6854cc3c940e6d1990599eea04d1ceade4246680fb24306157e4bfde8e45cd893f5679d164259401245dbfed8f72df2d785d2876d4123381bf9112b133d9cf60b9c9792', NULL),
	('job-360d2cc3-847e-4393-9df2-171b31b43abc', 2, 'lookup-97', 0, '\x022157745a0060c078615a908b71d839d0beaef460fb39b1c76a28c3068132f3e257d1973919ee01c683a2b5670756a2adcfe0cb2cabc0b104d4b457f9264d63c2924415dac5c39c6da294b3f979cdb174fb574873947b15a30c6c7c9174805c37f704d4a3ff559953e7dbf3314e56c20a9178a560ea21015e3e3f86e9e2d811f06753ece99b701084', NULL),
	('job-360d2cc3-847e-4393-9df2-171b31b43abc', 3, NULL, 0, '\x022157745ab55b71850bcaa00b669e4bc7cce9e84cbb3757175cc7e4507b3be095c704d65909bb0e5cb13b755400e1858e50c0592d189ec9ba2b654bfd2ff154efc458ed7e1b34d357fc3854e86ae33aa9598f023bfd88332a1545cb380beb8edcd76a4f3ce9f4a681533a02273299a93a6054668f5d510039d90d8e6b44059ad1c64bae27c474e6f5518bca1c74c3b8af4f6afcf55810872fe667cb3e5997a12a75', NULL),
	('job-360d2cc3-847e-4393-9df2-171b31b43abc', 4, 'refund-97', 1, '\x022157745a42264ecc322000a3c25d0eb9786c3c1d03df101809e875b1735f142a2914679f1a4260429453a5137c13b8492eafd69905d826b734a4ad71ff8fa1004d48e67827859a4ac644fb9c11ea5722252fbb843cd7ae0cc1bc4d634bd76a9027162acca9abec5ee8b999eaddfca565055f6fe415bf0d69f415b0c3317428f4b3a52198848d43aa519941747baee36cad70b06b27fd64a1b395536766a9efdac256e30ee89e0260a80deac43ccfd8b720c79702342dca04e1310abee171d9a7ab0a7f93eea2361b205934ab728b96802051', NULL),
	('schedule-71db1b28-2202-874c-8b08-77da6fc7201b', 0, NULL, 0, '\x022157745abd9e204a416de4e45f6b742e58a605f50d81872389e5ee721456b54394b67def5d19cb4e432d265189e4e991ed4c23cd063c1e06fe8d41fa40aeeb67d53f3f702263b1ec88bff9', NULL),
	('job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 0, NULL, 0, '\x022157745af46e4ce9df3d8887151e4050d7b6256fea278d0c107f17a29e3d4e5b449f475bfaf929c354c19b276717064c5fbb4a9c51dee719056348e1953bc35bbd5a6c24bf1d50d89044dc', NULL),
	('job-855e328e-ebbe-4954-b831-5f014672f3e1', 0, NULL, 0, '\x022157745aeb3e7772cc5f04676a3311097b8703f47624a7255434f50d352b5d4290a98ffe7e9060f20795b0822bd20dd40a29aedf5b1d9a3bfe98c8ccc04258221611d27e48674d47d58fbf', NULL),
	('job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 1, NULL, 0, '\x022157745a252beb9b1cf3696f4f151c901095555ec5b9851b46f02af88757350f9777179588aa83d75962b7c4257fac5f28c56928ab62cd6b560c11ad7c0f900fd408aa4095213ecbb34b2d68b48b31aaaf3a633014448a3b6f911177fdcd6853a6c103ae3132d48e3a3172e976fdb15be5d3ed0048609c477520eb55dd0326936b90fd8884b4df22c4c257504c03ab2354b77b7292fb56986973b038359f87f212', NULL),
	('job-855e328e-ebbe-4954-b831-5f014672f3e1', 1, NULL, 0, '\x022157745a22de545c9f866ad485d63dc797b9544a8d65a00f7ed21b05a77e9924b3a2498046887b5e6d66db33621040b0896856a02c7af37f076be31936bc785f9269e651cbe96888e1319c426aca46c329bb3f6bb01937f53e53396ea0f54dda2388dc6edb25e04aba3a2500d6d4ca925393af60f33d764074d936ac3554c71d4ea7e7b52a434f12b95eb207b559f901bca32f24fe8d1a0acad34fb6270f3ab364', NULL),
	('job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 2, 'lookup-92', 0, '\x022157745a9b55d030ab0b7b7164353fac09f6a3a0cd42657343943717f04fbaf603768828ad50c53cc5ff3b3df7a6c91c4eebaee82f9d81eb0d1e484e212253d231ba3b34c50ae3f6e1f4f37b9885e3401de37349a23bbd143dbbfc0e1da5f1ba1505078c0706f53aa040627d6fde6c31d4807d5c6e43ef48a480c5c489b1e2f9f590401e11a54858', NULL),
	('job-855e328e-ebbe-4954-b831-5f014672f3e1', 2, 'lookup-93', 0, '\x022157745a9e127d29f69dcc6527090c7f324fb39d34f4daa4ae26d7f177736be957bee5cf1d8e04c0e907e390019a1ddffe44bb56e5999857467efe50e5f4b8171fa893854b19025f8b4a066ca90bd411df7a0d4c6b3cfe920bec940a80ceccbf8b6e7e3164e53f4bb7cb74a7221919b4d7ec1e9d31f993d783b3f7ecdf9bfb22adf845eef570e560', NULL),
	('job-855e328e-ebbe-4954-b831-5f014672f3e1', 3, NULL, 0, '\x022157745a0e507843f13c8397350e9c988e72effcc45476aaa6e367e692e44a1dca1ebe30715f4e59c33aa297682e6c07854f3f415c577acbd11b0c9fa91fa778005613d59e8a85630d188c067cb2b97cc088b5f18677c718480e8dec0b3755f89a217bced2acfe8cb5f13d93e48f039e96b2078190e12eb46df6e4e631a0a95759e6b142c2cea0cc45bab3dfe25e7e1011c20f9c2b77b82380c046fc1cd24e4348', NULL),
	('job-34367d69-1478-8503-81b5-b96caeefa2bc', 0, NULL, 0, '\x022157745a8211e74f815dce075b44562eaee090d815da5b35a88becc58d0bf5af9179a143ab8da04a0eac51117be7d33fa7ff02042c1030e6ecf2d04d4843ccaa72222523d070b449d4ed9b', NULL),
	('job-fc99f6fe-388a-47f3-b3bb-26089ba77707', 0, NULL, 0, '\x022157745a13bfaef7fd815590199a02f93d6302cb5d551ea4ba6d173b9c273dc9602e6337f3085b965efac6ba12fa43b273d23074f5da18a6b1d27115c63e584835f59b3ded82a949863920', NULL);
INSERT INTO "public"."haft_runs" VALUES
	('job-f45e7a0f-5272-4fdf-ab16-9efc12200260', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'done', NULL, 3, '{"inputTokens":9,"outputTokens":6}', 1795035911739, 1795035912282, NULL, 1, 6, 1, 4294967313, 0, 2, 'a63fd8d6ac4f7b372750c071cce96c0bf704088e4f606e613c647eddcaa78ad1'),
	('job-738c6b02-a6d7-4e81-a48a-9b2715fea951', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'pending', 'A person must answer first.', 2, '{"inputTokens":6,"outputTokens":4}', 1795035912306, 1795035912559, NULL, 1, 5, 2, 4294967328, 0, 2, 'cdc0332563c5137fd83920902ffc992efecc410a1524ff44e257a39b1a288cf5'),
	('job-34367d69-1478-8503-81b5-b96caeefa2bc', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 0, '{"inputTokens":0,"outputTokens":0}', 1795035916031, 1795035916031, NULL, 1, 1, 7, 7, 0, 1, '3fb6ab792030670027db2c25128a81b8ec5c315d1cc7de7b5c9231551809fd6a'),
	('job-360d2cc3-847e-4393-9df2-171b31b43abc', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'pending', 'A person must answer first.', 2, '{"inputTokens":6,"outputTokens":4}', 1795035912603, 1795035913008, NULL, 1, 5, 3, 4294967343, 0, 2, 'f97d415f84a74a6863ba8f7faf7dc2313f9f196d86e52a675c45aad529865e77'),
	('schedule-71db1b28-2202-874c-8b08-77da6fc7201b', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 0, '{"inputTokens":0,"outputTokens":0}', 1795035913073, 1795035913073, NULL, 1, 1, 4, 4, 0, 1, 'd232df8d4a3e3e866987e2e83e17ac9d9d29b05a0af4e8c9e09c6ef13b15ef87'),
	('job-fc99f6fe-388a-47f3-b3bb-26089ba77707', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 0, '{"inputTokens":0,"outputTokens":0}', 1795035916099, 1795035916099, NULL, 1, 1, 8, 8, 0, 1, 'df9bec111408c973e9b3f37966831bdb9b84d22a915b2988bac0ec5ef16fb304'),
	('job-05729be8-3f3e-4faa-a9f6-d0a2df516578', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 1, '{"inputTokens":3,"outputTokens":2}', 1795035913259, 1795035915466, NULL, 1, 3, 5, 12884901891, 0, 3, '6033c66091f794a0b685fa9a1893b417daffa532bba60cce8a62cbb10a1d845a'),
	('job-855e328e-ebbe-4954-b831-5f014672f3e1', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 2, '{"inputTokens":6,"outputTokens":4}', 1795035913267, 1795035915484, NULL, 1, 4, 6, 12884901892, 0, 3, '99348a964aa85766574a0881bca139f67896c9ae919e3f3334fd1a2e8d589cce');
ALTER TABLE ONLY "haft_jobs"."bam"
    ADD CONSTRAINT "bam_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "haft_jobs"."haft_shares"
    ADD CONSTRAINT "haft_shares_pkey" PRIMARY KEY ("flow");
ALTER TABLE ONLY "haft_jobs"."haft_workers"
    ADD CONSTRAINT "haft_workers_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "haft_jobs"."job"
    ADD CONSTRAINT "job_pkey" PRIMARY KEY ("name", "id");
ALTER TABLE ONLY "haft_jobs"."job_common"
    ADD CONSTRAINT "job_common_pkey" PRIMARY KEY ("name", "id");
ALTER TABLE ONLY "haft_jobs"."job_dependency"
    ADD CONSTRAINT "job_dependency_pkey" PRIMARY KEY ("child_name", "child_id", "parent_name", "parent_id");
ALTER TABLE ONLY "haft_jobs"."queue"
    ADD CONSTRAINT "queue_pkey" PRIMARY KEY ("name");
ALTER TABLE ONLY "haft_jobs"."queue_stats"
    ADD CONSTRAINT "queue_stats_pkey" PRIMARY KEY ("id", "captured_on");
ALTER TABLE ONLY "haft_jobs"."queue_stats_20261118"
    ADD CONSTRAINT "queue_stats_20261118_pkey" PRIMARY KEY ("id", "captured_on");
ALTER TABLE ONLY "haft_jobs"."queue_stats_20261119"
    ADD CONSTRAINT "queue_stats_20261119_pkey" PRIMARY KEY ("id", "captured_on");
ALTER TABLE ONLY "haft_jobs"."schedule"
    ADD CONSTRAINT "schedule_pkey" PRIMARY KEY ("name", "key");
ALTER TABLE ONLY "haft_jobs"."subscription"
    ADD CONSTRAINT "subscription_pkey" PRIMARY KEY ("event", "name");
ALTER TABLE ONLY "haft_jobs"."version"
    ADD CONSTRAINT "version_pkey" PRIMARY KEY ("version");
ALTER TABLE ONLY "haft_jobs"."warning"
    ADD CONSTRAINT "warning_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."haft_approvals"
    ADD CONSTRAINT "haft_approvals_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."haft_breakers"
    ADD CONSTRAINT "haft_breakers_pkey" PRIMARY KEY ("name");
ALTER TABLE ONLY "public"."haft_chains"
    ADD CONSTRAINT "haft_chains_pkey" PRIMARY KEY ("chain");
ALTER TABLE ONLY "public"."haft_commits"
    ADD CONSTRAINT "haft_commits_pkey" PRIMARY KEY ("writer");
ALTER TABLE ONLY "public"."haft_entries_until_2026_11"
    ADD CONSTRAINT "haft_entries_entry_id_key" UNIQUE ("entry_id");
ALTER TABLE ONLY "public"."haft_entries_until_2026_11"
    ADD CONSTRAINT "haft_entries_pkey" PRIMARY KEY ("open_seq");
ALTER TABLE ONLY "public"."haft_keys"
    ADD CONSTRAINT "haft_keys_pkey" PRIMARY KEY ("key_hash");
ALTER TABLE ONLY "public"."haft_limits"
    ADD CONSTRAINT "haft_limits_pkey" PRIMARY KEY ("name");
ALTER TABLE ONLY "public"."haft_mail"
    ADD CONSTRAINT "haft_mail_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."haft_meta"
    ADD CONSTRAINT "haft_meta_pkey" PRIMARY KEY ("name");
ALTER TABLE ONLY "public"."haft_owners"
    ADD CONSTRAINT "haft_owners_pkey" PRIMARY KEY ("owner");
ALTER TABLE ONLY "public"."haft_payloads"
    ADD CONSTRAINT "haft_payloads_pkey" PRIMARY KEY ("entry_id", "kind");
ALTER TABLE ONLY "public"."haft_pool_jobs"
    ADD CONSTRAINT "haft_pool_jobs_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."haft_records_until_2026_11"
    ADD CONSTRAINT "haft_records_pkey" PRIMARY KEY ("seq");
ALTER TABLE ONLY "public"."haft_roots"
    ADD CONSTRAINT "haft_roots_pkey" PRIMARY KEY ("number");
ALTER TABLE ONLY "public"."haft_run_messages"
    ADD CONSTRAINT "haft_run_messages_pkey" PRIMARY KEY ("run_id", "number");
ALTER TABLE ONLY "public"."haft_runs"
    ADD CONSTRAINT "haft_runs_pkey" PRIMARY KEY ("run_id");
CREATE UNIQUE INDEX "job_common_i1" ON "haft_jobs"."job_common" USING "btree" ("name", COALESCE("singleton_key", ''::"text")) WHERE (("state" = 'created'::"haft_jobs"."job_state") AND ("policy" = 'short'::"text"));
CREATE INDEX "job_common_i10" ON "haft_jobs"."job_common" USING "btree" ("name", "singleton_key", "state" DESC, "created_on", "id") INCLUDE ("start_after") WHERE (("state" < 'active'::"haft_jobs"."job_state") AND (NOT "blocked") AND ("policy" = 'key_strict_fifo'::"text"));
CREATE INDEX "job_common_i11" ON "haft_jobs"."job_common" USING "btree" ("name", "priority" DESC, "created_on", "start_after") WHERE (("state" < 'active'::"haft_jobs"."job_state") AND (NOT "blocked"));
CREATE UNIQUE INDEX "job_common_i2" ON "haft_jobs"."job_common" USING "btree" ("name", COALESCE("singleton_key", ''::"text")) WHERE (("state" = 'active'::"haft_jobs"."job_state") AND ("policy" = 'singleton'::"text"));
CREATE UNIQUE INDEX "job_common_i3" ON "haft_jobs"."job_common" USING "btree" ("name", "state", COALESCE("singleton_key", ''::"text")) WHERE (("state" <= 'active'::"haft_jobs"."job_state") AND ("policy" = 'stately'::"text"));
CREATE UNIQUE INDEX "job_common_i4" ON "haft_jobs"."job_common" USING "btree" ("name", "singleton_on", COALESCE("singleton_key", ''::"text")) WHERE (("state" <> 'cancelled'::"haft_jobs"."job_state") AND ("singleton_on" IS NOT NULL));
CREATE UNIQUE INDEX "job_common_i6" ON "haft_jobs"."job_common" USING "btree" ("name", COALESCE("singleton_key", ''::"text")) WHERE (("state" <= 'active'::"haft_jobs"."job_state") AND ("policy" = 'exclusive'::"text"));
CREATE INDEX "job_common_i7" ON "haft_jobs"."job_common" USING "btree" ("name", "group_id") WHERE (("state" = 'active'::"haft_jobs"."job_state") AND ("group_id" IS NOT NULL));
CREATE UNIQUE INDEX "job_common_i8" ON "haft_jobs"."job_common" USING "btree" ("name", "singleton_key") WHERE (("state" = ANY (ARRAY['active'::"haft_jobs"."job_state", 'retry'::"haft_jobs"."job_state", 'failed'::"haft_jobs"."job_state"])) AND ("policy" = 'key_strict_fifo'::"text"));
CREATE INDEX "job_common_i9" ON "haft_jobs"."job_common" USING "btree" ("name", "id") WHERE ("blocking" AND ("state" = 'completed'::"haft_jobs"."job_state"));
CREATE INDEX "job_dep_parent_idx" ON "haft_jobs"."job_dependency" USING "btree" ("parent_name", "parent_id");
CREATE INDEX "queue_stats_i1" ON ONLY "haft_jobs"."queue_stats" USING "btree" ("name", "captured_on" DESC) INCLUDE ("deferred_count", "queued_count", "ready_count", "active_count", "failed_count", "total_count");
CREATE INDEX "queue_stats_20261118_name_captured_on_deferred_count_queued_idx" ON "haft_jobs"."queue_stats_20261118" USING "btree" ("name", "captured_on" DESC) INCLUDE ("deferred_count", "queued_count", "ready_count", "active_count", "failed_count", "total_count");
CREATE INDEX "queue_stats_20261119_name_captured_on_deferred_count_queued_idx" ON "haft_jobs"."queue_stats_20261119" USING "btree" ("name", "captured_on" DESC) INCLUDE ("deferred_count", "queued_count", "ready_count", "active_count", "failed_count", "total_count");
CREATE INDEX "warning_i1" ON "haft_jobs"."warning" USING "btree" ("created_on" DESC);
CREATE UNIQUE INDEX "haft_anchor_chain" ON "public"."haft_anchor" USING "btree" ("chain");
CREATE INDEX "haft_approvals_asked" ON "public"."haft_approvals" USING "btree" ("asked_seq");
CREATE INDEX "haft_approvals_entry" ON "public"."haft_approvals" USING "btree" ("entry_id");
CREATE INDEX "haft_approvals_run" ON "public"."haft_approvals" USING "btree" ("run_id");
CREATE INDEX "haft_approvals_standing" ON "public"."haft_approvals" USING "btree" ("tool", "definition") WHERE ("always" IS NOT NULL);
CREATE INDEX "haft_chains_owner" ON "public"."haft_chains" USING "btree" ("owner");
CREATE INDEX "haft_entries_agent" ON ONLY "public"."haft_entries" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_2026_12_agent" ON "public"."haft_entries_2026_12" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_at" ON ONLY "public"."haft_entries" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2026_12_at" ON "public"."haft_entries_2026_12" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_call" ON ONLY "public"."haft_entries" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2026_12_call" ON "public"."haft_entries_2026_12" USING "btree" ("call_id");
CREATE INDEX "haft_entries_elsewhere" ON ONLY "public"."haft_entries" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2026_12_elsewhere" ON "public"."haft_entries_2026_12" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_ending" ON ONLY "public"."haft_entries" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE INDEX "haft_entries_2026_12_ending" ON "public"."haft_entries_2026_12" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2026_12_entry_id" ON "public"."haft_entries_2026_12" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2026_12_open_seq" ON "public"."haft_entries_2026_12" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_run" ON ONLY "public"."haft_entries" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2026_12_run" ON "public"."haft_entries_2026_12" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_session" ON ONLY "public"."haft_entries" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_2026_12_session" ON "public"."haft_entries_2026_12" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_tool" ON ONLY "public"."haft_entries" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2026_12_tool" ON "public"."haft_entries_2026_12" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2027_01_agent" ON "public"."haft_entries_2027_01" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_2027_01_at" ON "public"."haft_entries_2027_01" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2027_01_call" ON "public"."haft_entries_2027_01" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2027_01_elsewhere" ON "public"."haft_entries_2027_01" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2027_01_ending" ON "public"."haft_entries_2027_01" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2027_01_entry_id" ON "public"."haft_entries_2027_01" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2027_01_open_seq" ON "public"."haft_entries_2027_01" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_2027_01_run" ON "public"."haft_entries_2027_01" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2027_01_session" ON "public"."haft_entries_2027_01" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_2027_01_tool" ON "public"."haft_entries_2027_01" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2027_02_agent" ON "public"."haft_entries_2027_02" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_2027_02_at" ON "public"."haft_entries_2027_02" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2027_02_call" ON "public"."haft_entries_2027_02" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2027_02_elsewhere" ON "public"."haft_entries_2027_02" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2027_02_ending" ON "public"."haft_entries_2027_02" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2027_02_entry_id" ON "public"."haft_entries_2027_02" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2027_02_open_seq" ON "public"."haft_entries_2027_02" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_2027_02_run" ON "public"."haft_entries_2027_02" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2027_02_session" ON "public"."haft_entries_2027_02" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_2027_02_tool" ON "public"."haft_entries_2027_02" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_until_2026_11_agent" ON "public"."haft_entries_until_2026_11" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_until_2026_11_at" ON "public"."haft_entries_until_2026_11" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_until_2026_11_call" ON "public"."haft_entries_until_2026_11" USING "btree" ("call_id");
CREATE INDEX "haft_entries_until_2026_11_elsewhere" ON "public"."haft_entries_until_2026_11" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_until_2026_11_ending" ON "public"."haft_entries_until_2026_11" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE INDEX "haft_entries_until_2026_11_run" ON "public"."haft_entries_until_2026_11" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_until_2026_11_session" ON "public"."haft_entries_until_2026_11" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_until_2026_11_tool" ON "public"."haft_entries_until_2026_11" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_keys_entry" ON "public"."haft_keys" USING "btree" ("entry_id");
CREATE INDEX "haft_keys_keyed" ON "public"."haft_keys" USING "btree" ("keyed_seq");
CREATE INDEX "haft_mail_recipient" ON "public"."haft_mail" USING "btree" ("recipient", "purpose");
CREATE INDEX "haft_pool_jobs_waiting" ON "public"."haft_pool_jobs" USING "btree" ("pool", "at") WHERE ("state" = 'waiting'::"text");
CREATE INDEX "haft_records_rare" ON ONLY "public"."haft_records" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE INDEX "haft_records_2026_12_rare" ON "public"."haft_records_2026_12" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2026_12_seq" ON "public"."haft_records_2026_12" USING "btree" ("seq");
CREATE INDEX "haft_records_steps" ON ONLY "public"."haft_records" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2026_12_steps" ON "public"."haft_records_2026_12" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2027_01_rare" ON "public"."haft_records_2027_01" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2027_01_seq" ON "public"."haft_records_2027_01" USING "btree" ("seq");
CREATE INDEX "haft_records_2027_01_steps" ON "public"."haft_records_2027_01" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2027_02_rare" ON "public"."haft_records_2027_02" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2027_02_seq" ON "public"."haft_records_2027_02" USING "btree" ("seq");
CREATE INDEX "haft_records_2027_02_steps" ON "public"."haft_records_2027_02" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_until_2026_11_rare" ON "public"."haft_records_until_2026_11" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE INDEX "haft_records_until_2026_11_steps" ON "public"."haft_records_until_2026_11" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_roots_hash" ON "public"."haft_roots" USING "btree" ("hash");
CREATE INDEX "haft_roots_whole" ON "public"."haft_roots" USING "btree" ("number") WHERE "is_whole";
CREATE INDEX "haft_runs_began" ON "public"."haft_runs" USING "btree" ("began_seq");
CREATE INDEX "haft_runs_free" ON "public"."haft_runs" USING "btree" ("run_id") WHERE (("owner" IS NULL) AND ("status" = ANY (ARRAY['running'::"text", 'pending'::"text"])));
CREATE INDEX "haft_runs_owner" ON "public"."haft_runs" USING "btree" ("owner") WHERE ("owner" IS NOT NULL);
CREATE INDEX "haft_runs_started" ON "public"."haft_runs" USING "btree" ("started_at", "began_seq");
ALTER INDEX "haft_jobs"."job_pkey" ATTACH PARTITION "haft_jobs"."job_common_pkey";
ALTER INDEX "haft_jobs"."queue_stats_i1" ATTACH PARTITION "haft_jobs"."queue_stats_20261118_name_captured_on_deferred_count_queued_idx";
ALTER INDEX "haft_jobs"."queue_stats_pkey" ATTACH PARTITION "haft_jobs"."queue_stats_20261118_pkey";
ALTER INDEX "haft_jobs"."queue_stats_i1" ATTACH PARTITION "haft_jobs"."queue_stats_20261119_name_captured_on_deferred_count_queued_idx";
ALTER INDEX "haft_jobs"."queue_stats_pkey" ATTACH PARTITION "haft_jobs"."queue_stats_20261119_pkey";
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_2026_12_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_2026_12_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_2026_12_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_2026_12_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_2026_12_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_2026_12_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_2026_12_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_2026_12_tool";
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_2027_01_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_2027_01_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_2027_01_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_2027_01_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_2027_01_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_2027_01_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_2027_01_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_2027_01_tool";
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_2027_02_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_2027_02_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_2027_02_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_2027_02_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_2027_02_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_2027_02_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_2027_02_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_2027_02_tool";
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_until_2026_11_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_until_2026_11_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_until_2026_11_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_until_2026_11_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_until_2026_11_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_until_2026_11_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_until_2026_11_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_until_2026_11_tool";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2026_12_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2026_12_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2027_01_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2027_01_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2027_02_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2027_02_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_until_2026_11_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_until_2026_11_steps";
CREATE TRIGGER "haft_records_fixed" BEFORE DELETE OR UPDATE ON "public"."haft_records" FOR EACH ROW EXECUTE FUNCTION "public"."haft_records_fixed"();
ALTER TABLE ONLY "haft_jobs"."job_common"
    ADD CONSTRAINT "dlq_fkey" FOREIGN KEY ("dead_letter") REFERENCES "haft_jobs"."queue"("name") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "haft_jobs"."job_common"
    ADD CONSTRAINT "q_fkey" FOREIGN KEY ("name") REFERENCES "haft_jobs"."queue"("name") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "haft_jobs"."queue"
    ADD CONSTRAINT "queue_dead_letter_fkey" FOREIGN KEY ("dead_letter") REFERENCES "haft_jobs"."queue"("name");
ALTER TABLE ONLY "haft_jobs"."schedule"
    ADD CONSTRAINT "schedule_name_fkey" FOREIGN KEY ("name") REFERENCES "haft_jobs"."queue"("name") ON DELETE CASCADE;
ALTER TABLE ONLY "haft_jobs"."subscription"
    ADD CONSTRAINT "subscription_name_fkey" FOREIGN KEY ("name") REFERENCES "haft_jobs"."queue"("name") ON DELETE CASCADE;
