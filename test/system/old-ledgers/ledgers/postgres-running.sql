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
	(0, '0000000000000000000000000000000000000000000000000000000000000000', 0);
INSERT INTO "public"."haft_chains" VALUES
	(0, '752d4a96-f1a2-42a6-9fcf-9136fd37571a', '3d938899-269d-416f-ab8f-6414b99a5951', false);
INSERT INTO "public"."haft_commits" VALUES
	('3d938899-269d-416f-ab8f-6414b99a5951', 9, '2026-11-18 21:04:53.830897+00', 0);
INSERT INTO "public"."haft_entries_until_2026_11" VALUES
	(1, 'entry-867ba4966f4d44b3-2', 'before', 'run-867ba4966f4d44b3-1', 'lookup', 'clerk', 1795035890088, 'executed', 'de73ddef-5b00-4a73-8d3e-c688f7f8880f', NULL, 2, 2, 1795035890099, 0, 0, 0, NULL, NULL, 24322),
	(3, 'entry-32a2b7f0783b4110-2', 'running-charge', 'run-32a2b7f0783b4110-1', 'charge', 'clerk', 1795035893257, 'open', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, NULL, 3, NULL, 0, 0, 0, NULL, NULL, 24322),
	(4, 'entry-32a2b7f0783b4110-4', 'running-idempotent', 'run-32a2b7f0783b4110-3', 'set_status', 'clerk', 1795035893339, 'open', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, NULL, 4, NULL, 0, 0, 0, NULL, NULL, 24322),
	(7, 'entry-32a2b7f0783b4110-7', 'entry-32a2b7f0783b4110-7', 'run-32a2b7f0783b4110-5', 'model:fixture/model', 'clerk', 1795035893664, 'executed', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, 9, 9, 1795035893728, 1, 0, 0, NULL, NULL, 24322),
	(8, 'entry-32a2b7f0783b4110-8', 'entry-32a2b7f0783b4110-8', 'run-32a2b7f0783b4110-6', 'model:fixture/model', 'clerk', 1795035893675, 'executed', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, 12, 12, 1795035893740, 1, 0, 0, NULL, NULL, 24322),
	(11, 'entry-32a2b7f0783b4110-9', 'lookup-61', 'run-32a2b7f0783b4110-5', 'lookup', 'clerk', 1795035893739, 'executed', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, 15, 15, 1795035893769, 1, 0, 0, NULL, NULL, 24322),
	(14, 'entry-32a2b7f0783b4110-a', 'lookup-62', 'run-32a2b7f0783b4110-6', 'lookup', 'clerk', 1795035893740, 'executed', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, 16, 16, 1795035893769, 1, 0, 0, NULL, NULL, 24322),
	(20, 'entry-32a2b7f0783b4110-c', 'entry-32a2b7f0783b4110-c', 'run-32a2b7f0783b4110-6', 'model:fixture/model', 'clerk', 1795035893797, 'open', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, NULL, 20, NULL, 1, 0, 0, NULL, NULL, 24322),
	(23, 'entry-32a2b7f0783b4110-d', 'charge-61', 'run-32a2b7f0783b4110-5', 'charge', 'clerk', 1795035893826, 'open', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, NULL, 23, NULL, 1, 0, 0, NULL, NULL, 24322),
	(19, 'entry-32a2b7f0783b4110-b', 'entry-32a2b7f0783b4110-b', 'run-32a2b7f0783b4110-5', 'model:fixture/model', 'clerk', 1795035893797, 'executed', '752d4a96-f1a2-42a6-9fcf-9136fd37571a', NULL, 21, 21, 1795035893818, 1, 0, 0, NULL, NULL, 24322);
INSERT INTO "public"."haft_meta" VALUES
	('schema', '4');
INSERT INTO "public"."haft_owners" VALUES
	('752d4a96-f1a2-42a6-9fcf-9136fd37571a', 'fixture-host 00000000-0000-4000-8000-000000000000 pid:[1]', 25376, 0, '349019', 1795035893240, 1, 1795035923.241587);
