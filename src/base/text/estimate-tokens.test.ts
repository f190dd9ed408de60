import { describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

/** The larger of the counts of o200k and cl100k. */
const counted: readonly (readonly [text: string, tokens: number])[] = [
  [
    '{"name":"get_weather","description":"The weather of a city today","input_schema":{"type":"object","properties":{"city":{"type":"string","description":"Where to look"}},"required":["city"]}}',
    42,
  ],
  ["The quick brown fox jumps over the lazy dog, twice a day and 3,141 times a year.", 22],
  ['{"type":"integer","minimum":1,"maximum":9007199254740991,"multipleOf":0.25}', 25],
  ['{"pattern":"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$","format":"uri-reference"}', 29],
  ["Überweist den Betrag zurück und schickt eine Bestätigung an die Kundin.", 20],
  ["注文の返金を行い、顧客に確認メールを送信します。", 25],
  ["Возвращает деньги за заказ и сообщает об этом покупателю.", 21],
  ["يعيد المبلغ إلى العميل", 14],
  ["🚀🎉 done ✅", 9],
  ["d41d8cd98f00b204e9800998ecf8427e", 19],
  ["createSubscriptionScheduleWithPhasesAndProrationBehavior", 10],
  ['{"a":{"b":{"c":[[],[{}],[{"d":[1,2,3,4,5,6,7,8,9,10]}]]}}}', 37],
  ["\n\n\t\t    indented\n", 5],
];

describe("estimateTokens", () => {
  it.each(counted)("returns at least the token count and less than twice of it: %s", (text, tokens) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(estimateTokens(text)).toBeLessThan(2 * tokens);
  });

  it("returns an integer, zero for an empty text, and more for a longer text", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens(" ")).toBe(0);
    const texts = counted.map(([text]) => text);
    const whole = estimateTokens(texts.join("\n"));
    expect(Number.isSafeInteger(whole)).toBe(true);
    expect(whole).toBeGreaterThan(estimateTokens(texts.slice(1).join("\n")));
  });
});
