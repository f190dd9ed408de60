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
    "month" integer DEFAULT 24319 NOT NULL
)
PARTITION BY RANGE ("month");
CREATE TABLE "public"."haft_entries_2026_09" (
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_entries_2026_09_month" CHECK (("month" = 24320))
);
CREATE TABLE "public"."haft_entries_2026_10" (
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_entries_2026_10_month" CHECK (("month" = 24321))
);
CREATE TABLE "public"."haft_entries_2026_11" (
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_entries_2026_11_month" CHECK (("month" = 24322))
);
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
    "month" integer DEFAULT 24319 NOT NULL,
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
    "month" integer DEFAULT 24319 NOT NULL,
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_entries_2027_02_month" CHECK (("month" = 24325))
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
    "month" integer DEFAULT 24319 NOT NULL
)
PARTITION BY RANGE ("month");
CREATE TABLE "public"."haft_records_2026_09" (
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_records_2026_09_month" CHECK (("month" = 24320))
);
CREATE TABLE "public"."haft_records_2026_10" (
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_records_2026_10_month" CHECK (("month" = 24321))
);
CREATE TABLE "public"."haft_records_2026_11" (
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_records_2026_11_month" CHECK (("month" = 24322))
);
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
    "month" integer DEFAULT 24319 NOT NULL,
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
    "month" integer DEFAULT 24319 NOT NULL,
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
    "month" integer DEFAULT 24319 NOT NULL,
    CONSTRAINT "haft_records_2027_02_month" CHECK (("month" = 24325))
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
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2026_09" FOR VALUES FROM (24320) TO (24321);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2026_10" FOR VALUES FROM (24321) TO (24322);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2026_11" FOR VALUES FROM (24322) TO (24323);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2026_12" FOR VALUES FROM (24323) TO (24324);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2027_01" FOR VALUES FROM (24324) TO (24325);
ALTER TABLE ONLY "public"."haft_entries" ATTACH PARTITION "public"."haft_entries_2027_02" FOR VALUES FROM (24325) TO (24326);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2026_09" FOR VALUES FROM (24320) TO (24321);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2026_10" FOR VALUES FROM (24321) TO (24322);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2026_11" FOR VALUES FROM (24322) TO (24323);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2026_12" FOR VALUES FROM (24323) TO (24324);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2027_01" FOR VALUES FROM (24324) TO (24325);
ALTER TABLE ONLY "public"."haft_records" ATTACH PARTITION "public"."haft_records_2027_02" FOR VALUES FROM (24325) TO (24326);
INSERT INTO "public"."haft_anchor" VALUES
	(10, 'ac1ebb20ee23691dfbfeed65812927e8a50d38673bdba95bea7ee7f037ab819c', 0);
INSERT INTO "public"."haft_approvals" VALUES
	('47a9c982-371f-4ecd-b681-dfccc920bee4', 'entry-9cb7e0eb5daa4f75-c', 'run-9cb7e0eb5daa4f75-b', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 22, 1792011909877);
INSERT INTO "public"."haft_chains" VALUES
	(0, NULL, NULL, false);
