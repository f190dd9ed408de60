import { firstSentenceOf } from "../../base/text/cut-text.ts";
import type { ToolSearchHit, ToolSearchResults } from "../../registry/selection/search-index.ts";
import type { Terminal } from "../command.ts";
import { alignColumns, painter, plainText, toJsonLine } from "../screen.ts";
import type { NearMissTool, SearchExplanation } from "./explain-search.ts";

type ScreenSize = Pick<Terminal, "hasColor" | "width">;

const formatScore = ({ score }: ToolSearchHit): string => score.toFixed(2);

export const formatSearch = (
  { search, passedOver }: SearchExplanation,
  explains: boolean,
  screen: ScreenSize,
): string => {
  const { dim } = painter(screen);
  const blocks = groupByIntent(search).map(({ title, tools }) => {
    const head = title === undefined ? "" : `${dim("for:")} ${plainText(title)}\n`;
    return `${head}${tools.length === 0 ? `${dim("no tool matches this part")}\n` : formatToolTable(tools, explains, screen)}`;
  });
  const rest = explains && passedOver.length > 0 ? [formatNearMisses(passedOver, screen)] : [];
  return [...blocks, ...rest].join("\n");
};

interface ToolMatchGroup {
  readonly title: string | undefined;
  readonly tools: readonly ToolSearchHit[];
}

const groupByIntent = ({ tools, wishes }: ToolSearchResults): readonly ToolMatchGroup[] => {
  if (wishes.length < 2) return [{ title: undefined, tools }];
  const grouped = wishes.map(({ text, tools: names }) => ({
    title: text,
    tools: tools.filter(({ name }) => names.includes(name)),
  }));
  const named = new Set(wishes.flatMap((wish) => wish.tools));
  const others = tools.filter(({ name }) => !named.has(name));
  return others.length === 0 ? grouped : [...grouped, { title: "all of it", tools: others }];
};

const formatToolTable = (tools: readonly ToolSearchHit[], explains: boolean, screen: ScreenSize): string => {
  const { bold, dim } = painter(screen);
  const rows = tools.map((tool) => [
    tool.spec.name,
    formatScore(tool),
    plainText(firstSentenceOf(tool.spec.description)),
  ]);
  const [head = "", ...lines] = alignColumns([["NAME", "SCORE", "SUMMARY"], ...rows], screen.width).split(
    "\n",
  );
  const explained = lines.flatMap((line, at) => (explains ? [line, dim(formatTerms(tools[at]!))] : [line]));
  return `${[bold(head), ...explained].join("\n")}\n`;
};

const formatTerms = ({ found, evidence }: ToolSearchHit): string => {
  const words = found.map(({ term, for: meant, place, weight }) => {
    const word = meant === undefined ? plainText(term) : `${plainText(term)} for ${plainText(meant)}`;
    return `${word} ${place === "elsewhere" ? place : `in its ${place}`} ${weight.toFixed(2)}`;
  });
  const kinds = Object.entries(evidence).map(([kind, share]) => `${kind} ${share.toFixed(2)}`);
  return `  ${words.join(", ")}\n  ${kinds.join(", ")}`;
};

const formatNearMisses = (passedOver: readonly NearMissTool[], screen: ScreenSize): string => {
  const { bold } = painter(screen);
  const rows = passedOver.map(({ tool, why }) => [tool.spec.name, formatScore(tool), why]);
  return `${bold("excluded")}\n${alignColumns(rows, screen.width)}\n`;
};

export const searchJsonLines = ({ search, passedOver }: SearchExplanation, explains: boolean): string => {
  const { tools, wishes } = search;
  const wishesOf = (name: string): readonly string[] =>
    wishes.filter((wish) => wish.tools.includes(name)).map(({ text }) => text);
  const lineOf = (tool: ToolSearchHit, why?: string): string =>
    toJsonLine({
      name: tool.spec.name,
      score: tool.score,
      summary: firstSentenceOf(tool.spec.description),
      ...(wishes.length < 2 ? {} : { wishes: wishesOf(tool.name) }),
      ...(explains ? { found: tool.found, evidence: tool.evidence } : {}),
      ...(why === undefined ? {} : { passedOver: why }),
    });
  const rest = explains ? passedOver : [];
  return [...tools.map((tool) => lineOf(tool)), ...rest.map(({ tool, why }) => lineOf(tool, why))].join("");
};
