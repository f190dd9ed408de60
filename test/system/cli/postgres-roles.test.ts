import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { devNull } from "node:os";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tableVersion } from "../../../src/ledger/durable/migrations.ts";
import { fixture, haft } from "../../cli/haft.ts";
import { type PostgresServer, startPostgres } from "../kit/start-postgres.ts";
import { start } from "./start.ts";

const page = readFileSync(new URL("../../../docs/guides/audit-log.md", import.meta.url), "utf8");

/** The SQL statements of the guide, so that this test checks the guide. */
const statements = (kind: "roles" | "grants"): string =>
  [...page.matchAll(new RegExp(`^\`\`\`sql ${kind}\\n(.*?)^\`\`\``, "gms"))].map(([, sql]) => sql).join("\n");

const roles = ["owner", "writer", "approver", "auditor", "pruner"] as const;
type Role = (typeof roles)[number];

let server: PostgresServer;
const key = randomBytes(32).toString("base64");

const urlOf = (role: Role): string => {
  const url = new URL(server.url);
  url.username = `haft_${role}`;
  url.password = "hunter2";
  return url.href;
};

const as = (role: Role, ...words: string[]) =>
  haft([...words, "--ledger", urlOf(role)], { env: { HAFT_LEDGER_KEY: key } });

/** Returns the error of the server for a statement of a role, or undefined on success. */
const refusalOf = async (role: Role, sql: string): Promise<string | undefined> =>
  server.query(`SET ROLE haft_${role}; SET search_path = haft; ${sql}`).then(
    () => undefined,
    (error: Error) => error.message,
  );

const ask = async (): Promise<{ readonly runId: string; readonly id: string }> => {
  const { out } = await as("writer", "run", fixture("refund.ts"), "Refund order 7", "--json");
  const { runId, pending } = JSON.parse(out);
  return { runId, id: pending[0].id };
};

