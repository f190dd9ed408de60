import { expect, it } from "vitest";
import { experimentResult, experimentRun } from "../../../../test/kit/experiment-result.ts";

it("requires more inputs for more arms and names the number", () => {
  const arms = (...names: readonly string[]) =>
    experimentResult(["1", "2"].flatMap((id) => names.map((name) => experimentRun(name, id))));
  const two = arms("a", "b");
  expect(two.verdict).toBe(
    "Too few inputs to compare: 2 were measured with both arms, and at least 6 are needed.",
  );
  const three = arms("a", "b", "c");
  expect(three.verdict).toContain(
    "C against A: Too few inputs to compare: 2 were measured with both arms, and at least 7 are needed.",
  );
  expect(three.comparisons[1]!.differences[0]!.sentence).toContain("at least 7 needed");
});

it("sorts the tools of an arm by calls and then by name", () => {
  const use = (name: string, calls: number) => ({ name, calls, failures: 0 });
  const { arms } = experimentResult([
    experimentRun("a", "1", { tools: [use("zoom", 1), use("read", 2), use("add", 1)] }),
    experimentRun("a", "2", { tools: [use("find", 5), use("mail", 1)] }),
    experimentRun("b", "1"),
    experimentRun("b", "2"),
  ]);
  expect(arms[0]!.tools.map(({ name, callsPerRun }) => [name, callsPerRun])).toEqual([
    ["find", 2.5],
    ["read", 1],
    ["add", 0.5],
    ["mail", 0.5],
    ["zoom", 0.5],
  ]);
  expect(arms[1]!.tools).toEqual([]);
});
