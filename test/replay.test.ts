import * as Effect from "effect/Effect";
import { Haft, type LedgerStore, type Reply, tool } from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../src/base/json/redact.ts";
import { LedgerError } from "../src/types/errors.ts";
import type { EntryClosing } from "../src/types/ledger.ts";
import { createRecoveryScene, principal, recoveryRequest } from "./kit/recovery-scene.ts";

const next = { kind: "continue" } as const;
const reported = { id: "c1", tool: "pay" } as const;

describe("a recorded outcome is replayed unchanged", () => {
  const values: readonly (readonly [string, Partial<EntryClosing>, Partial<Reply>])[] = [
    ["a value", { result: "[1]" }, { text: "[1]", value: [1], flow: next }],
    ["no value", { result: "" }, { text: "", value: undefined, flow: next }],
    ["a final value", { result: "7", flow: "final" }, { text: "7", value: 7, flow: { kind: "final" } }],
    ["a rewritten value", { result: "7", flow: "rewrite" }, { text: "7", value: 7, flow: next }],
    [
      "a handoff",
      { result: '"go"', flow: "handoff", handoff: "expert" },
      { text: "go", value: "go", flow: { kind: "handoff", agent: "expert" } },
    ],
    [
      "a handoff without an agent",
      { result: '"go"', flow: "handoff" },
      { text: "go", value: "go", flow: next },
    ],
    [
      "a value with the name of an agent",
      { result: "7", handoff: "expert" },
      { text: "7", value: 7, flow: next },
    ],
  ];
  it.each(values)("replays %s", async (_, more, expected) => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", more);
    expect(await recover("pay")).toStrictEqual({ ...reported, ok: true, ...expected });
    expect(ran).toEqual([]);
  });

  const failures: readonly (readonly [string, Partial<EntryClosing>, NonNullable<Reply["failure"]>])[] = [
    [
      "a failure without details",
      { code: "failed", message: "declined" },
      { code: "failed", tool: "pay", message: "declined" },
    ],
    [
      "a failure that ran",
      { code: "failed", message: "declined", ran: true },
      { code: "failed", tool: "pay", message: "declined", ran: true },
    ],
    [
      "a failure that a remote server claims did not run",
      { code: "failed", message: "busy", ran: true, claimsNotRun: true },
      { code: "failed", tool: "pay", message: "busy", ran: true, claimsNotRun: true },
    ],
    ["a failure without a message", {}, { code: "failed", tool: "pay", message: "" }],
  ];
  it.each(failures)("replays %s as a failed reply", async (_, more, failure) => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { ending: "failed", result: undefined, flow: undefined, ...more });
    const reply = await recover("pay");
    expect(reply.failure).toStrictEqual(failure);
    expect(Object.keys(reply)).not.toContain("taints");
    expect(ran).toEqual([]);
  });

  it("a value that is no longer kept is replayed as a failure of a call that ran", async () => {
    const { ran, recover, left } = createRecoveryScene();
    await left("before", { result: undefined, taints: ["page"] });
    expect(await recover("pay")).toMatchObject({
      ok: false,
      taints: ["page"],
      failure: {
        code: "outcome_unknown",
        tool: "pay",
        ran: true,
        message: 'The call of "pay" ran and succeeded, but its exact result is no longer stored.',
      },
    });
    expect(ran).toEqual([]);
  });
});

