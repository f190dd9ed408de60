import type { OfferedTool } from "../../dialects/listed.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { chooseHandoff, chooseTool, isOwnWish, type ToolChoice } from "./choose.ts";
import { fill, type MissingValue } from "./fill.ts";
import { readShape } from "./shape.ts";
import { capitals, claimAll, literals } from "./text.ts";

export interface PlannedCall {
  readonly listed: OfferedTool;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Plan =
  | { readonly kind: "calls"; readonly calls: readonly PlannedCall[] }
  | { readonly kind: "lacking"; readonly listed: OfferedTool; readonly missing: readonly MissingValue[] }
  | { readonly kind: "nothing" };

export interface Planning {
  readonly tools: readonly OfferedTool[];
  /** 0 if some call is wanted in any case. */
  readonly minScore: number;
}

type PlanStep = Exclude<Plan, { kind: "calls" }> | { readonly kind: "call"; readonly call: PlannedCall };

const nothing: PlanStep = { kind: "nothing" };

const step = (listed: OfferedTool, text: string): PlanStep => {
  const filling = fill(listed.spec, text);
  if (filling.ok) return { kind: "call", call: { listed, input: filling.input } };
  return { kind: "lacking", listed, missing: filling.missing };
};

const bareName = new RegExp(
  `^${capitals}(?:,\\s*${capitals})?(?:\\s+(?:in|for|at|on|with)\\s.*)?[.?!]*$`,
  "u",
);

const takesLists = ({ spec }: OfferedTool): boolean =>
  readShape(spec.input)?.members.some(({ shapes }) => shapes.some(({ kind }) => kind === "array")) === true;

/** A clause that only goes on with the one before, as the second in "the weather in Oslo and in Paris". */
const again = (text: string, before: PlanStep = nothing): PlanStep => {
  if (before.kind !== "call" || takesLists(before.call.listed)) return nothing;
  const { listed } = before.call;
  const readings = bareName.test(text) ? [`in ${text}`, `to ${text}`] : [text];
  for (const reading of readings) {
    const filling = fill(listed.spec, reading, true);
    const isSaid = filling.ok && Object.keys(filling.input).length > 0;
    if (isSaid) return { kind: "call", call: { listed, input: filling.input } };
  }
  return nothing;
};

interface PlanPart extends Clause {
  readonly text: string;
  readonly choice: ToolChoice | undefined;
  readonly step: PlanStep;
}

/** The part before, and one that has no wish of its own and may hold what it lacks: "add 2" and "3". */
const joined = (
  whole: string,
  { start, choice, step: before }: PlanPart,
  end: number,
): PlanPart | undefined => {
  if (before.kind !== "lacking") return undefined;
  const text = whole.slice(start, end);
  return { start, end, text, choice, step: step(before.listed, text) };
};

const read = (whole: string, { tools, minScore }: Planning): readonly PlanPart[] => {
  const parts: PlanPart[] = [];
  for (const { start, end } of clauses(whole)) {
    const text = whole.slice(start, end);
    const choice = chooseTool(text, tools, minScore);
    const before = parts.at(-1);
    const longer = choice === undefined && before !== undefined ? joined(whole, before, end) : undefined;
    if (longer !== undefined) parts[parts.length - 1] = longer;
    else {
      const last = parts.findLast((part) => part.step.kind === "call")?.step;
      const next = choice === undefined ? again(text, last) : step(choice.listed, text);
      parts.push({ start, end, text, choice, step: next });
    }
  }
  return parts;
};

const distinct = (calls: readonly PlannedCall[]): readonly PlannedCall[] => {
  const seen = new Map<string, PlannedCall>();
  for (const call of calls) {
    const key = `${call.listed.wireName} ${canonicalJson(call.input)}`;
    if (!seen.has(key)) seen.set(key, call);
  }
  return [...seen.values()];
};

const best = (parts: readonly PlanPart[]): OfferedTool | undefined =>
  parts
    .flatMap(({ choice }) => choice ?? [])
    .toSorted((a, b) => b.score - a.score)
    .at(0)?.listed;

/** The calls of a text that asks for several things, or what one of them lacks. */
const several = (parts: readonly PlanPart[], wanted: OfferedTool): Plan => {
  const lacking = parts.filter((part) => part.step.kind === "lacking");
  for (const { text, choice, step } of lacking) {
    const isOwn = choice !== undefined && isOwnWish(text, choice, wanted);
    if (isOwn && step.kind === "lacking") return step;
  }
  const calls = distinct(parts.flatMap((part) => (part.step.kind === "call" ? [part.step.call] : [])));
  const isClear = lacking.length === 0 && calls.length > 1;
  return isClear ? { kind: "calls", calls } : { kind: "nothing" };
};

/** Says something of its own, and is not one more value of the part before. */
const isSentence = (text: string): boolean => text.split(/\s+/).length > 2;

/**
 * What a text asks for. Two wishes become two calls only if each part says all its tool needs; a wish that lacks
 * something is asked about before anything is called.
 */
export const plan = (text: string, planning: Planning): Plan => {
  const handoff = chooseHandoff(text, planning.tools);
  const isFree = handoff === undefined && planning.minScore > 0;
  const parts = isFree ? read(text, planning) : [];
  const wanted = handoff ?? chooseTool(text, planning.tools, planning.minScore)?.listed ?? best(parts);
  if (wanted === undefined) return { kind: "nothing" };
  const all = several(parts, wanted);
  if (all.kind !== "nothing") return all;
  const whole = step(wanted, text);
  if (whole.kind === "call") return { kind: "calls", calls: [whole.call] };
  const [part, ...others] = parts.filter((one) => one.step.kind === "call");
  const isAside = others.length === 0 && parts.every((one) => one === part || isSentence(one.text));
  return part?.step.kind === "call" && isAside ? { kind: "calls", calls: [part.step.call] } : whole;
};

const joint = new RegExp(
  [
    "[;\\n]+",
    "[.!?]+(?=\\s)",
    ",?\\s+(?:and(?:\\s+(?:then|also))?|then|also|plus)\\s+",
    // One of a list of names: "in Oslo, Paris and Rome". "Paris, France" stays whole.
    `,\\s*(?=(?:${capitals},\\s*){0,8}${capitals},?\\s+and\\s+${capitals}(?![\\p{L}\\p{N}'’&-]|\\s*,))`,
  ].join("|"),
  "gu",
);

const most = 12;

interface Clause {
  readonly start: number;
  readonly end: number;
}

const trimmed = (text: string, start: number, end: number): Clause => {
  const part = text.slice(start, end);
  return { start: end - part.trimStart().length, end: start + part.trimEnd().length };
};

/** The parts of a text that may each ask for something. What is quoted, and addresses, stay whole. */
const clauses = (text: string): readonly Clause[] => {
  const parts: Clause[] = [];
  let start = 0;
  for (const match of claimAll(text, literals(text)).matchAll(joint)) {
    parts.push(trimmed(text, start, match.index));
    start = match.index + match[0].length;
  }
  parts.push(trimmed(text, start, text.length));
  const said = parts.filter((part) => /[\p{L}\p{N}]/u.test(text.slice(part.start, part.end)));
  // A text this long tells a story; it is not a list of wishes.
  return said.length > most ? [{ start: 0, end: text.length }] : said;
};
