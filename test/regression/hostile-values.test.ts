import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import { failed } from "haft/layers";
import { expect, it } from "vitest";
import { memoryLedger } from "../../src/ledger/memory.ts";

const principal = { agent: "tester", allow: ["*"] };
const plain = { value: (value: unknown) => value, text: (text: string) => text };
const made = (run: () => unknown, extra: object = {}) =>
  tool({ name: "t", description: "d", input: { type: "object" } as const, run, ...extra });
const outcome = Symbol.for("haft/outcome");
const error = Symbol.for("haft/ToolError");
const yes = () => ({ effect: "allow", reason: "", ruleIds: [] });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (): never => {
  throw new Error("broken");
};

const cases: [string, ReturnType<typeof made>, object?][] = [
  [
    "rejects with an error whose retryAfterMs throws",
    made(() =>
      Promise.reject({
        get retryAfterMs(): number {
          return throwing();
        },
      }),
    ),
  ],
  [
    "rejects with a ToolError of another version",
    made(() => Promise.reject({ [error]: true, failure: { code: "from_the_future", message: "x" } })),
  ],
  ["rejects with a ToolError without a failure", made(() => Promise.reject({ [error]: true }))],
  ["answers with an outcome without a tag", made(() => ({ [outcome]: true }))],
  [
    "answers with a failure of an unknown code",
    made(() => ({ [outcome]: true, _tag: "failure", failure: { code: "zzz", message: "x" } })),
  ],
  [
    "fails with a detail that is not text",
    made(() => 1, {
      layers: [
        () => () =>
          Effect.succeed(
            failed({ code: "failed", message: "x", detail: new Error("y") as never, issues: "z" as never }),
          ),
      ],
    }),
  ],
  ["rejects with a revoked proxy", made(() => Promise.reject(revoked()))],
  ["answers with a revoked proxy", made(async () => [revoked()])],
  ["answers with a value without a flow", made(() => ({ [outcome]: true, _tag: "value", value: 1 }))],
  ["has a policy that throws when it decides", made(() => 1), { policy: { visible: yes, decide: throwing } }],
  [
    "has a policy that throws when it checks visibility",
    made(() => 1),
    { policy: { visible: throwing, decide: throwing } },
  ],
  [
    "has a ledger that dies when it opens",
    made(() => 1),
    { ledger: { ...memoryLedger({ redactor: plain }), open: () => Effect.die("x") } },
  ],
  [
    "has a ledger that throws when it opens",
    made(() => 1),
    { ledger: { ...memoryLedger({ redactor: plain }), open: throwing } },
  ],
  [
    "has a ledger that dies when it closes",
    made(() => 1),
    { ledger: { ...memoryLedger({ redactor: plain }), close: () => Effect.die("x") } },
  ],
  ["has a layer that throws when it is applied", made(() => 1, { layers: [throwing] })],
  ["has a layer that returns a promise", made(() => 1, { layers: [() => async () => 1] })],
];

it.each(cases)(
  "a call that %s fails with another code than cancelled, and its entry is closed",
  async (_, t, options = {}) => {
    const haft = await Haft.open({ tools: [t], principal, ...options } as never);
    const calls = [{ id: "1", tool: "t", input: "{}" }];
    const replies = [
      ...(await haft.turn(calls)),
      ...(await haft.turn([...calls, { id: "2", tool: "t", input: "{}" }])),
    ];
    expect(replies.map((reply) => reply.ok)).toEqual([false, false, false]);
    for (const reply of replies) expect(["cancelled", undefined]).not.toContain(reply.failure?.code);
    if (!("ledger" in options))
      expect((await haft.log()).map((row) => row.ending)).toEqual(["failed", "failed", "failed"]);
  },
);

it.each<[string, () => unknown, object?]>([
  [
    "toJSON that differs from what was checked",
    () => ({ n: 1, toJSON: () => "other" }),
    { output: { type: "object", properties: { n: { type: "number" } } } },
  ],
  ["NaN", () => ({ n: Number.NaN })],
  ["a function", () => () => 1],
  ["a Map", () => new Map([[1, 2]])],
  ["3,000 levels", () => JSON.parse(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`)],
])(
  "a result with %s is withheld because caller and model would receive different values",
  async (_, run, extra) => {
    const haft = await Haft.open({ tools: [made(run, extra)], principal });
    const [reply] = await haft.turn([{ id: "1", tool: "t", input: "{}" }]);
    expect(reply?.failure?.code).toBe("invalid_output");
  },
);

it("a call without a name is answered, and the log stays readable", async () => {
  const haft = await Haft.open({ tools: [made(() => 1)], principal });
  haft.on("tools.started", () => {});
  expect(await haft.execute({ agentId: "a", sessionId: "s" } as never)).toMatchObject({ success: false });
  expect((await haft.log()).map((row) => row.code)).toEqual(["unreadable_call"]);
});

it("an async listener that rejects does no harm", async () => {
  const haft = await Haft.open({ tools: [made(() => 1)], principal });
  haft.on("tools.executed", async () => {
    throw new Error("bad listener");
  });
  expect(await haft.call("t", {})).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
});
