import { expect, it } from "vitest";
import type { Failure } from "../../types/failure.ts";
import { maskFailure } from "./mask-failure.ts";

const secret = "canary";
const redactor = { text: (text: string) => text.replaceAll(secret, "***") };
const mask = (failure: Partial<Failure>) =>
  maskFailure({ code: "failed", message: "no", ...failure }, redactor);

it("a failure has only the members that it came with", () => {
  expect(mask({})).toEqual({ code: "failed", message: "no" });
  expect(Object.keys(mask({})).toSorted()).toEqual(["code", "message"]);
  expect(mask({ ran: true, retryAfterMs: 5 })).toEqual({
    code: "failed",
    message: "no",
    ran: true,
    retryAfterMs: 5,
  });
});

it("no known secret is left in any of its words", () => {
  const masked = mask({
    message: `a ${secret}`,
    tool: `b ${secret}`,
    detail: `c ${secret}`,
    issues: [
      {
        pointer: `/d/${secret}`,
        message: `e ${secret}`,
        expected: `f ${secret}`,
        received: `g ${secret}`,
      },
      { pointer: "", message: "h" },
    ],
  });
  expect(masked).toEqual({
    code: "failed",
    message: "a ***",
    tool: "b ***",
    detail: "c ***",
    issues: [
      { pointer: "/d/***", message: "e ***", expected: "f ***", received: "g ***" },
      { pointer: "", message: "h" },
    ],
  });
  expect(Object.keys(masked.issues?.[1] ?? {}).toSorted()).toEqual(["message", "pointer"]);
});

it("what a tool says is cut after 600 characters, and what the corridor says after 8,000", () => {
  expect(mask({ message: "x".repeat(600) }).message).toBe("x".repeat(600));
  expect(mask({ message: "x".repeat(601) }).message).toBe(`${"x".repeat(600)}…`);
  const ours = (length: number) => mask({ code: "invalid_input", message: "x".repeat(length) }).message;
  expect(ours(8_000)).toBe("x".repeat(8_000));
  expect(ours(8_001)).toBe(`${"x".repeat(8_000)}…`);
  expect(mask({ detail: "x".repeat(8_001) }).detail).toBe(`${"x".repeat(8_000)}…`);
});

it("a secret is masked before the cut, which would leave its first half behind", () => {
  expect(mask({ message: `${"x".repeat(597)}${secret}` }).message).toBe(`${"x".repeat(597)}***`);
});

it("the stack of the error behind it becomes its detail, and the error itself is left out", () => {
  const cause = Object.assign(new Error("boom"), { stack: `Error: boom ${secret}` });
  expect(mask({ cause })).toEqual({ code: "failed", message: "no", detail: "Error: boom ***" });
  expect(mask({ cause, detail: "said before" }).detail).toBe("said before");
  expect("cause" in mask({ cause })).toBe(false);
});

it("what is no error, or has no stack that can be read, gives no detail", () => {
  const withStack = (get: () => unknown) => Object.defineProperty(new Error("boom"), "stack", { get });
  const unreadable = withStack(() => {
    throw new Error("not for you");
  });
  for (const cause of ["boom", { stack: "not an error" }, withStack(() => 42), unreadable]) {
    expect(mask({ cause })).toEqual({ code: "failed", message: "no" });
  }
});
