import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import { findProblem } from "./find-problem.ts";
import { readJson } from "./read-json.ts";

// A quadratic reader would take minutes; a linear one takes seconds even on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const refusal = (text: string) => {
  const reading = readJson(text);
  if (reading.ok) throw new Error(`accepted ${text.slice(0, 80)}`);
  return reading.problem;
};

const native = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

/**
 * Compares with JSON.parse, except for negative zero. JSON.parse may confuse keys when a value contains a
 * backslash.
 */
const agrees = (text: string): void => {
  const reading = readJson(text);
  const parsed = native(text);
  if (reading.ok) {
    expect(parsed).toBeDefined();
    const written = JSON.stringify(parsed?.value);
    if (!written.includes("\\\\")) deepStrictEqual(reading.value, JSON.parse(written));
    expect(findProblem(text)).toBeUndefined();
    return;
  }
  const { problem } = reading;
  expect(problem).toEqual(findProblem(text));
  expect(problem.position).toBeGreaterThanOrEqual(0);
  expect(problem.position).toBeLessThanOrEqual(text.length);
  expect(problem.message).toContain(`line ${problem.line}, column ${problem.column}`);
  if (parsed !== undefined) {
    expect(problem.message).toMatch(/duplicated|never accepted|would lose digits|too large|too small|deeper/);
  }
};

const pieces = fc.constantFrom(
  ..."{}[],:\"\\ \n\t0123456789-+.eEtfnu/'",
  ...'true false null 1e400 1e-400 9007199254740993 0.1 \\u0061 \\\\ \\" "a" "__proto__" "constructor" "prototype" \u2028 é 😀'.split(
    " ",
  ),
);
const soup = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(""));
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(3), add: soup });
const mutated = fc
  .tuple(fc.oneof(fc.json(), fc.json().map(pretty)), fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([text, edits]) =>
    edits.reduce((old, { at, cut, add }) => {
      const start = Math.floor(at * old.length);
      return old.slice(0, start) + add.slice(0, 4) + old.slice(start + cut);
    }, text),
  );

function pretty(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

/** Hand-written JSON, so that keys can repeat and numbers can be any literal. */
type Written = { text: string; isStrict: boolean };

const numbers: fc.Arbitrary<Written> = fc.oneof(
  fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }).map((whole) => ({
    text: String(whole),
    isStrict: BigInt(Number(whole)) === whole && Number.isSafeInteger(Number(whole)),
  })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({
    text: value.toExponential(),
    isStrict: true,
  })),
);
const spellings = [
  "a",
  "\\u0061",
  "b",
  "c",
  "d",
  "constructor",
  "prototype",
  "proto",
  "__proto__",
  "\\u005f_proto__",
];

