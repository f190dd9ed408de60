import { type Group, groups } from "./attack.ts";
import { type AttackRun, type CampaignResult, lettersOf } from "./campaign.ts";
import { enginesOf, type ShippedEngineName, shippedEngines } from "./host/shipped.ts";

const engines = Object.keys(shippedEngines) as ShippedEngineName[];
const letters = ["e", "h", "m"];

/** Groups by engines in Markdown: what came through where nothing holds it, and where something of ours does. */
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
  const head = ["group (attacks)", "where nothing holds them", ...engines];
  const lines = [head, head.map(() => "---"), ...rows, ["most memory that was added, MB", "", ...grown]];
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

/** Every attack with the place where it was seen to do its harm. */
export const toList = ({ runs }: CampaignResult): string => {
  const open = runs.filter(({ isOpen }) => isOpen);
  return groups
    .map((group) => ({ group, own: open.filter(({ attack }) => attack.group === group) }))
    .filter(({ own }) => own.length > 0)
    .map(({ group, own }) => {
      const lines = own.map(({ attack, engine, harms }) => {
        const did = harms.includes(attack.harm) ? attack.harm : "no harm: a dud";
        return `- ${attack.name}: ${did}, on ${engine}`;
      });
      return [`**${group}**`, "", ...lines].join("\n");
    })
    .join("\n\n");
};
