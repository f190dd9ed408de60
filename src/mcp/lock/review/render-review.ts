import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { type DiffLine, hunks, lineDiff } from "../../../base/text/line-diff.ts";
import { visible } from "../../../base/text/visible.ts";
import { toPointersText } from "../definition.ts";
import { launchText } from "../launch.ts";
import type { LockedDefinition } from "../lock.ts";
import { findOpenDangers, type LockComparison, type ServerReview, type ToolReview } from "./review.ts";

export interface RenderOptions {
  readonly color: boolean;
  /** Omits the schemas of added and removed tools. */
  readonly isBrief?: boolean;
}

type PaintText = (text: string) => string;
interface TextColors {
  readonly red: PaintText;
  readonly green: PaintText;
  readonly yellow: PaintText;
  readonly cyan: PaintText;
  readonly bold: PaintText;
  readonly dim: PaintText;
}

const textColors = (color: boolean): TextColors => {
  const paint =
    (on: number, off: number): PaintText =>
    (text) =>
      color && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
    bold: paint(1, 22),
    dim: paint(2, 22),
  };
};

const changeSigns = {
  added: "+",
  removed: "-",
  changed: "~",
  renamed: "~",
  refused: "!",
  same: "!",
  unseen: "?",
};
const definitionFields = [
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "ui",
  "uiHash",
] as const;

const diffLine = (line: DiffLine | undefined, paints: TextColors): string => {
  if (line === undefined) return paints.dim("    …");
  const text = `    ${line.sign} ${line.text}`;
  return line.sign === "-" ? paints.red(text) : line.sign === "+" ? paints.green(text) : text;
};

const fieldDiff = (
  field: (typeof definitionFields)[number],
  { was, now }: { readonly was?: LockedDefinition | undefined; readonly now?: LockedDefinition | undefined },
  paints: TextColors,
): readonly string[] => {
  const diff = lineDiff(fieldLines(was?.[field]), fieldLines(now?.[field]));
  if (diff.every(({ sign }) => sign === " ")) return [];
  return [`    ${paints.cyan(`/${field}`)}`, ...hunks(diff).map((line) => diffLine(line, paints))];
};

const isAddedOrRemoved = ({ change }: ToolReview): boolean => change === "added" || change === "removed";

const changeText = (tool: ToolReview): string => {
  const { change, from, pointers, problem } = tool;
  if (change === "renamed") return `renamed from ${visible(from ?? "")}`;
  if (change === "changed") return `changed: ${toPointersText(pointers, 5)}`;
  if (change === "refused") return `cannot be locked: ${problem ?? ""}`;
  return change === "same" ? "unchanged, and flagged" : change;
};

const toolLines = (id: string, tool: ToolReview, paints: TextColors, isBrief: boolean): readonly string[] => {
  const { change, lookalikeOf, was, now } = tool;
  const shownFields = isBrief && isAddedOrRemoved(tool) ? definitionFields.slice(0, 2) : definitionFields;
  const notices = tool.flags.filter(({ severity }) => severity === "notice");
  return [
    `  ${changeSigns[change]} ${paints.bold(visible(`${id}/${tool.name}`))}  ${changeText(tool)}`,
    ...(lookalikeOf === undefined ? [] : [paints.yellow(`    ! imitates ${visible(lookalikeOf)}`)]),
    ...notices.map(({ code, pointer, excerpt }) =>
      paints.dim(`    notice ${code} at ${visible(pointer)}: ${excerpt}`),
    ),
    ...(change === "same" || change === "refused"
      ? []
      : shownFields.flatMap((field) => fieldDiff(field, { was, now }, paints))),
  ];
};

const launchLines = ({ change, was, now }: ServerReview, paints: TextColors): readonly string[] => {
  const [before, after] = [was, now].map((launch) =>
    launch === undefined ? undefined : visible(launchText(launch)),
  );
  if (before === after) return change === "same" ? [] : [paints.dim(`    ${after ?? ""}`)];
  return [
    ...(before === undefined ? [] : [paints.red(`    - ${before}`)]),
    ...(after === undefined || change === "removed" ? [] : [paints.green(`    + ${after}`)]),
  ];
};

