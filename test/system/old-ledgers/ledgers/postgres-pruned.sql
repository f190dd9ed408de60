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
	(10, 'b6db605febad340aefd548fc4089729780ad2e69452c31aa8ca5b5a69ba750cc', 0);
INSERT INTO "public"."haft_approvals" VALUES
	('29a56a25-c021-493a-9c64-3da33da9805e', 'entry-f716c5a879524c16-c', 'run-f716c5a879524c16-b', 'refund', '14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b', 'waiting', NULL, 12, 1795035901330);
INSERT INTO "public"."haft_chains" VALUES
	(0, NULL, NULL, false);
INSERT INTO "public"."haft_entries_until_2026_11" VALUES
	(11, 'entry-f716c5a879524c16-c', 'old-pending', 'run-f716c5a879524c16-b', 'refund', 'clerk', 1795035901330, 'pending', '74319cf6-ce76-40ce-b032-409207b776ca', NULL, 13, 13, 1795035901331, 0, 0, 0, NULL, NULL, 24322),
	(14, 'entry-f716c5a879524c16-e', 'new-1', 'run-f716c5a879524c16-d', 'charge', 'clerk', 1795035901374, 'executed', '74319cf6-ce76-40ce-b032-409207b776ca', NULL, 15, 15, 1795035901376, 0, 0, 0, NULL, NULL, 24322),
	(16, 'entry-f716c5a879524c16-g', 'new-2', 'run-f716c5a879524c16-f', 'charge', 'clerk', 1795035901472, 'executed', '74319cf6-ce76-40ce-b032-409207b776ca', NULL, 17, 17, 1795035901479, 0, 0, 0, NULL, NULL, 24322),
	(18, 'entry-f716c5a879524c16-i', 'new-3', 'run-f716c5a879524c16-h', 'charge', 'clerk', 1795035901480, 'executed', '74319cf6-ce76-40ce-b032-409207b776ca', NULL, 19, 19, 1795035901481, 0, 0, 0, NULL, NULL, 24322);
INSERT INTO "public"."haft_meta" VALUES
	('schema', '4');
