import { describe, expect, it } from "vitest";
import { isAllowedHost } from "./http-requester.ts";

describe("allowed host", () => {
  it.each([
    ["example.com", "https://example.com/a", true],
    ["Example.com", "http://EXAMPLE.com./", true],
    ["example.com", "https://www.example.com/", false],
    ["example.com", "https://example.com.evil.example/", false],
    ["example.com", "https://evil-example.com/", false],
    ["example.com", "https://example.com:8443/", false],
    ["example.com:8443", "https://example.com:8443/", true],
    ["example.com:8443", "https://example.com/", false],
    ["*.example.com", "https://a.b.example.com/", true],
    ["*.example.com", "https://example.com/", false],
    ["*.example.com", "https://evilexample.com/", false],
    ["*.com", "https://.com/", false],
    ["*", "https://anything.example/", true],
    ["*", "https://anything.example:8443/", false],
    ["[::1]:80", "http://[::1]/", false],
  ])("%j matches %s: %j", (pattern, url, fits) => {
    expect(isAllowedHost(new URL(url), [pattern])).toBe(fits);
  });

  it("does not exist by default", () => {
    expect(isAllowedHost(new URL("https://example.com/"), [])).toBe(false);
  });
});
