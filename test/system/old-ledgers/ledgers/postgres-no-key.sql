SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION "public"."haft_records_fixed"() RETURNS "trigger"
    LANGUAGE "plpgsql"
    AS $$
   BEGIN
     IF TG_OP = 'DELETE' AND OLD.seq <= (SELECT seq FROM haft_anchor WHERE chain = OLD.chain) THEN RETURN OLD; END IF;
     RAISE EXCEPTION 'rows of the ledger do not change, and are only pruned from the beginning of their chain';
   END $$;
SET default_tablespace = '';
SET default_table_access_method = "heap";
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
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2026_12" FOR VALUES FROM (24323) TO (24324);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2027_01" FOR VALUES FROM (24324) TO (24325);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2027_02" FOR VALUES FROM (24325) TO (24326);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_until_2026_11" FOR VALUES FROM (MINVALUE) TO (24323);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2026_12" FOR VALUES FROM (24323) TO (24324);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2027_01" FOR VALUES FROM (24324) TO (24325);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2027_02" FOR VALUES FROM (24325) TO (24326);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_until_2026_11" FOR VALUES FROM (MINVALUE) TO (24323);
INSERT INTO "public"."haft_anchor" VALUES
	(0, '0000000000000000000000000000000000000000000000000000000000000000', 0),
	(4294967296, '0000000000000000000000000000000000000000000000000000000000000000', 1);