describe("the PostgreSQL roles of the guide", () => {
  beforeAll(async () => {
    vi.stubEnv("HAFT_LEDGER_KEY", key);
    vi.stubEnv("COUNTER", devNull);
    server = await startPostgres();
    await server.query(statements("roles"));
    for (const role of roles) await server.query(`ALTER ROLE haft_${role} PASSWORD 'hunter2'`);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.stop();
  });

  it("commands on a ledger without tables name haft ledger migrate", async () => {
    const written = await as("writer", "run", fixture("refund.ts"), "Refund order 7");
    expect([written.code, written.error.includes("haft ledger migrate")]).toEqual([1, true]);
    const read = await as("auditor", "log");
    expect([read.code, read.error.includes("haft ledger migrate")]).toEqual([1, true]);
    expect(`${written.error}${read.error}`).not.toContain("hunter2");
  });

  it("the owner migrates the tables, and a second migration changes nothing", async () => {
    const first = await as("owner", "ledger", "migrate", "--json");
    expect(JSON.parse(first.out)).toMatchObject({ from: 0, to: tableVersion, isChanged: true });
    const second = await as("owner", "ledger", "migrate", "--json");
    expect(JSON.parse(second.out)).toMatchObject({ from: tableVersion, to: tableVersion, isChanged: false });
    expect(`${first.out}${first.error}`).not.toContain("hunter2");
    await server.query(statements("grants"));
  });

  it("the writer runs and resumes without the right to create, change or delete ledger rows", async () => {
    const { runId, id } = await ask();
    expect(await as("writer", "deny", id)).toMatchObject({ code: 0 });
    const resumed = await as("writer", "resume", runId, fixture("refund.ts"), "--json");
    expect(JSON.parse(resumed.out)).toMatchObject({ status: "done" });
    expect(await refusalOf("writer", "CREATE TABLE haft.more (a int)")).toContain("permission denied");
    expect(await refusalOf("writer", "UPDATE haft.haft_records SET body = '{}'")).toContain("denied");
    expect(await refusalOf("writer", "DELETE FROM haft.haft_records")).toContain("denied");
    expect(await refusalOf("writer", "UPDATE haft.haft_anchor SET seq = 9")).toContain("denied");
  });

  it("the approver answers requests, and can neither run tools nor read exact texts", async () => {
    const { runId, id } = await ask();
    expect(await as("approver", "approve", id)).toMatchObject({ code: 0 });
    const resumed = await as("writer", "resume", runId, fixture("refund.ts"), "--json");
    expect(JSON.parse(resumed.out)).toMatchObject({ status: "done", toolsUsed: [{ ok: true }] });
    expect(await refusalOf("approver", "SELECT * FROM haft.haft_payloads")).toContain("denied");
    const ran = await as("approver", "run", fixture("refund.ts"), "Refund order 7");
    expect([ran.code, ran.error.includes("haft_")]).toEqual([1, true]);
  });

  it("the auditor reads, verifies and exports with SELECT only, and cannot answer requests", async () => {
    const { runId, id } = await ask();
    const log = await as("auditor", "log", "--json");
    const [entry] = log.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(log.code).toBe(0);
    for (const words of [
      ["log", entry.entryId],
      ["log", "--verify"],
      ["runs"],
      ["log", "--export", "-"],
      ["runs"],
      ["approvals", "--status", "all"],
      ["approvals", id],
    ]) {
      const { code, out, error } = await as("auditor", ...words);
      expect([words, code, error.includes("haft:"), out !== ""]).toEqual([words, 0, false, true]);
    }
    expect((await as("auditor", "approvals", "--run", runId)).out).toContain(id.slice(0, 8));
    const answered = await as("auditor", "approve", id);
    expect([answered.code, answered.error.includes("permission")]).toEqual([1, true]);
    expect(await refusalOf("auditor", "INSERT INTO haft.haft_meta VALUES ('a', 'b')")).toContain("denied");
  });

  it("the pruner deletes ended runs and can write nothing else", async () => {
    for (const line of (await as("auditor", "runs", "--json")).out.trim().split("\n")) {
      const { runId, status } = JSON.parse(line);
      if (status === "pending") await as("writer", "runs", "give-up", runId);
    }
    const pruned = await as("pruner", "log", "--prune", "0s", "--yes", "--json");
    expect([pruned.code, JSON.parse(pruned.out.trim().split("\n").at(-1) ?? "{}").rows > 0]).toEqual([
      0,
      true,
    ]);
    expect(await as("auditor", "log", "--verify")).toMatchObject({ code: 0 });
    expect(await refusalOf("pruner", "INSERT INTO haft.haft_approvals DEFAULT VALUES")).toContain("denied");
    expect(await refusalOf("pruner", "DELETE FROM haft.haft_records")).toContain(
      "only pruned from the beginning of their chain",
    );
  });

  it.each(["approver", "pruner"] as const)("the %s closes open entries of a dead process", async (role) => {
    const { ended } = start(
      ["call", "die", "{}", "--tools", fixture("die.ts"), "--ledger", urlOf("writer")],
      {
        env: { HAFT_LEDGER_KEY: key },
      },
    );
    await ended;
    await server.query("UPDATE haft.haft_owners SET lease_until = 0");
    const entry = async () =>
      JSON.parse(
        (await as("auditor", "log", "--tool", "die", "--json")).out.trim().split("\n").at(-1) ?? "{}",
      );
    const open = () => server.query("SELECT 1 FROM haft.haft_entries WHERE tool = 'die' AND ending = 'open'");
    expect(await open()).toHaveLength(1);
    // Read-only commands report the entry as unknown and leave it open.
    expect(await entry()).toMatchObject({ ending: "unknown" });
    expect(await open()).toHaveLength(1);
    const words = { approver: ["deny", "0000"], pruner: ["log", "--prune", "30d", "--yes"] }[role];
    expect((await as(role, ...words)).error).not.toContain("permission");
    expect(await open()).toHaveLength(0);
    expect(await as("auditor", "log", "--verify")).toMatchObject({ code: 0 });
  });

  it("read-only commands leave the ledger unchanged", async () => {
    const traces = () =>
      server.query(
        "SELECT (SELECT count(*) FROM haft.haft_records) AS rows, (SELECT sum(number) FROM haft.haft_commits) AS commits",
      );
    const before = await traces();
    await as("owner", "log");
    await as("owner", "log", "--verify");
    await as("owner", "approvals");
    await as("owner", "runs");
    expect(await traces()).toEqual(before);
  });
});
