import { describe, expect, it } from "vitest";
import type { RawCall } from "../types/call.ts";
import { readRawCall, UnreadableArguments } from "./raw-call.ts";

const read = (given: unknown): RawCall => readRawCall(given as RawCall, {});
const plain = { id: "1", tool: "work", input: "{}" };

describe("a call as it came", () => {
  it("has only its id, its tool and its input where nothing else was said", () => {
    const call = read({ ...plain, extra: true });
    expect(call).toEqual(plain);
    expect(Object.keys(call)).toEqual(["id", "tool", "input"]);
    expect(Object.isFrozen(call)).toBe(true);
  });

  it("has an empty id and an empty name where they are no text", () => {
    expect(read({ id: 1, tool: null, input: "{}" })).toEqual({ id: "", tool: "", input: "{}" });
  });

  it("has all that was said of it, and nothing that is of another kind", () => {
    const said = { index: 2, providerExecuted: true, finish: "incomplete", nulls: ["/a", 1] };
    const call = read({ ...plain, ...said });
    expect(call).toEqual({ ...plain, ...said, nulls: ["/a", "1"] });
    expect([Object.isFrozen(call), Object.isFrozen(call.nulls)]).toEqual([true, true]);
    const odd = { index: "2", providerExecuted: "yes", finish: "stop", nulls: "/a" };
    expect(read({ ...plain, ...odd })).toEqual({ ...plain, providerExecuted: false, finish: "complete" });
    expect(Object.keys(read({ ...plain, ...odd }))).not.toContain("index");
    expect(Object.keys(read({ ...plain, ...odd }))).not.toContain("nulls");
  });

  it("is read whole whichever one thing is said of it", () => {
    const whole = { ...plain, providerExecuted: false, finish: "complete" };
    expect(read({ ...plain, index: 0 })).toEqual({ ...whole, index: 0 });
    expect(read({ ...plain, providerExecuted: true })).toEqual({ ...whole, providerExecuted: true });
    expect(read({ ...plain, finish: "length" })).toEqual({ ...whole, finish: "incomplete" });
    expect(read({ ...plain, nulls: [] })).toEqual({ ...whole, nulls: [] });
  });

  it("is a call of nothing if it cannot be read at all", () => {
    const locked = Object.defineProperty({}, "id", {
      get: () => {
        throw new Error("not for you");
      },
    });
    for (const given of [undefined, null, locked]) {
      expect(read(given)).toEqual({ id: "", tool: "", input: undefined });
    }
  });
});

describe("the arguments of a call", () => {
  it("stay exactly as they are if they are a text, or nothing", () => {
    for (const input of [' { "a" : 1 } ', "", null, undefined]) {
      expect(read({ ...plain, input }).input).toBe(input);
    }
  });

  it("are copied and frozen if they are a value, without the sign of minus zero", () => {
    const given = { list: [-0, { a: 1 }] };
    const { input } = read({ ...plain, input: given }) as { input: typeof given };
    given.list.push(2);
    expect(input).toEqual({ list: [0, { a: 1 }] });
    expect([Object.isFrozen(input), Object.isFrozen(input.list)]).toEqual([true, true]);
  });

  it("are kept as a problem if they are no JSON, and no word of them is written", () => {
    const { input } = read({ ...plain, input: { run: () => "canary" } });
    expect(input).toBeInstanceOf(UnreadableArguments);
    expect(Object.isFrozen(input)).toBe(true);
    expect((input as UnreadableArguments).problem.message).not.toBe("");
    expect(JSON.stringify(input)).toBe('"[not JSON]"');
  });
});
