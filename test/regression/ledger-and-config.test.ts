import * as Effect from "effect/Effect";
import { Haft } from "haft";
import { expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { memoryLedger } from "../../src/ledger/memory.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { ConfigurationError } from "../../src/types/errors.ts";

const secret = "canary-3e81-do-not-print";
const store = () => memoryLedger({ redactor: redactor({ secrets: () => [secret] }) });
const opening = (entryId: string, input = "{}") => ({
  entryId,
  callId: "c",
  runId: "r",
  tool: "t",
  input,
  agent: undefined,
  session: undefined,
  correlationId: undefined,
  at: 1,
});
const closing = {
  entryId: "1",
  ending: "failed" as const,
  tool: "t",
  code: undefined,
  message: undefined,
  decision: `no: ${secret}`,
  flow: undefined,
  result: undefined,
  original: undefined,
  notes: [`lenient: ${secret}`],
  durationMs: 1,
};

it("a secret at the end of a truncated text leaves no part behind", async () => {
  const ledger = store();
  Effect.runSync(ledger.open(opening("1", "x".repeat(16_384 - 20) + secret)));
  expect((await Effect.runPromise(ledger.entries()))[0]?.input).not.toContain("canary");
});
it("decision and notes are masked", async () => {
  const ledger = store();
  Effect.runSync(ledger.open(opening("1")));
  Effect.runSync(ledger.close(closing));
  expect(JSON.stringify(await Effect.runPromise(ledger.entries()))).not.toContain(secret);
});
it("a limit of 0 returns nothing", async () => {
  const ledger = store();
  Effect.runSync(ledger.open(opening("1")));
  expect(await Effect.runPromise(ledger.entries({ limit: 0 }))).toEqual([]);
});
it("null is not a configuration", () => {
  expect(() => readConfig(null as never)).toThrow(ConfigurationError);
});
it("a function in the settings is refused", () => {
  expect(() => readConfig({ execution: { defaultTimeoutMs: () => 1 } } as never)).toThrow(ConfigurationError);
});
it("a principal that cannot be copied rejects with a ToolError", async () => {
  await expect(Haft.open({ principal: { agent: "a", allow: () => 1 } as never })).rejects.toMatchObject({
    code: "invalid_config",
  });
});
