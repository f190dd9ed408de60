import { describe, expect, it } from "vitest";
import type { RawCall } from "../types/call.ts";
import { readRawCall, UnreadableArguments } from "./current-call.ts";

const read = (given: unknown): RawCall => readRawCall(given as RawCall, {});
const plain = { id: "1", tool: "work", input: "{}" };

describe("readRawCall", () => {
  it("returns only id, tool and input when no other field is given", () => {
    const call = read({ ...plain, extra: true });
    expect(call).toEqual(plain);
    expect(Object.keys(call)).toEqual(["id", "tool", "input"]);
    expect(Object.isFrozen(call)).toBe(true);
  });

  it("uses an empty string when id or tool is not a string", () => {
    expect(read({ id: 1, tool: null, input: "{}" })).toEqual({ id: "", tool: "", input: "{}" });
  });

  it("returns valid optional fields and corrects or drops others", () => {
    const said = { index: 2, providerExecuted: true, finish: "incomplete", nulls: ["/a", 1] };
    const call = read({ ...plain, ...said });
    expect(call).toEqual({ ...plain, ...said, nulls: ["/a", "1"] });
    expect([Object.isFrozen(call), Object.isFrozen(call.nulls)]).toEqual([true, true]);
    const odd = { index: "2", providerExecuted: "yes", finish: "stop", nulls: "/a" };
    expect(read({ ...plain, ...odd })).toEqual({ ...plain, providerExecuted: false, finish: "complete" });
    expect(Object.keys(read({ ...plain, ...odd }))).not.toContain("index");
    expect(Object.keys(read({ ...plain, ...odd }))).not.toContain("nulls");
  });

  it("returns all common fields when one optional field is given", () => {
    const whole = { ...plain, providerExecuted: false, finish: "complete" };
    expect(read({ ...plain, index: 0 })).toEqual({ ...whole, index: 0 });
    expect(read({ ...plain, providerExecuted: true })).toEqual({ ...whole, providerExecuted: true });
    expect(read({ ...plain, finish: "length" })).toEqual({ ...whole, finish: "incomplete" });
    expect(read({ ...plain, nulls: [] })).toEqual({ ...whole, nulls: [] });
  });

  it("returns an empty call when the given value cannot be read", () => {
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

describe("arguments of a raw call", () => {
  it("are unchanged when they are text, null or undefined", () => {
    for (const input of [' { "a" : 1 } ', "", null, undefined]) {
      expect(read({ ...plain, input }).input).toBe(input);
    }
  });

  it("are copied and frozen when they are a value, with minus zero as zero", () => {
    const given = { list: [-0, { a: 1 }] };
    const { input } = read({ ...plain, input: given }) as { input: typeof given };
    given.list.push(2);
    expect(input).toEqual({ list: [0, { a: 1 }] });
    expect([Object.isFrozen(input), Object.isFrozen(input.list)]).toEqual([true, true]);
  });

  it("are an UnreadableArguments without their content when they are not JSON", () => {
    const { input } = read({ ...plain, input: { run: () => "canary" } });
    expect(input).toBeInstanceOf(UnreadableArguments);
    expect(Object.isFrozen(input)).toBe(true);
    expect((input as UnreadableArguments).problem.message).not.toBe("");
    expect(JSON.stringify(input)).toBe('"[not JSON]"');
  });
});
