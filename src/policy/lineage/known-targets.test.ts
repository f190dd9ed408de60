import { expect, it } from "vitest";
import { compileKnownTargets, hostOf } from "./known-targets.ts";

const isKnown = compileKnownTargets({
  to: ["*@example.com", "Bob"],
  url: ["docs.example.com", "*.example.org"],
});

it.each([
  ["to", "ada@example.com"],
  ["to", "ADA@EXAMPLE.COM"],
  ["to", "bob"],
  ["url", "https://docs.example.com/page?x=1"],
  ["url", "docs.example.com/page"],
  ["url", "https://a.example.org"],
])("knows %s %s", (argument, value) => {
  expect(isKnown(argument, value)).toBe(true);
});

it.each([
  ["cc", "ada@example.com"],
  ["to", "ada@example.com.evil.net"],
  ["to", "ada@evil.net@example.com"],
  ["to", "a b@example.com"],
  ["to", "bobby"],
  ["to", "mallory,eve@example.com"],
  ["url", "https://docs.example.com？@evil.net/"],
  ["url", "https://docs.example.com.evil.net/"],
  ["url", "https://docs.example.com@evil.net/"],
  ["url", "https://evil.net/docs.example.com"],
  ["url", "https://evil.net\\@docs.example.com"],
  ["url", "https://example.org"],
  ["url", "https://docs.example.com:8080/"],
])("does not know %s %s", (argument, value) => {
  expect(isKnown(argument, value)).toBe(false);
});

it("reads the host of links with and without a scheme", () => {
  expect(hostOf("https://a.example/x")).toBe("a.example");
  expect(hostOf("a.example/x")).toBe("a.example");
  expect(hostOf("https://u:p@a.example/")).toBeUndefined();
  expect(hostOf("just words")).toBeUndefined();
});
