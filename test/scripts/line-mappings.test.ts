import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { lineMappings } from "../../scripts/build/line-mappings.ts";

it("a map by lines has the same source position as the full map for the start of every line", async () => {
  await using built = await rolldown({
    input: fileURLToPath(new URL("../../src/pipeline/layers/limit.ts", import.meta.url)),
    external: /^[^./]/,
  });
  const { output } = await built.generate({ sourcemap: true });
  const { code, map } = output[0];
  const whole = new SourceMap(JSON.parse(map!.toString()));
  const byLine = new SourceMap({
    ...JSON.parse(map!.toString()),
    names: [],
    mappings: lineMappings(map!.mappings),
  });
  const lines = code.split("\n");
  let mapped = 0;
  for (const [at, text] of lines.entries()) {
    const exact = whole.findEntry(at, text.length - text.trimStart().length);
    const found = byLine.findEntry(at, 0);
    if (!("originalLine" in exact) || !("originalLine" in found) || exact.generatedLine !== at) continue;
    expect([at, found.originalSource, found.originalLine]).toEqual([
      at,
      exact.originalSource,
      exact.originalLine,
    ]);
    mapped += 1;
  }
  expect(mapped).toBeGreaterThan(lines.length / 2);
  expect(lineMappings(map!.mappings).length).toBeLessThan(map!.mappings.length / 3);
});
