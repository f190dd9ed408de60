import * as Redacted from "effect/Redacted";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import { redactor } from "./redact.ts";

// A quadratic search would take minutes; a linear one takes seconds even on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const plain = redactor({});

describe("redactor by key name", () => {
  it.each([
    ..."password PASSWORD passwd userPassword db_password DBPASSWORD pwd passphrase secret clientSecret client-secret".split(
      " ",
    ),
    ..."token accessToken refresh_token X-Auth-Token id_token tokenV2 apiKey api_key API-KEY apikey x-api-key".split(
      " ",
    ),
    ..."secretAccessKey private_key privateKeyPem authorization Proxy-Authorization cookie Set-Cookie credentials".split(
      " ",
    ),
    ..."jwt connectionString passwordHash password_confirmation auth pin api.key accessTokens".split(" "),
    "API Key",
  ])("masks the value of %s", (key) => {
    expect(plain.value({ [key]: "x1y2" })).toEqual({ [key]: "[redacted]" });
    expect(plain.value({ [key]: { inner: ["x1y2"] } })).toEqual({ [key]: "[redacted]" });
  });
  it.each(
    "maxTokens max_tokens tokenCount tokens promptTokens validTokens tokenizer tokenLimit secretName secretary"
      .split(" ")
      .concat(
        "passwordLength publicKey primaryKey idempotencyKey key keyboard cookiePolicy authorization_endpoint author sessionId pinned spinner".split(
          " ",
        ),
      ),
  )("keeps the value of %s", (key) => {
    expect(plain.value({ [key]: "x1y2" })).toEqual({ [key]: "x1y2" });
  });
  it("keeps booleans, null and empty strings", () => {
    const value = { hasPassword: true, secret: null, token: "", password: false };
    expect(plain.value(value)).toEqual(value);
  });
  it("masks additional key names of the caller", () => {
    expect(redactor({ keys: ["Member-Number"] }).value({ memberNumber: "1", token: "2", x: 3 })).toEqual({
      memberNumber: "[redacted]",
      token: "[redacted]",
      x: 3,
    });
    const byPattern = redactor({ keys: /^x_/g });
    expect(byPattern.value({ x_a: 1, x_b: 2, x_c: 3, y: 4 })).toEqual({
      x_a: "[redacted]",
      x_b: "[redacted]",
      x_c: "[redacted]",
      y: 4,
    });
  });
  it("masks labeled values by their label", () => {
    expect(
      plain.value([
        { name: "Authorization", value: "x" },
        { key: "color", value: "red" },
      ]),
    ).toEqual([
      { name: "Authorization", value: "[redacted]" },
      { key: "color", value: "red" },
    ]);
  });
  it("masks members of maps, headers and search parameters", () => {
    const value = [
      new Map([["token", "x"]]),
      new Headers({ cookie: "a=b", accept: "*" }),
      new URLSearchParams("api_key=1&b=2"),
    ];
    expect(plain.value(value)).toEqual([
      { token: "[redacted]" },
      { accept: "*", cookie: "[redacted]" },
      { api_key: "[redacted]", b: "2" },
    ]);
  });
});

