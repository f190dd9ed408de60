import { expect, it } from "vitest";
import type { Failure } from "../../types/failure.ts";
import { maskFailure } from "./mask-failure.ts";

const secret = "canary";
const redactor = { text: (text: string) => text.replaceAll(secret, "***") };
const mask = (failure: Partial<Failure>) =>
  maskFailure({ code: "failed", message: "no", ...failure }, redactor);

it("adds no members to a failure", () => {
  expect(mask({})).toEqual({ code: "failed", message: "no" });
  expect(Object.keys(mask({})).toSorted()).toEqual(["code", "message"]);
  expect(mask({ ran: true, retryAfterMs: 5 })).toEqual({
    code: "failed",
    message: "no",
    ran: true,
    retryAfterMs: 5,
  });
});

it("masks secrets in every text of a failure", () => {
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

it("truncates messages of tools to 600 characters and messages of the pipeline to 8,000", () => {
  expect(mask({ message: "x".repeat(600) }).message).toBe("x".repeat(600));
  expect(mask({ message: "x".repeat(601) }).message).toBe(`${"x".repeat(600)}…`);
  const ours = (length: number) => mask({ code: "invalid_input", message: "x".repeat(length) }).message;
  expect(ours(8_000)).toBe("x".repeat(8_000));
  expect(ours(8_001)).toBe(`${"x".repeat(8_000)}…`);
  expect(mask({ detail: "x".repeat(8_001) }).detail).toBe(`${"x".repeat(8_000)}…`);
});

it("masks secrets before it truncates", () => {
  expect(mask({ message: `${"x".repeat(597)}${secret}` }).message).toBe(`${"x".repeat(597)}***`);
});

it("uses the stack of the cause as detail and removes the cause", () => {
  const cause = Object.assign(new Error("boom"), { stack: `Error: boom ${secret}` });
  expect(mask({ cause })).toEqual({ code: "failed", message: "no", detail: "Error: boom ***" });
  expect(mask({ cause, detail: "said before" }).detail).toBe("said before");
  expect("cause" in mask({ cause })).toBe(false);
});

it("adds no detail when the cause is not an error", () => {
  for (const cause of ["boom", { stack: "not an error" }]) {
    expect(mask({ cause })).toEqual({ code: "failed", message: "no" });
  }
});
