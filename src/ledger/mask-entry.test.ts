import { describe, expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { maskLedgerText } from "./mask-entry.ts";

const secret = "KNOWN-secret/value+1";
const mask = (text: string): string => maskLedgerText(text, redactor({ secrets: () => [secret] }));

describe("recorded text of a call", () => {
  it.each([
    '{"password":"hunter2"}',
    '{"p\\u0061ssword":"hunter2"}',
    '{"p\\u0061ssword":"hunter2",}',
    '{"body":"{\\"p\\\\u0061ssword\\":\\"hunter2\\"}"}',
    '{password: "hunter2"}',
    '{"password" "hunter2"}',
    '{"password":["hunter2"]',
    "<password>hunter2</password>",
    '"{\\"p\\\\u0061ssword\\":\\"hunter2\\",}"',
  ])("hides the value of a secret name in %j", (text) => {
    expect(mask(text)).not.toContain("hunter2");
    expect(mask(text)).toContain("[redacted]");
  });

  it.each([
    '{"x":"\\u004bNOWN-secret/value+1"}',
    '{"x":"\\u004bNOWN-secret/value+1",}',
    '{"x":"KNOWN-secret\\/value+1",}',
    '{"x":"KNOWN-secret/value\\u002B1",}',
    '"{\\"x\\":\\"KNOWN-secret\\\\/value+1\\"}"',
    "KNOWN-secret&#x2F;value&#43;1",
  ])("hides a known secret in %j", (text) => {
    expect(mask(text)).not.toMatch(/NOWN-secret/);
    expect(mask(text)).toContain("[redacted]");
  });

  it("has nothing hidden without a secret", () => {
    expect(mask('{"a":"b\\/c"}')).toBe('{"a":"b/c"}');
    expect(mask('{"a":"b\\/c",}')).toBe('{"a":"b\\/c",}');
  });
});
