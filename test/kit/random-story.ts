import * as Effect from "effect/Effect";
import fc from "fast-check";
import { final, handoff, rewrite, tool } from "haft";
import {
  costBudget,
  maxTurns,
  type StopPolicy,
  timeBudget,
  tokenBudget,
  toolCalled,
} from "../../src/agent/stop-policies.ts";
import type { CallContext, RawCall } from "../../src/types/call.ts";
import { ModelError } from "../../src/types/errors.ts";
import type { ModelReply } from "../../src/types/model.ts";
import type { ScriptLine } from "./scripted-model.ts";

/** The state around one conversation, for tools and model lines. */
export interface StoryScene {
  abort: AbortController;
  /** Replies of the model in this run. */
  said: ModelReply[];
  /** Numbers and ids of the calls that were started. */
  readonly started: number[];
  readonly ids: string[];
  /** Numbers of the calls that may be started. */
  readonly allowed: Set<number>;
  serial: number;
}

export const newStoryScene = (): StoryScene => ({
  abort: new AbortController(),
  said: [],
  started: [],
  ids: [],
  allowed: new Set(),
  serial: 0,
});

type ToolBehavior = (scene: StoryScene, n: number, to: string, context: CallContext) => unknown;

const neverSettles = () => new Promise<never>(() => {});
const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

const behaviors: Record<string, ToolBehavior> = {
  good: (_, n) => n,
  slow: async (_, n) => {
    await nextTick();
    return n;
  },
  failing: () => Effect.fail(new Error("no")),
  throwing: () => {
    throw new Error("thrown");
  },
  crashing: () => Effect.die("bug"),
  odd: () => 1n,
  large: () => "x".repeat(50_000),
  rewriting: (_, n) => rewrite(n, "before"),
  final: (_, n) => final(n),
  final_null: () => final(null),
  final_late: async (_, n) => {
    await nextTick();
    return final(n);
  },
  hand_over: (_, _n, to) => handoff(to),
  hand_over_late: async (_, _n, to) => {
    await nextTick();
    return handoff(to);
  },
  guarded: (_, n) => n,
  denied: () => "never",
  aborting: ({ abort }, n) => {
    abort.abort();
    return n;
  },
  endless: ({ abort }, _n, _to, { signal }) => {
    queueMicrotask(() => abort.abort());
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  },
  deaf: ({ abort }) => {
    setImmediate(() => abort.abort());
    return neverSettles();
  },
  endless_effect: ({ abort }) => {
    setImmediate(() => abort.abort());
    return Effect.never;
  },
};

const toolNames = [
  ...Object.keys(behaviors),
  "unknown",
  "",
  "handoff_to_helper",
  "hand_over",
  "hand_over_late",
  "guarded",
  "guarded",
  "good",
  "good",
  "slow",
];
const inputs = [
  "good",
  "good",
  "good",
  "value",
  "huge",
  "broken",
  "wrong",
  "forbidden",
  "empty",
  "null",
] as const;
const oversize = "x".repeat(1_100_000);

const randomCall = fc.record({
  tool: fc.constantFrom(...toolNames),
  id: fc.constantFrom("fresh", "fresh", "fresh", "same", "call-1", "", " "),
  input: fc.oneof(
    { arbitrary: fc.constantFrom(...inputs), weight: 60 },
    { arbitrary: fc.constant("oversize" as const), weight: 1 },
  ),
  to: fc.constantFrom("helper", "third", "main", "nobody", ""),
  mark: fc.constantFrom(undefined, undefined, undefined, undefined, "incomplete", "complete", "provider"),
  index: fc.option(fc.nat(3), { nil: undefined }),
});
type RandomCall = typeof randomCall extends fc.Arbitrary<infer Value> ? Value : never;

const randomLine = fc.record({
  text: fc.constantFrom("", " ", "well", "let me see what I can do"),
  calls: fc.array(randomCall, { maxLength: 6 }),
  finish: fc.constantFrom(undefined, undefined, "length" as const, "filter" as const, "other" as const),
  /** What else happens: mostly nothing. */
  event: fc.constantFrom(...Array<"">(13).fill(""), "late", "abort", "hang", "error", "model error"),
});
type RandomLine = typeof randomLine extends fc.Arbitrary<infer Value> ? Value : never;

