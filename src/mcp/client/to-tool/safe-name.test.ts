import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkToolName } from "../../../tools/tool-name.ts";
import { toSafeName } from "./safe-name.ts";

const printable = fc.stringMatching(/^[\x20-\x7e]{1,80}$/);
/** Names in which escape sequences are likely. */
const tricky = fc.array(fc.constantFrom("-", "2", "E", "2E", ".", "_", "a", "2D", "/", " "), {
  minLength: 1,
  maxLength: 24,
});

const read = (name: string): string =>
  name.replace(/-([0-9A-F]{2})-/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const safely = (name: string): string | undefined => {
  try {
    return toSafeName(name);
  } catch {
    return undefined;
  }
};

describe("toSafeName", () => {
  test.each([
    ["read_file", "read_file"],
    ["browser-click", "browser-click"],
    ["fs.read", "fs-2E-read"],
    ["a/b c", "a-2F-b-20-c"],
    ["a-2E-b", "a-2D-2E-b"],
    ["a-2E.b", "a-2D-2E-2E-b"],
    ["_private", "private___3ce6c2497083e2ed"],
    ["...", "2E--2E--2E-___ab5df625bc76dbd4"],
  ])("%s becomes %s", (remote, name) => expect(toSafeName(remote)).toBe(name));

  test.each([
    "",
    "constructor",
    "toString",
    "__proto__",
    "then",
    "toJSON",
    "prototype",
    "reаd",
    "é",
    "a\nb",
    "中",
  ])("rejects %j", (remote) => expect(() => toSafeName(remote)).toThrow(/The tool name .* is refused/));

  test("returns a valid name that can be decoded unless it ends in a hash", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          printable,
          tricky.map((parts) => parts.join("")),
        ),
        (remote) => {
          const name = safely(remote);
          if (name === undefined) return;
          checkToolName(name);
          if (!/___[0-9a-f]{16}$/.test(name)) expect(read(name)).toBe(remote);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("maps no two remote names to the same name", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          printable,
          tricky.map((parts) => parts.join("")),
        ),
        (remote) => {
          const name = safely(remote);
          if (name === undefined || name === remote) return;
          expect(safely(name)).not.toBe(name);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
