import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectToFinish } from "../../test/kit/expect-to-finish.ts";
import { ConfigurationError } from "../types/errors.ts";
import { compilePattern, compilePatterns } from "./right.ts";

const matches = (pattern: string, name: string) => compilePattern(pattern)(name);

describe("compilePattern", () => {
  it.each([
    ["read", "read", true],
    ["read", "fs/read", false],
    ["fs/read", "fs/read", true],
    ["fs/read", "fs/readme", false],
    ["*", "read", true],
    ["*", "acme/fs/read", true],
    ["**", "acme/fs/read", true],
    ["fs/*", "fs/read", true],
    ["fs/*", "fs", false],
    ["fs/*", "acme/fs/read", false],
    ["*/read", "fs/read", true],
    ["*/read", "read", false],
    ["*/read", "acme/fs/read", false],
    ["**/read", "read", true],
    ["**/read", "fs/read", true],
    ["**/read", "acme/fs/read", true],
    ["**/read", "acme/fs/reads", false],
    ["acme/**", "acme/fs/read", true],
    ["acme/**", "acme/read", true],
    ["acme/**", "acme", false],
    ["acme/**", "acmeevil/read", false],
    ["acme/**/read", "acme/read", true],
    ["acme/**/read", "acme/fs/read", true],
    ["read_*", "read_file", true],
    ["read_*", "read_", true],
    ["read_*", "fs/read_file", false],
    ["*_file", "read_file", true],
    ["get_*_by_*", "get_user_by_id", true],
    ["get_*_by_*", "get_user_id", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*b", "ab", false],
    ["a-z", "b", false],
  ])("matches %s against %s: %s", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });

  it.each([
    "",
    "fs//read",
    "/read",
    "fs/",
    "fs/**x",
    "***",
    "fs/* net/*",
    "fs,net",
    "fs/[a-z]",
    "read?",
    "fs.read",
    "ré",
    "a\n",
  ])("rejects %j with a reason", (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(ConfigurationError);
    expect(() => compilePattern(pattern)).toThrow(/is refused: .+\.$/);
  });

  it.each(["", 7, null, ["fs/*"]])("rejects %j as empty or not a string", (pattern) => {
    expect(() => compilePattern(pattern as never)).toThrow(ConfigurationError);
    expect(() => compilePattern(pattern as never)).toThrow(
      "it is empty or not a string; use `*` for everything",
    );
  });

  it.each([
    ["fs//read", "it has an empty segment"],
    ["fs/**x", "`**` must be a whole segment"],
    ["fs/re?d", "neither valid in a tool name nor a wildcard"],
  ])("names the problem of %j", (pattern, why) => {
    expect(() => compilePattern(pattern)).toThrow(why);
  });

  it("allows agent names that are invalid tool names but no other glob syntax", () => {
    expect(compilePattern("Support Bot*", "agent")("Support Bot 2")).toBe(true);
    expect(() => compilePattern("bot?", "agent")).toThrow(ConfigurationError);
    expect(() => compilePattern("?bot", "agent")).toThrow(ConfigurationError);
    expect(() => compilePattern("b\u200bt", "agent")).toThrow(ConfigurationError);
    expect(() => compilePattern(" bot", "agent")).toThrow(ConfigurationError);
  });

  it("agrees with a backtracking matcher", () => {
    const segment = fc.stringMatching(/^[ab]{1,3}$/);
    const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
    const piece = fc.oneof(fc.stringMatching(/^[ab*]{1,4}$/), fc.constant("**"));
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((all) => all.join("/"))
      .filter((text) => text.split("/").every((part) => part === "**" || !part.includes("**")));
    fc.assert(
      fc.property(pattern, name, (text, given) => {
        expect(matches(text, given)).toBe(slow(text, given));
      }),
      { numRuns: 2_000 },
    );
  });

  it("matches a pattern with many stars against a long name quickly", () => {
    const pattern = compilePattern(`${"a*".repeat(500)}b`);
    const deep = compilePattern(`${"**/a*/".repeat(50)}b`);
    expect(expectToFinish(() => pattern("a".repeat(50_000)))).toBe(false);
    expect(expectToFinish(() => deep("a/".repeat(2_000).concat("c")))).toBe(false);
  });
});

describe("compilePatterns", () => {
  it("matches when one pattern matches, and an empty list matches nothing", () => {
    const some = compilePatterns(["read", "fs/*"]);
    expect(["read", "fs/x", "write"].map(some)).toEqual([true, true, false]);
    expect(compilePatterns([])("read")).toBe(false);
    expect(compilePatterns(["read", "*"])("x/y")).toBe(true);
  });
});

const slow = (pattern: string, name: string): boolean => {
  if (pattern === "*" || pattern === "**") return true;
  const wanted = pattern.split("/");
  if (wanted.at(-1) === "**") wanted.splice(-1, 0, "*");
  return trySegments(wanted, name.split("/"));
};

const trySegments = (wanted: readonly string[], given: readonly string[]): boolean => {
  const [first, ...rest] = wanted;
  if (first === undefined) return given.length === 0;
  if (first === "**")
    return given.some((_, at) => trySegments(rest, given.slice(at))) || trySegments(rest, []);
  return given.length > 0 && tryText(first, given[0] as string) && trySegments(rest, given.slice(1));
};

const tryText = (wanted: string, given: string): boolean => {
  if (wanted === "") return given === "";
  if (wanted[0] === "*")
    return tryText(wanted.slice(1), given) || (given !== "" && tryText(wanted, given.slice(1)));
  return wanted[0] === given[0] && tryText(wanted.slice(1), given.slice(1));
};
