import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import { findProblem } from "./exact/find-problem.ts";
import { readJson } from "./read-json.ts";

// A quadratic reader would need minutes; a busy machine only seconds.
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

/** With the native parser, less the minus of a zero. Where a value has a backslash the native one may confuse keys. */
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
    expect(problem.message).toMatch(/twice|never accepted|would lose digits|too large|too small|deeper/);
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

/** JSON written by hand, so that keys can come twice and numbers can be any literal. */
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

describe("agreement with the native parser", () => {
  it("holds for any JSON that a program writes", () => {
    fc.assert(fc.property(fc.json({ noUnicodeString: false }), agrees), { numRuns: 2_000 });
  });
  it("holds for JSON with a few characters changed", () => {
    fc.assert(fc.property(mutated, agrees), { numRuns: 5_000 });
  });
  it("holds for a soup of tokens", () => {
    fc.assert(fc.property(soup, agrees), { numRuns: 5_000 });
  });
  it("holds for every prefix of a document", () => {
    const text = '{"a\\u00e9":[1.5e-3,-0,true,false,null,"\\"x\\\\"],"b":{"c":{}}, "d":[]}\n';
    for (let end = 0; end <= text.length; end++) agrees(text.slice(0, end));
  });
  it("passes exactly the texts without double keys, forbidden keys and lost digits", () => {
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

describe("keys", () => {
  it("with a quote in them stay what they are after an object with the key backslash", () => {
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

describe("strings", () => {
  it("end at the same quote for both readers, however long and escaped they are", () => {
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
  it("hold no raw control character and any other character", () => {
    for (let code = 0; code < 0x300; code++) agrees(`["${String.fromCharCode(code)}"]`);
    for (const character of ["\u2028", "\ud800", "\uffff", "\ufeff"]) agrees(`["${character}"]`);
  });
});

describe("attacks", () => {
  it.each([
    ['{"__proto__":{"polluted":1}}', "/__proto__"],
    ['{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}', "/__proto__"],
    ['{"a":[{"__\\u0070roto__":{"polluted":1}}]}', "/a/0/__proto__"],
    ['{"constructor":{"prototype":{"polluted":1}}}', "/constructor/prototype"],
    ['[{"\\u0063onstructor":{"x":1,"prototype":null}}]', "/0/constructor/prototype"],
  ])("%s pollutes nothing, because it is refused", (text, pointer) => {
    expect(refusal(text)).toMatchObject({ pointer });
    expect(refusal(text).message).toContain("never accepted");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it("a constructor that holds no prototype is an ordinary key", () => {
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
  ])("%s is refused, because approval and tool could see different members", (text, pointer) => {
    expect(refusal(text)).toMatchObject({ pointer });
    expect(refusal(text).message).toContain("comes twice");
  });
  it.each([
    "12345678901234567890",
    "-12345678901234567890",
    "9007199254740992",
    "9007199254740993.0",
    "12345678901234567890e0",
    "1.2345678901234567891e19",
    "100000000000000000000",
  ])("%s is refused instead of rounded", (literal) => {
    expect(refusal(`{"id":${literal}}`)).toMatchObject({ pointer: "/id", position: 6 });
    expect(refusal(`{"id":${literal}}`).message).toContain("would lose digits");
  });
  it.each(["1e400", "-1e400", "1E+309", `${"9".repeat(400)}.0`])(
    "%s is refused instead of made infinite",
    (literal) => {
      expect(refusal(`[${literal}]`).message).toContain("too large");
    },
  );
  it.each(["1e-400", "-1e-400", `0.${"0".repeat(400)}1`])("%s is refused instead of made zero", (literal) => {
    expect(refusal(`[${literal}]`).message).toContain("would become 0");
  });
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
  ])("%s is read as the nearest number", (literal) => {
    expect(readJson(literal)).toEqual({ ok: true, value: Number(literal) });
  });
  it("a text of a hundred thousand brackets is refused at the depth limit", () => {
    for (const bracket of ["[", '{"a":']) {
      expect(refusal(bracket.repeat(100_000)).message).toContain("deeper than 64 levels");
    }
    expect(readJson("[".repeat(64) + "]".repeat(64)).ok).toBe(true);
    expect(readJson("[".repeat(65) + "]".repeat(65)).ok).toBe(false);
  });
  it("brackets and colons inside strings do not count", () => {
    expect(readJson(JSON.stringify({ a: "[{:".repeat(1_000), '":{': '\\"' })).ok).toBe(true);
  });
  it("no limit of the caller goes deeper than a thousand levels", () => {
    const limits = { maxDepth: 1_000_000 };
    expect(readJson("[".repeat(1_000) + "]".repeat(1_000), limits).ok).toBe(true);
    expect(readJson(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`, limits).ok).toBe(true);
    expect(readJson("[".repeat(1_001) + "]".repeat(1_001), limits).ok).toBe(false);
  });
  it("fifteen megabytes of empty objects are refused by their length, unread", () => {
    for (const close of ["]", "}"]) {
      const text = `[${"{},".repeat(5_000_000)}{}${close}`;
      expect(refusal(text).message).toContain("15000004 characters; at most 1048576");
    }
  });
  it("a long text of any one kind is judged in linear time", () => {
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
  it("what is not a text at all is refused", () => {
    expect(readJson(undefined as never).ok).toBe(false);
    expect(readJson({ length: 2 } as never).ok).toBe(false);
  });
});