const { written } = fc.letrec<{ written: Written; list: Written; record: Written }>((tie) => ({
  written: fc.oneof({ depthSize: "small", withCrossShrink: true }, numbers, tie("list"), tie("record")),
  list: fc.array(tie("written"), { maxLength: 4 }).map((items) => ({
    text: `[${items.map((item) => item.text).join(" , ")}]`,
    isStrict: items.every((item) => item.isStrict),
  })),
  record: fc
    .array(fc.tuple(fc.constantFrom(...spellings), tie("written")), { maxLength: 4 })
    .map((members) => {
      const keys = members.map(([key]) => JSON.parse(`"${key}"`) as string);
      const isPolluting = members.some(
        ([key, member]) => key === "constructor" && /^\{.*/.test(member.text) && holdsPrototype(member.text),
      );
      return {
        text: `{${members.map(([key, member]) => `"${key}":${member.text}`).join(",")}}`,
        isStrict:
          new Set(keys).size === keys.length &&
          !keys.includes("__proto__") &&
          !isPolluting &&
          members.every(([, member]) => member.isStrict),
      };
    }),
}));

function holdsPrototype(text: string): boolean {
  return Object.hasOwn(JSON.parse(text) as object, "prototype");
}

describe("readJson and JSON.parse", () => {
  it("agree on any JSON that a program writes", () => {
    fc.assert(fc.property(fc.json({ noUnicodeString: false }), agrees), { numRuns: 2_000 });
  });
  it("agree on JSON with a few changed characters", () => {
    fc.assert(fc.property(mutated, agrees), { numRuns: 5_000 });
  });
  it("agree on random sequences of tokens", () => {
    fc.assert(fc.property(soup, agrees), { numRuns: 5_000 });
  });
  it("agree on every prefix of a document", () => {
    const text = '{"a\\u00e9":[1.5e-3,-0,true,false,null,"\\"x\\\\"],"b":{"c":{}}, "d":[]}\n';
    for (let end = 0; end <= text.length; end++) agrees(text.slice(0, end));
  });
  it("accept exactly the texts without repeated keys, forbidden keys and lost digits", () => {
    fc.assert(
      fc.property(written, ({ text, isStrict }) => {
        agrees(text);
        expect(readJson(text).ok).toBe(isStrict);
      }),
      { numRuns: 3_000 },
    );
  });
});

const longString = fc
  .array(fc.constantFrom('\\"', "\\\\", "{", "}", "[", ":", ",", "1e400", "twelve chars", "\\u0022"), {
    maxLength: 30,
  })
  .map((parts) => `"${parts.join("")}"`);

describe("readJson keys", () => {
  it("preserves a key that contains a quote after an object with a backslash key", () => {
    for (const text of ['{"\\\\":1}', '[{"\\\\":1},{"\\\\":2}]', '{"a":1,"\\\\":1}']) readJson(text);
    expect(readJson('{"\\"":1}')).toEqual({ ok: true, value: { '"': 1 } });
    expect(readJson('{"a":1,"\\"":{"b":[-0, "x", true, null, {}, []]} }')).toEqual({
      ok: true,
      value: { a: 1, '"': { b: [0, "x", true, null, {}, []] } },
    });
    expect(readJson('{"\\\\":1,"\\"":2}')).toEqual({ ok: true, value: { "\\": 1, '"': 2 } });
    expect(readJson('{"\\"":1,"\\u0022":2}').ok).toBe(false);
    expect(readJson('{"\\"":{"__proto__":1}}').ok).toBe(false);
  });
});

describe("readJson strings", () => {
  it("ends at the same quote as JSON.parse, however long and escaped they are", () => {
    const text = fc
      .array(fc.tuple(longString, longString), { maxLength: 4 })
      .map((members) => `[{${members.map(([key, member]) => `${key}:${member}`).join(",")}}, 1]`);
    fc.assert(
      fc.property(text, (text) => {
        agrees(text);
        agrees(text.slice(0, -4));
      }),
      { numRuns: 2_000 },
    );
    expect(
      readJson(`{"a":"${'\\"'.repeat(50)}","b":"${"\\\\".repeat(50)}","c":["${"x".repeat(50)}\\\\"]}`).ok,
    ).toBe(true);
  });
  it("rejects raw control characters and accepts every other character", () => {
    for (let code = 0; code < 0x300; code++) agrees(`["${String.fromCharCode(code)}"]`);
    for (const character of ["\u2028", "\ud800", "\uffff", "\ufeff"]) agrees(`["${character}"]`);
  });
});

describe("readJson and hostile texts", () => {
  it.each([
    ['{"__proto__":{"polluted":1}}', "/__proto__"],
    ['{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}', "/__proto__"],
    ['{"a":[{"__\\u0070roto__":{"polluted":1}}]}', "/a/0/__proto__"],
    ['{"constructor":{"prototype":{"polluted":1}}}', "/constructor/prototype"],
    ['[{"\\u0063onstructor":{"x":1,"prototype":null}}]', "/0/constructor/prototype"],
  ])("rejects %s, which would pollute a prototype", (text, pointer) => {
    expect(refusal(text)).toMatchObject({ pointer });
    expect(refusal(text).message).toContain("never accepted");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it("accepts a constructor key without a prototype key inside", () => {
    expect(readJson('{"constructor":"Acme","prototype":1}')).toEqual({
      ok: true,
      value: { constructor: "Acme", prototype: 1 },
    });
  });
  it.each([
    ['{"to":"a","to":"b"}', "/to"],
    ['{"to":"a","t\\u006f":"b"}', "/to"],
    ['{"x":{"1":0,"2":0,"1":0}}', "/x/1"],
    ['[{"":1,"":1}]', "/0/"],
    ['{"a":{"b":1},"a":{"b":1}}', "/a"],
  ])("rejects %s, since approval and tool could read different members", (text, pointer) => {
    expect(refusal(text)).toMatchObject({ pointer });
    expect(refusal(text).message).toContain("is duplicated");
  });
  it.each([
    "12345678901234567890",
    "-12345678901234567890",
    "9007199254740992",
    "9007199254740993.0",
    "12345678901234567890e0",
    "1.2345678901234567891e19",
    "100000000000000000000",
  ])("rejects %s instead of rounding it", (literal) => {
    expect(refusal(`{"id":${literal}}`)).toMatchObject({ pointer: "/id", position: 6 });
    expect(refusal(`{"id":${literal}}`).message).toContain("would lose digits");
  });
  it.each(["1e400", "-1e400", "1E+309", `${"9".repeat(400)}.0`])(
    "rejects %s instead of returning infinity",
    (literal) => {
      expect(refusal(`[${literal}]`).message).toContain("too large");
    },
  );
  it.each(["1e-400", "-1e-400", `0.${"0".repeat(400)}1`])(
    "rejects %s instead of returning zero",
    (literal) => {
      expect(refusal(`[${literal}]`).message).toContain("would become 0");
    },
  );
  it.each([
    "0.1",
    "3.141592653589793238",
    "5.972e24",
    "1e21",
    "1.50e20",
    "0e999",
    "0.000",
    "9007199254740991",
    "-9007199254740991",
    "123456789.12345678901234567890",
  ])("reads %s as the nearest number", (literal) => {
    expect(readJson(literal)).toEqual({ ok: true, value: Number(literal) });
  });
  it("rejects a hundred thousand open brackets at the depth limit", () => {
    for (const bracket of ["[", '{"a":']) {
      expect(refusal(bracket.repeat(100_000)).message).toContain("deeper than 64 levels");
    }
    expect(readJson("[".repeat(64) + "]".repeat(64)).ok).toBe(true);
    expect(readJson("[".repeat(65) + "]".repeat(65)).ok).toBe(false);
  });
  it("ignores brackets and colons inside strings", () => {
    expect(readJson(JSON.stringify({ a: "[{:".repeat(1_000), '":{': '\\"' })).ok).toBe(true);
  });
  it("limits the depth to a thousand levels, whatever the caller sets", () => {
    const limits = { maxDepth: 1_000_000 };
    expect(readJson("[".repeat(1_000) + "]".repeat(1_000), limits).ok).toBe(true);
    expect(readJson(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`, limits).ok).toBe(true);
    expect(readJson("[".repeat(1_001) + "]".repeat(1_001), limits).ok).toBe(false);
  });
  it("rejects fifteen megabytes of empty objects by length without parsing", () => {
    for (const close of ["]", "}"]) {
      const text = `[${"{},".repeat(5_000_000)}{}${close}`;
      expect(refusal(text).message).toContain("15000004 characters; at most 1048576");
    }
  });
  it("reads a long text of any single pattern in linear time", () => {
    const fill = (part: string) => part.repeat(Math.floor(500_000 / part.length));
    const texts = [
      "1",
      "0",
      " ",
      '"',
      "\\",
      '"\\"',
      '"\\\\',
      "[",
      '{"a":',
      "{},",
      "a",
      "1e",
      '"a":1,',
      "-",
      "\n",
      '\\"',
    ].flatMap((part) => [
      fill(part),
      `"${fill(part)}`,
      `[${fill(part)}`,
      `{"a":${fill(part)}}`,
      `0.${fill(part)}1`,
    ]);
    for (const text of texts) {
      expectToFinish(() => readJson(text));
    }
  });
  it("rejects values that are not strings", () => {
    expect(readJson(undefined as never).ok).toBe(false);
    expect(readJson({ length: 2 } as never).ok).toBe(false);
  });
});
