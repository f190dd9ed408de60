import * as Effect from "effect/Effect";
import { Haft, LedgerError, type LedgerStore, tool } from "haft";
import { approval, authorize, failed, succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import type { Outcome } from "../types/outcome.ts";

const principal = { agent: "tester", allow: ["*"] };
const raw = (tool: string, id = "1") => ({ id, tool, input: "{}" });

/** Says the words of somebody else. */
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

/** What the model is told the words of, and what the ledger has about it. */
const taintsAround = async (layer: ToolLayer, options: Partial<Parameters<typeof Haft.open>[0]> = {}) => {
  const haft = await Haft.open({ tools: [fetchPage.layer(layer)], principal, ...options } as never);
  const [reply] = await haft.turn([raw("fetch")]);
  const [row] = await haft.log();
  return { told: reply?.taints, kept: row?.taints, code: reply?.failure?.code };
};

describe("the words of a tool that is not to be trusted", () => {
  const marked = { told: ["fetch"], kept: ["fetch"] };
  const unmarked = { told: undefined, kept: undefined };

  it("are marked as such although a layer answers without saying whose they are", async () => {
    expect(await taintsAround(instead(succeeded("kept from before")))).toMatchObject(marked);
  });

  it("are marked in a failure of the run or of the check that a layer gives", async () => {
    const ofRun = instead(failed({ code: "failed", message: "The page says no." }));
    expect(await taintsAround(ofRun)).toMatchObject({ ...marked, code: "failed" });
    const ofCheck = instead(succeeded(() => "no JSON"));
    expect(await taintsAround(ofCheck)).toMatchObject({ ...marked, code: "invalid_output" });
  });

  it("are in no failure of the corridor's own", async () => {
    const busy = instead(failed({ code: "overloaded", message: "Too many calls." }));
    expect(await taintsAround(busy)).toMatchObject({ ...unmarked, code: "overloaded" });
    const denied = authorize(() => ({ kind: "deny" }));
    expect(await taintsAround(denied)).toMatchObject({ ...unmarked, code: "approval_denied" });
  });

  it("are not there yet while the call waits for a person", async () => {
    const asking = approval({ reason: "ask first" });
    const waiting = await taintsAround(asking, { approver: () => undefined });
    expect(waiting).toEqual({ ...unmarked, code: undefined });
  });
});

describe("the layers around a call", () => {
  it("are in its row, and a call of no tool has none", async () => {
    const haft = await Haft.open({
      tools: [fetchPage.layer(Object.assign(instead(succeeded(1)), { label: "instead" }))],
      principal,
    });
    await haft.turn([raw("fetch"), raw("nobody", "2")]);
    const rows = await haft.log();
    expect(rows.map(({ layers }) => layers)).toEqual([["instead"], undefined]);
  });
});

describe("an outcome that cannot be read", () => {
  it("is a broken layer around the tool that was called", async () => {
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
      message: 'A layer around "fetch" broke.',
    });
  });
});

describe("a ledger that is down", () => {
  const down = () => Effect.fail(new LedgerError("ledger_unavailable", "disk full"));
  const memory = () => memoryLedger({ redactor: redactor() });

  it("is not asked to close an entry that it could not open", async () => {
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

  it("still leaves the reply of a call of no tool, which says what was wrong with it", async () => {
    const haft = await Haft.open({ principal, ledger: { ...memory(), close: down } });
    const [reply] = await haft.turn([raw("nobody")]);
    expect(reply?.failure?.code).toBe("unknown_tool");
  });
});