INSERT INTO "public"."haft_entries_2026_10" VALUES
	(11, 'entry-9cb7e0eb5daa4f75-2', 'old-1', 'run-9cb7e0eb5daa4f75-1', 'charge', 'clerk', 1792011909790, 'executed', '01c07115-63b1-4b81-b781-2286648c9904', NULL, 12, 12, 1792011909858, 0, 0, 0, NULL, NULL, 24321),
	(13, 'entry-9cb7e0eb5daa4f75-4', 'old-2', 'run-9cb7e0eb5daa4f75-3', 'charge', 'clerk', 1792011909861, 'executed', '01c07115-63b1-4b81-b781-2286648c9904', NULL, 14, 14, 1792011909863, 0, 0, 0, NULL, NULL, 24321),
	(15, 'entry-9cb7e0eb5daa4f75-6', 'old-3', 'run-9cb7e0eb5daa4f75-5', 'charge', 'clerk', 1792011909865, 'executed', '01c07115-63b1-4b81-b781-2286648c9904', NULL, 16, 16, 1792011909866, 0, 0, 0, NULL, NULL, 24321),
	(17, 'entry-9cb7e0eb5daa4f75-8', 'old-4', 'run-9cb7e0eb5daa4f75-7', 'charge', 'clerk', 1792011909867, 'executed', '01c07115-63b1-4b81-b781-2286648c9904', NULL, 18, 18, 1792011909868, 0, 0, 0, NULL, NULL, 24321),
	(19, 'entry-9cb7e0eb5daa4f75-a', 'old-5', 'run-9cb7e0eb5daa4f75-9', 'charge', 'clerk', 1792011909869, 'executed', '01c07115-63b1-4b81-b781-2286648c9904', NULL, 20, 20, 1792011909871, 0, 0, 0, NULL, NULL, 24321),
	(21, 'entry-9cb7e0eb5daa4f75-c', 'older-pending', 'run-9cb7e0eb5daa4f75-b', 'refund', 'clerk', 1792011909875, 'pending', '01c07115-63b1-4b81-b781-2286648c9904', NULL, 23, 23, 1792011909879, 0, 0, 0, NULL, NULL, 24321);
INSERT INTO "public"."haft_entries_2026_11" VALUES
	(24, 'entry-80827653d3064d1e-2', 'new-1', 'run-80827653d3064d1e-1', 'charge', 'clerk', 1795035910142, 'executed', '4e4c79f7-1cf7-443d-9f2a-80233e865b70', NULL, 25, 25, 1795035910183, 0, 0, 0, NULL, NULL, 24322),
	(26, 'entry-80827653d3064d1e-4', 'new-2', 'run-80827653d3064d1e-3', 'charge', 'clerk', 1795035910186, 'executed', '4e4c79f7-1cf7-443d-9f2a-80233e865b70', NULL, 27, 27, 1795035910199, 0, 0, 0, NULL, NULL, 24322),
	(28, 'entry-80827653d3064d1e-6', 'new-3', 'run-80827653d3064d1e-5', 'charge', 'clerk', 1795035910205, 'executed', '4e4c79f7-1cf7-443d-9f2a-80233e865b70', NULL, 29, 29, 1795035910207, 0, 0, 0, NULL, NULL, 24322);
INSERT INTO "public"."haft_meta" VALUES
	('schema', '4'),
	('months_from', '24320');