INSERT INTO "public"."haft_records_until_2026_11" VALUES
	(1, 1795035890088, 'opened', 'entry-867ba4966f4d44b3-2', 'run-867ba4966f4d44b3-1', '{"agent":"clerk","callId":"before","input":"{\"order\":1}","inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', '2008d751025c52cf8846500f19df1e7a272e575c129f49c00ac3cb42db1c0be5', 0, '0000000000000000000000000000000000000000000000000000000000000000', 'uQsBo2k0yRqxS9qSzc5cRUhGrjFiwmOqxG0kfbh4kw4', '2157745a', 24322),
	(2, 1795035890099, 'closed', 'entry-867ba4966f4d44b3-2', 'run-867ba4966f4d44b3-1', '{"attempts":[{"number":1,"startedAt":1795035890099,"inputHash":"a781679e01308cfef90983a4c1350319a7e3993c3a3f5a8c8439781a326d7c8d","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":11.600913,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":1,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', 'efd852fc7f1de5b56c3d265385ef89159bf1fc9c67842d0fb62a608033f874d0', 0, '2008d751025c52cf8846500f19df1e7a272e575c129f49c00ac3cb42db1c0be5', 'Jhjo8chlHlrei4tJxdloksXfz0mDKdni-p4lg6e1k7s', '2157745a', 24322),
	(3, 1795035893257, 'opened', 'entry-32a2b7f0783b4110-2', 'run-32a2b7f0783b4110-1', '{"agent":"clerk","callId":"running-charge","input":"{\"order\":60}","inputHash":"9265edcea03021bb56e022b21a84364dc8674988d03c6b3b23ab09fe67cbb734","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '71892f141f104354c1f94435bb2b8d0b95571cb6509ee8deee7128a1043aee5e', 0, 'efd852fc7f1de5b56c3d265385ef89159bf1fc9c67842d0fb62a608033f874d0', 'NtobdKxOatHXifG3cIYqIMZUDw4kRw6bYiXtjW0mW3A', '2157745a', 24322),
	(4, 1795035893339, 'opened', 'entry-32a2b7f0783b4110-4', 'run-32a2b7f0783b4110-3', '{"agent":"clerk","callId":"running-idempotent","input":"{\"order\":63}","inputHash":"15ceb33d52717d789cfdddc666db9747c5acc89c2a3a5550228ac3d057df7135","isExact":true,"tenant":"acme","tool":"set_status","user":"ada"}', 'e60046b38b466fd90bd24b34aef3ddce5b205e9d76a116ae5bddc8d15ec51600', 0, '71892f141f104354c1f94435bb2b8d0b95571cb6509ee8deee7128a1043aee5e', 'W1I3DIFCncPz8iBpwjDvCsl2Li5eQ93wR1-7K85zYt8', '2157745a', 24322),
	(5, 1795035893469, 'run-began', NULL, 'run-32a2b7f0783b4110-5', '{"agent":"clerk","digest":"54b7722421a05242ec0eb64c5e825aeb8afd05bf98a2e00c3e427c751131a7cb","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"status":"running"}', 'f8eb17b11a731e08dfd5d80088dc4771cf1b2ede8f582dbb1834983e787da1ef', 0, 'e60046b38b466fd90bd24b34aef3ddce5b205e9d76a116ae5bddc8d15ec51600', 'oIvQ_n2qYVsBBFSbxzMIc2FQSk_9ReKb5bzNm_NywFI', '2157745a', 24322),
	(6, 1795035893469, 'run-began', NULL, 'run-32a2b7f0783b4110-6', '{"agent":"clerk","digest":"2ce96be4f952d0cac7ffc76a5a20863b91790e122fe6e0e718361615a224ef67","epoch":1,"given":1,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"status":"running"}', '9c7ee4accab273c0aa4e1602a44769ca0fa6a73971518413cd25e908f412b05f', 0, 'f8eb17b11a731e08dfd5d80088dc4771cf1b2ede8f582dbb1834983e787da1ef', 'ptAvcImcD6k0G-OTggMnqrJWQywlY6xvDlGhJVrKmDY', '2157745a', 24322),
	(7, 1795035893664, 'opened', 'entry-32a2b7f0783b4110-7', 'run-32a2b7f0783b4110-5', '{"agent":"clerk","callId":"entry-32a2b7f0783b4110-7","epoch":1,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Charge order 61\"}}","inputHash":"170af730f30accd1b8145ef095d26ec86c7f74e2afb34f8e6104e0155e2b684e","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', 'e3fa8df7d62c95b73d0441b4a5dc6943758ba6317a79200210e29e3f9e113635', 0, '9c7ee4accab273c0aa4e1602a44769ca0fa6a73971518413cd25e908f412b05f', 'DvRorH8XIvVEJdzy6_wDnCWS3M8pc6Ql5XArM03wQB8', '2157745a', 24322),
	(8, 1795035893675, 'opened', 'entry-32a2b7f0783b4110-8', 'run-32a2b7f0783b4110-6', '{"agent":"clerk","callId":"entry-32a2b7f0783b4110-8","epoch":1,"input":"{\"messages\":2,\"last\":{\"role\":\"user\",\"content\":\"Charge order 62\"}}","inputHash":"36dd0d3e0229d661641750915b3543edd37c97628f12b40f39e6789efb7d26ed","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', 'a49ff9d5ef932e5d6e6fcd43e498d727cea430f50ed3dec3d7bc7eac35273467', 0, 'e3fa8df7d62c95b73d0441b4a5dc6943758ba6317a79200210e29e3f9e113635', 'rtt6n-6p0oCHJ9mKJua0QCfPd_Ny_nm7d3Xv8i1YHBY', '2157745a', 24322),
	(9, 1795035893728, 'closed', 'entry-32a2b7f0783b4110-7', 'run-32a2b7f0783b4110-5', '{"attempts":[{"number":1,"startedAt":1795035893698,"inputHash":"866431dc07837a40d57f294c08746f4eca2f2e1fc20dcb947ec72dca78268850","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":35.747287,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-61\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":61}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'bc671ecacf0afec96d7fc3bafc0dad7988c5a3caf7e6852cae43d4a40681a4f3', 0, 'a49ff9d5ef932e5d6e6fcd43e498d727cea430f50ed3dec3d7bc7eac35273467', 'yLQgD9nfxgtEG7ORdtKAwH2zpTU5bc78GWFHrVlBtAU', '2157745a', 24322),
	(10, 1795035893729, 'run-step', NULL, 'run-32a2b7f0783b4110-5', '{"digest":"6a790cb0ec66adca11ad0b65fdaaed0d66b2632b2ce1de1d95c0ac8f88cfabd6","epoch":1,"messages":2}', '5a5d11f7532de699c45fc58ba26f2d3fa66f6b030e259445ad8b9d6e50257a89', 0, 'bc671ecacf0afec96d7fc3bafc0dad7988c5a3caf7e6852cae43d4a40681a4f3', '5iD5ozybhl2o0p2fGNKtta9CI6fdYV9cn84IuYh_8-o', '2157745a', 24322),
	(11, 1795035893739, 'opened', 'entry-32a2b7f0783b4110-9', 'run-32a2b7f0783b4110-5', '{"agent":"clerk","callId":"lookup-61","epoch":1,"input":"{\"order\":61}","inputHash":"b1dcc77a4733fcd0e0fbd01a5e899d574a2f70e96ad07d594baab52f0ea5bcb7","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', 'acc8fabc04c2a6cdeb3781826acabb66dabf5adef23a41661f9a30d085cb0ce8', 0, '5a5d11f7532de699c45fc58ba26f2d3fa66f6b030e259445ad8b9d6e50257a89', '-Nudw_NEQtTM3xnYtCd8kxIH36Tt1AN7yfIMuVsDTUE', '2157745a', 24322),
	(12, 1795035893740, 'closed', 'entry-32a2b7f0783b4110-8', 'run-32a2b7f0783b4110-6', '{"attempts":[{"number":1,"startedAt":1795035893699,"inputHash":"5b2da6df1d6add1a8bd86012d8b67693f45ad7d38c9a00346f45f921e861765a","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":64.393162,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"lookup-62\",\"tool\":\"lookup\",\"input\":\"{\\\"order\\\":62}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', 'c85789245b69936ca77a32b8d1a50c2475f16ef1267e0f01bd16b511b4eaed19', 0, 'acc8fabc04c2a6cdeb3781826acabb66dabf5adef23a41661f9a30d085cb0ce8', 'iF8VBS_a3_rCVw_1YUczP2V2pIam5BSrzhT8VwgBfkc', '2157745a', 24322),
	(13, 1795035893740, 'run-step', NULL, 'run-32a2b7f0783b4110-6', '{"digest":"f72d9c83081272afde40dfada276a442de9b7c70fee44d08ed11466e46fa03fc","epoch":1,"messages":2}', '2c065ae5a159c3c25a20c8504fb5603f0c19e1392316b7fdcda1dbe6668dbf9d', 0, 'c85789245b69936ca77a32b8d1a50c2475f16ef1267e0f01bd16b511b4eaed19', 'wbtmmi2AxhUGQd0mMYZOSU46ftKf_wwrsf-jnWX5Vgw', '2157745a', 24322),
	(14, 1795035893740, 'opened', 'entry-32a2b7f0783b4110-a', 'run-32a2b7f0783b4110-6', '{"agent":"clerk","callId":"lookup-62","epoch":1,"input":"{\"order\":62}","inputHash":"de9a67eb85b7b3461a53ed3aca5f9925244941b09a56b72106e1fa863fa8da56","isExact":true,"tenant":"acme","tool":"lookup","user":"ada"}', '9550e0de3ad2aacc12700bc4e6f10e89dcf6c280f562869630fdbd1f34826b9a', 0, '2c065ae5a159c3c25a20c8504fb5603f0c19e1392316b7fdcda1dbe6668dbf9d', 'wdpwsArJXL0nfLciqJjfl5s7ND6f74PaeE2lQM-9Z3A', '2157745a', 24322),
	(15, 1795035893769, 'closed', 'entry-32a2b7f0783b4110-9', 'run-32a2b7f0783b4110-5', '{"attempts":[{"number":1,"startedAt":1795035893767,"inputHash":"b1dcc77a4733fcd0e0fbd01a5e899d574a2f70e96ad07d594baab52f0ea5bcb7","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":28.396513,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":61,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', '3ef061e9c2ff08e6336d120d0291dbd7aff717f21d4402cb5526bc594922226a', 0, '9550e0de3ad2aacc12700bc4e6f10e89dcf6c280f562869630fdbd1f34826b9a', '34-6-suI6EoLJyF09Ib02mVBiPHXM2h3WKhIKKuv5A8', '2157745a', 24322),
	(16, 1795035893769, 'closed', 'entry-32a2b7f0783b4110-a', 'run-32a2b7f0783b4110-6', '{"attempts":[{"number":1,"startedAt":1795035893767,"inputHash":"de9a67eb85b7b3461a53ed3aca5f9925244941b09a56b72106e1fa863fa8da56","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"ee2e6342c511b25390973096057cbc4920b73facd629637ff546abf76e04e8aa","durationMs":28.409873,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":62,\"cents\":1990}","ruleIds":[],"tool":"lookup"}', '235915b8aabbca9c475dc83a312b51290ee4fd6daba2bdfdbc19e5563df99053', 0, '3ef061e9c2ff08e6336d120d0291dbd7aff717f21d4402cb5526bc594922226a', '4ehFh5JbnoUfugh_cKWBB4MhkVMV63DCKtpXzCz9Qx8', '2157745a', 24322),
	(17, 1795035893796, 'run-step', NULL, 'run-32a2b7f0783b4110-5', '{"digest":"513f5952c6071ec7bbe6c392a98f121d35b2c9feb07116882fd36ae9f48e2e11","epoch":1,"messages":3}', 'd4dea9aa7b9e80d95d9febaf932760fafbf334401ca8109cf14fbceaa45203b6', 0, '235915b8aabbca9c475dc83a312b51290ee4fd6daba2bdfdbc19e5563df99053', 'EP1pLl6Jy9xIwTp4LbO3HRaLXFjPFhNz4_iRR_i0VRE', '2157745a', 24322),
	(18, 1795035893796, 'run-step', NULL, 'run-32a2b7f0783b4110-6', '{"digest":"06fa994c44c6967fa74505fd20cc54fa0392bd22bc0df4a37f32b3f896e269b0","epoch":1,"messages":3}', 'f42622a6106c15dc5730489283becb1b661be81c3346193e48d593391ac05555', 0, 'd4dea9aa7b9e80d95d9febaf932760fafbf334401ca8109cf14fbceaa45203b6', 'M5jWz-X4bXdzub22XMsl3DDsUomuQcPQRwdQLwA8lKM', '2157745a', 24322),
	(19, 1795035893797, 'opened', 'entry-32a2b7f0783b4110-b', 'run-32a2b7f0783b4110-5', '{"agent":"clerk","callId":"entry-32a2b7f0783b4110-b","epoch":1,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":61,\\\"cents\\\":1990}\"}}","inputHash":"aa0e368000fe3e7c5b4a00c89b5f809a8fa743c4d4abf1fedd04e6e108e36dad","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', 'c6b867bb54f40b44d5202482d6fdceb28a5b76962a78bcf0520ec8813f72eb1a', 0, 'f42622a6106c15dc5730489283becb1b661be81c3346193e48d593391ac05555', 'GkHwWL1WTMabssCf6hqtJcENdu5IE44lAMykkRYLlNA', '2157745a', 24322),
	(20, 1795035893797, 'opened', 'entry-32a2b7f0783b4110-c', 'run-32a2b7f0783b4110-6', '{"agent":"clerk","callId":"entry-32a2b7f0783b4110-c","epoch":1,"input":"{\"messages\":4,\"last\":{\"role\":\"tool\",\"content\":\"{\\\"order\\\":62,\\\"cents\\\":1990}\"}}","inputHash":"5da2cbd8a5f8daef6defe8c50a11bf7b21bfe7a5f853eec9162d90531d3b603f","isExact":true,"tenant":"acme","tool":"model:fixture/model","user":"ada"}', '29074a6f29f223001b62355240c967660d3f5cf27fa4a408de13ee4ccb2adf17', 0, 'c6b867bb54f40b44d5202482d6fdceb28a5b76962a78bcf0520ec8813f72eb1a', 'IkD8qYhn_NB3ByVVPc5Q4tvg__cGHBmgyiWn6L5hTmA', '2157745a', 24322),
	(21, 1795035893818, 'closed', 'entry-32a2b7f0783b4110-b', 'run-32a2b7f0783b4110-5', '{"attempts":[{"number":1,"startedAt":1795035893817,"inputHash":"18d7092b5051429b7163b2755d0f8ed3f4ce8cc94d844add5dc59738174d5761","ending":"ended","ran":true}],"decision":"a run asks its model","definition":"9c9a37b942bc626114f09eb94a347294852ab098bd83e3660aa606b64f3150fb","durationMs":20.905991,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":["retry"],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"text\":\"\",\"calls\":[{\"id\":\"charge-61\",\"tool\":\"charge\",\"input\":\"{\\\"order\\\":61}\"}],\"usage\":{\"inputTokens\":3,\"outputTokens\":2},\"finish\":\"calls\"}","ruleIds":[],"tool":"model:fixture/model"}', '2be7aa55a14c0f2c1969b87d02b35512e4bd879877bc95f2cb73c9683c6e4f06', 0, '29074a6f29f223001b62355240c967660d3f5cf27fa4a408de13ee4ccb2adf17', 'PuCI4zvyGuTz6bRINk3wLvBZ2ht6LAJ2BWh_LtGG6LU', '2157745a', 24322),
	(22, 1795035893818, 'run-step', NULL, 'run-32a2b7f0783b4110-5', '{"digest":"bcc2716e7fc4f00c4dc805ddb54d930a8dee1fbf00d044f710b8fc891ff2fd4d","epoch":1,"messages":4}', '4a767898be59b2fc2e817dcb335d7bddcebd6de02fbe1492b6be4f8ff91759ba', 0, '2be7aa55a14c0f2c1969b87d02b35512e4bd879877bc95f2cb73c9683c6e4f06', 'BOJrBPgJXlYtNBerkMUBBMCtqFH9EkJ9P8pG3ycbSek', '2157745a', 24322),
	(23, 1795035893826, 'opened', 'entry-32a2b7f0783b4110-d', 'run-32a2b7f0783b4110-5', '{"agent":"clerk","callId":"charge-61","epoch":1,"input":"{\"order\":61}","inputHash":"b1dcc77a4733fcd0e0fbd01a5e899d574a2f70e96ad07d594baab52f0ea5bcb7","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'a910d4d57b533e21a1b2b1e810663c6a2d7288f266adc8971ad075a6d534e091', 0, '4a767898be59b2fc2e817dcb335d7bddcebd6de02fbe1492b6be4f8ff91759ba', '4S-AmI2MUw-HwbP5FPbgcDNUJmC_OBhgwuqy3Z4KQRY', '2157745a', 24322);
INSERT INTO "public"."haft_run_messages" VALUES
	('run-32a2b7f0783b4110-5', 0, NULL, 0, '\x022157745a47e85041fe28ef21b3725bb03bed8d722fc717baa93fdd62a1d61efb822c5d3bee6c85fb72c896e2b0c793db319d6b38d001b08b13f156790d1778ed7cefaef9a5b53b415ab4fd', NULL),
	('run-32a2b7f0783b4110-6', 0, NULL, 0, '\x022157745a95f204ab78ec5f3430d5b5959ea7dd1f4fe8c38afea67d17abadf76721a7603481cfa1b41386841077413bc4953fc2b1fd674c2351eb4d26345a44882e058d027432cd0336b5d5', NULL),
	('run-32a2b7f0783b4110-5', 1, NULL, 0, '\x022157745abe47f18d7a6a47da921a85695233095551910c40352b962efec5b46bcdd10474c4334ac8f03ee00e64a530fbc69626843646d978cc2db8de555bd73cfe79739bf7c26fb6343df4f88698e23d779d8b5bdf6d348bd321c7ca4f7dacda7890af44ab5d18c4f9313aa05bff2421a87b7b789fd103e887720b46a3bf2b4cc39e98d9c3b0fe933cf845557ebfdd72ce8606cd012379bc7d2395f75648660256', NULL),
	('run-32a2b7f0783b4110-6', 1, NULL, 0, '\x022157745a301209ba6b7f0ce0fdce5a7c044116acc41dc2a78660958db9c4883375a2800fc9736259b7cc354abb5a2b21907e3c31995a75537c199cf0f7915cb8040cedc6d74a0016899b12c464fad821e92f61c5276c4e765d8b24d7443bc29df4c8a7c9843a35af1c4038167ccd4ec59650114aea18ef51474081c257a400c462f9c4e41fc1f9c0fd819e85f561ce50407c893843dce58f12f8485710cee32fe6', NULL),
	('run-32a2b7f0783b4110-5', 2, 'lookup-61', 0, '\x022157745a2abd5ac5375d62daef0fb95098a186aa06dd7fb8b11bff9ceb25bfe1fefb935f744255b2a637f2493964f531c159abb349789ed001b7a16f44da3a2e75699fed4bc466942813935ddd38638fb333cff0dcbcd829725abba971cf7af8bd1f03cf152a852881b866cf61f9dc3c94042544219148cd9b418623948fb6fae8bd31615dfacb9d', NULL),
	('run-32a2b7f0783b4110-6', 2, 'lookup-62', 0, '\x022157745aea88cb9c16932267e68e37b4e0e24d4ebe4a04da944232f490942bd01d32669242932ccea7bb7d56655f6e1aa48912e591154314996454f37ede3cbc955340343fee8d21d91d71392d1435d676e6d68bf2f09b48d9902bd3c61a9cc5fcb28966a65adec043e15cf05811cb8d7ed050910fcd08193c4ed5a46528d92340c718712a894310', NULL),
	('run-32a2b7f0783b4110-5', 3, NULL, 0, '\x022157745a974758e9aa447dd967472e9acdb63ce59a7b1b4443451066783560c783e885541e118e0e8c3fcd3ea4fafeb2eb0dc261cf5d581873f7b6dcdf63e7a7387a3f13a0dbc998ec6c3dd8fe8aa977aa3d8dd6b36e224115936c388d2d64fdc1b40c9ebb68b958b603d75f5e2a530f6f853e0f0004fd6a286f4ee4e690991fb6472ff9cea4a25c7d18391adc07f5fd43a8d4120815a36e168f5fdc412a70d54a', NULL);
INSERT INTO "public"."haft_runs" VALUES
	('run-32a2b7f0783b4110-6', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 1, '{"inputTokens":3,"outputTokens":2}', 1795035893469, 1795035893796, '752d4a96-f1a2-42a6-9fcf-9136fd37571a', 1, 3, 6, 6, 0, 1, '06fa994c44c6967fa74505fd20cc54fa0392bd22bc0df4a37f32b3f896e269b0'),
	('run-32a2b7f0783b4110-5', 'clerk', '{"agent":"clerk","user":"ada","tenant":"acme","allow":["*"],"deny":["forbidden"]}', 'running', NULL, 2, '{"inputTokens":6,"outputTokens":4}', 1795035893469, 1795035893818, '752d4a96-f1a2-42a6-9fcf-9136fd37571a', 1, 4, 5, 5, 0, 1, 'bcc2716e7fc4f00c4dc805ddb54d930a8dee1fbf00d044f710b8fc891ff2fd4d');
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
