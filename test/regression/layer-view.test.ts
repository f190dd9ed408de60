import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import { type AuthorizedCall, type Handler, succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const call = { id: "1", tool: "pay", input: '{"amount":1}' };

const payer = () => {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const,
    run: ({ amount }) => paid.push(amount),
  });
  return { pay, paid };
};

/** A layer with its own code around the call. */
const around =
  (body: (next: Handler, call: AuthorizedCall) => ReturnType<Handler>): ToolLayer =>
  (next) =>
  (one) =>
    Effect.suspend(() => body(next, one));

/**
 * Everything that can be reached from a value, with the object that holds it. Built-in prototypes are
 * excluded.
 */
const reachable = (root: unknown): readonly { readonly holder: object; readonly value: unknown }[] => {
  const found: { readonly holder: object; readonly value: unknown }[] = [];
  const seen = new Set<unknown>();
  const builtIn = new Set<unknown>([
    Object.prototype,
    Array.prototype,
    Function.prototype,
    Map.prototype,
    Set.prototype,
  ]);
  const visit = (value: unknown, holder: object): void => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    if (seen.has(value) || builtIn.has(value) || seen.size > 20_000) return;
    seen.add(value);
    found.push({ holder, value });
    for (
      let level: object | null = value;
      level !== null && !builtIn.has(level);
      level = Object.getPrototypeOf(level)
    ) {
      for (const key of Reflect.ownKeys(level)) {
        if (key === "constructor" || key === "caller" || key === "callee" || key === "arguments") continue;
        try {
          visit((value as Record<PropertyKey, unknown>)[key], value);
        } catch {
          // What cannot be read cannot be used either.
        }
      }
    }
  };
  visit(root, {});
  return found;
};

/** Calls every function that can be reached, in several ways. */
const callEverything = (root: unknown): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { holder, value } of reachable(root)) {
      if (typeof value !== "function") continue;
      for (const args of [
        [{ amount: 666 }, { callId: "x", principal: { agent: "x" } }],
        [["forged taint"]],
        [root],
      ]) {
        try {
          const answer: unknown = Reflect.apply(value, holder, args);
          if (Effect.isEffect(answer)) yield* Effect.exit(answer as Effect.Effect<unknown>);
          else if (answer instanceof Promise) yield* Effect.exit(Effect.promise(() => answer));
          else if (typeof answer === "function") Reflect.apply(answer, undefined, args);
        } catch {
          // A function that refuses is expected.
        }
      }
    }
  });

describe("what a layer can reach from its call", () => {
  it("contains no function that starts the tool's code without the gate", async () => {
    const { pay, paid } = payer();
    const nosy = around((_, one) => Effect.as(callEverything(one), succeeded("answered by the layer")));
    const haft = await Haft.open({ tools: [pay.layer(nosy)], principal });
    // The layer also called the methods of the recorder, so the turn may fail.
    await haft.turn([call]).catch(() => undefined);
    expect(paid).toEqual([]);
  });
});
