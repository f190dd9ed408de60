import fc from "fast-check";
import { pickTools } from "haft";
import { describe, expect, it } from "vitest";
import { toolIndex } from "../src/selection/tool-index.ts";
import type { JsonSchema } from "../src/words/json.ts";
import type { ToolSpec } from "../src/words/spec.ts";
import { anyText } from "./kit/any-text.ts";
import { registered } from "./kit/registered.ts";
import { requestsInLanguages } from "./kit/requests-in-languages.ts";

const specOf = (name: string, spec: Partial<ToolSpec> = {}): ToolSpec =>
  registered(name, { name, description: `Says what ${name} is for`, ...spec }).tool.spec;

const weather = specOf("get_weather", {
  description: "Weather of a city, today and tomorrow",
  tags: ["forecast"],
  input: { type: "object", properties: { city: { type: "string", description: "Name of the city" } } },
});
const plain = [
  weather,
  specOf("send_mail", { description: "Sends a message to an address" }),
  specOf("book_flight", { description: "Books a seat on a plane" }),
];

const filled = (specs: readonly ToolSpec[]) => {
  const index = toolIndex();
  for (const spec of specs) index.add(spec.name, spec);
  return index;
};

/** Both ways to ask, twice each: whatever the input, it is answered, in order, within bounds, and the same again. */
const answers = async (query: unknown, specs: readonly ToolSpec[] = plain) => {
  const names = new Set(specs.map(({ name }) => name));
  const picked = await pickTools(query, specs, { minScore: 0, maxCandidates: 5, allowUnsafe: true });
  expect(picked.length).toBeLessThanOrEqual(5);
  check(picked.map(({ name, score }) => ({ key: name, score })));
  expect(await pickTools(query, specs, { minScore: 0, maxCandidates: 5, allowUnsafe: true })).toEqual(picked);
  for (const { name, reason } of picked) {
    expect(names.has(name)).toBe(true);
    expect(typeof reason).toBe("string");
  }
  if (typeof query === "string") {
    const hits = filled(specs).search(query, { limit: 5 });
    check(hits);
    const again = filled(specs).search(query, { limit: 5 });
    expect(again.map(({ key, score }) => [key, score])).toEqual(hits.map(({ key, score }) => [key, score]));
    for (const { key } of hits) expect(names.has(key)).toBe(true);
  }
  return picked;
};

const check = (hits: readonly { readonly key: string; readonly score: number }[]): void => {
  const scores = hits.map(({ score }) => score);
  for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  expect(new Set(hits.map(({ key }) => key)).size).toBe(hits.length);
};

const million = 1_000_000;

describe("a question that is hardly one", () => {
  const blank: readonly (readonly [string, string])[] = [
    ["empty", ""],
    ["blank", " \t\r\n\u00a0\u2003\u3000"],
    ["of nothing but stop words", "what is it that you are and the of"],
    ["of punctuation", "?!… --- ''' \"\" () [] {} <> \\ / | ~ ^ ` @ # $ % & * + = _"],
    ["of zero bytes", "\0\0\0"],
    ["of zero-width characters", "\u200b\u200d\ufeff\u2060"],
  ];
  it.each(blank)("%s finds nothing by the index", async (_, query) => {
    await answers(query);
    expect(filled(plain).search(query, { limit: 5 })).toEqual([]);
  });

  const odd: readonly (readonly [string, string])[] = [
    [
      "control characters",
      Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join("weather"),
    ],
    [
      "bytes read as text",
      Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256)).toString("latin1"),
    ],
    ["half a surrogate pair", "weather \ud83d in \udc00 Oslo \udfff"],
    ["emoji", "🌦️ weather 👩🏽‍🚀👨‍👩‍👧‍👦 🏳️‍🌈 in 🇳🇴?"],
    ["text from right to left with marks", "\u202eweather\u202c \u2066Oslo\u2069 \u061c"],
    ["marks piled upon a letter", `w${"\u0301".repeat(5000)}eather`],
    ["regular expressions", "(a+)+$ [z-a] \\p{L} .* (?<=weather) $1 $& $`"],
    ["code and markup", "<script>alert('weather')</script> #{weather} {{weather}} '; DROP TABLE weather; --"],
    ["full-width and decomposed letters", "ｗｅａｔｈｅｒ we\u0308ather ﬂight"],
    ["numbers", "1e308 -0 NaN Infinity 0x10 ١٢٣ ²³ Ⅷ 1_000"],
  ];
  it.each(odd)("%s are read without a fault", async (_, query) => {
    await answers(query);
  });

  it("names of what every object has find nothing, and tools of such names are found", async () => {
    const words = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "valueOf",
      "length",
    ];
    for (const word of words) {
      await answers(word);
      expect(filled(plain).search(word, { limit: 5 })).toEqual([]);
    }
    const specs = words.map((name) => specOf(name, { description: "", tags: [name] }));
    for (const word of words) {
      await answers(word, specs);
      expect(filled(specs).search(word, { limit: 1 })[0]?.key, word).toBe(word);
    }
  });

  it.each(Object.entries(requestsInLanguages))("in %s is read without a fault", async (language, query) => {
    await answers(query);
    const named = specOf(`weather_${language}`, { description: query });
    expect((await answers(query, [...plain, named])).length, language).toBeGreaterThan(0);
    expect(filled([...plain, named]).search(query, { limit: 1 })[0]?.key).toBe(named.name);
  });
});

