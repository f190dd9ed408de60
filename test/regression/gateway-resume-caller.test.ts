import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft } from "haft";
import { openLedger } from "haft/ledger";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Principal } from "../../src/types/principal.ts";
import { refund } from "../cli/fixtures/refund.ts";
import { fixture, haft } from "../cli/haft.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-resume-party-"));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});
let counter: string;
let count = 0;
beforeEach(() => {
  counter = join(folder, `counter-${count++}`);
  vi.stubEnv("COUNTER", counter);
});

/** An approved call of a client, and the configuration with which an operator resumes it. */
const approvedCall = async (client: Principal, config: object) => {
  const ledger = `sqlite:${join(folder, `${count++}.db`)}`;
  const runtime = (await Haft.open({ tools: [refund], principal: client, ledger })) as Haft;
  const [reply] = await runtime.turn([{ id: "1", tool: "refund_order", input: { order: 7 } }]);
  await runtime.close();
  const admin = await openLedger(ledger);
  await admin.answer(reply!.pending!.id, { kind: "allow" });
  await admin.end();
  const file = join(folder, `${count++}.json`);
  writeFileSync(file, JSON.stringify({ tools: [fixture("refund.ts")], ...config }));
  return ["resume", reply!.pending!.runId!, "-c", file, "--ledger", ledger];
};
const refunded = (): string => (existsSync(counter) ? readFileSync(counter, "utf8") : "");

describe("haft resume of a client's call", () => {
  const client: Principal = { agent: "cursor", allow: ["*"] };
  const operator = { agent: "clerk", user: "ada", tenant: "shop", session: "s", allow: ["*"] };

  it("makes it as its own caller, without the session, user and tenant of the configuration", async () => {
    const words = await approvedCall(client, { principal: operator });
    expect(await haft(words)).toMatchObject({ code: 0, error: "" });
    expect(refunded()).toBe("7\n");
  });

  it("uses the rights of its caller among the served principals", async () => {
    const token = "sha256:".padEnd(71, "0");
    const served = (principal: Principal) => ({
      principal: operator,
      serve: { auth: { tokens: [{ token, principal }] } },
    });
    const without = await haft(await approvedCall(client, served({ ...client, allow: ["other"] })));
    expect(without).toMatchObject({ code: 1, error: expect.stringContaining("may not use it") });
    expect(refunded()).toBe("");
    expect(await haft(await approvedCall(client, served(client)))).toMatchObject({ code: 0 });
    expect(refunded()).toBe("7\n");
  });

  it("makes nothing if another caller is named", async () => {
    const words = await approvedCall(client, { principal: operator });
    expect((await haft([...words, "--as", "somebody"])).code).toBe(1);
    expect(refunded()).toBe("");
  });
});