describe("redactor by known secret", () => {
  const secret = 'hun/ter+2 "&é\n?';
  const known = redactor({ secrets: () => [secret, "abc", "987654"] });
  it.each([
    ["as it is", secret],
    ["URL-encoded", encodeURIComponent(secret)],
    ["URL-encoded in lower case", encodeURIComponent(secret).toLowerCase()],
    ["as a form field", new URLSearchParams({ q: secret }).toString().slice(2)],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
  ])("masks a secret within a longer text %s", (_, form) => {
    expect(known.text(`before ${form} after`)).toBe("before [redacted] after");
    expect(known.value({ note: [`<${form}>`] })).toEqual({ note: ["<[redacted]>"] });
  });
  it.each(["", "u", "us", "user:", "user1:", "user12:"])(
    "masks a secret in the base64 of a text that begins with %j",
    (before) => {
      for (const after of ["", "!", "!!"]) {
        for (const encoding of ["base64", "base64url"] as const) {
          const text = Buffer.from(before + secret + after).toString(encoding);
          const masked = known.text(`Basic ${text}`);
          expect(masked).toContain("[redacted]");
          expect(masked.length).toBeLessThan(
            "Basic [redacted]".length + 4 * (before.length + after.length) + 5,
          );
        }
      }
    },
  );
  it("ignores secrets of fewer than four characters", () => {
    expect(known.text("abc abcdef")).toBe("abc abcdef");
  });
  it("masks overlapping secrets completely", () => {
    const overlapping = redactor({ secrets: () => ["abcdef", "defghi", "fghi"] });
    expect(overlapping.text("x abcdefghi y")).toBe("x [redacted] y");
    expect(redactor({ secrets: () => ["aXaX"] }).text("aXaXaX!")).toBe("[redacted]!");
  });
  it("masks a secret in a key or number", () => {
    expect(known.value({ [`k-${secret}`]: 1, n: 987654, m: 9876543 })).toEqual({
      "k-[redacted]": 1,
      n: "[redacted]",
      m: 9876543,
    });
  });
  it("masks a secret as soon as it is added", () => {
    const secrets: string[] = [];
    const growing = redactor({ secrets: () => secrets });
    expect(growing.text("late-secret")).toBe("late-secret");
    secrets.push("late-secret");
    expect(growing.text("late-secret")).toBe("[redacted]");
    secrets[0] = "other-secret";
    expect(growing.text("late-secret other-secret")).toBe("late-secret [redacted]");
  });
  it("masks everything while the list of secrets is unavailable", () => {
    const broken = redactor({
      secrets: () => {
        throw new Error("vault down");
      },
    });
    expect([broken.text("a"), broken.value({ a: 1 })]).toEqual(["[redacted]", "[redacted]"]);
  });
  it("masks a secret anywhere in a value", () => {
    const canary = fc
      .string({ minLength: 4, maxLength: 24, unit: "grapheme" })
      .filter((text) => text.trim().length >= 4 && !"[redacted]".includes(text));
    const holder = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constant("HERE"),
        fc.string().map((text) => `${text}HERE${text}`),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "HERE", "bHEREc"), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(canary, holder, (secret, shape) => {
        // A key of this name is written in brackets, whether it is secret or not.
        fc.pre(secret !== "__proto__");
        const text = JSON.stringify(shape).replaceAll("HERE", () => JSON.stringify(secret).slice(1, -1));
        const masked = redactor({ secrets: () => [secret] }).value(JSON.parse(text));
        const seen: string[] = [];
        JSON.stringify(masked, (key, value) => {
          seen.push(key, typeof value === "string" ? value : "");
          return value;
        });
        for (const part of seen) expect(part.replaceAll("[redacted]", "\u0000")).not.toContain(secret);
      }),
      { numRuns: 1_000 },
    );
  });
  it("masks one of thousands of secrets", () => {
    const many = Array.from({ length: 2_000 }, (_, i) => `${i * 7919}-secret-number`);
    expect(redactor({ secrets: () => many }).text(`a ${many[1_234]} b`)).toBe("a [redacted] b");
  });
});

