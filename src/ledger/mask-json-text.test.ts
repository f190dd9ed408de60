import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { redactedMark as hidden } from "../base/json/secrets/span.ts";
import { maskJsonText, maskLedgerText } from "./mask-entry.ts";

const masking = redactor({ secrets: () => ["KNOWN-secret/1", "9007199254740997"] });

describe("text that parsing would change", () => {
  it.each([
    '{"n":1,"n":2}',
    '{"n":9007199254740993}',
    ' { "n" : 1e400 ,\n "m":[ 1.0, -0, "a\\/b", true, null, {} ] , "n":3} ',
    '{"__proto__":{"a":1}}',
    `${"[".repeat(200)}1${"]".repeat(200)}`,
    '{"name":"city","value":"Oslo","value":"Rome"}',
  ])("is unchanged without a secret: %j", (text) => {
    expect(maskLedgerText(text, masking)).toBe(text);
  });

  it.each([
    ['{"password":"hunter2","n":1,"n":2}', '{"password":"[redacted]","n":1,"n":2}'],
    ['{"password":"hunter2","password":"x"}', '{"password":"[redacted]","password":"[redacted]"}'],
    ['{"n":1,"n":2,"credentials":{\n"id":"hunter2"}}', '{"n":1,"n":2,"credentials":"[redacted]"}'],
    ['{"a":{"p\\u0061ssword":["hunter2"],"b":1,"b":2}}', '{"a":{"p\\u0061ssword":"[redacted]","b":1,"b":2}}'],
    [
      '[{"name":"Authorization","value":{"x":["hunter2"]}},9007199254740993]',
      '[{"name":"Authorization","value":"[redacted]"},9007199254740993]',
    ],
    [
      '{"value":"hunter2","key":"X-Api-Key","n":1,"n":2}',
      '{"value":"[redacted]","key":"X-Api-Key","n":1,"n":2}',
    ],
    [
      '{"x":"a \\u004bNOWN-secret\\/1","KNOWN-secret/1":1,"x":2}',
      '{"x":"a [redacted]","[redacted]":1,"x":2}',
    ],
    ['{"x":9007199254740997,"y":9007199254740993}', '{"x":"[redacted]","y":9007199254740993}'],
    ['{"body":"{\\"password\\":\\"hunter2\\"}","n":1,"n":2}', undefined],
  ])("is masked only by key and by value: %j", (text, shown) => {
    expect(maskLedgerText(text, masking)).not.toContain("hunter2");
    if (shown !== undefined) expect(maskLedgerText(text, masking)).toBe(shown);
  });

  it("is truncated and shows no value whose name comes after the cut", () => {
    const long = `{"n":1,"n":2,"a":{"value":"hunter2","pad":"${"x".repeat(2_000_000)}","name":"password"}}`;
    expect(maskLedgerText(long, masking)).toMatch(
      /^\{"n":1,"n":2,"a":\{"value":"\[redacted\]","pad":"x{9}.*\[cut\]$/,
    );
    const list = `{"n":1,"n":2,"password":[${'"hunter2",'.repeat(200_000)}1]}`;
    expect(maskLedgerText(list, masking)).toBe('{"n":1,"n":2,"password":"[redacted]"[cut]');
  });

  it("is masked completely when the secrets are not available", () => {
    const blind = redactor({
      secrets: () => {
        throw new Error("no secrets");
      },
    });
    expect(maskJsonText('{"a":"b","c":[1]}', blind)).toBe(
      `{"${hidden}":"${hidden}","${hidden}":"${hidden}"}`,
    );
  });

  it("parses to the masked value for any JSON", () => {
    const key = fc.constantFrom("a", "password", "name", "value", "KNOWN-secret/1", "n\\u0061me");
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>("x", "", "api_key", "KNOWN-secret/1", 'é"\\', 0, 12.5, true, null),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(maskJsonText(text, masking))).toEqual(
          JSON.parse(JSON.stringify(masking.value(value))),
        );
      }),
    );
  });
});
