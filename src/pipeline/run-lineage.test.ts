import { expect, it } from "vitest";
import { LineageRecorder } from "./run-lineage.ts";

const result = (text: string, isUntrusted: boolean) =>
  ({ source: "result", tool: "read", text, isUntrusted, input: {} }) as const;

it("drops the oldest results of a long run, keeps texts of the user, and remembers untrusted content", () => {
  const lineage = new LineageRecorder();
  lineage.add({ source: "user", text: "request" });
  lineage.add(result("x".repeat(5_000_000), true));
  lineage.add(result("y".repeat(5_000_000), false));
  expect(lineage.texts.map(({ text, isUntrusted }) => [text[0], isUntrusted])).toEqual([
    [undefined, true],
    ["r", undefined],
    ["y", false],
  ]);
});

it("counts arguments toward the size, and keeps a limited number of texts", () => {
  const lineage = new LineageRecorder();
  for (let made = 0; made < 3_000; made += 1) lineage.add(result(String(made), false));
  expect(lineage.texts).toHaveLength(2_000);
  lineage.add({ ...result("z", false), input: "i".repeat(7_999_990) });
  expect(lineage.texts.at(-1)?.text).toBe("z");
  expect(lineage.texts.length).toBeLessThan(10);
});
