import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import { chooseHandoff, chooseTool, hasOwnWords, type OfflineToolChoice } from "./choose-tool.ts";
import { fillInput, type MissingValue } from "./fill-input.ts";
import { readShape } from "./read-shape.ts";
import { capitals, literals, maskValues } from "./text-values.ts";

export interface PlannedCall {
  readonly listed: OfferedTool;
  readonly input: Readonly<Record<string, unknown>>;
}

export type OfflinePlan =
  | { readonly kind: "calls"; readonly calls: readonly PlannedCall[] }
  | { readonly kind: "lacking"; readonly listed: OfferedTool; readonly missing: readonly MissingValue[] }
  | { readonly kind: "nothing" };

export interface PlanOptions {
  readonly tools: readonly OfferedTool[];
  /** 0 if some call is wanted in any case. */
  readonly minScore: number;
}

type PlanStep =
  | Exclude<OfflinePlan, { kind: "calls" }>
  | { readonly kind: "call"; readonly call: PlannedCall };

const emptyStep: PlanStep = { kind: "nothing" };

const planStep = (listed: OfferedTool, text: string): PlanStep => {
  const filling = fillInput(listed.spec, text);
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
const continueStep = (text: string, before: PlanStep = emptyStep): PlanStep => {
  if (before.kind !== "call" || takesLists(before.call.listed)) return emptyStep;
  const { listed } = before.call;
  const readings = bareName.test(text) ? [`in ${text}`, `to ${text}`] : [text];
  for (const reading of readings) {
    const filling = fillInput(listed.spec, reading, true);
    const isSaid = filling.ok && Object.keys(filling.input).length > 0;
    if (isSaid) return { kind: "call", call: { listed, input: filling.input } };
  }
  return emptyStep;
};

interface PlanPart extends Clause {
  readonly text: string;
  readonly choice: OfflineToolChoice | undefined;
  readonly step: PlanStep;
}

/** The part before, and one that has no wish of its own and may hold what it lacks: "add 2" and "3". */
const joinParts = (
  whole: string,
  { start, choice, step: before }: PlanPart,
  end: number,
): PlanPart | undefined => {
  if (before.kind !== "lacking") return undefined;
  const text = whole.slice(start, end);
  return { start, end, text, choice, step: planStep(before.listed, text) };
};

const planParts = (whole: string, { tools, minScore }: PlanOptions): readonly PlanPart[] => {
  const parts: PlanPart[] = [];
  for (const { start, end } of splitClauses(whole)) {
    const text = whole.slice(start, end);
    const choice = chooseTool(text, tools, minScore);
    const before = parts.at(-1);
    const longer = choice === undefined && before !== undefined ? joinParts(whole, before, end) : undefined;
    if (longer !== undefined) parts[parts.length - 1] = longer;
    else {
      const last = parts.findLast((part) => part.step.kind === "call")?.step;
      const next = choice === undefined ? continueStep(text, last) : planStep(choice.listed, text);
      parts.push({ start, end, text, choice, step: next });
    }
  }
  return parts;
};

const uniqueCalls = (calls: readonly PlannedCall[]): readonly PlannedCall[] => {
  const seen = new Map<string, PlannedCall>();
  for (const call of calls) {
    const key = `${call.listed.wireName} ${canonicalJson(call.input)}`;
    if (!seen.has(key)) seen.set(key, call);
  }
  return [...seen.values()];
};

const bestTool = (parts: readonly PlanPart[]): OfferedTool | undefined =>
  parts
    .flatMap(({ choice }) => choice ?? [])
    .toSorted((a, b) => b.score - a.score)
    .at(0)?.listed;

/** The calls of a text that asks for several things, or what one of them lacks. */
const planSeveral = (parts: readonly PlanPart[], wanted: OfferedTool): OfflinePlan => {
  const lacking = parts.filter((part) => part.step.kind === "lacking");
  for (const { text, choice, step } of lacking) {
    const isOwn = choice !== undefined && hasOwnWords(text, choice, wanted);
    if (isOwn && step.kind === "lacking") return step;
  }
  const calls = uniqueCalls(parts.flatMap((part) => (part.step.kind === "call" ? [part.step.call] : [])));
  const isClear = lacking.length === 0 && calls.length > 1;
  return isClear ? { kind: "calls", calls } : { kind: "nothing" };
};

/** Says something of its own, and is not one more value of the part before. */
const isSentence = (text: string): boolean => text.split(/\s+/).length > 2;

/**
 * What a text asks for. Two wishes become two calls only if each part says all its tool needs; a wish that lacks
 * something is asked about before anything is called.
 */
export const planText = (text: string, options: PlanOptions): OfflinePlan => {
  const handoff = chooseHandoff(text, options.tools);
  const isFree = handoff === undefined && options.minScore > 0;
  const parts = isFree ? planParts(text, options) : [];
  const wanted = handoff ?? chooseTool(text, options.tools, options.minScore)?.listed ?? bestTool(parts);
  if (wanted === undefined) return { kind: "nothing" };
  const all = planSeveral(parts, wanted);
  if (all.kind !== "nothing") return all;
  const whole = planStep(wanted, text);
  if (whole.kind === "call") return { kind: "calls", calls: [whole.call] };
  const [part, ...others] = parts.filter((one) => one.step.kind === "call");
  const isAside = others.length === 0 && parts.every((one) => one === part || isSentence(one.text));
  return part?.step.kind === "call" && isAside ? { kind: "calls", calls: [part.step.call] } : whole;
};

const clauseSeparator = new RegExp(
  [
    "[;\\n]+",
    "[.!?]+(?=\\s)",
    ",?\\s+(?:and(?:\\s+(?:then|also))?|then|also|plus)\\s+",
    // One of a list of names: "in Oslo, Paris and Rome". "Paris, France" stays whole.
    `,\\s*(?=(?:${capitals},\\s*){0,8}${capitals},?\\s+and\\s+${capitals}(?![\\p{L}\\p{N}'’&-]|\\s*,))`,
  ].join("|"),
  "gu",
);

const maxClauses = 12;

interface Clause {
  readonly start: number;
  readonly end: number;
}

const trimClause = (text: string, start: number, end: number): Clause => {
  const part = text.slice(start, end);
  return { start: end - part.trimStart().length, end: start + part.trimEnd().length };
};

/** The parts of a text that may each ask for something. What is quoted, and addresses, stay whole. */
const splitClauses = (text: string): readonly Clause[] => {
  const parts: Clause[] = [];
  let start = 0;
  for (const match of maskValues(text, literals(text)).matchAll(clauseSeparator)) {
    parts.push(trimClause(text, start, match.index));
    start = match.index + match[0].length;
  }
  parts.push(trimClause(text, start, text.length));
  const nonEmptyParts = parts.filter((part) => /[\p{L}\p{N}]/u.test(text.slice(part.start, part.end)));
  // A text this long tells a story; it is not a list of wishes.
  return nonEmptyParts.length > maxClauses ? [{ start: 0, end: text.length }] : nonEmptyParts;
};