INSERT INTO "public"."haft_records_until_2026_11" VALUES
	(11, 1795035901330, 'opened', 'entry-f716c5a879524c16-c', 'run-f716c5a879524c16-b', '{"agent":"clerk","callId":"old-pending","input":"{\"order\":6}","inputHash":"8d9ab5618991037235c4d7abd3643a9bf84e0e75a7cf7b9fe527c0950157b7c8","isExact":true,"tenant":"acme","tool":"refund","user":"ada"}', '105d00f26910f271d7a6ce08de8049a8b27ae5fad6b84ac1af016dae672ea19b', 0, 'b6db605febad340aefd548fc4089729780ad2e69452c31aa8ca5b5a69ba750cc', 'QTJN3VBkNpibVIYfTLAQwgZJThCjIRCXNm1Ob193lYk', '2157745a', 24322),
	(12, 1795035901330, 'asked', 'entry-f716c5a879524c16-c', 'run-f716c5a879524c16-b', '{"callId":"old-pending","definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","expiresAt":4950795901330,"id":"29a56a25-c021-493a-9c64-3da33da9805e","input":{"order":6},"inputHash":"8d9ab5618991037235c4d7abd3643a9bf84e0e75a7cf7b9fe527c0950157b7c8","isExact":true,"principal":{"agent":"clerk","allow":["*"],"deny":["forbidden"],"tenant":"acme","user":"ada"},"rawTool":"refund","reason":"its risk is high and no rule waives approval","tool":"refund"}', '2ae2e016981f9e0b3ad14d95af30639f064577ec2cde20cc75c5d9f5b4c02803', 0, '105d00f26910f271d7a6ce08de8049a8b27ae5fad6b84ac1af016dae672ea19b', 'EBqErp4n3yMqL1FVDelhpyBGFkXHKZXOEvsmoMhW0aw', '2157745a', 24322),
	(13, 1795035901331, 'closed', 'entry-f716c5a879524c16-c', 'run-f716c5a879524c16-b', '{"attempts":[],"definition":"14e62c39e16fb3a0a9b8ee44d9b6da244ee1b215be831c49f05a8838f767df2b","durationMs":1.462721,"ending":"pending","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":false,"tool":"refund"}', '1c24de86ad28b4b7d048dabdc0bf1c4204ebb48592b1fef1320da513f6dc8329', 0, '2ae2e016981f9e0b3ad14d95af30639f064577ec2cde20cc75c5d9f5b4c02803', 'DMeJ3OYpDNxzcnGQ9uHprykYdpolcH0Gju6McWOn6qE', '2157745a', 24322),
	(14, 1795035901374, 'opened', 'entry-f716c5a879524c16-e', 'run-f716c5a879524c16-d', '{"agent":"clerk","callId":"new-1","input":"{\"order\":101}","inputHash":"9ee200d425c7c1883fe9cc3126aa41a7501df513bcfeac7030a27d6106bac257","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'bcdde897d2306b37111147783ced1c3a8db6dd82b61562d82011ea9697b401f0', 0, '1c24de86ad28b4b7d048dabdc0bf1c4204ebb48592b1fef1320da513f6dc8329', 'sExz5NgyBNVfXauc5LjVc0i_3CzcH5zkHYexWa5UTlw', '2157745a', 24322),
	(15, 1795035901376, 'closed', 'entry-f716c5a879524c16-e', 'run-f716c5a879524c16-d', '{"attempts":[{"number":1,"startedAt":1795035901376,"inputHash":"9ee200d425c7c1883fe9cc3126aa41a7501df513bcfeac7030a27d6106bac257","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":1.994986,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":101,\"charged\":true}","ruleIds":[],"tool":"charge"}', 'e48ea285b3ff707df85ec0fbc210640b4cf60ad42d0dd25ab66171039269e9cb', 0, 'bcdde897d2306b37111147783ced1c3a8db6dd82b61562d82011ea9697b401f0', 'FQb8XluElJggvnKwjoD5aLYYHGx_tiGi-yZElkuT7zs', '2157745a', 24322),
	(16, 1795035901472, 'opened', 'entry-f716c5a879524c16-g', 'run-f716c5a879524c16-f', '{"agent":"clerk","callId":"new-2","input":"{\"order\":102}","inputHash":"6749bd4716e6e40501e36cae7faf73bc2bd2de1d0482b2324f82c80b38437953","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', '1bc02ebd2ddcf999d8ab4c3aac74dd06694eba17e9272d8b593315ec3f1c443a', 0, 'e48ea285b3ff707df85ec0fbc210640b4cf60ad42d0dd25ab66171039269e9cb', 'OLwgH5bvjbgqo9H8PVNk3Nh_DBy_OJG76zzVJj0WARw', '2157745a', 24322),
	(17, 1795035901479, 'closed', 'entry-f716c5a879524c16-g', 'run-f716c5a879524c16-f', '{"attempts":[{"number":1,"startedAt":1795035901479,"inputHash":"6749bd4716e6e40501e36cae7faf73bc2bd2de1d0482b2324f82c80b38437953","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":7.562549,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":102,\"charged\":true}","ruleIds":[],"tool":"charge"}', '0e594c16195469ffc3b3d5402e331a6dd3238848212eafe23f5c7d3788914d43', 0, '1bc02ebd2ddcf999d8ab4c3aac74dd06694eba17e9272d8b593315ec3f1c443a', 'MPiMOBrsklLIrfnMm2VeU_xKMddUoLtrSOz-F4RXd1g', '2157745a', 24322),
	(18, 1795035901480, 'opened', 'entry-f716c5a879524c16-i', 'run-f716c5a879524c16-h', '{"agent":"clerk","callId":"new-3","input":"{\"order\":103}","inputHash":"91bc05373dc5d4210fbce15a7b7f19c5b1def6b45a646edede317d11a7e900e7","isExact":true,"tenant":"acme","tool":"charge","user":"ada"}', 'ff5fa20cfbb46dcea89a0b08dd92bc5fea0ef540f94dfa0f85580b00802a33d5', 0, '0e594c16195469ffc3b3d5402e331a6dd3238848212eafe23f5c7d3788914d43', 'VF9txrqMndsOnKZ0xaKyGrexpA1RU8I4mjxvHIxN-jU', '2157745a', 24322),
	(19, 1795035901481, 'closed', 'entry-f716c5a879524c16-i', 'run-f716c5a879524c16-h', '{"attempts":[{"number":1,"startedAt":1795035901481,"inputHash":"91bc05373dc5d4210fbce15a7b7f19c5b1def6b45a646edede317d11a7e900e7","ending":"ended","ran":true}],"decision":"the principal holds the right to it","definition":"1c56b46b91e285faa96f8ef3d62856bcfb9f0631eb821fa8042c49785f65a9b2","durationMs":0.739273,"ending":"executed","flow":"continue","implementation":"function","isExact":true,"layers":[],"provenance":{"validator":{"name":"haft schema","version":"1","compiledAt":"definition"},"repaired":false,"changes":[],"validated":true},"ran":true,"result":"{\"order\":103,\"charged\":true}","ruleIds":[],"tool":"charge"}', 'cb54593b093046cb193863de848082adeaf6ba25f2339619896583cd963f5cd9', 0, 'ff5fa20cfbb46dcea89a0b08dd92bc5fea0ef540f94dfa0f85580b00802a33d5', 'UpVvvs-PkhcyoA5J3rQfiNTzzbVeY2gztWUISUe0AzU', '2157745a', 24322),
	(20, 1795035901620, 'pruned', NULL, NULL, '{"entries":5,"hash":"b6db605febad340aefd548fc4089729780ad2e69452c31aa8ca5b5a69ba750cc","rows":10,"upTo":10}', '39e8a5d87397aadeda1df5f99bc9c24d47303e53ef8fe39249af9e6b5eed877e', 0, 'cb54593b093046cb193863de848082adeaf6ba25f2339619896583cd963f5cd9', 'oSf216XUGa3NhHiPbnqeGmrmhFL3bZ8J7KiFERyTOMg', '2157745a', 24322);
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