describe("a question that is a JSON value", () => {
  it.each([
    [null],
    [true],
    [0],
    [-1.5e300],
    [[]],
    [{}],
    [["weather", "in", "Oslo"]],
    [{ ask: "weather", where: { city: "Oslo" } }],
    [JSON.parse('{"__proto__":{"polluted":"weather"},"constructor":1}')],
  ])("%j is taken as its text", async (query) => {
    await answers(query);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("finds by the words in it", async () => {
    expect((await answers({ ask: "weather", in: "Oslo" }))[0]?.name).toBe("get_weather");
  });
});

describe("a question of a million characters", () => {
  const long: readonly (readonly [string, string])[] = [
    ["many words", "what is the weather in Oslo and ".repeat(million / 32)],
    [
      "many different words",
      Array.from({ length: million / 8 }, (_, at) => at.toString(36).padStart(7, "q")).join(" "),
    ],
    ["one word", "w".repeat(million)],
    ["one word in camelCase", "wEather".repeat(million / 7)],
    ["one word of capitals", "W".repeat(million)],
    ["separators", "_".repeat(million)],
    ["apostrophes", "a'".repeat(million / 2)],
    ["emoji", "🌦️".repeat(million / 3)],
    ["half pairs", "\ud83d".repeat(million)],
    ["no spaces", "天気".repeat(million / 2)],
    ["line ends", "weather\n".repeat(million / 8)],
  ];
  it.each(long)("of %s is answered", (_, query) => {
    const index = filled(plain);
    const hits = index.search(query, { limit: 5 });
    check(hits);
    expect(index.search(query, { limit: 5 }).map(({ key }) => key)).toEqual(hits.map(({ key }) => key));
  });

  it("is picked for as well", async () => {
    expect((await answers("what is the weather in Oslo and ".repeat(million / 32)))[0]?.name).toBe(
      "get_weather",
    );
  });
});

describe("the work of a search", () => {
  /** How often a spec is looked at, by any field. */
  const counted = (name: string, spec: Partial<ToolSpec>, looks: { count: number }): ToolSpec =>
    new Proxy(specOf(name, spec), {
      get: (target, field, receiver) => {
        looks.count += 1;
        return Reflect.get(target, field, receiver);
      },
    });

  it("does not grow with the length of the question times the tools: each tool is looked at as often", () => {
    const looks = { count: 0 };
    const specs = Array.from({ length: 50 }, (_, at) =>
      counted(`tool_${at}`, { description: "weather" }, looks),
    );
    const index = filled(specs);
    const search = (query: string): number => {
      looks.count = 0;
      index.search(query, { limit: 5 });
      return looks.count;
    };
    search("weather");
    const few = search("weather in Oslo");
    const many = search("weather in Oslo ".repeat(20_000));
    expect(many).toBeLessThanOrEqual(few + 50);
  });

  it("asks whether a tool may be found at most once for each tool, and finds none that may not", () => {
    const specs = Array.from({ length: 200 }, (_, at) => specOf(`tool_${at}`, { description: "weather" }));
    const asked: string[] = [];
    const hits = filled(specs).search("weather", {
      limit: 5,
      isAllowed: (key) => {
        asked.push(key);
        return Number(key.slice(5)) % 2 === 1;
      },
    });
    expect(hits).toHaveLength(5);
    expect(hits.every(({ key }) => Number(key.slice(5)) % 2 === 1)).toBe(true);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it.each([0, 1, 2, 1000])("gives no more than %i", (limit) => {
    expect(filled(plain).search("weather message seat", { limit }).length).toBeLessThanOrEqual(limit);
  });
});

const nested = (depth: number): JsonSchema => {
  let schema: JsonSchema = { type: "string", description: "weather at the bottom" };
  for (let level = 0; level < depth; level++)
    schema = {
      type: "object",
      properties: { [`level${level}`]: schema, items: { type: "array", items: schema } },
    };
  return schema;
};

const circular = (): JsonSchema => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { self: schema, items: { type: "array", items: schema } };
  schema.$defs = { self: schema };
  return schema as JsonSchema;
};

describe("a tool with a hostile definition", () => {
  const wide = (count: number): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `field_${at}`,
        { type: "string", description: `Part ${at}` },
      ]),
    ),
  });
  const inputs: readonly (readonly [string, JsonSchema])[] = [
    ["refers to itself", { $ref: "#", $defs: { node: { $ref: "#/$defs/node" } } }],
    ["holds itself", circular()],
    ["is eighteen levels deep, with two ways down each", nested(18)],
    ["has a long chain of levels", chain(20_000)],
    ["has ten thousand parameters", wide(10_000)],
    [
      "allows ten thousand values",
      {
        type: "object",
        properties: { kind: { enum: Array.from({ length: 10_000 }, (_, at) => `kind ${at}`) } },
      },
    ],
    [
      "has odd parts",
      { type: "object", properties: { a: true, b: false, c: { type: ["string", "null"] } } } as JsonSchema,
    ],
    [
      "has parts that are no schemas",
      { properties: { a: null, b: 1, c: "text", d: [] }, enum: [null, {}, []] } as never,
    ],
    ["has properties that are no object", { type: "object", properties: "all of them" } as never],
    [
      "names what every object has",
      JSON.parse('{"properties":{"__proto__":{"description":"weather"},"constructor":{}}}'),
    ],
  ];
  it.each(inputs)("whose input %s can be added, found by its name, and taken away", async (_, input) => {
    const hostile = specOf("hostile_tool", { input });
    const index = filled([...plain, hostile]);
    expect(index.search("hostile", { limit: 1 })[0]?.key).toBe("hostile_tool");
    expect(index.search("weather of a city", { limit: 1 })[0]?.key).toBe("get_weather");
    expect(index.remove("hostile_tool")).toBe(true);
    expect(index.search("hostile", { limit: 5 })).toEqual([]);
    expect(index.size).toBe(plain.length);
    const picked = await pickTools("hostile tool", [...plain, hostile], { allowUnsafe: true });
    expect(picked[0]?.name).toBe("hostile_tool");
  });

  it("that describes itself in a million characters neither breaks the search nor drowns the others", async () => {
    const loud = specOf("loud", {
      description: "weather city today tomorrow forecast spam ".repeat(million / 42),
    });
    const noise = specOf("noise", {
      description: "\ud83d\0'".repeat(million / 3),
      tags: ["x".repeat(million)],
    });
    const specs = [loud, noise, ...plain];
    const index = filled(specs);
    check(index.search("weather in a city", { limit: 5 }));
    expect(index.search("message to an address", { limit: 1 })[0]?.key).toBe("send_mail");
    expect(index.remove("loud") && index.remove("noise")).toBe(true);
    expect((await pickTools("sends a message", specs))[0]?.name).toBe("send_mail");
  });

  it("may have any name, and take the place of another of the same key", () => {
    const names = ["", " ", "__proto__", "\0", "😀", "\ud83d", "a".repeat(100_000), "工具"];
    const index = toolIndex();
    for (const name of names) index.add(name, specOf(name, { description: "weather" }));
    expect(index.size).toBe(names.length);
    expect(index.search("weather", { limit: 100 })).toHaveLength(names.length);
    for (const name of names) index.add(name, specOf(name, { description: "penguin" }));
    expect(index.size).toBe(names.length);
    expect(index.search("weather", { limit: 100 })).toEqual([]);
    for (const name of names) expect(index.remove(name)).toBe(true);
    for (const name of names) expect(index.remove(name)).toBe(false);
    expect(index.size).toBe(0);
    expect(index.search("penguin", { limit: 100 })).toEqual([]);
  });

  it("is not changed by a search, and no question is kept in it", async () => {
    const specs = plain.map((spec) => Object.freeze({ ...spec }));
    const before = JSON.stringify(specs);
    await answers("weather __proto__", specs);
    expect(JSON.stringify(specs)).toBe(before);
  });
});

it("whatever the words of question and tools, both ways answer within bounds and the same again", async () => {
  const text = fc.oneof(
    anyText({ maxLength: 40 }),
    fc.constantFrom("weather city", "getWeather", "__proto__", "城市"),
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.uniqueArray(fc.tuple(text, text, text), { maxLength: 6, selector: ([name]) => name }),
      async (query, drawn) => {
        const specs = drawn.map(([name, description, tag]) => specOf(name, { description, tags: [tag] }));
        await answers(query, specs);
      },
    ),
    { numRuns: 60 },
  );
});

/** Deeper than a stack of calls is. */
function chain(depth: number): JsonSchema {
  let schema: JsonSchema = { type: "string" };
  for (let level = 0; level < depth; level++) schema = { type: "object", properties: { next: schema } };
  return schema;
}
