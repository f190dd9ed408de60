import { expect, test } from "vitest";
import { isNeverSent, networkCodeOf } from "./bounded-response.ts";

const failed = (code: string, syscall?: string): Error =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code, syscall }) });

test.each([
  ["ECONNREFUSED", "connect", true],
  ["ENOTFOUND", "getaddrinfo", true],
  ["EHOSTUNREACH", "connect", true],
  ["UND_ERR_CONNECT_TIMEOUT", undefined, true],
  ["EHOSTUNREACH", "read", false],
  ["ENETUNREACH", "write", false],
  ["EHOSTUNREACH", undefined, false],
  ["ECONNRESET", "read", false],
  ["UND_ERR_SOCKET", undefined, false],
])("%s of %s is classified as never sent: %s", (code, syscall, expected) => {
  expect(networkCodeOf(failed(code, syscall))).toBe(code);
  expect(isNeverSent(failed(code, syscall))).toBe(expected);
});

test("the first of several attempted addresses decides", () => {
  const tried = Object.assign(
    new AggregateError([Object.assign(new Error(), { code: "ECONNREFUSED", syscall: "connect" })]),
  );
  expect(isNeverSent(Object.assign(new TypeError("fetch failed"), { cause: tried }))).toBe(true);
});
