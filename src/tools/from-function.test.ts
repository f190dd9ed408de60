import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallContext } from "../types/call.ts";
import type { AnyTool } from "../types/tool.ts";
import { fromFunction } from "./from-function.ts";

const context = { callId: "1" } as CallContext;
const run = (subject: AnyTool, input: unknown): unknown =>
  Effect.runSync(subject.implementation.bind(subject.spec)(input, context) as Effect.Effect<unknown>);

const numbers = [
  { name: "a", type: "number", required: true },
  { name: "b", type: "number", required: true },
] as const;

describe("a plain function", () => {
  it("becomes a tool under its own name, its positions filled in the order of the list", () => {
    function subtract(a: number, b: number) {
      return a - b;
    }
    const subject = fromFunction(subtract, { description: "Subtracts b from a", input: numbers });
    expect(subject.spec).toMatchObject({
      name: "subtract",
      source: "function",
      description: "Subtracts b from a",
    });
    expect(run(subject, { b: 2, a: 5 })).toBe(3);
  });

  it("gets nothing for a position that the caller left out, so its own default stands", () => {
    const page = (query: string, size = 10) => `${query}:${size}`;
    const subject = fromFunction(page, {
      description: "One page of results",
      parameters: [
        { name: "query", type: "string", required: true },
        { name: "size", type: "number" },
      ],
    });
    expect(run(subject, { query: "haft" })).toBe("haft:10");
    const inherited = fromFunction((first?: string) => first, {
      name: "build",
      description: "Builds with a constructor",
      input: [{ name: "constructor", type: "string" }],
    });
    expect(run(inherited, {})).toBe(undefined);
  });

  it("gets the whole input and the context when its input is an object", () => {
    const greet = ({ name }: { readonly name: string }, { callId }: CallContext) =>
      `Hello, ${name} (${callId})!`;
    const subject = fromFunction(greet, {
      name: "say_hello",
      description: "Greets",
      input: z.object({ name: z.string() }),
    });
    expect(subject.spec.name).toBe("say_hello");
    expect(run(subject, { name: "Ada" })).toBe("Hello, Ada (1)!");
  });

  it("keeps the definition's other fields", () => {
    const subject = fromFunction((a: number, b: number) => a + b, {
      name: "add",
      description: "Adds",
      input: numbers,
      output: { type: "number" },
      annotations: { readOnly: true },
    });
    expect(subject.spec).toMatchObject({ annotations: { readOnly: true }, output: { type: "number" } });
    expect(subject.output?.(3)).toMatchObject({ ok: true });
  });

  it("has its name brought into the alphabet", () => {
    const $fetch$page = () => 1;
    const named = fromFunction($fetch$page.bind(null), {
      name: undefined,
      description: "Fetches",
      input: [],
    });
    expect(named.spec.name).toBe("fetch_page");
  });

  it("is refused when it has no name, or one that cannot be used", () => {
    expect(() => fromFunction(() => 1, { description: "Nameless", input: [] })).toThrow("no name of its own");
    const größe = () => 1;
    expect(() => fromFunction(größe, { description: "Not ASCII", input: [] })).toThrow('Try "gro_e"');
    expect(() => fromFunction("code" as never, { description: "No function", input: [] })).toThrow(
      "takes a function",
    );
  });
});
