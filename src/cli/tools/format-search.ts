import type { FoundTool, ToolSearch } from "../../selection/search.ts";
import { summaryOf } from "../../text/summary.ts";
import type { Terminal } from "../command.ts";
import { painter, plain, table, toJsonLine } from "../screen.ts";
import type { ExplainedSearch, PassedOverTool } from "./explain-search.ts";

type Screen = Pick<Terminal, "hasColor" | "width">;

const scoreOf = ({ score }: FoundTool): string => score.toFixed(2);

/** A table of what was found, best first; one for each wish where the question has several. */
export const showSearch = (
  { search, passedOver }: ExplainedSearch,
  explains: boolean,
  screen: Screen,
): string => {
  const { dim } = painter(screen);
  const blocks = groupsOf(search).map(({ title, tools }) => {
    const head = title === undefined ? "" : `${dim("for:")} ${plain(title)}\n`;
    return `${head}${tools.length === 0 ? `${dim("no tool fits this part")}\n` : tableOf(tools, explains, screen)}`;
  });
  const rest = explains && passedOver.length > 0 ? [showPassedOver(passedOver, screen)] : [];
  return [...blocks, ...rest].join("\n");
};

interface ToolGroup {
  readonly title: string | undefined;
  readonly tools: readonly FoundTool[];
}

const groupsOf = ({ tools, wishes }: ToolSearch): readonly ToolGroup[] => {
  if (wishes.length < 2) return [{ title: undefined, tools }];
  const grouped = wishes.map(({ text, tools: names }) => ({
    title: text,
    tools: tools.filter(({ name }) => names.includes(name)),
  }));
  const named = new Set(wishes.flatMap((wish) => wish.tools));
  const others = tools.filter(({ name }) => !named.has(name));
  return others.length === 0 ? grouped : [...grouped, { title: "all of it", tools: others }];
};

const tableOf = (tools: readonly FoundTool[], explains: boolean, screen: Screen): string => {
  const { bold, dim } = painter(screen);
  const rows = tools.map((tool) => [tool.spec.name, scoreOf(tool), plain(summaryOf(tool.spec.description))]);
  const [head = "", ...lines] = table([["NAME", "SCORE", "SUMMARY"], ...rows], screen.width).split("\n");
  const explained = lines.flatMap((line, at) => (explains ? [line, dim(termsOf(tools[at]!))] : [line]));
  return `${[bold(head), ...explained].join("\n")}\n`;
};

/** Each word of the question that stands in the tool, where, and what that adds; then what all of it comes to. */
const termsOf = ({ found, evidence }: FoundTool): string => {
  const words = found.map(({ term, for: meant, place, weight }) => {
    const word = meant === undefined ? plain(term) : `${plain(term)} for ${plain(meant)}`;
    return `${word} ${place === "elsewhere" ? place : `in its ${place}`} ${weight.toFixed(2)}`;
  });
  const kinds = Object.entries(evidence).map(([kind, share]) => `${kind} ${share.toFixed(2)}`);
  return `  ${words.join(", ")}\n  ${kinds.join(", ")}`;
};

const showPassedOver = (passedOver: readonly PassedOverTool[], screen: Screen): string => {
  const { bold } = painter(screen);
  const rows = passedOver.map(({ tool, why }) => [tool.spec.name, scoreOf(tool), why]);
  return `${bold("passed over")}\n${table(rows, screen.width)}\n`;
};

/** A line for each tool. */
export const searchLines = ({ search, passedOver }: ExplainedSearch, explains: boolean): string => {
  const { tools, wishes } = search;
  const wishesOf = (name: string): readonly string[] =>
    wishes.filter((wish) => wish.tools.includes(name)).map(({ text }) => text);
  const lineOf = (tool: FoundTool, why?: string): string =>
    toJsonLine({
      name: tool.spec.name,
      score: tool.score,
      summary: summaryOf(tool.spec.description),
      ...(wishes.length < 2 ? {} : { wishes: wishesOf(tool.name) }),
      ...(explains ? { found: tool.found, evidence: tool.evidence } : {}),
      ...(why === undefined ? {} : { passedOver: why }),
    });
  const rest = explains ? passedOver : [];
  return [...tools.map((tool) => lineOf(tool)), ...rest.map(({ tool, why }) => lineOf(tool, why))].join("");
};
