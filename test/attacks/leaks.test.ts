import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import { type EventName, Haft, http, tool } from "haft";
import { authorize } from "haft/layers";
import { expect, it } from "vitest";
import type { AnyTool } from "../../src/types/tool.ts";

const canary = "canary-7d2f-do-not-print";
const principal = { agent: "tester", allow: ["*"] };
const any = { type: "object" } as const;
const names: EventName[] = [
  "tools.started",
  "tools.executed",
  "tools.failed",
  "tools.pending",
  "tools.progress",
];
const login = tool({
  name: "login",
  description: "Makes the secret known",
  input: any,
  implementation: http({ url: "http://127.0.0.1:9/", auth: { secret: "key" } }),
});
const made = (run: (input: never, context: never) => unknown, extra: object = {}): AnyTool =>
  tool({ name: "t", description: "d", input: any, run: run as () => unknown, ...extra }) as AnyTool;
const numeric = { type: "object", properties: { a: { type: "number" } } };

const cases: [string, AnyTool, string, string?, object?][] = [
  ["an argument that breaks the schema", made(() => 1, { input: numeric }), JSON.stringify({ a: canary })],
  [
    "an invalid argument under a secret key",
    made(() => 1, { input: { type: "object", properties: { password: { type: "number" } } } }),
    JSON.stringify({ password: canary }),
    "t",
    { credentials: { values: { key: "another-secret-value" } } },
  ],
  [
    "a key that a closed schema refuses",
    made(() => 1, { input: { type: "object", properties: {}, additionalProperties: false } }),
    JSON.stringify({ [canary]: 1 }),
  ],
  ["the name of an unknown tool", made(() => 1), "{}", canary],
  ["a result that breaks the schema", made(() => ({ a: canary }), { output: numeric }), "{}"],
  ["a layer that dies", made(() => 1, { layers: [() => () => Effect.die(new Error(canary))] }), "{}"],
  [
    "a progress update",
    made((_: never, context: { progress: (update: unknown) => void }) => {
      context.progress({ token: canary });
      return 1;
    }, {}),
    "{}",
  ],
  [
    "the reason of a denial",
    made(() => 1, { layers: [authorize(() => ({ kind: "deny", reason: canary }))] }),
    "{}",
  ],
  [
    "a violation that a lenient tool lets pass",
    made(() => 1, { input: numeric, validate: "lenient" }),
    JSON.stringify({ a: canary }),
  ],
  [
    "a thrown error",
    made(() => {
      throw new Error(canary);
    }),
    "{}",
  ],
  [
    "a thrown string",
    made(() => {
      throw canary;
    }),
    "{}",
  ],
  [
    "the cause of a thrown error",
    made(() => {
      throw new Error("no", { cause: new Error(canary) });
    }),
    "{}",
  ],
  [
    "code that cannot be bound",
    tool({
      name: "t",
      description: "d",
      input: any,
      implementation: {
        _tag: "x",
        bind: () => {
          throw new Error(canary);
        },
      },
    }) as AnyTool,
    "{}",
  ],
];

it.each(cases)("masks a secret in %s everywhere", async (_, subject, input, name = "t", options = {}) => {
  await using haft = await Haft.open({
    tools: [login, subject] as never,
    principal,
    credentials: { values: { key: canary } },
    ...options,
  } as never);
  await haft.call("login" as never, {} as never).catch(() => {});
  const events: unknown[] = [];
  for (const each of names) haft.on(each, (event) => events.push([each, event]));
  const [reply] = await haft.turn([{ id: "1", tool: name, input }]);
  const error = await haft.call(name as never, JSON.parse(input) as never).catch((thrown: unknown) => thrown);
  const found = Object.entries({
    text: reply?.text,
    failure: inspect(reply?.failure, { depth: 20 }),
    events: inspect(events, { depth: 20 }),
    ledger: inspect(await haft.log(), { depth: 20 }),
    errorJson: JSON.stringify(error) ?? "",
    errorInspect: inspect(error, { depth: 20 }),
  }).filter(([, text]) => text?.includes(canary));
  expect(found.map(([where]) => where)).toEqual([]);
});
