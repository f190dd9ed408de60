import { type Group, groups } from "./attack.ts";
import { type AttackRun, type CampaignResult, lettersOf } from "./campaign.ts";
import { enginesOf, type ShippedEngineName, shippedEngines } from "./host/shipped.ts";

const engines = Object.keys(shippedEngines) as ShippedEngineName[];
const letters = ["e", "h", "m"];

/** Markdown table of groups by engines: harm on open engines, and harm on engines of the package. */
export const toTable = ({ runs, missing }: CampaignResult): string => {
  const rows = groups.flatMap((group) => {
    const own = runs.filter(({ attack }) => attack.group === group);
    const open = own.filter(({ isOpen }) => isOpen);
    if (own.length === 0) return [];
    const cells = engines.map((engine) => cellOf(group, engine, own, missing));
    return [[`${group} (${open.length})`, `${tally(open)}, on ${placesOf(open)}`, ...cells]];
  });
  const grown = engines.map((engine) => {
    const bytes = runs.filter((run) => run.engine === engine).map(({ grownBytes }) => grownBytes);
    return bytes.length === 0 ? "–" : String(Math.round(Math.max(...bytes) / 1e6));
  });
  const head = ["attacks", "unprotected", ...engines];
  const lines = [head, head.map(() => "---"), ...rows, ["peak memory growth, MB", "", ...grown]];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};

const cellOf = (
  group: Group,
  engine: ShippedEngineName,
  own: readonly AttackRun[],
  missing: CampaignResult["missing"],
): string => {
  const language = own.find(({ attack }) => attack.group === group)!.attack.language;
  if (!(enginesOf[language] as readonly string[]).includes(engine)) return "–";
  const ours = own.filter((run) => run.engine === engine);
  if (ours.length === 0) return missing[engine] === undefined ? "not run" : "missing";
  return tally(ours);
};

const tally = (runs: readonly AttackRun[]): string => {
  const counted = letters
    .map((letter) => [runs.filter((run) => lettersOf(run).includes(letter)).length, letter] as const)
    .filter(([count]) => count > 0);
  return counted.length === 0 ? "0" : counted.map(([count, letter]) => `${count}${letter}`).join(" ");
};

const placesOf = (runs: readonly AttackRun[]): string =>
  [...new Set(runs.map(({ engine }) => engine))].join(", ");
