import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { expectToFinish } from "../../../../test/kit/expect-to-finish.ts";
import { redactor } from "../redact.ts";

// A quadratic search would take minutes; a linear one takes seconds even on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const plain = redactor();

describe("secret names in text that is not strict JSON", () => {
  it.each([
    ['{"p\\u0061ssword":"hunter2",}', '{"p\\u0061ssword":"[redacted]",}'],
    ['{"p\\u0061ssword":"hun\\"ter2 rest",}', '{"p\\u0061ssword":"[redacted]",}'],
    ['{"\\u0070in": 1234, "b": 1,}', '{"\\u0070in": [redacted], "b": 1,}'],
    [
      '{"body":"{\\"p\\\\u0061ssword\\":\\"hunter2\\"}",}',
      '{"body":"{\\"p\\\\u0061ssword\\":\\"[redacted]\\"}",}',
    ],
    [
      '{"p\\\\u0061ssword": "ab\\"cd", "t\\u006fken": "ef",}',
      '{"p\\\\u0061ssword": "[redacted]", "t\\u006fken": "[redacted]",}',
    ],
    ['{"password" "hunter2"}', '{"password" "[redacted]"}'],
    ["{'password' 'hunter2', 'b': 1", "{'password' '[redacted]', 'b': 1"],
    ['{\\"password\\" \\"hunter2\\"}', '{\\"password\\" \\"[redacted]\\"}'],
    ["<password>hunter2</password>", "<password>[redacted]</password>"],
    ['<a:Password b="c">hun\nter2</a:Password><d>e</d>', '<a:Password b="c">[redacted]</a:Password><d>e</d>'],
    ["<apiKey><![CDATA[hunter2]]></apiKey>", "<apiKey>[redacted]</apiKey>"],
    ["<credentials><user>a</user></credentials> b", "<credentials>[redacted]</credentials> b"],
    ["<password>hunter2<b>c</b>", "<password>[redacted]<b>c</b>"],
    ["&lt;password&gt;hunter2&lt;/password&gt; b", "&lt;password&gt;[redacted]&lt;/password&gt; b"],
    ["next=https%3A%2F%2Fa%3Ftoken%3Dabc%26b%3D1", "next=https%3A%2F%2Fa%3Ftoken%3D[redacted]%26b%3D1"],
    ["https:\\/\\/user:pw@host\\/a", "https:\\/\\/[redacted]@host\\/a"],
    ["password=ab&#43;cd rest", "password=[redacted] rest"],
    ["one\\npin: 1234", "one\\npin: [redacted]"],
    ["Authorization%3A%20Bearer%20abc", "Authorization%3A%20[redacted]"],
    [`token=${"[redacted]"}rest b`, "token=[redacted] b"],
  ])("masks %j as %j", (text, masked) => {
    expect(plain.value(text)).toBe(masked);
  });

  it("masks the value of an escaped key", () => {
    expect(plain.value({ "p\\u0061ssword": "x", "p%61ssword": "y", "a%20note": "z" })).toEqual({
      "p\\u0061ssword": "[redacted]",
      "p%61ssword": "[redacted]",
      "a%20note": "z",
    });
  });

  it.each([
    '{"a":"the token","b":"c"}',
    '["token","b"]',
    '{"required":["password", "email"]}',
    '{"token":"","b":""}',
    "Bearer <token> is needed",
    "<token/>abc<b>c</b>",
    "<tokens>5</tokens>",
    "C:\\temp\\new: 100% = fine & good",
    "a\\nb: c%20d &amp; e=f",
  ])("keeps %j", (text) => {
    expect(plain.value(text)).toBe(text);
  });

  it("masks the value whichever letters of the name are escaped", () => {
    const names = fc.constantFrom("password", "apiKey", "access_token", "Authorization", "clientSecret");
    const escapes = [
      (code: number) => `\\u${code.toString(16).padStart(4, "0")}`,
      (code: number) => `&#${code};`,
      (code: number) => `%${code.toString(16)}`,
    ];
    const value = fc.stringMatching(/^[a-z0-9"\\/+ ]{1,20}$/).map((text) => `canary${text}canary`);
    fc.assert(
      fc.property(
        names,
        value,
        fc.constantFrom(...escapes),
        fc.array(fc.boolean(), { minLength: 1 }),
        (name, text, hide, which) => {
          const written = [...name].map((letter, at) =>
            which[at % which.length] ? hide(letter.charCodeAt(0)) : letter,
          );
          const masked = plain.value(`{"${written.join("")}": ${JSON.stringify(text)}, "b": 1,}`);
          expect(masked).not.toContain("canary");
          expect(masked).toContain(written.join(""));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("reads a long text of any single pattern in linear time", () => {
    const known = redactor({ secrets: () => ["hunter2hunter2", "aaaaaaaa", "%25%25%25", "\\\\\\\\n"] });
    const distinct = Array.from({ length: 20_000 }, (_, at) => `<a${at}token>x`).join("");
    for (const text of [
      ...["\\u0061", "%61", "&#97;", "&amp;amp;", "%2525", "\\\\", "%e2%82", "p\\u0061ssword:x\\n"],
      ...[
        'p\\u0061ssword:\\"',
        "token%3D",
        '"token" "',
        '"token',
        "<token>",
        "<token>a",
        "<token",
        "</token",
        "aaaaaaaa",
      ],
    ]
      .map((part) => part.repeat(Math.floor(500_000 / part.length)))
      .concat(distinct, `${distinct}</z>`)) {
      expectToFinish(() => known.value(text));
      expectToFinish(() => known.text(text));
    }
  });
});