describe("redactor by text pattern in records", () => {
  it.each([
    ["https://user:pw@host/x?token=abc&b=1", "https://[redacted]@host/x?token=[redacted]&b=1"],
    ["Authorization: Bearer abc def\nnext", "Authorization: [redacted]\nnext"],
    ["Cookie: a=b; c=d", "Cookie: [redacted]"],
    ["API_KEY=abc DEBUG=1", "API_KEY=[redacted] DEBUG=1"],
    ["authorization=Bearer a1b2 x", "authorization=[redacted] x"],
    ["sent bearer eyJhbGciOi1.x2 along", "sent bearer [redacted] along"],
    ['{"password":"hu\\"nter", "x":', '{"password":"[redacted]", "x":'],
    ['{\\"api_key\\":\\"v\\",\\"b\\":\\"c\\"}', '{\\"api_key\\":\\"[redacted]\\",\\"b\\":\\"c\\"}'],
    ["{'secret': 'v', 'b': 1", "{'secret': '[redacted]', 'b': 1"],
    ['{"pin": 1234, "b": 1}', '{"pin": [redacted], "b": 1}'],
    ['{"password": null, "b": 1}', '{"password": null, "b": 1}'],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- rest", "[redacted] rest"],
    ["maxTokens: 5, time: 10:30, a=b", "maxTokens: 5, time: 10:30, a=b"],
    ["a password\u00e9 is: fine", "a password\u00e9 is: fine"],
  ])("turns %j into %j", (text, masked) => {
    expect(plain.value(text)).toBe(masked);
    expect(plain.text(text)).toBe(text);
  });
  it("reads a megabyte of any single pattern in linear time", () => {
    for (const part of [
      ":",
      "=",
      "token:",
      "token=\\",
      "a://b",
      "bearer ",
      "-----BEGIN PRIVATE KEY-----",
      'password:"',
      "\\",
      "aaaa:",
    ]) {
      const text = part.repeat(Math.floor(1_000_000 / part.length));
      expectToFinish(() => plain.value(text));
    }
  });
});

describe("redactor with hostile and large values", () => {
  it("masks a Redacted value, whatever it contains", () => {
    expect(plain.value({ a: Redacted.make("x"), b: [Redacted.make({ c: 1 })] })).toEqual({
      a: "[redacted]",
      b: ["[redacted]"],
    });
  });
  it("does not throw for cycles, throwing getters and revoked proxies", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const thrower = {
      good: 1,
      get bad() {
        throw new Error("no");
      },
    };
    expect(plain.value([loop, proxy, thrower, new Date(Number.NaN)])).toEqual([
      { self: "[circular]" },
      "[unreadable]",
      { good: 1, bad: "[unreadable]" },
      "[unreadable]",
    ]);
  });
  it("does not change the original value", () => {
    const value = Object.freeze({ token: "x", a: Object.freeze([1]) });
    expect(plain.value(value)).toEqual({ token: "[redacted]", a: [1] });
    expect(value).toEqual({ token: "x", a: [1] });
  });
  it("keeps message and cause of an error with secrets masked", () => {
    const known = redactor({ secrets: () => ["hunter2"] });
    const error = new Error("failed with hunter2", { cause: new TypeError("hunter2") });
    expect(known.value(Object.assign(error, { code: "E1" }))).toEqual({
      name: "Error",
      message: "failed with [redacted]",
      cause: { name: "TypeError", message: "[redacted]" },
      code: "E1",
    });
  });
  it("limits depth and size", () => {
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as unknown;
    expect(JSON.stringify(plain.value(deep))).toContain("[too deep]");
    expect(JSON.stringify(redactor({ limits: { maxDepth: 1_000 } }).value(deep)).length).toBeLessThan(3_000);
    let laughs: unknown = "ha";
    for (let i = 0; i < 40; i++) laughs = [laughs, laughs];
    expect(JSON.stringify(plain.value(laughs)).length).toBeLessThan(4_000_000);
    const long = plain.value(["x".repeat(3_000_000), "y", { z: 1 }]) as string[];
    expect(long[0]).toHaveLength(1_048_575 + "[cut]".length);
    expect(long.slice(1)).toEqual(["[cut]"]);
  });
  it("masks a secret that crosses the length limit", () => {
    const known = redactor({ secrets: () => ["hunter2hunter2"], limits: { maxLength: 10 } });
    expect(known.value("abc hunter2hunter2 def")).toBe("abc [redacted][cut]");
    expect(known.value("abc def gh hunter2hunter2")).toBe("abc def gh[cut]");
  });
  it("does not pollute prototypes through a forbidden key", () => {
    const masked = plain.value(JSON.parse('{"__proto__":{"polluted":1}}'));
    expect(masked).toEqual({ "[__proto__]": { polluted: 1 } });
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });
  it("does not throw for any value", () => {
    const known = redactor({ secrets: () => ["test", "1234"] });
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withBoxedValues: true,
        }),
        (value) => {
          known.value(value);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
