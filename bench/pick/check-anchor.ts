import type { Result } from "./measure-contender.ts";
import type { Measures } from "./metrics.ts";
import { share } from "./show.ts";

const columns: readonly (keyof Measures)[] = ["r1", "r5", "r10", "ndcg10", "complete10", "pooled10"];

/**
 * Differences of more than a rounding error between this harness and the anchor's own results. Measurements
 * are only valid without any.
 */
export const checkAnchor = (
  printed: readonly string[],
  { summary, abstention }: Result,
): readonly string[] => {
  const lines = new Map(printed.map((line) => [line.split(/\s+/)[0]!, line.split(/\s+/)]));
  const rows: Readonly<Record<string, Measures>> = {
    ...summary.sources,
    macro: summary.macro,
    micro: summary.micro,
  };
  const wrong = Object.entries(rows).flatMap(([name, measures]) => {
    const theirs = lines.get(name)?.slice(-columns.length) ?? [];
    return columns.flatMap((column, at) =>
      share(measures[column]) === theirs[at]
        ? []
        : [`${name} ${column}: ${share(measures[column])} here, ${theirs[at] ?? "nothing"} by the anchor`],
    );
  });
  const area = lines.get("abstention")?.[2];
  return area === undefined || area === share(abstention)
    ? wrong
    : [...wrong, `abstention: ${share(abstention)} here, ${area} by the anchor`];
};
