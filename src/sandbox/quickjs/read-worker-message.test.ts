import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../sandbox.ts";
import { readWorkerMessage } from "./read-worker-message.ts";

const expected = { limits: { ...defaultLimits, callBytes: 10 }, functions: 2, calls: 3, answers: 1 };
const read = (message: unknown) => readWorkerMessage(message, expected);
const printed = { logs: [], logsCut: false, cpuMs: 1 };

describe("message of a worker", () => {
  it("is accepted when it is valid", () => {
    const call = { kind: "call", number: 3, name: 1, input: "{}" };
    const idle = { kind: "idle", taken: 1, ...printed, logs: [{ level: "warn", text: "a" }] };
    const done = { kind: "done", ending: { kind: "value", text: "1" }, isSound: true, ...printed };
    for (const message of [call, idle, done]) expect(read(message)).toEqual(message);
  });

  it.each([
    ["a number that is not the next", { kind: "call", number: 2, name: 0, input: "{}" }],
    ["an unknown function", { kind: "call", number: 3, name: 2, input: "{}" }],
    ["an argument that is too long", { kind: "call", number: 3, name: 0, input: "x".repeat(11) }],
    ["an argument that is not text", { kind: "call", number: 3, name: 0, input: { length: 1 } }],
    ["more answers than were given", { kind: "idle", taken: 2, ...printed }],
    ["invalid logs", { kind: "idle", taken: 1, ...printed, logs: [{ level: "log", text: 1 }] }],
    [
      "a limit that only the host detects",
      { kind: "done", ending: { kind: "stopped", limit: "time", message: "" }, ...printed },
    ],
    ["an invalid ending", { kind: "done", ending: { kind: "fine" }, ...printed }],
    ["an unknown kind", { kind: "exec" }],
  ])("is refused with %s", (_, message) => {
    expect(read(message)).toBeUndefined();
  });

  it("is copied without other fields", () => {
    const ending = { kind: "error", name: "E", message: "m", line: -1, stack: {}, more: 1 };
    expect(read({ kind: "done", ending, ...printed, more: 1 })).toEqual({
      kind: "done",
      ending: { kind: "error", name: "E", message: "m" },
      isSound: false,
      ...printed,
    });
  });

  it("never makes the host throw", () => {
    const kinds = fc.constantFrom("call", "idle", "done", "ready", "other");
    const message = fc.record(
      {
        kind: kinds,
        number: fc.anything(),
        name: fc.anything(),
        input: fc.anything(),
        ending: fc.anything(),
        logs: fc.anything(),
        cpuMs: fc.anything(),
        taken: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(fc.oneof(message, fc.anything()), (given) => void read(given)));
  });
});