describe("an idempotency key", () => {
  const scene = (change: (store: LedgerStore) => LedgerStore = (store) => store) => {
    const inputs: unknown[] = [];
    const input = { type: "object", properties: { n: { type: "number" } } } as const;
    const run = (given: { n?: number | undefined }) => {
      inputs.push(given.n);
      return { paid: given.n };
    };
    const annotations = { readOnly: true, openWorld: true } as const;
    const tools = [
      tool({ name: "pay", description: "Pays", input, risk: "high", run }),
      tool({ name: "look", description: "Looks", input, annotations, run }),
    ];
    const ledger = change(memoryLedger({ redactor: redactor() }));
    const open = (more: Partial<Parameters<typeof Haft.open>[0]> = {}) =>
      Haft.open({ tools, ledger, principal, ...more } as Parameters<typeof Haft.open>[0]);
    return { inputs, open };
  };
  const idempotencyKey = "order-1";

  it("refers to its call even after an approver edited the arguments", async () => {
    const { inputs, open } = scene();
    const haft = await open({ approver: () => ({ kind: "edit", input: { n: 2 } }) });
    expect(await haft.call("pay", { n: 1 }, { idempotencyKey })).toEqual({ paid: 2 });
    expect(await haft.call("pay", { n: 1 }, { idempotencyKey })).toEqual({ paid: 2 });
    expect(inputs).toEqual([2]);
  });

  it("replays an untrusted value with its taints", async () => {
    const { inputs, open } = scene();
    const seen: unknown[] = [];
    let haft: Awaited<ReturnType<typeof open>>;
    const twice = tool({
      name: "twice",
      description: "Looks twice",
      input: [],
      run: async (_, ctx) => {
        for (const _ of [1, 2]) seen.push(await haft.call("look", { n: 1 }, { parent: ctx, idempotencyKey }));
      },
    });
    haft = await open();
    haft.register(twice);
    await haft.call("look", { n: 1 }, { idempotencyKey });
    const [reply] = await haft.turn([{ id: "1", tool: "twice", input: "{}" }]);
    expect(reply?.taints).toEqual(["look"]);
    expect(seen).toEqual([{ paid: 1 }, { paid: 1 }]);
    expect(inputs).toEqual([1]);
  });

  it("that cannot be recorded refuses the call, and nothing runs", async () => {
    const down = Effect.fail(new LedgerError("ledger_unavailable", "no disk"));
    const { inputs, open } = scene((store) => ({ ...store, reserve: () => down }));
    const haft = await open();
    await expect(haft.call("look", { n: 1 }, { idempotencyKey })).rejects.toMatchObject({
      code: "ledger_unavailable",
      failure: { tool: "look", ran: false, detail: "no disk" },
      message: 'The tool "look" cannot run because calls cannot be recorded right now.',
    });
    expect(inputs).toEqual([]);
  });

  it("of an earlier call that cannot be found refuses the second call", async () => {
    const { inputs, open } = scene((store) => ({ ...store, recall: () => Effect.succeed(undefined) }));
    const haft = await open();
    await haft.call("look", { n: 1 }, { idempotencyKey });
    await expect(haft.call("look", { n: 1 }, { idempotencyKey })).rejects.toMatchObject({
      code: "still_running",
      failure: { tool: "look", ran: false },
    });
    expect(inputs).toEqual([1]);
  });

  it("is ignored for a read that may run without a ledger", async () => {
    const down = Effect.fail(new LedgerError("ledger_unavailable", "no disk"));
    const { inputs, open } = scene((store) => ({ ...store, open: () => down, reserve: () => down }));
    const haft = await open({ config: { ledger: { readsWithoutLedger: true } } as never });
    expect(await haft.call("look", { n: 1 }, { idempotencyKey })).toEqual({ paid: 1 });
    expect(inputs).toEqual([1]);
  });

  it.each(["reserve", "recall"] as const)("works with a ledger that has no %s", async (part) => {
    const { inputs, open } = scene((store) => ({ ...store, [part]: undefined }));
    const haft = await open();
    for (const _ of [1, 2]) {
      expect(await haft.call("look", { n: 1 }, { idempotencyKey })).toEqual({ paid: 1 });
    }
    expect(inputs).toEqual([1]);
  });

  it("is refused for other arguments, and the call has not run", async () => {
    const { inputs, open } = scene();
    const haft = await open();
    await haft.call("look", { n: 1 }, { idempotencyKey });
    await expect(haft.call("look", { n: 2 }, { idempotencyKey })).rejects.toMatchObject({
      code: "key_reused",
      failure: { tool: "look", ran: false },
    });
    expect(inputs).toEqual([1]);
  });
});

it("a value without taints is replayed under its key without taints", async () => {
  const { ran, elsewhere } = createRecoveryScene();
  const ask = (entryId: string) =>
    elsewhere((pipeline) => pipeline.call(recoveryRequest("pay", { entryId, key: "order-1" })));
  const first = await ask("first");
  expect(await ask("second")).toStrictEqual(first);
  expect(Object.keys(first)).not.toContain("taints");
  expect(ran).toEqual(["pay"]);
});

it("a pending call under a key keeps a second call from requesting approval", async () => {
  const { ran, elsewhere } = createRecoveryScene();
  const ask = (entryId: string) =>
    elsewhere((pipeline) => pipeline.call(recoveryRequest("wipe", { entryId, key: "order-1" })));
  expect((await ask("first")).pending?.tool).toBe("wipe");
  const second = await ask("second");
  expect(second.pending).toBeUndefined();
  expect(second.failure).toMatchObject({ code: "still_running", ran: false });
  expect(ran).toEqual([]);
});
