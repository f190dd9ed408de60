import * as Effect from "effect/Effect";
import { Haft, LedgerError, type LedgerStore, tool } from "haft";
import { approval, authorize, failed, succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import type { Outcome } from "../types/outcome.ts";

const principal = { agent: "tester", allow: ["*"] };
const raw = (tool: string, id = "1") => ({ id, tool, input: "{}" });

/** A tool that returns untrusted content. */
const fetchPage = tool({
  name: "fetch",
  description: "Reads a page",
  input: [],
  annotations: { readOnly: true, openWorld: true },
  run: () => "words of the web",
});

/** Answers instead of the code. */
const instead =
  (outcome: Outcome): ToolLayer =>
  () =>
  () =>
    Effect.succeed(outcome);

/** The taints of the reply and of the entry. */
const taintsAround = async (layer: ToolLayer, options: Partial<Parameters<typeof Haft.open>[0]> = {}) => {
  const haft = await Haft.open({ tools: [fetchPage.layer(layer)], principal, ...options } as never);
  const [reply] = await haft.turn([raw("fetch")]);
  const [row] = await haft.log();
  return { reported: reply?.taints, kept: row?.taints, code: reply?.failure?.code };
};

describe("untrusted content of a tool", () => {
  const marked = { reported: ["fetch"], kept: ["fetch"] };
  const unmarked = { reported: undefined, kept: undefined };

  it("is tainted when a layer answers without naming taints", async () => {
    expect(await taintsAround(instead(succeeded("kept from before")))).toMatchObject(marked);
  });

  it("is tainted in a run or check failure that a layer returns", async () => {
    const ofRun = instead(failed({ code: "failed", message: "The page says no." }));
    expect(await taintsAround(ofRun)).toMatchObject({ ...marked, code: "failed" });
    const ofCheck = instead(succeeded(() => "no JSON"));
    expect(await taintsAround(ofCheck)).toMatchObject({ ...marked, code: "invalid_output" });
  });

  it("does not taint failures of the pipeline itself", async () => {
    const busy = instead(failed({ code: "overloaded", message: "Too many calls." }));
    expect(await taintsAround(busy)).toMatchObject({ ...unmarked, code: "overloaded" });
    const denied = authorize(() => ({ kind: "deny" }));
    expect(await taintsAround(denied)).toMatchObject({ ...unmarked, code: "approval_denied" });
  });

  it("does not taint a pending call", async () => {
    const asking = approval({ reason: "ask first" });
    const waiting = await taintsAround(asking, { approver: () => undefined });
    expect(waiting).toEqual({ ...unmarked, code: undefined });
  });
});

describe("layers around a call", () => {
  it("are recorded, except for an unknown tool", async () => {
    const haft = await Haft.open({
      tools: [fetchPage.layer(Object.assign(instead(succeeded(1)), { label: "instead" }))],
      principal,
    });
    await haft.turn([raw("fetch"), raw("nobody", "2")]);
    const rows = await haft.log();
    expect(rows.map(({ layers }) => layers)).toEqual([["instead"], undefined]);
  });
});

describe("unreadable outcome", () => {
  it("reports layer_broke for the called tool", async () => {
    const unreadable = Object.defineProperty({ ...succeeded(1) }, "value", {
      get: () => {
        throw new Error("not for you");
      },
    });
    const haft = await Haft.open({ tools: [fetchPage.layer(instead(unreadable))], principal });
    const [reply] = await haft.turn([raw("fetch")]);
    expect(reply?.failure).toMatchObject({
      code: "layer_broke",
      tool: "fetch",
      message: 'A layer around "fetch" failed.',
    });
  });
});

describe("unavailable ledger", () => {
  const down = () => Effect.fail(new LedgerError("ledger_unavailable", "disk full"));
  const memory = () => memoryLedger({ redactor: redactor() });

  it("does not close an entry that it could not open", async () => {
    const closed: string[] = [];
    const ledger: LedgerStore = {
      ...memory(),
      open: down,
      close: ({ entryId }) => Effect.sync(() => void closed.push(entryId)),
    };
    const haft = await Haft.open({
      tools: [fetchPage],
      principal,
      ledger,
      config: { ledger: { readsWithoutLedger: true } },
    });
    const replies = await haft.turn([raw("fetch"), raw("nobody", "2")]);
    expect(replies.map(({ ok }) => ok)).toEqual([true, false]);
    expect(closed).toEqual([]);
  });

  it("keeps the reply for an unknown tool", async () => {
    const haft = await Haft.open({ principal, ledger: { ...memory(), close: down } });
    const [reply] = await haft.turn([raw("nobody")]);
    expect(reply?.failure?.code).toBe("unknown_tool");
  });
});
