import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { experimentResult, experimentRun } from "../../../kit/experiment-result.ts";

/** A folder with an experiment result: the second arm is faster and fails at times. */
export const experimentFolder = (folder: string): string => {
  const results = join(folder, "results");
  mkdirSync(results, { recursive: true });
  const records = Array.from({ length: 24 }, (_, index) => {
    const input = `q${index + 1}`;
    const wave = 40 * Math.sin(index);
    return [
      experimentRun("old list", input, { latencyMs: 420 + wave }),
      experimentRun("new list", input, {
        latencyMs: 260 + wave / 2,
        success: index % 8 !== 0,
        ...(index % 8 === 0 ? { reason: "The price was missing." } : {}),
      } as never),
    ];
  }).flat();
  writeFileSync(join(results, "prices.json"), JSON.stringify(experimentResult(records)));
  return results;
};