export const stopPolicies: Record<string, () => StopPolicy> = {
  turns: () => maxTurns(2),
  tool: () => toolCalled(["good", "slow"]),
  tokens: () => tokenBudget(25),
  cost: () => costBudget(30, { inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 }),
  time: () => timeBudget("1 millis"),
};

const randomRun = fc.record({
  input: fc.constantFrom("hello", "do it"),
  lines: fc.array(randomLine, { maxLength: 5 }),
  isAborted: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  isDeafModel: fc.boolean(),
  /** Whether the run is streamed, and after how many events its reader stops. */
  listens: fc.constantFrom(undefined, undefined, 2, 8, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
  maxTurns: fc.constantFrom(undefined, undefined, 1, 3),
  stop: fc.constantFrom(undefined, undefined, undefined, ...Object.keys(stopPolicies)),
  /** Whether pending calls are answered before the next run. */
  resume: fc.constantFrom("no", "allow" as const, "deny" as const),
});

export const randomStory = fc.record({
  runs: fc.array(randomRun, { minLength: 1, maxLength: 3 }),
  approver: fc.constantFrom("nobody", "later", "later", "allow", "deny"),
  isLate: fc.boolean(),
  goesOnWith: fc.constantFrom("main", "last"),
});
export type Story = typeof randomStory extends fc.Arbitrary<infer Value> ? Value : never;

const inputText = (kind: RandomCall["input"], n: number, to: string): unknown => {
  if (kind === "value") return { n, to };
  if (kind === "huge") return JSON.stringify({ n, to, padding: oversize.slice(0, 100_000) });
  if (kind === "oversize") return JSON.stringify({ n, to, padding: oversize });
  if (kind === "broken") return `{"n":${n},"to":`;
  if (kind === "wrong") return `{"n":"${n}"}`;
  if (kind === "forbidden") return `{"n":${n},"__proto__":{"to":"helper"}}`;
  if (kind === "empty") return "";
  return kind === "null" ? null : JSON.stringify({ n, to });
};

/** Valid, complete, and of a tool that requires no approval. */
const isRunnable = ({ tool, input, mark }: RandomCall): boolean =>
  ["good", "value", "huge"].includes(input) &&
  !["guarded", "denied"].includes(tool) &&
  mark !== "incomplete" &&
  mark !== "provider";

const toCalls = (scene: StoryScene, calls: readonly RandomCall[]): readonly RawCall[] =>
  calls.map((call) => {
    const n = ++scene.serial;
    if (isRunnable(call)) scene.allowed.add(n);
    return {
      id: call.id === "fresh" ? `id-${n}` : call.id,
      tool: call.tool,
      input: inputText(call.input, n, call.to),
      ...(call.index === undefined ? {} : { index: call.index }),
      ...(call.mark === "provider" ? { providerExecuted: true } : {}),
      ...(call.mark === "incomplete" || call.mark === "complete" ? { finish: call.mark } : {}),
    };
  });

export const toScriptLine =
  (scene: StoryScene, { text, calls, finish, event }: RandomLine): ScriptLine =>
  async () => {
    // Late events belong to the run that requested them.
    const { abort, said } = scene;
    // Neither error is worth a retry, so that no test waits for one.
    if (event === "error") throw Object.assign(new Error("the model broke"), { retryAfterMs: 60_000 });
    if (event === "model error") throw new ModelError("model_bad_request", "No such model.");
    if (event === "late") await nextTick();
    if (event === "hang" || event === "abort") abort.abort();
    if (event === "hang") return neverSettles();
    const asked = toCalls(scene, calls);
    const reply: ModelReply = {
      text,
      calls: asked,
      usage: { inputTokens: 10, outputTokens: 2 },
      finish: finish ?? (asked.length > 0 ? "calls" : "stop"),
    };
    said.push(reply);
    return reply;
  };

const schema = {
  type: "object",
  properties: { n: { type: "integer" }, to: { type: "string" } },
  required: ["n"],
} as const;

export const storyTools = (scene: StoryScene) =>
  Object.entries(behaviors).map(([name, behave]) =>
    tool({
      name,
      description: `Is ${name}`,
      input: schema,
      risk: name === "guarded" ? "high" : "low",
      run: ({ n, to }, context) => {
        scene.started.push(n);
        scene.ids.push(context.callId);
        return behave(scene, n, to ?? "", context);
      },
    }),
  );
