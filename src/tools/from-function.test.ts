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

describe("fromFunction", () => {
  it("uses the name of the function and fills parameters in list order", () => {
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

  it("passes undefined for an omitted parameter so that its default applies", () => {
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

  it("passes the whole input and the context for an object input", () => {
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

  it("keeps other fields of the definition", () => {
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

  it("converts the name of the function to a valid tool name", () => {
    const $fetch$page = () => 1;
    const named = fromFunction($fetch$page.bind(null), {
      name: undefined,
      description: "Fetches",
      input: [],
    });
    expect(named.spec.name).toBe("fetch_page");
  });

  it("rejects functions without a usable name and other values", () => {
    expect(() => fromFunction(() => 1, { description: "Nameless", input: [] })).toThrow("has no name");
    const größe = () => 1;
    expect(() => fromFunction(größe, { description: "Not ASCII", input: [] })).toThrow('Try "gro_e"');
    expect(() => fromFunction("code" as never, { description: "No function", input: [] })).toThrow(
      "requires a function",
    );
  });
});