INSERT INTO "public"."haft_approvals" VALUES
	('906c78a2-ea6f-47e2-881d-4bc572d28b8e', 'entry-d94b0461ebde4051-9', 'run-d94b0461ebde4051-8', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 21, 1795035899108),
	('b5bdbbee-333d-411f-afb9-f3c3f744fdaf', 'entry-d94b0461ebde4051-c', 'run-d94b0461ebde4051-8', 'store_token', '763f7aaa441bcd77ac04787690add8433ad055401791d920f22c55be4236c457', 'waiting', NULL, 31, 1795035899108),
	('79ba53c3-b539-428e-a9eb-0a2de93c9f35', 'entry-d94b0461ebde4051-a', 'run-d94b0461ebde4051-8', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 33, 1795035899108),
	('e93b9a6c-55cb-47d7-9de3-8d4f89e733fb', 'entry-d94b0461ebde4051-b', 'run-d94b0461ebde4051-8', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 35, 1795035899108),
	('086ca2c4-096d-4cc9-a68f-ed6b9005ed6e', 'entry-d94b0461ebde4051-d', 'run-d94b0461ebde4051-8', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'answered', NULL, 23, 1795035899108),
	('1b2b8454-48c1-41e8-a8d9-5956c1226923', 'entry-d94b0461ebde4051-e', 'run-d94b0461ebde4051-8', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'answered', NULL, 25, 1795035899108),
	('de556c17-c198-4281-827c-08f7ca2f6167', 'entry-d94b0461ebde4051-f', 'run-d94b0461ebde4051-8', 'store_token', '763f7aaa441bcd77ac04787690add8433ad055401791d920f22c55be4236c457', 'answered', NULL, 27, 1795035899108),
	('bd37931b-da80-495c-bcd2-ed865ea107ab', 'entry-d94b0461ebde4051-g', 'run-d94b0461ebde4051-8', 'delete_file', '87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef', 'answered', NULL, 29, 1795035899108),
	('b7d80ec7-63da-4733-8a57-4dbaa2412ba6', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'used', NULL, 39, 1795035899764),
	('8fc55de9-7ee3-4788-82af-6f493edcacf6', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'used', NULL, 41, 1795035899764),
	('77e21a6d-8902-4933-802d-7637674c896e', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', 'delete_file', '87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef', 'used', 'session', 51, 1795035900019),
	('92ce3509-a092-4cb1-a262-408b9b2f92ff', 'entry-d94b0461ebde4051-u', 'run-d94b0461ebde4051-s', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 65, 1795035900417),
	('79ba8678-86a3-4bbe-ab66-fef710d4f34e', 'entry-01d2b15e36444359-2', 'run-01d2b15e36444359-1', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 4294967302, 1795035900746);
INSERT INTO "public"."haft_chains" VALUES
	(1, NULL, NULL, false),
	(0, NULL, NULL, false);
INSERT INTO "public"."haft_entries_until_2026_11" VALUES
	(4, 'entry-d94b0461ebde4051-5', 'invalid-input', 'run-d94b0461ebde4051-1', 'charge', 'clerk', 1795035898876, 'failed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 7, 7, 1795035898899, 0, 0, 0, NULL, NULL, 24322),
	(5, 'entry-d94b0461ebde4051-6', 'unknown-tool', 'run-d94b0461ebde4051-1', 'no_such_tool', 'clerk', 1795035898876, 'failed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 8, 8, 1795035898899, 0, 0, 0, NULL, NULL, 24322),
	(6, 'entry-d94b0461ebde4051-7', 'denied', 'run-d94b0461ebde4051-1', 'forbidden', 'clerk', 1795035898876, 'failed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 9, 9, 1795035898899, 0, 0, 0, NULL, NULL, 24322),
	(1, 'entry-d94b0461ebde4051-2', 'succeeded-read', 'run-d94b0461ebde4051-1', 'lookup', 'clerk', 1795035898876, 'executed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 10, 10, 1795035898900, 0, 0, 0, NULL, NULL, 24322),
	(2, 'entry-d94b0461ebde4051-3', 'succeeded', 'run-d94b0461ebde4051-1', 'charge', 'clerk', 1795035898876, 'executed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 11, 11, 1795035898900, 0, 0, 0, NULL, NULL, 24322),
	(3, 'entry-d94b0461ebde4051-4', 'failed', 'run-d94b0461ebde4051-1', 'charge', 'clerk', 1795035898876, 'failed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 12, 12, 1795035898900, 0, 0, 0, NULL, NULL, 24322),
	(13, 'entry-d94b0461ebde4051-9', 'pending', 'run-d94b0461ebde4051-8', 'refund', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 22, 22, 1795035899115, 0, 0, 0, NULL, NULL, 24322),
	(16, 'entry-d94b0461ebde4051-c', 'pending-secret', 'run-d94b0461ebde4051-8', 'store_token', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 32, 32, 1795035899125, 0, 0, 0, NULL, NULL, 24322),
	(14, 'entry-d94b0461ebde4051-a', 'pending-to-deny', 'run-d94b0461ebde4051-8', 'refund', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 34, 34, 1795035899125, 0, 0, 0, NULL, NULL, 24322),
	(15, 'entry-d94b0461ebde4051-b', 'pending-to-edit', 'run-d94b0461ebde4051-8', 'refund', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 36, 36, 1795035899125, 0, 0, 0, NULL, NULL, 24322),
	(17, 'entry-d94b0461ebde4051-d', 'approved', 'run-d94b0461ebde4051-8', 'refund', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 24, 24, 1795035899116, 0, 0, 0, NULL, '[4294967297]', 24322),
	(18, 'entry-d94b0461ebde4051-e', 'edited', 'run-d94b0461ebde4051-8', 'refund', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 26, 26, 1795035899117, 0, 0, 0, NULL, '[4294967298]', 24322),
	(19, 'entry-d94b0461ebde4051-f', 'approved-secret', 'run-d94b0461ebde4051-8', 'store_token', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 28, 28, 1795035899117, 0, 0, 0, NULL, '[4294967299]', 24322),
	(20, 'entry-d94b0461ebde4051-g', 'refused', 'run-d94b0461ebde4051-8', 'delete_file', 'clerk', 1795035899105, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 30, 30, 1795035899122, 0, 0, 0, NULL, '[4294967300]', 24322),
	(37, 'entry-d94b0461ebde4051-i', 'approved-and-made', 'run-d94b0461ebde4051-h', 'refund', 'clerk', 1795035899751, 'executed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', 45, 46, 46, 1795035899846, 0, 0, 0, NULL, NULL, 24322),
	(38, 'entry-d94b0461ebde4051-j', 'refused-and-closed', 'run-d94b0461ebde4051-h', 'refund', 'clerk', 1795035899751, 'failed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 49, 49, 1795035899915, 0, 0, 0, NULL, NULL, 24322),
	(63, 'entry-d94b0461ebde4051-u', 'call-d94b0461ebde4051-t', 'run-d94b0461ebde4051-s', 'refund', 'clerk', 1795035900415, 'pending', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 66, 66, 1795035900417, 0, 1, 0, NULL, NULL, 24322),
	(50, 'entry-d94b0461ebde4051-l', 'session-grant', 'run-d94b0461ebde4051-k', 'delete_file', 'clerk', 1795035900016, 'executed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', 55, 56, 56, 1795035900225, 0, 0, 0, 'monday', NULL, 24322),
	(57, 'entry-d94b0461ebde4051-o', 'call-d94b0461ebde4051-n', 'run-d94b0461ebde4051-m', 'charge', 'clerk', 1795035900312, 'executed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 59, 59, 1795035900369, 0, 1, 0, NULL, NULL, 24322),
	(4294967301, 'entry-01d2b15e36444359-2', 'expired', 'run-01d2b15e36444359-1', 'refund', 'clerk', 1795035900738, 'pending', 'd8270668-5748-4102-8303-e5dc3b661922', NULL, 4294967303, 4294967303, 1795035900749, 0, 0, 0, NULL, NULL, 24322),
	(60, 'entry-d94b0461ebde4051-r', 'call-d94b0461ebde4051-q', 'run-d94b0461ebde4051-p', 'charge', 'clerk', 1795035900375, 'failed', 'c7ccb677-b510-4c68-8dea-5b74e0205e5d', NULL, 62, 62, 1795035900413, 0, 1, 0, NULL, NULL, 24322);
INSERT INTO "public"."haft_keys" VALUES
	('3fea0745fa2a2baa8a5423f603fb29d36f94bb79c2169a796972d081bfe3e5db', 'entry-d94b0461ebde4051-o', '94e1b4711001ef8a24c1c73cfe027a9dee33f4b8cb1f39fc8fcec165ee2056e2', 58),
	('fe0971d950769fb2eab26671777d3ab6b454b2d31a697c555aad9a58aa092337', 'entry-d94b0461ebde4051-r', '4a9bee082a65b410151229af3b3df1024a61fd169ac278c830f90c83d2807577', 61),
	('81e7006d801206d04630972c837cc9f53a8f000f71160b52b3de6a89d9a09b75', 'entry-d94b0461ebde4051-u', '589754b7cbf3aefc2bd3eccfa1565d2f162461050edac5e9acb1f4bb2053b9c8', 64);
INSERT INTO "public"."haft_meta" VALUES
	('schema', '4');
INSERT INTO "public"."haft_records_until_2026_11" VALUES
	(1, 1795035898876, 'opened', 'entry-d94b0461ebde4051-2', 'run-d94b0461ebde4051-1', '{"agent":"clerk","callId":"succeeded-read","input":"{\"order\":1}","inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', 'f901f3001073fd179b49a5a35d710c8a31e1744f766bc28650ac8fa8599ff521', 0, '0000000000000000000000000000000000000000000000000000000000000000', NULL, NULL, 24322),
	(2, 1795035898876, 'opened', 'entry-d94b0461ebde4051-3', 'run-d94b0461ebde4051-1', '{"agent":"clerk","callId":"succeeded","input":"{\"order\":2}","inputHash":"cfffdf09bccf4a6136b4232ccf442edd05372b454ff140d206a460124c9d4fe2","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'b212d23be6d283c541e450631b62407f509fb21574aa14d14b27fed70d746663', 0, 'f901f3001073fd179b49a5a35d710c8a31e1744f766bc28650ac8fa8599ff521', NULL, NULL, 24322),
	(3, 1795035898876, 'opened', 'entry-d94b0461ebde4051-4', 'run-d94b0461ebde4051-1', '{"agent":"clerk","callId":"failed","input":"{\"order\":13}","inputHash":"a865148a787b3b5cd43442eeac41ee57c7b8c141b492f92884678c11e6979899","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '61d9decd5b2e582837f1376e65961776d1b6e8ed8be9861bdb80ca9ae5658f9d', 0, 'b212d23be6d283c541e450631b62407f509fb21574aa14d14b27fed70d746663', NULL, NULL, 24322),
	(4, 1795035898876, 'opened', 'entry-d94b0461ebde4051-5', 'run-d94b0461ebde4051-1', '{"agent":"clerk","callId":"invalid-input","input":"{\"order\":\"two\"}","inputHash":"748b1c224f6389b8629ef78b623b5566b918d990467cddb060abae5339c705af","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'ddfaa516267ed394a5aa9ac673256d5e350ea547473d91b53b97a1def51ac139', 0, '61d9decd5b2e582837f1376e65961776d1b6e8ed8be9861bdb80ca9ae5658f9d', NULL, NULL, 24322),
	(5, 1795035898876, 'opened', 'entry-d94b0461ebde4051-6', 'run-d94b0461ebde4051-1', '{"agent":"clerk","callId":"unknown-tool","input":"{}","inputHash":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","isExact":true,"tenant":"acme","tool":"no_such_tool","user":"ada"}', '5d400c1e6de505ee68e5ef3476fe6bfe0a42a365a65c65b40049ef1a4a6d2bcd', 0, 'ddfaa516267ed394a5aa9ac673256d5e350ea547473d91b53b97a1def51ac139', NULL, NULL, 24322),
	(6, 1795035898876, 'opened', 'entry-d94b0461ebde4051-7', 'run-d94b0461ebde4051-1', '{"agent":"clerk","callId":"denied","input":"{\"order\":1}","inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","isExact":true,"tenant":"acme","tool":"forbidden","user":"ada"}', '19bf0207c069ed5936ae4a1622904e15d3870b699d9a9e8581c28722f8434e63', 0, '5d400c1e6de505ee68e5ef3476fe6bfe0a42a365a65c65b40049ef1a4a6d2bcd', NULL, NULL, 24322),
	(7, 1795035898899, 'closed', 'entry-d94b0461ebde4051-5', 'run-d94b0461ebde4051-1', '{"attempts":[],"code":"invalid_input","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":22.949559,"ending":"failed","implementation":"function","isExact":true,"layers":[],"message":"The arguments of \"charge\" are invalid: /order must be integer, got string \"two\".","provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":false},"ran":false,"tool":"charge"}', '8162d61a7e50aacd0452a0e12c48b10fe0b41e19aa2061e1fc90dd38562ed5f0', 0, '19bf0207c069ed5936ae4a1622904e15d3870b699d9a9e8581c28722f8434e63', NULL, NULL, 24322),
	(8, 1795035898899, 'closed', 'entry-d94b0461ebde4051-6', 'run-d94b0461ebde4051-1', '{"attempts":[],"code":"unknown_tool","durationMs":23.202216,"ending":"failed","isExact":true,"message":"There is no tool named \"no_such_tool\". Tools you can use: charge, delete_file, lookup, read_page, refund, send_mail, set_status, store_token.","ran":false}', '90b97f71c05ac3cc1363420b39e5d195ec26bf9a2501d97566fac86b523c5fa9', 0, '8162d61a7e50aacd0452a0e12c48b10fe0b41e19aa2061e1fc90dd38562ed5f0', NULL, NULL, 24322),
	(9, 1795035898899, 'closed', 'entry-d94b0461ebde4051-7', 'run-d94b0461ebde4051-1', '{"attempts":[],"code":"not_visible","decision":"the deny list of \"clerk\" covers forbidden","durationMs":23.263648,"ending":"failed","isExact":true,"message":"The tool \"forbidden\" is not available to you. Tools you can use: charge, delete_file, lookup, read_page, refund, send_mail, set_status, store_token.","ran":false,"tool":"forbidden"}', '56b8e41f262892e4d3c3a6979dd62c62c831a15f2e7faaca5efe053be35eaed2', 0, '90b97f71c05ac3cc1363420b39e5d195ec26bf9a2501d97566fac86b523c5fa9', NULL, NULL, 24322),
	(10, 1795035898900, 'closed', 'entry-d94b0461ebde4051-2', 'run-d94b0461ebde4051-1', '{"attempts":[{"number":1,"startedAt":1795035898899,"inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":23.579158,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":1,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', '1fe038d8c992c0efb7a76f28d4882397897bf10b3a9eef62b2367e3286b81bb6', 0, '56b8e41f262892e4d3c3a6979dd62c62c831a15f2e7faaca5efe053be35eaed2', NULL, NULL, 24322),
	(11, 1795035898900, 'closed', 'entry-d94b0461ebde4051-3', 'run-d94b0461ebde4051-1', '{"attempts":[{"number":1,"startedAt":1795035898899,"inputHash":"cfffdf09bccf4a6136b4232ccf442edd05372b454ff140d206a460124c9d4fe2","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":23.536845,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":2,\"charged\":true}","ruleIds":[],"tool":"charge"}', 'df2d4c43bec3eeab1a6ee2e52166afcdce2d9e8ef6ea72377e1cd9b0ac5849d6', 0, '1fe038d8c992c0efb7a76f28d4882397897bf10b3a9eef62b2367e3286b81bb6', NULL, NULL, 24322),
	(12, 1795035898900, 'closed', 'entry-d94b0461ebde4051-4', 'run-d94b0461ebde4051-1', '{"attempts":[{"number":1,"startedAt":1795035898899,"inputHash":"a865148a787b3b5cd43442eeac41ee57c7b8c141b492f92884678c11e6979899","ending":"ended","ran":true}],"code":"failed","decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":23.641812,"ending":"failed","implementation":"function","isExact":true,"layers":[],"message":"The tool \"charge\" failed: The card was declined.","provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"ruleIds":[],"tool":"charge"}', '20ea652d0891561e136ed2df378d1690b481771e2ea4621eeaf5fa8f0957a7f8', 0, 'df2d4c43bec3eeab1a6ee2e52166afcdce2d9e8ef6ea72377e1cd9b0ac5849d6', NULL, NULL, 24322),
	(13, 1795035899105, 'opened', 'entry-d94b0461ebde4051-9', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"pending","input":"{\"order\":3}","inputHash":"24bb8eb07a0bf5b55eff11c6c0a5ccb1444885eb283b302cae0862c8c64e78ad","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '45020b178228109af750e50365d82304e123700b6ba981a56b7e9309c74b88ca', 0, '20ea652d0891561e136ed2df378d1690b481771e2ea4621eeaf5fa8f0957a7f8', NULL, NULL, 24322),
	(14, 1795035899105, 'opened', 'entry-d94b0461ebde4051-a', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"pending-to-deny","input":"{\"order\":9}","inputHash":"5f1bbb266dc182ff7c37390595d8d5875c9003674cddc7679182166449d70bf5","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '38c2b97488afa14615d299011cf7820d7fd15ee675ce261e98cbaad6d74910e0', 0, '45020b178228109af750e50365d82304e123700b6ba981a56b7e9309c74b88ca', NULL, NULL, 24322),
	(15, 1795035899105, 'opened', 'entry-d94b0461ebde4051-b', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"pending-to-edit","input":"{\"order\":10}","inputHash":"aa761e38378df77ac9b81362884427efc19ae1fafc2f759d17c79000afc949e0","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '658fcb83222b4aab30026d409b9e7435eea9d1a7607bfe080928f69c192166cd', 0, '38c2b97488afa14615d299011cf7820d7fd15ee675ce261e98cbaad6d74910e0', NULL, NULL, 24322),
	(16, 1795035899105, 'opened', 'entry-d94b0461ebde4051-c', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"pending-secret","input":"{\"owner\":\"bob\",\"token\":\"[redacted]\"}","inputHash":"caaf51a97080d0a64325f4b2e05df5c0efba4bf7c8e4f54a6d88d80a17aea039","isExact":false,"tenant":"acme","tool":"store_token","user":"ada"}', '48a72813d35714ed3880a18484e1603c18cfd6d6c5301cb70fe8ff196978b9e0', 0, '658fcb83222b4aab30026d409b9e7435eea9d1a7607bfe080928f69c192166cd', NULL, NULL, 24322),
	(17, 1795035899105, 'opened', 'entry-d94b0461ebde4051-d', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"approved","input":"{\"order\":4}","inputHash":"67922571d4de5798fb1ccf23ff5bbdeeea4e7ffee95078b05535549ad923006b","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', 'b289f01a5332dfdec5bdca023e23ec0b87df1b4102f1c460b5abec27b8c5fa92', 0, '48a72813d35714ed3880a18484e1603c18cfd6d6c5301cb70fe8ff196978b9e0', NULL, NULL, 24322),
	(18, 1795035899105, 'opened', 'entry-d94b0461ebde4051-e', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"edited","input":"{\"order\":5}","inputHash":"7aa86ac5c732c0e8b7e0bf6c135dce7e8d33f7e4a9f1ec926f5d4bd825b10a68","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', 'cc839aa41314c1498d0d399279061e7e35a35740cabf002a7d74e28d2eb89982', 0, 'b289f01a5332dfdec5bdca023e23ec0b87df1b4102f1c460b5abec27b8c5fa92', NULL, NULL, 24322),
	(19, 1795035899105, 'opened', 'entry-d94b0461ebde4051-f', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"approved-secret","input":"{\"owner\":\"eve\",\"token\":\"[redacted]\"}","inputHash":"74905510b120c107d434623e6ed0f70bea2e0b28c2763a71871174331f59661d","isExact":false,"tenant":"acme","tool":"store_token","user":"ada"}', '8fa436e1054c515b57586285477a9960f2d53f2c0adafc1e0b53efd28a1f0e91', 0, 'cc839aa41314c1498d0d399279061e7e35a35740cabf002a7d74e28d2eb89982', NULL, NULL, 24322),
	(20, 1795035899105, 'opened', 'entry-d94b0461ebde4051-g', 'run-d94b0461ebde4051-8', '{"agent":"clerk","callId":"refused","input":"{\"path\":\"/srv/a.txt\"}","inputHash":"2316526dcb7601933457ac1068c2c6f7b5c59ac682cad987545ed46efea6974f","isExact":true,"tenant":"acme","tool":"delete_file","user":"ada"}', '6c022507258ce79a5731df55b8f4a8050247b0f5fec5b4c5c42d9a56c1385f8b', 0, '8fa436e1054c515b57586285477a9960f2d53f2c0adafc1e0b53efd28a1f0e91', NULL, NULL, 24322),
	(21, 1795035899108, 'asked', 'entry-d94b0461ebde4051-9', 'run-d94b0461ebde4051-8', '{"callId":"pending","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899108,"id":"906c78a2-ea6f-47e2-881d-4bc572d28b8e","input":{"order":3},"inputHash":"24bb8eb07a0bf5b55eff11c6c0a5ccb1444885eb283b302cae0862c8c64e78ad","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', 'a03a7b0f55f840f84f591018865cde26e58e173fae39c1d5da00ab20120e6ec7', 0, '6c022507258ce79a5731df55b8f4a8050247b0f5fec5b4c5c42d9a56c1385f8b', NULL, NULL, 24322),
	(22, 1795035899115, 'closed', 'entry-d94b0461ebde4051-9', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":9.975058,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '98430e3a0d782fe9dc677d51aed52e5bce5fc989fa7e78a3864b7afa948a226b', 0, 'a03a7b0f55f840f84f591018865cde26e58e173fae39c1d5da00ab20120e6ec7', NULL, NULL, 24322),
	(23, 1795035899108, 'asked', 'entry-d94b0461ebde4051-d', 'run-d94b0461ebde4051-8', '{"callId":"approved","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899108,"id":"086ca2c4-096d-4cc9-a68f-ed6b9005ed6e","input":{"order":4},"inputHash":"67922571d4de5798fb1ccf23ff5bbdeeea4e7ffee95078b05535549ad923006b","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '229405555c78ceb8d22cd2f4fdc10675909319c1edad58cf827e33b4d018a2f3', 0, '98430e3a0d782fe9dc677d51aed52e5bce5fc989fa7e78a3864b7afa948a226b', NULL, NULL, 24322),
	(24, 1795035899116, 'closed', 'entry-d94b0461ebde4051-d', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":11.178403,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '53f96db252ba111e98a16cd3c9c08e25ae985e069b21debcd954abb8008d238d', 0, '229405555c78ceb8d22cd2f4fdc10675909319c1edad58cf827e33b4d018a2f3', NULL, NULL, 24322),
	(25, 1795035899108, 'asked', 'entry-d94b0461ebde4051-e', 'run-d94b0461ebde4051-8', '{"callId":"edited","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899108,"id":"1b2b8454-48c1-41e8-a8d9-5956c1226923","input":{"order":5},"inputHash":"7aa86ac5c732c0e8b7e0bf6c135dce7e8d33f7e4a9f1ec926f5d4bd825b10a68","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '603aeab9d05d95a9875fcc6327b79349b6a48797b5fd769ee79e1586dcf4dc4d', 0, '53f96db252ba111e98a16cd3c9c08e25ae985e069b21debcd954abb8008d238d', NULL, NULL, 24322),
	(26, 1795035899117, 'closed', 'entry-d94b0461ebde4051-e', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":12.164944,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', 'd25364aa2edddb082f31468ec8bd21c3bd77c3491d5c3554757e74fd3291d814', 0, '603aeab9d05d95a9875fcc6327b79349b6a48797b5fd769ee79e1586dcf4dc4d', NULL, NULL, 24322),
	(27, 1795035899108, 'asked', 'entry-d94b0461ebde4051-f', 'run-d94b0461ebde4051-8', '{"callId":"approved-secret","definition":"763f7aaa441bcd77ac04787690add8433ad055401791d920f22c55be4236c457","expiresAt":4950795899108,"id":"de556c17-c198-4281-827c-08f7ca2f6167","input":{"owner":"eve","token":"[redacted]"},"inputHash":"74905510b120c107d434623e6ed0f70bea2e0b28c2763a71871174331f59661d","isExact":false,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"store_token","reason":"the tool requires approval","tool":"store_token"}', 'ab2fc3eee2a119b1500dc76d8f3ac146b088234dc7ca90ffa3ed00217a61f084', 0, 'd25364aa2edddb082f31468ec8bd21c3bd77c3491d5c3554757e74fd3291d814', NULL, NULL, 24322),
	(38, 1795035899751, 'opened', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', '{"agent":"clerk","callId":"refused-and-closed","input":"{\"order\":8}","inputHash":"5425b0dde57d49e54a5128f7a9c7c34726bbc4d5196bc6dbc6d02a720b0a1a6d","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', 'b0dfd88f33c9ee4000d722f817cf8920dfaa90e8c130323ab3459a5c32fb387f', 0, '414938a59c0cd514d4b5afec65b5c4fcae5c66ef3f8f4cb397bcc56c198629ea', NULL, NULL, 24322),
	(28, 1795035899117, 'closed', 'entry-d94b0461ebde4051-f', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"763f7aaa441bcd77ac04787690add8433ad055401791d920f22c55be4236c457","durationMs":12.432783,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"store_token"}', '20761c135a617f1a6d7e7e470826aae522f3536f02ad236412ae5bb4fe925b9f', 0, 'ab2fc3eee2a119b1500dc76d8f3ac146b088234dc7ca90ffa3ed00217a61f084', NULL, NULL, 24322),
	(29, 1795035899108, 'asked', 'entry-d94b0461ebde4051-g', 'run-d94b0461ebde4051-8', '{"callId":"refused","definition":"87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef","expiresAt":4950795899108,"id":"bd37931b-da80-495c-bcd2-ed865ea107ab","input":{"path":"/srv/a.txt"},"inputHash":"2316526dcb7601933457ac1068c2c6f7b5c59ac682cad987545ed46efea6974f","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"delete_file","reason":"its risk is critical and no rule waives approval","tool":"delete_file"}', '7583797404cfde12416b5d9fad01494899e16c65355ee40ef013ea53c03b6da5', 0, '20761c135a617f1a6d7e7e470826aae522f3536f02ad236412ae5bb4fe925b9f', NULL, NULL, 24322),
	(30, 1795035899122, 'closed', 'entry-d94b0461ebde4051-g', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef","durationMs":17.093635,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"delete_file"}', '5d59a6fd253360f3a972fcca6cc81c3afed697fafd59eaffbe87a3e48b1ae88a', 0, '7583797404cfde12416b5d9fad01494899e16c65355ee40ef013ea53c03b6da5', NULL, NULL, 24322),
	(31, 1795035899108, 'asked', 'entry-d94b0461ebde4051-c', 'run-d94b0461ebde4051-8', '{"callId":"pending-secret","definition":"763f7aaa441bcd77ac04787690add8433ad055401791d920f22c55be4236c457","expiresAt":4950795899108,"id":"b5bdbbee-333d-411f-afb9-f3c3f744fdaf","input":{"owner":"bob","token":"[redacted]"},"inputHash":"caaf51a97080d0a64325f4b2e05df5c0efba4bf7c8e4f54a6d88d80a17aea039","isExact":false,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"store_token","reason":"the tool requires approval","tool":"store_token"}', '672b8bd3d0f869a4d9b0efd3b19a1cad0f759b22329f545d956e8014bdf77946', 0, '5d59a6fd253360f3a972fcca6cc81c3afed697fafd59eaffbe87a3e48b1ae88a', NULL, NULL, 24322),
	(32, 1795035899125, 'closed', 'entry-d94b0461ebde4051-c', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"763f7aaa441bcd77ac04787690add8433ad055401791d920f22c55be4236c457","durationMs":20.267268,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"store_token"}', 'f854b616fd5d9be905076a012703fd5ed0aa94efbef770442ac513f94d2afd9a', 0, '672b8bd3d0f869a4d9b0efd3b19a1cad0f759b22329f545d956e8014bdf77946', NULL, NULL, 24322),
	(33, 1795035899108, 'asked', 'entry-d94b0461ebde4051-a', 'run-d94b0461ebde4051-8', '{"callId":"pending-to-deny","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899108,"id":"79ba53c3-b539-428e-a9eb-0a2de93c9f35","input":{"order":9},"inputHash":"5f1bbb266dc182ff7c37390595d8d5875c9003674cddc7679182166449d70bf5","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '7f95f49656e8b08be972cd27f05126c6cf5a4ac43d5debeb2204d05ded98a004', 0, 'f854b616fd5d9be905076a012703fd5ed0aa94efbef770442ac513f94d2afd9a', NULL, NULL, 24322),
	(34, 1795035899125, 'closed', 'entry-d94b0461ebde4051-a', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":20.432775,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '73830a308e311962b0960c5f7542ce3074c6a79a6df761d79cd15b7e083c125e', 0, '7f95f49656e8b08be972cd27f05126c6cf5a4ac43d5debeb2204d05ded98a004', NULL, NULL, 24322),
	(35, 1795035899108, 'asked', 'entry-d94b0461ebde4051-b', 'run-d94b0461ebde4051-8', '{"callId":"pending-to-edit","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899108,"id":"e93b9a6c-55cb-47d7-9de3-8d4f89e733fb","input":{"order":10},"inputHash":"aa761e38378df77ac9b81362884427efc19ae1fafc2f759d17c79000afc949e0","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', 'b1f9d15d336f950dd0c0e0ad22c4f0cf13d6e8c7a35b908d5804a6ef207c5ab1', 0, '73830a308e311962b0960c5f7542ce3074c6a79a6df761d79cd15b7e083c125e', NULL, NULL, 24322),
	(36, 1795035899125, 'closed', 'entry-d94b0461ebde4051-b', 'run-d94b0461ebde4051-8', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":20.54359,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '4469c7732e4eef8e57db05299f6c9a8b7e1f451a737ec6c1fdfea007b272f1e5', 0, 'b1f9d15d336f950dd0c0e0ad22c4f0cf13d6e8c7a35b908d5804a6ef207c5ab1', NULL, NULL, 24322),
	(4294967297, 1795035899212, 'answered', 'entry-d94b0461ebde4051-d', 'run-d94b0461ebde4051-8', '{"at":1795035899212,"by":"grace","decision":{"kind":"allow"},"id":"086ca2c4-096d-4cc9-a68f-ed6b9005ed6e","isExact":true}', '3f6be97fc8d3eba252930ed8f56d71fe94c1e1fbe14b9e09c48fe8052c2c6651', 1, '0000000000000000000000000000000000000000000000000000000000000000', NULL, NULL, 24322),
	(4294967298, 1795035899242, 'answered', 'entry-d94b0461ebde4051-e', 'run-d94b0461ebde4051-8', '{"at":1795035899242,"by":"grace","decision":{"input":{"order":55},"kind":"edit"},"id":"1b2b8454-48c1-41e8-a8d9-5956c1226923","isExact":true}', '9e1fb94da637570ee0e6c59978c1e4c3f9fa4c05f3d8456719a20547e02c159a', 1, '3f6be97fc8d3eba252930ed8f56d71fe94c1e1fbe14b9e09c48fe8052c2c6651', NULL, NULL, 24322),
	(4294967299, 1795035899247, 'answered', 'entry-d94b0461ebde4051-f', 'run-d94b0461ebde4051-8', '{"at":1795035899247,"by":"grace","decision":{"kind":"allow"},"id":"de556c17-c198-4281-827c-08f7ca2f6167","isExact":true}', 'd477854e8b6817f344e775af2cfce51019b340caad02ce0b1e8839b986a8ae52', 1, '9e1fb94da637570ee0e6c59978c1e4c3f9fa4c05f3d8456719a20547e02c159a', NULL, NULL, 24322),
	(4294967300, 1795035899252, 'answered', 'entry-d94b0461ebde4051-g', 'run-d94b0461ebde4051-8', '{"at":1795035899252,"by":"grace","decision":{"kind":"deny","reason":"Keep it."},"id":"bd37931b-da80-495c-bcd2-ed865ea107ab","isExact":true}', '92822b8928167a0fcee4c8d1f782adc30b40d9af5fe6c2e9da84b4c70dd533e0', 1, 'd477854e8b6817f344e775af2cfce51019b340caad02ce0b1e8839b986a8ae52', NULL, NULL, 24322),
	(37, 1795035899751, 'opened', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"agent":"clerk","callId":"approved-and-made","input":"{\"order\":7}","inputHash":"8bcbace4a85bfd655264d50663d1000092824d9421d416b685402a8a18ea32d3","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '414938a59c0cd514d4b5afec65b5c4fcae5c66ef3f8f4cb397bcc56c198629ea', 0, '4469c7732e4eef8e57db05299f6c9a8b7e1f451a737ec6c1fdfea007b272f1e5', NULL, NULL, 24322),
	(39, 1795035899764, 'asked', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"callId":"approved-and-made","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899764,"id":"b7d80ec7-63da-4733-8a57-4dbaa2412ba6","input":{"order":7},"inputHash":"8bcbace4a85bfd655264d50663d1000092824d9421d416b685402a8a18ea32d3","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '86e0ee0969f77b3f050055abd82737fa410b063538d258be430f61a42fa44e73', 0, 'b0dfd88f33c9ee4000d722f817cf8920dfaa90e8c130323ab3459a5c32fb387f', NULL, NULL, 24322),
	(40, 1795035899771, 'closed', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":19.703367,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '4effdbb3d0c9221f5fcc23ecbd9f4b7039fe2cce696b04cde8a81279624d1c0b', 0, '86e0ee0969f77b3f050055abd82737fa410b063538d258be430f61a42fa44e73', NULL, NULL, 24322),
	(41, 1795035899764, 'asked', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', '{"callId":"refused-and-closed","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795899764,"id":"8fc55de9-7ee3-4788-82af-6f493edcacf6","input":{"order":8},"inputHash":"5425b0dde57d49e54a5128f7a9c7c34726bbc4d5196bc6dbc6d02a720b0a1a6d","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '7f7fb41ec526cb3e475a7bd61a47d57d0073e5bbbd03354b8e9fff49fcd4dde1', 0, '4effdbb3d0c9221f5fcc23ecbd9f4b7039fe2cce696b04cde8a81279624d1c0b', NULL, NULL, 24322),
	(42, 1795035899771, 'closed', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":19.921943,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '07279684ecf3badd1ba30c7207c076c224f496518b5d18e320786c26d2255747', 0, '7f7fb41ec526cb3e475a7bd61a47d57d0073e5bbbd03354b8e9fff49fcd4dde1', NULL, NULL, 24322),
	(43, 1795035899783, 'answered', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"at":1795035899783,"by":"grace","decision":{"kind":"allow"},"id":"b7d80ec7-63da-4733-8a57-4dbaa2412ba6","isExact":true}', 'ef55a74ed3b0ef88d01f10b123601778a68f3d7ee09186d1ad69816a98de4907', 0, '07279684ecf3badd1ba30c7207c076c224f496518b5d18e320786c26d2255747', NULL, NULL, 24322),
	(44, 1795035899783, 'used', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"id":"b7d80ec7-63da-4733-8a57-4dbaa2412ba6"}', '9a69d24b915af93fd866521eaf22956d55fe2ae9b30738ef18663463d0d28e28', 0, 'ef55a74ed3b0ef88d01f10b123601778a68f3d7ee09186d1ad69816a98de4907', NULL, NULL, 24322),
	(45, 1795035899844, 'started', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"decision":"approved by a person (its risk is high and no rule waives approval)","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","implementation":"function","layers":[],"ruleIds":[],"tool":"refund"}', '2e78e7d1f59cce0651f35f08b72180a54eb53bcb2e1f43686d627f1553e74103', 0, '9a69d24b915af93fd866521eaf22956d55fe2ae9b30738ef18663463d0d28e28', NULL, NULL, 24322),
	(46, 1795035899846, 'closed', 'entry-d94b0461ebde4051-i', 'run-d94b0461ebde4051-h', '{"attempts":[{"number":1,"startedAt":1795035899846,"inputHash":"8bcbace4a85bfd655264d50663d1000092824d9421d416b685402a8a18ea32d3","ending":"ended","ran":true}],"decision":"approved by a person (its risk is high and no rule waives approval)","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":95.582299,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":7,\"refunded\":true}","ruleIds":[],"tool":"refund"}', 'd55dc6252692a8b026af34e55dd27ee83a50c2b830c13b1b58498286cbe26556', 0, '2e78e7d1f59cce0651f35f08b72180a54eb53bcb2e1f43686d627f1553e74103', NULL, NULL, 24322);
INSERT INTO "public"."haft_records_until_2026_11" VALUES
	(47, 1795035899848, 'answered', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', '{"at":1795035899848,"by":"grace","decision":{"kind":"deny","reason":"No."},"id":"8fc55de9-7ee3-4788-82af-6f493edcacf6","isExact":true}', '9f8a26c3f2da8f22d5f4b1e349789781ab910d666223acaaa7a232d44e38c00d', 0, 'd55dc6252692a8b026af34e55dd27ee83a50c2b830c13b1b58498286cbe26556', NULL, NULL, 24322),
	(48, 1795035899848, 'used', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', '{"id":"8fc55de9-7ee3-4788-82af-6f493edcacf6"}', 'e82355e94ef23ac767249ce5af67eedab6a2c532abc4b73151e77c249ded279c', 0, '9f8a26c3f2da8f22d5f4b1e349789781ab910d666223acaaa7a232d44e38c00d', NULL, NULL, 24322),
	(49, 1795035899915, 'closed', 'entry-d94b0461ebde4051-j', 'run-d94b0461ebde4051-h', '{"attempts":[],"code":"approval_denied","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":163.653527,"ending":"failed","implementation":"function","isExact":true,"layers":[],"message":"The call of \"refund\" was not approved: No.","provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', 'd448676083a43de4f6eac1d73f673efbdbcc82a7eaf33e598b39b4aa195ce79a', 0, 'e82355e94ef23ac767249ce5af67eedab6a2c532abc4b73151e77c249ded279c', NULL, NULL, 24322),
	(50, 1795035900016, 'opened', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"agent":"clerk","callId":"session-grant","input":"{\"path\":\"/srv/b.txt\"}","inputHash":"61ef14fdb0fae0b1aa65a9b8a2dfd3f2b5447c0fd995c731e9f1b4ae0940b203","isExact":true,"session":"monday","tenant":"acme","tool":"delete_file","user":"ada"}', '9be7d395488df814fae1d69710ea344948911ffc4ce788c75946d021b000e867', 0, 'd448676083a43de4f6eac1d73f673efbdbcc82a7eaf33e598b39b4aa195ce79a', NULL, NULL, 24322),
	(51, 1795035900019, 'asked', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"callId":"session-grant","definition":"87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef","expiresAt":4950795900019,"id":"77e21a6d-8902-4933-802d-7637674c896e","input":{"path":"/srv/b.txt"},"inputHash":"61ef14fdb0fae0b1aa65a9b8a2dfd3f2b5447c0fd995c731e9f1b4ae0940b203","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"session":"monday","tenant":"acme","user":"ada"},"rawTool":"delete_file","reason":"its risk is critical and no rule waives approval","tool":"delete_file"}', 'afaae50b5a0a8c49facd05b70d9ee8cb858695a2998037bde2b9337d63188160', 0, '9be7d395488df814fae1d69710ea344948911ffc4ce788c75946d021b000e867', NULL, NULL, 24322),
	(52, 1795035900025, 'closed', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"attempts":[],"definition":"87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef","durationMs":8.536411,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"delete_file"}', 'baa975daa0f0c2ed51fce39c75502d256efbcae8dcaa0e23ee5363d87674fded', 0, 'afaae50b5a0a8c49facd05b70d9ee8cb858695a2998037bde2b9337d63188160', NULL, NULL, 24322),
	(53, 1795035900085, 'answered', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"at":1795035900085,"by":"grace","decision":{"always":"session","kind":"allow"},"id":"77e21a6d-8902-4933-802d-7637674c896e","isExact":true}', '27debe5772ae7a27ce0b6a54034a3a72fdb66e592674e39581c298e0593f4b47', 0, 'baa975daa0f0c2ed51fce39c75502d256efbcae8dcaa0e23ee5363d87674fded', NULL, NULL, 24322),
	(54, 1795035900085, 'used', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"id":"77e21a6d-8902-4933-802d-7637674c896e"}', '4d1142da3085854b458d08dd6890e2df73b3ff58392d256e170ee31fd12b45f5', 0, '27debe5772ae7a27ce0b6a54034a3a72fdb66e592674e39581c298e0593f4b47', NULL, NULL, 24322),
	(55, 1795035900224, 'started', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"decision":"approved by a person (its risk is critical and no rule waives approval)","definition":"87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef","implementation":"function","layers":[],"ruleIds":[],"tool":"delete_file"}', '4cd2566e7de20cb391fbc9c890f570c9fe88e938bf97adba54bb0376745c515c', 0, '4d1142da3085854b458d08dd6890e2df73b3ff58392d256e170ee31fd12b45f5', NULL, NULL, 24322),
	(56, 1795035900225, 'closed', 'entry-d94b0461ebde4051-l', 'run-d94b0461ebde4051-k', '{"attempts":[{"number":1,"startedAt":1795035900225,"inputHash":"61ef14fdb0fae0b1aa65a9b8a2dfd3f2b5447c0fd995c731e9f1b4ae0940b203","ending":"ended","ran":true}],"decision":"approved by a person (its risk is critical and no rule waives approval)","definition":"87110881562398b8f8f4df17b5f16ad10b05d16ee798b77e1713c1aa23d6d5ef","durationMs":208.934223,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"deleted\":\"/srv/b.txt\"}","ruleIds":[],"tool":"delete_file"}', '885edd0150824055bc4b080342df896f8099a7c6e076e4b8f86f083d79874167', 0, '4cd2566e7de20cb391fbc9c890f570c9fe88e938bf97adba54bb0376745c515c', NULL, NULL, 24322),
	(57, 1795035900312, 'opened', 'entry-d94b0461ebde4051-o', 'run-d94b0461ebde4051-m', '{"agent":"clerk","callId":"call-d94b0461ebde4051-n","correlationId":"keyed-20","input":"{\"order\":20}","inputHash":"6f1a233fc6d18d2899097606fb29c3d4f88450c4b90f42a826f4802c16f98b7d","isExact":true,"key":"charge-20","tenant":"acme","tool":"charge","user":"ada"}', '4e1a37ef6155151c621ffae216ffd8d668a8a71adbe47d42ca959b1847f31a26', 0, '885edd0150824055bc4b080342df896f8099a7c6e076e4b8f86f083d79874167', NULL, NULL, 24322),
	(58, 1795035900364, 'keyed', 'entry-d94b0461ebde4051-o', 'run-d94b0461ebde4051-m', '{"call":"94e1b4711001ef8a24c1c73cfe027a9dee33f4b8cb1f39fc8fcec165ee2056e2","key":"3fea0745fa2a2baa8a5423f603fb29d36f94bb79c2169a796972d081bfe3e5db"}', 'e9893e068bd9e2b0ca0f2836a87a9f280963988b94826e32212d03dae3e09eb0', 0, '4e1a37ef6155151c621ffae216ffd8d668a8a71adbe47d42ca959b1847f31a26', NULL, NULL, 24322),
	(59, 1795035900369, 'closed', 'entry-d94b0461ebde4051-o', 'run-d94b0461ebde4051-m', '{"attempts":[{"number":1,"startedAt":1795035900369,"inputHash":"6f1a233fc6d18d2899097606fb29c3d4f88450c4b90f42a826f4802c16f98b7d","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":57.206924,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":20,\"charged\":true}","ruleIds":[],"tool":"charge"}', '45ef954404b678b4467f262599607bc19d3bc684aa1b9f3a035536a55dae3e1c', 0, 'e9893e068bd9e2b0ca0f2836a87a9f280963988b94826e32212d03dae3e09eb0', NULL, NULL, 24322),
	(60, 1795035900375, 'opened', 'entry-d94b0461ebde4051-r', 'run-d94b0461ebde4051-p', '{"agent":"clerk","callId":"call-d94b0461ebde4051-q","correlationId":"keyed-13","input":"{\"order\":13}","inputHash":"a865148a787b3b5cd43442eeac41ee57c7b8c141b492f92884678c11e6979899","isExact":true,"key":"charge-13","tenant":"acme","tool":"charge","user":"ada"}', '7df9eee7cf183688b80c940a44cec88e367ef2e4f20eb0d55ecbc782edf6bffa', 0, '45ef954404b678b4467f262599607bc19d3bc684aa1b9f3a035536a55dae3e1c', NULL, NULL, 24322),
	(61, 1795035900394, 'keyed', 'entry-d94b0461ebde4051-r', 'run-d94b0461ebde4051-p', '{"call":"4a9bee082a65b410151229af3b3df1024a61fd169ac278c830f90c83d2807577","key":"fe0971d950769fb2eab26671777d3ab6b454b2d31a697c555aad9a58aa092337"}', 'cf2054246950b3b5979ae5d56e266b19650c1edb4ff466949c1c249b43c6049f', 0, '7df9eee7cf183688b80c940a44cec88e367ef2e4f20eb0d55ecbc782edf6bffa', NULL, NULL, 24322),
	(62, 1795035900413, 'closed', 'entry-d94b0461ebde4051-r', 'run-d94b0461ebde4051-p', '{"attempts":[{"number":1,"startedAt":1795035900413,"inputHash":"a865148a787b3b5cd43442eeac41ee57c7b8c141b492f92884678c11e6979899","ending":"ended","ran":true}],"code":"failed","decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":37.669214,"ending":"failed","implementation":"function","isExact":true,"layers":[],"message":"The tool \"charge\" failed: The card was declined.","provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"ruleIds":[],"tool":"charge"}', '3969d520ac56d60db1c8e32ac8b7e80dff27a519b2deaa5bd4826f8fbd824e67', 0, 'cf2054246950b3b5979ae5d56e266b19650c1edb4ff466949c1c249b43c6049f', NULL, NULL, 24322),
	(63, 1795035900415, 'opened', 'entry-d94b0461ebde4051-u', 'run-d94b0461ebde4051-s', '{"agent":"clerk","callId":"call-d94b0461ebde4051-t","correlationId":"keyed-21","input":"{\"order\":21}","inputHash":"a2e499545aa693bfd8f0d8b8b7a2cd8e855e7c5cc5e28d7f0d3e73367751a898","isExact":true,"key":"refund-21","tenant":"acme","tool":"refund","user":"ada"}', '41e0c228ebecbb0a77a1f53a81cb418e95e944a36bfc7e60e87e3f307c32db96', 0, '3969d520ac56d60db1c8e32ac8b7e80dff27a519b2deaa5bd4826f8fbd824e67', NULL, NULL, 24322),
	(64, 1795035900416, 'keyed', 'entry-d94b0461ebde4051-u', 'run-d94b0461ebde4051-s', '{"call":"589754b7cbf3aefc2bd3eccfa1565d2f162461050edac5e9acb1f4bb2053b9c8","key":"81e7006d801206d04630972c837cc9f53a8f000f71160b52b3de6a89d9a09b75"}', 'd8444f201f220ebfac1c3256b82c20b4e08139477a15571d2644f0283a5f63d5', 0, '41e0c228ebecbb0a77a1f53a81cb418e95e944a36bfc7e60e87e3f307c32db96', NULL, NULL, 24322),
	(65, 1795035900417, 'asked', 'entry-d94b0461ebde4051-u', 'run-d94b0461ebde4051-s', '{"callId":"call-d94b0461ebde4051-t","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795900417,"id":"92ce3509-a092-4cb1-a262-408b9b2f92ff","input":{"order":21},"inputHash":"a2e499545aa693bfd8f0d8b8b7a2cd8e855e7c5cc5e28d7f0d3e73367751a898","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', 'ba2a8135d24cfe89966bdbccc8a723f0666a557648c18af62fd43773521bc6b0', 0, 'd8444f201f220ebfac1c3256b82c20b4e08139477a15571d2644f0283a5f63d5', NULL, NULL, 24322),
	(66, 1795035900417, 'closed', 'entry-d94b0461ebde4051-u', 'run-d94b0461ebde4051-s', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":2.338428,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '27841729570017756d4372d28cd5b6bd1ab4a30c83ce07bd2f9735493975c94d', 0, 'ba2a8135d24cfe89966bdbccc8a723f0666a557648c18af62fd43773521bc6b0', NULL, NULL, 24322),
	(4294967301, 1795035900738, 'opened', 'entry-01d2b15e36444359-2', 'run-01d2b15e36444359-1', '{"agent":"clerk","callId":"expired","input":"{\"order\":6}","inputHash":"8d9ab5618991037235c4d7abd3643a9bf84e0e75a7cf7b9fe527c0950157b7c8","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '3225761181a088199764a093887b37af66c4df9e1935bca3d7350a94177bbd59', 1, '92822b8928167a0fcee4c8d1f782adc30b40d9af5fe6c2e9da84b4c70dd533e0', NULL, NULL, 24322),
	(4294967302, 1795035900746, 'asked', 'entry-01d2b15e36444359-2', 'run-01d2b15e36444359-1', '{"callId":"expired","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":1795035900747,"id":"79ba8678-86a3-4bbe-ab66-fef710d4f34e","input":{"order":6},"inputHash":"8d9ab5618991037235c4d7abd3643a9bf84e0e75a7cf7b9fe527c0950157b7c8","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', 'cad86c3fc5456597b515797b83d39ee26cf674e6e07ec93eedfdef747c467119', 1, '3225761181a088199764a093887b37af66c4df9e1935bca3d7350a94177bbd59', NULL, NULL, 24322),
	(4294967303, 1795035900749, 'closed', 'entry-01d2b15e36444359-2', 'run-01d2b15e36444359-1', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":11.011343,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '0c7d72a4a69362ebc57a0a1bd5ad4ac60f36928d47b75cc738fc679be17c78d2', 1, 'cad86c3fc5456597b515797b83d39ee26cf674e6e07ec93eedfdef747c467119', NULL, NULL, 24322);
ALTER TABLE ONLY "public"."haft_approvals"
    ADD CONSTRAINT "haft_approvals_pkey" PRIMARY KEY ("id");
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
ALTER TABLE ONLY "public"."haft_meta"
    ADD CONSTRAINT "haft_meta_pkey" PRIMARY KEY ("name");
ALTER TABLE ONLY "public"."haft_owners"
    ADD CONSTRAINT "haft_owners_pkey" PRIMARY KEY ("owner");
ALTER TABLE ONLY "public"."haft_payloads"
    ADD CONSTRAINT "haft_payloads_pkey" PRIMARY KEY ("entry_id", "kind");
ALTER TABLE ONLY "public"."haft_records_until_2026_11"
    ADD CONSTRAINT "haft_records_pkey" PRIMARY KEY ("seq");
ALTER TABLE ONLY "public"."haft_roots"
    ADD CONSTRAINT "haft_roots_pkey" PRIMARY KEY ("number");
ALTER TABLE ONLY "public"."haft_run_messages"
    ADD CONSTRAINT "haft_run_messages_pkey" PRIMARY KEY ("run_id", "number");
ALTER TABLE ONLY "public"."haft_runs"
    ADD CONSTRAINT "haft_runs_pkey" PRIMARY KEY ("run_id");
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
CREATE INDEX "haft_runs_owner" ON "public"."haft_runs" USING "btree" ("owner") WHERE ("owner" IS NOT NULL);
CREATE INDEX "haft_runs_started" ON "public"."haft_runs" USING "btree" ("started_at", "began_seq");
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
