import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/kit/any-text.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import { checkToolName, confusableKey, toWireName } from "./tool-name.ts";

const refusal = (name: unknown): ToolDefinitionError => {
  try {
    checkToolName(name as string);
  } catch (error) {
    return error as ToolDefinitionError;
  }
  throw new Error(`${String(name)} was accepted`);
};

const alphabet = [..."abzABZ019_-"];
const segment = fc
  .string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 64 })
  .filter((name) => /^[A-Za-z0-9]/.test(name));
const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/"));
/** Few letters and short segments, so that near collisions are frequent. */
const narrowKey = fc
  .array(fc.string({ unit: fc.constantFrom("a", "_", "-"), minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((segments) => segments.join("/"));

describe("tool name", () => {
  it.each(["get_weather", "web-search", "a", "3d_render", "getCurrentWeather", "x".repeat(64)])(
    "can be %s",
    (name) => {
      expect(() => checkToolName(name)).not.toThrow();
    },
  );

  it("is rejected with the reason, the rule and a suggestion", () => {
    const error = refusal("get weather");
    expect(error).toBeInstanceOf(ToolDefinitionError);
    expect(error.code).toBe("refused_name");
    expect(error.message).toBe(
      'The tool name "get weather" is refused: character 4 is U+0020. A name must have 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-", and begin with a letter or a digit. Try "get_weather".',
    );
  });

  it("is rejected with the code point of a lookalike letter", () => {
    expect(refusal("pаypal").message).toContain('character 2 is "а" (U+0430), which looks like "a"');
    expect(refusal("pаypal").message).toContain('Try "paypal".');
    expect(refusal("ｓearch").message).toContain('which looks like "s"');
    expect(refusal("web–search").message).toContain('which looks like "-"');
  });

  it.each([
    ["", "it is empty"],
    ["x".repeat(65), "it has 65 characters"],
    ["-rf", 'it begins with "-"'],
    ["_private", 'it begins with "_"'],
    ["org/tool", "separates a namespace from a tool"],
    ["a\u200bb", "character 2 is U+200B"],
    ["a\u{e0041}b", "character 2 is U+E0041"],
    ["a.b", 'character 2 is "." (U+002E)'],
  ])("is rejected when it is %j", (name, reason) => {
    expect(refusal(name).message).toContain(reason);
  });

  it.each(["constructor", "__proto__", "prototype", "then", "toString", "hasOwnProperty", "toJSON"])(
    "is rejected when it is reserved in JavaScript: %s",
    (name) => {
      expect(refusal(name).message).toContain("it is reserved by JavaScript");
    },
  );

  it("is rejected when it is not a string", () => {
    expect(refusal(undefined).message).toContain("it is undefined, not a string");
    expect(refusal({}).message).toContain("it is object, not a string");
  });

  it("is suggested only when the suggestion is valid", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 80 }), (name) => {
        try {
          checkToolName(name);
        } catch (error) {
          const suggestion = /Try "([^"]*)"\.$/.exec((error as Error).message)?.[1];
          if (suggestion !== undefined) checkToolName(suggestion);
        }
      }),
    );
  });
});

describe("confusableKey", () => {
  it.each([
    ["get_weather", "Get-Weather"],
    ["get_weather", "get__weather"],
    ["file_read", "fiIe_read"],
    ["file_read", "fi1e_read"],
    ["lookup", "l00kup"],
    ["search", "search_"],
  ])("is equal for %s and %s", (one, other) => {
    expect(confusableKey(one)).toBe(confusableKey(other));
  });

  it("differs for names that look different", () => {
    const names = ["search", "web_search", "websearch", "file_read", "file_write", "get_weather"];
    expect(new Set(names.map(confusableKey)).size).toBe(names.length);
  });
});

describe("wire name", () => {
  it("equals the name or its segments joined by two underscores", () => {
    expect(toWireName("get_weather")).toBe("get_weather");
    expect(toWireName("weather/get_current")).toBe("weather__get_current");
    expect(toWireName("acme/weather/get-current")).toBe("acme__weather__get-current");
  });

  it("ends in a hash of the key when it would be ambiguous", () => {
    expect(toWireName("a__b")).toBe("a__b___63e5c1c455d01d5c");
    expect(toWireName("a_/b")).toMatch(/^a___b___[0-9a-f]{16}$/);
    expect(toWireName(`ns/${"x".repeat(64)}`)).toMatch(/^ns__x{41}___[0-9a-f]{16}$/);
  });

  it("uses only characters that every provider accepts", () => {
    fc.assert(
      fc.property(fc.oneof(key, anyText({ minLength: 1 })), (each) => {
        expect(toWireName(each)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  it("differs for different keys", () => {
    const pairs = fc.oneof(fc.tuple(key, key), fc.tuple(narrowKey, narrowKey));
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        expect(toWireName(one) === toWireName(other)).toBe(one === other);
      }),
      { numRuns: 2_000 },
    );
  });

  it("cannot be forged by a key made of another wire name", () => {
    fc.assert(
      fc.property(fc.oneof(key, narrowKey), (each) => {
        const wire = toWireName(each);
        for (const forged of [
          wire,
          wire.replaceAll("__", "/"),
          wire.replaceAll("___", "/"),
          wire.replace("__", "/"),
        ]) {
          expect(toWireName(forged) === wire).toBe(forged === each);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
