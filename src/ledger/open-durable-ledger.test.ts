import { expect, it, vi } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { openDurableLedger } from "./open-durable-ledger.ts";

vi.mock("../base/platform/node-version.ts", async (original) => {
  const { nodeVersionProblem } = await original<typeof import("../base/platform/node-version.ts")>();
  return { nodeVersionProblem: () => nodeVersionProblem("20.20.2") };
});

it("a SQLite ledger on an old Node fails with the version that Haft needs", async () => {
  await expect(openDurableLedger("sqlite::memory:", { redactor: redactor() })).rejects.toMatchObject({
    code: "invalid_config",
    message: "Haft needs Node 22.19 or newer; this is Node 20.20.2.",
  });
});