const serverLines = (server: ServerReview, paints: TextColors, isBrief: boolean): readonly string[] => {
  const { id, change, trouble, findings, tools } = server;
  if (change === "same") return [];
  return [
    `${changeSigns[change]} ${paints.bold(`server ${visible(id)}`)}  ${change === "unseen" ? `could not be reached: ${trouble ?? ""}` : change}`,
    ...launchLines(server, paints),
    ...findings.map((finding) => paints.yellow(`    ! ${visible(finding)}`)),
    ...tools.flatMap((tool) => toolLines(id, tool, paints, isBrief)),
    "",
  ];
};

const dangerLines = ({ servers }: LockComparison, paints: TextColors): readonly string[] => {
  const found = servers.flatMap(({ id, tools }) =>
    tools.flatMap((tool) =>
      findOpenDangers(tool).map(
        ({ code, pointer, excerpt }) =>
          `${paints.red(`! danger ${code}`)}  ${visible(`${id}/${tool.name}`)} at ${visible(pointer)}: ${excerpt}`,
      ),
    ),
  );
  return found.length === 0 ? [] : [...found, ""];
};

const countText = (amount: number, what: string): string => `${amount} ${what}`;

export const summaryOf = ({ servers }: LockComparison): string => {
  const tools = servers.flatMap((server) => server.tools);
  const unchanged = servers.reduce((sum, server) => sum + server.unchanged, 0);
  const parts = (["added", "changed", "renamed", "removed", "refused"] as const)
    .map((change) => [change, tools.filter((tool) => tool.change === change).length] as const)
    .filter(([, amount]) => amount > 0)
    .map(([change, amount]) => countText(amount, change));
  const dangers = tools.filter((tool) => findOpenDangers(tool).length > 0).length;
  const unseen = servers.filter(({ change }) => change === "unseen").length;
  return [
    `tools: ${[...parts, countText(unchanged, "unchanged")].join(", ")}`,
    ...(dangers > 0 ? [`${countText(dangers, "with dangers")}`] : []),
    ...(unseen > 0 ? [`${countText(unseen, unseen === 1 ? "server" : "servers")} not reached`] : []),
  ].join("; ");
};

export const renderReview = (review: LockComparison, { color, isBrief = false }: RenderOptions): string => {
  const paints = textColors(color);
  const body = [
    ...dangerLines(review, paints),
    ...review.servers.flatMap((server) => serverLines(server, paints, isBrief)),
  ];
  return `${[...body, summaryOf(review)].join("\n")}\n`;
};

const maxLineWidth = 96;

/** Breaks after sentences, so that one changed sentence is one changed line. */
const wrapText = (text: string): readonly string[] =>
  text.split(/(?<=[.!?] )/).flatMap((sentence) => {
    const lines: string[] = [];
    for (const word of sentence.split(/(?<= )(?=[^ ])/)) {
      const last = lines.at(-1);
      if (last === undefined || last.length + word.trimEnd().length > maxLineWidth) lines.push(word);
      else lines[lines.length - 1] = last + word;
    }
    return lines.length === 0 ? [""] : lines;
  });

const markBlanks = (line: string): string =>
  line
    .replace(/\t/g, "→")
    .replace(/ {2,}/g, (run) => "·".repeat(run.length))
    .replace(/ $/, "·");

const textLines = (text: string): readonly string[] =>
  visible(text)
    .split("\n")
    .flatMap((line) => {
      const parts = wrapText(line);
      return parts.map((part, at) => markBlanks(at < parts.length - 1 ? part.replace(/(?<! ) $/, "") : part));
    });

const schemaLines = (value: unknown): readonly string[] =>
  visible(JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)).split("\n");

/** Different values always have different lines. */
const fieldLines = (value: unknown): readonly string[] => {
  if (value === undefined) return [];
  return typeof value === "string" ? textLines(value) : schemaLines(value);
};
