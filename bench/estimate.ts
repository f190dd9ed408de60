import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { Haft, tool } from "../dist/index.js";
import { catalog } from "../examples/26-two-thousand-tools/catalog.ts";
import { estimateTokens } from "../src/base/text/estimate-tokens.ts";
import type { OfferedTool } from "../src/models/dialects/exporter.ts";
import { formats } from "../src/models/dialects/formats.ts";
import { skillNames } from "../src/sandbox/skills/skill-names.ts";
import { comprehensive } from "../test/exports/comprehensive.ts";
import { dice, randomSchema } from "../test/kit/random-schema.ts";
import { table } from "./numbers.ts";

/**
 * Compares the estimated tokens of definitions to the counts of two tokenizers, over specs of this
 * repository.
 */
const haft = await Haft.open({
  tools: catalog([]),
  skills: skillNames,
  config: { registry: { maxTools: 3_000 }, skills: { commands: { git: {} } } },
  principal: { agent: "bench", allow: ["*"] },
});
const all = haft.offer().offer.specs.map((spec): OfferedTool => ({ wireName: spec.name, spec }));
await haft.close();

const chance = dice(7);
const random = Array.from({ length: 200 }, (_, index): OfferedTool[] => {
  try {
    const input = { type: "object", properties: { value: randomSchema(chance, 4) } };
    const { spec } = tool({ name: `t${index}`, description: "Takes a value", input, run: () => 1 } as never);
    return [{ wireName: spec.name, spec }];
  } catch {
    return [];
  }
}).flat();

const isSkill = ({ wireName }: OfferedTool): boolean => (skillNames as readonly string[]).includes(wireName);
const sets: Readonly<Record<string, readonly OfferedTool[]>> = {
  "built-in tools": all.filter(isSkill),
  "2,000 made-up tools": all.filter((one) => !isSkill(one)),
  "every keyword": [{ wireName: comprehensive.name, spec: comprehensive }],
  "random schemas": random,
};

const rows = Object.entries(sets).flatMap(([name, listed]) =>
  Object.entries(formats).map(([format, spell]) => {
    const texts = spell(listed).tools.map((one) => JSON.stringify(one));
    return [name, format, texts.length, ...[o200k, cl100k].flatMap((encode) => compare(texts, encode))];
  }),
);

/** Minimum, mean and maximum of estimate divided by count. */
function compare(texts: readonly string[], encode: (text: string) => readonly number[]): readonly string[] {
  const ratios = texts.map((text) => estimateTokens(text) / encode(text).length);
  const mean = ratios.reduce((sum, each) => sum + each, 0) / ratios.length;
  return [Math.min(...ratios), mean, Math.max(...ratios)].map((each) => each.toFixed(2));
}

console.log("estimate ÷ count, of one definition");
const head = ["specs", "format", "n", "o200k least", "mean", "most", "cl100k least", "mean", "most"];
console.log(table([head, ...rows.map((row) => row.map(String))]));