INSERT INTO "public"."haft_records_2026_10" VALUES
	(11, 1792011909790, 'opened', 'entry-9cb7e0eb5daa4f75-2', 'run-9cb7e0eb5daa4f75-1', '{"agent":"clerk","callId":"old-1","input":"{\"order\":1}","inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'd7f9cac434517bfb00054863fc1301fa57e92d9ff03db6fc17a56737a95a7bea', 0, 'ac1ebb20ee23691dfbfeed65812927e8a50d38673bdba95bea7ee7f037ab819c', 'rKj31h_gb3jC0HMEfguQ8yBg_aGApej84u4wfdprMJM', '2157745a', 24321),
	(12, 1792011909858, 'closed', 'entry-9cb7e0eb5daa4f75-2', 'run-9cb7e0eb5daa4f75-1', '{"attempts":[{"number":1,"startedAt":1792011909856,"inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":67.021652,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":1,\"charged\":true}","ruleIds":[],"tool":"charge"}', '568d3e6a097675b5dc78dc047f76c62555631277fb138a1709529d17aadf1ec7', 0, 'd7f9cac434517bfb00054863fc1301fa57e92d9ff03db6fc17a56737a95a7bea', 'g1QqgjahiSGdWuPRpE7wKwWjQtOFDiNUe2ce4Bd4SS8', '2157745a', 24321),
	(13, 1792011909861, 'opened', 'entry-9cb7e0eb5daa4f75-4', 'run-9cb7e0eb5daa4f75-3', '{"agent":"clerk","callId":"old-2","input":"{\"order\":2}","inputHash":"cfffdf09bccf4a6136b4232ccf442edd05372b454ff140d206a460124c9d4fe2","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'a53dc5daa17cad18ae7e25d9d5a7a6d9e087c9db5317b1ca32c6291e9a80de55', 0, '568d3e6a097675b5dc78dc047f76c62555631277fb138a1709529d17aadf1ec7', '_SU9YtoZ_srXxdTMg0wKfd0zhIsrNkAq4VSyIG3e6YU', '2157745a', 24321),
	(14, 1792011909863, 'closed', 'entry-9cb7e0eb5daa4f75-4', 'run-9cb7e0eb5daa4f75-3', '{"attempts":[{"number":1,"startedAt":1792011909863,"inputHash":"cfffdf09bccf4a6136b4232ccf442edd05372b454ff140d206a460124c9d4fe2","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":2.617484,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":2,\"charged\":true}","ruleIds":[],"tool":"charge"}', '16e131832bec8f7390108f160362305a510f92833e297c4499d78fa80d6ccb48', 0, 'a53dc5daa17cad18ae7e25d9d5a7a6d9e087c9db5317b1ca32c6291e9a80de55', 'AgF6ITChkH9TBwNCLeSLhE1ahOgyKGqnYnH2IuOfd8I', '2157745a', 24321),
	(15, 1792011909865, 'opened', 'entry-9cb7e0eb5daa4f75-6', 'run-9cb7e0eb5daa4f75-5', '{"agent":"clerk","callId":"old-3","input":"{\"order\":3}","inputHash":"24bb8eb07a0bf5b55eff11c6c0a5ccb1444885eb283b302cae0862c8c64e78ad","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '5b3f702b8b6b43712bd63b84a68f5cedc55fecd35546329210b2cf970aa44e01', 0, '16e131832bec8f7390108f160362305a510f92833e297c4499d78fa80d6ccb48', 'nWXTxW5p4mBKY-mZ5oN9VcR4XrO5qCyEtemEFVBuikk', '2157745a', 24321),
	(16, 1792011909866, 'closed', 'entry-9cb7e0eb5daa4f75-6', 'run-9cb7e0eb5daa4f75-5', '{"attempts":[{"number":1,"startedAt":1792011909866,"inputHash":"24bb8eb07a0bf5b55eff11c6c0a5ccb1444885eb283b302cae0862c8c64e78ad","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":1.201111,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":3,\"charged\":true}","ruleIds":[],"tool":"charge"}', 'ae107b85f8a4b29c2a1311f2b938dbb9a1739855431efa46c88072dd6dfb0e2b', 0, '5b3f702b8b6b43712bd63b84a68f5cedc55fecd35546329210b2cf970aa44e01', 'F3bN0J5r44taUCenI-T50phTwrgA1AUGaKH2zHsYkLs', '2157745a', 24321),
	(17, 1792011909867, 'opened', 'entry-9cb7e0eb5daa4f75-8', 'run-9cb7e0eb5daa4f75-7', '{"agent":"clerk","callId":"old-4","input":"{\"order\":4}","inputHash":"67922571d4de5798fb1ccf23ff5bbdeeea4e7ffee95078b05535549ad923006b","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'c7098e5d570601721cf75f4c79af65ee319d8c868fd1ce724d265790f44f9be7', 0, 'ae107b85f8a4b29c2a1311f2b938dbb9a1739855431efa46c88072dd6dfb0e2b', 'pM6ncsDUfgwtKe5AzD3p54hDjGfdpOTEON_2qP1zNTI', '2157745a', 24321),
	(18, 1792011909868, 'closed', 'entry-9cb7e0eb5daa4f75-8', 'run-9cb7e0eb5daa4f75-7', '{"attempts":[{"number":1,"startedAt":1792011909868,"inputHash":"67922571d4de5798fb1ccf23ff5bbdeeea4e7ffee95078b05535549ad923006b","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":0.969416,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":4,\"charged\":true}","ruleIds":[],"tool":"charge"}', '97d0539e87d24b6844b68abb6d03814bd520589b0efae0fb6d519e9f4f5217f9', 0, 'c7098e5d570601721cf75f4c79af65ee319d8c868fd1ce724d265790f44f9be7', 'NjiD-q_f7cdSFnVjjm16z54j5k24PfX1t5UB-Ka-NEg', '2157745a', 24321),
	(19, 1792011909869, 'opened', 'entry-9cb7e0eb5daa4f75-a', 'run-9cb7e0eb5daa4f75-9', '{"agent":"clerk","callId":"old-5","input":"{\"order\":5}","inputHash":"7aa86ac5c732c0e8b7e0bf6c135dce7e8d33f7e4a9f1ec926f5d4bd825b10a68","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '60b4fd8010c671a6cce284e70d8de48ea36d766b446152f77f784a23ab4ca276', 0, '97d0539e87d24b6844b68abb6d03814bd520589b0efae0fb6d519e9f4f5217f9', 'UrqcYkTMbsV53JEp6mcvfaVc6zn8bJWSPpvd0NrpUvo', '2157745a', 24321),
	(20, 1792011909871, 'closed', 'entry-9cb7e0eb5daa4f75-a', 'run-9cb7e0eb5daa4f75-9', '{"attempts":[{"number":1,"startedAt":1792011909870,"inputHash":"7aa86ac5c732c0e8b7e0bf6c135dce7e8d33f7e4a9f1ec926f5d4bd825b10a68","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":1.371075,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":5,\"charged\":true}","ruleIds":[],"tool":"charge"}', '3e15d351aaa1568736138b1312ffa588f08c9aa7edc5a92e3b458f6f29480758', 0, '60b4fd8010c671a6cce284e70d8de48ea36d766b446152f77f784a23ab4ca276', 'i5_I0WGlI3YjEMPJD3tL9Zzvtqr5Pk8dGSWniu_pIaY', '2157745a', 24321),
	(21, 1792011909875, 'opened', 'entry-9cb7e0eb5daa4f75-c', 'run-9cb7e0eb5daa4f75-b', '{"agent":"clerk","callId":"older-pending","input":"{\"order\":7}","inputHash":"8bcbace4a85bfd655264d50663d1000092824d9421d416b685402a8a18ea32d3","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '55cde3e7409600b8d48ba2c6ff0735435f24cc8eb49b8cce8a8f37e6f7efe8fd', 0, '3e15d351aaa1568736138b1312ffa588f08c9aa7edc5a92e3b458f6f29480758', 'AJOSsvUxn8eEuopr21kZ-nl1I7fkCiBz9QGPDA-X9ME', '2157745a', 24321),
	(22, 1792011909877, 'asked', 'entry-9cb7e0eb5daa4f75-c', 'run-9cb7e0eb5daa4f75-b', '{"callId":"older-pending","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795909879,"id":"47a9c982-371f-4ecd-b681-dfccc920bee4","input":{"order":7},"inputHash":"8bcbace4a85bfd655264d50663d1000092824d9421d416b685402a8a18ea32d3","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '141fdbfcb972a78bd7328e5d82deaa80886ee91b879685bc4b6bb1cc758e2371', 0, '55cde3e7409600b8d48ba2c6ff0735435f24cc8eb49b8cce8a8f37e6f7efe8fd', 'rKOXcBnoUWWzH2XS8J4SmWo8ruxVhvEddz3t0Y7eRxE', '2157745a', 24321),
	(23, 1792011909879, 'closed', 'entry-9cb7e0eb5daa4f75-c', 'run-9cb7e0eb5daa4f75-b', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":3.414883,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '6029385a8cdf9a042f2640f0a8f6d077a7e11928d38ef716184d5c51e5f82e5d', 0, '141fdbfcb972a78bd7328e5d82deaa80886ee91b879685bc4b6bb1cc758e2371', 'KDvftTz1d3Y_iQ9mVE-fTgfCzjeKu7rl_dLOycaSJlc', '2157745a', 24321);
INSERT INTO "public"."haft_records_2026_11" VALUES
	(24, 1795035910142, 'opened', 'entry-80827653d3064d1e-2', 'run-80827653d3064d1e-1', '{"agent":"clerk","callId":"new-1","input":"{\"order\":101}","inputHash":"9ee200d425c7c1883fe9cc3126aa41a7501df513bcfeac7030a27d6106bac257","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'dbd58f0c0cb5f7dfdd37daee9c380b367c0093c7255c2e9d06dac1ff1071965f', 0, '6029385a8cdf9a042f2640f0a8f6d077a7e11928d38ef716184d5c51e5f82e5d', 'TzeDgsxsARjm4xsFUT5Sfa8YfhMekUvtHlynQ17z9ig', '2157745a', 24322),
	(25, 1795035910183, 'closed', 'entry-80827653d3064d1e-2', 'run-80827653d3064d1e-1', '{"attempts":[{"number":1,"startedAt":1795035910182,"inputHash":"9ee200d425c7c1883fe9cc3126aa41a7501df513bcfeac7030a27d6106bac257","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":40.809427,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":101,\"charged\":true}","ruleIds":[],"tool":"charge"}', '848c3d62089756a0c1027a37ef824f4b3a94e7908248405d2706d03a5bd8d981', 0, 'dbd58f0c0cb5f7dfdd37daee9c380b367c0093c7255c2e9d06dac1ff1071965f', 'j3P4xo5ruKNj3nypNIlFuvF4EhVQwX7lKiQcEn1L680', '2157745a', 24322),
	(26, 1795035910186, 'opened', 'entry-80827653d3064d1e-4', 'run-80827653d3064d1e-3', '{"agent":"clerk","callId":"new-2","input":"{\"order\":102}","inputHash":"6749bd4716e6e40501e36cae7faf73bc2bd2de1d0482b2324f82c80b38437953","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'f2a16717f0482712b0153139e5925ee20e0e10ba0681802cefb48dde6c1fbb07', 0, '848c3d62089756a0c1027a37ef824f4b3a94e7908248405d2706d03a5bd8d981', '_lCzhAYA1F8KYnSH7L6_hPjEJEc2aeK5vuV78L9He8U', '2157745a', 24322),
	(27, 1795035910199, 'closed', 'entry-80827653d3064d1e-4', 'run-80827653d3064d1e-3', '{"attempts":[{"number":1,"startedAt":1795035910198,"inputHash":"6749bd4716e6e40501e36cae7faf73bc2bd2de1d0482b2324f82c80b38437953","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":12.304673,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":102,\"charged\":true}","ruleIds":[],"tool":"charge"}', 'd75b6311551cd55cc54ab815cfb0eaa88bdcef278c7b5acea96d932dcef4c251', 0, 'f2a16717f0482712b0153139e5925ee20e0e10ba0681802cefb48dde6c1fbb07', 'Eyl9zqLs1Z5Sh6SoVpgFwiLW75U6AqgxVDHE6yHPyWQ', '2157745a', 24322),
	(28, 1795035910205, 'opened', 'entry-80827653d3064d1e-6', 'run-80827653d3064d1e-5', '{"agent":"clerk","callId":"new-3","input":"{\"order\":103}","inputHash":"91bc05373dc5d4210fbce15a7b7f19c5b1def6b45a646edede317d11a7e900e7","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '43b49e033b95861be72c482bbe56d0640d1bd0812a48128338f3eb1a1fabbcb4', 0, 'd75b6311551cd55cc54ab815cfb0eaa88bdcef278c7b5acea96d932dcef4c251', 'o6hLkewn2VOYgONbbVSL-ktCQHg1xpZ5nwRuF12FIqE', '2157745a', 24322),
	(29, 1795035910207, 'closed', 'entry-80827653d3064d1e-6', 'run-80827653d3064d1e-5', '{"attempts":[{"number":1,"startedAt":1795035910207,"inputHash":"91bc05373dc5d4210fbce15a7b7f19c5b1def6b45a646edede317d11a7e900e7","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":1.423443,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":103,\"charged\":true}","ruleIds":[],"tool":"charge"}', '26495f6db9a9d9563c9e935add7667f854b8970ec3d48abf7d726640b225a207', 0, '43b49e033b95861be72c482bbe56d0640d1bd0812a48128338f3eb1a1fabbcb4', '2BZ-v-f5xlJjSDOYuQ8vxL-VJLJ9igEN22LzjOvWT8Y', '2157745a', 24322),
	(30, 1795035910294, 'pruned', NULL, NULL, '{"entries":5,"hash":"ac1ebb20ee23691dfbfeed65812927e8a50d38673bdba95bea7ee7f037ab819c","rows":10,"upTo":10}', '8eb8b897d52418938167abd9318ad22b4720a0b82c0c86a1c06b70c166f10ce6', 0, '26495f6db9a9d9563c9e935add7667f854b8970ec3d48abf7d726640b225a207', 'btysci4hnxfftdHJz7k4VnAb_yD2vjMzcg1FzxwwXGM', '2157745a', 24322);
ALTER TABLE ONLY "public"."haft_approvals"
    ADD CONSTRAINT "haft_approvals_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."haft_chains"
    ADD CONSTRAINT "haft_chains_pkey" PRIMARY KEY ("chain");
ALTER TABLE ONLY "public"."haft_commits"
    ADD CONSTRAINT "haft_commits_pkey" PRIMARY KEY ("writer");
ALTER TABLE ONLY "public"."haft_keys"
    ADD CONSTRAINT "haft_keys_pkey" PRIMARY KEY ("key_hash");
ALTER TABLE ONLY "public"."haft_meta"
    ADD CONSTRAINT "haft_meta_pkey" PRIMARY KEY ("name");
ALTER TABLE ONLY "public"."haft_owners"
    ADD CONSTRAINT "haft_owners_pkey" PRIMARY KEY ("owner");
ALTER TABLE ONLY "public"."haft_payloads"
    ADD CONSTRAINT "haft_payloads_pkey" PRIMARY KEY ("entry_id", "kind");
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
CREATE INDEX "haft_entries_2026_09_agent" ON "public"."haft_entries_2026_09" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_at" ON ONLY "public"."haft_entries" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2026_09_at" ON "public"."haft_entries_2026_09" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_call" ON ONLY "public"."haft_entries" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2026_09_call" ON "public"."haft_entries_2026_09" USING "btree" ("call_id");
CREATE INDEX "haft_entries_elsewhere" ON ONLY "public"."haft_entries" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2026_09_elsewhere" ON "public"."haft_entries_2026_09" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_ending" ON ONLY "public"."haft_entries" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE INDEX "haft_entries_2026_09_ending" ON "public"."haft_entries_2026_09" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2026_09_entry_id" ON "public"."haft_entries_2026_09" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2026_09_open_seq" ON "public"."haft_entries_2026_09" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_run" ON ONLY "public"."haft_entries" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2026_09_run" ON "public"."haft_entries_2026_09" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_session" ON ONLY "public"."haft_entries" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_2026_09_session" ON "public"."haft_entries_2026_09" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_tool" ON ONLY "public"."haft_entries" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2026_09_tool" ON "public"."haft_entries_2026_09" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2026_10_agent" ON "public"."haft_entries_2026_10" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_2026_10_at" ON "public"."haft_entries_2026_10" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2026_10_call" ON "public"."haft_entries_2026_10" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2026_10_elsewhere" ON "public"."haft_entries_2026_10" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2026_10_ending" ON "public"."haft_entries_2026_10" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2026_10_entry_id" ON "public"."haft_entries_2026_10" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2026_10_open_seq" ON "public"."haft_entries_2026_10" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_2026_10_run" ON "public"."haft_entries_2026_10" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2026_10_session" ON "public"."haft_entries_2026_10" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_2026_10_tool" ON "public"."haft_entries_2026_10" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2026_11_agent" ON "public"."haft_entries_2026_11" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_2026_11_at" ON "public"."haft_entries_2026_11" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2026_11_call" ON "public"."haft_entries_2026_11" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2026_11_elsewhere" ON "public"."haft_entries_2026_11" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2026_11_ending" ON "public"."haft_entries_2026_11" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2026_11_entry_id" ON "public"."haft_entries_2026_11" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2026_11_open_seq" ON "public"."haft_entries_2026_11" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_2026_11_run" ON "public"."haft_entries_2026_11" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2026_11_session" ON "public"."haft_entries_2026_11" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
CREATE INDEX "haft_entries_2026_11_tool" ON "public"."haft_entries_2026_11" USING "btree" ("tool", "at", "open_seq", "agent");
CREATE INDEX "haft_entries_2026_12_agent" ON "public"."haft_entries_2026_12" USING "btree" ("agent", "at", "open_seq", "tool") WHERE ("agent" IS NOT NULL);
CREATE INDEX "haft_entries_2026_12_at" ON "public"."haft_entries_2026_12" USING "btree" ("at", "open_seq");
CREATE INDEX "haft_entries_2026_12_call" ON "public"."haft_entries_2026_12" USING "btree" ("call_id");
CREATE INDEX "haft_entries_2026_12_elsewhere" ON "public"."haft_entries_2026_12" USING "btree" ("open_seq") WHERE ("elsewhere" IS NOT NULL);
CREATE INDEX "haft_entries_2026_12_ending" ON "public"."haft_entries_2026_12" USING "btree" ("ending", "at", "open_seq", "tool", "agent") WHERE ("ending" <> 'executed'::"text");
CREATE UNIQUE INDEX "haft_entries_2026_12_entry_id" ON "public"."haft_entries_2026_12" USING "btree" ("entry_id");
CREATE UNIQUE INDEX "haft_entries_2026_12_open_seq" ON "public"."haft_entries_2026_12" USING "btree" ("open_seq");
CREATE INDEX "haft_entries_2026_12_run" ON "public"."haft_entries_2026_12" USING "btree" ("run_id", "at", "open_seq");
CREATE INDEX "haft_entries_2026_12_session" ON "public"."haft_entries_2026_12" USING "btree" ("session", "at", "open_seq") WHERE ("session" IS NOT NULL);
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
CREATE INDEX "haft_keys_entry" ON "public"."haft_keys" USING "btree" ("entry_id");
CREATE INDEX "haft_keys_keyed" ON "public"."haft_keys" USING "btree" ("keyed_seq");
CREATE INDEX "haft_records_rare" ON ONLY "public"."haft_records" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE INDEX "haft_records_2026_09_rare" ON "public"."haft_records_2026_09" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2026_09_seq" ON "public"."haft_records_2026_09" USING "btree" ("seq");
CREATE INDEX "haft_records_steps" ON ONLY "public"."haft_records" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2026_09_steps" ON "public"."haft_records_2026_09" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2026_10_rare" ON "public"."haft_records_2026_10" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2026_10_seq" ON "public"."haft_records_2026_10" USING "btree" ("seq");
CREATE INDEX "haft_records_2026_10_steps" ON "public"."haft_records_2026_10" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2026_11_rare" ON "public"."haft_records_2026_11" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2026_11_seq" ON "public"."haft_records_2026_11" USING "btree" ("seq");
CREATE INDEX "haft_records_2026_11_steps" ON "public"."haft_records_2026_11" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2026_12_rare" ON "public"."haft_records_2026_12" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2026_12_seq" ON "public"."haft_records_2026_12" USING "btree" ("seq");
CREATE INDEX "haft_records_2026_12_steps" ON "public"."haft_records_2026_12" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2027_01_rare" ON "public"."haft_records_2027_01" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2027_01_seq" ON "public"."haft_records_2027_01" USING "btree" ("seq");
CREATE INDEX "haft_records_2027_01_steps" ON "public"."haft_records_2027_01" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_records_2027_02_rare" ON "public"."haft_records_2027_02" USING "btree" ("entry_id") WHERE (("kind" <> 'opened'::"text") AND ("kind" <> 'started'::"text") AND ("kind" <> 'closed'::"text"));
CREATE UNIQUE INDEX "haft_records_2027_02_seq" ON "public"."haft_records_2027_02" USING "btree" ("seq");
CREATE INDEX "haft_records_2027_02_steps" ON "public"."haft_records_2027_02" USING "btree" ("run_id", "seq") WHERE ("kind" = 'run-step'::"text");
CREATE INDEX "haft_roots_hash" ON "public"."haft_roots" USING "btree" ("hash");
CREATE INDEX "haft_roots_whole" ON "public"."haft_roots" USING "btree" ("number") WHERE "is_whole";
CREATE INDEX "haft_runs_began" ON "public"."haft_runs" USING "btree" ("began_seq");
CREATE INDEX "haft_runs_owner" ON "public"."haft_runs" USING "btree" ("owner") WHERE ("owner" IS NOT NULL);
CREATE INDEX "haft_runs_started" ON "public"."haft_runs" USING "btree" ("started_at", "began_seq");
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_2026_09_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_2026_09_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_2026_09_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_2026_09_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_2026_09_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_2026_09_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_2026_09_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_2026_09_tool";
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_2026_10_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_2026_10_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_2026_10_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_2026_10_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_2026_10_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_2026_10_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_2026_10_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_2026_10_tool";
ALTER INDEX "public"."haft_entries_agent" ATTACH PARTITION "public"."haft_entries_2026_11_agent";
ALTER INDEX "public"."haft_entries_at" ATTACH PARTITION "public"."haft_entries_2026_11_at";
ALTER INDEX "public"."haft_entries_call" ATTACH PARTITION "public"."haft_entries_2026_11_call";
ALTER INDEX "public"."haft_entries_elsewhere" ATTACH PARTITION "public"."haft_entries_2026_11_elsewhere";
ALTER INDEX "public"."haft_entries_ending" ATTACH PARTITION "public"."haft_entries_2026_11_ending";
ALTER INDEX "public"."haft_entries_run" ATTACH PARTITION "public"."haft_entries_2026_11_run";
ALTER INDEX "public"."haft_entries_session" ATTACH PARTITION "public"."haft_entries_2026_11_session";
ALTER INDEX "public"."haft_entries_tool" ATTACH PARTITION "public"."haft_entries_2026_11_tool";
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
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2026_09_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2026_09_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2026_10_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2026_10_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2026_11_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2026_11_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2026_12_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2026_12_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2027_01_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2027_01_steps";
ALTER INDEX "public"."haft_records_rare" ATTACH PARTITION "public"."haft_records_2027_02_rare";
ALTER INDEX "public"."haft_records_steps" ATTACH PARTITION "public"."haft_records_2027_02_steps";
CREATE TRIGGER "haft_records_fixed" BEFORE DELETE OR UPDATE ON "public"."haft_records" FOR EACH ROW EXECUTE FUNCTION "public"."haft_records_fixed"();
