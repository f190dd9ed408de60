import { isStopWord, splitWords } from "../../registry/selection/terms.ts";
import { findAllOfKind, findKind, type TextKind, textKindOf } from "./find-kind.ts";
import { findMentions, findNamed } from "./find-named.ts";
import { findDistinctiveWord, findList, findProse } from "./find-prose.ts";
import type { ValueShape } from "./read-shape.ts";
import { type FoundValue, maskValue, numbers, quotations } from "./text-values.ts";

/** A value to be found that is no object. */
export interface SoughtValue {
  readonly path: readonly string[];
  readonly key: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly shapes: readonly ValueShape[];
}

export interface SoughtValues {
  readonly leaves: readonly SoughtValue[];
  /** Words that name the tool, so that they are not taken for values. */
  readonly toolWords: ReadonlySet<string>;
  /** Takes only what is clearly a value: no leftovers. */
  readonly isBrief: boolean;
}

/** One search: what of the text is still open, and what was found in the rest. */
interface TextSearch {
  text: string;
  readonly values: Map<SoughtValue, unknown>;
}

const literalKinds: ReadonlySet<TextKind> = new Set(["url", "email", "date", "moment", "uuid"]);
const proseKinds: ReadonlySet<TextKind> = new Set(["prose", "address"]);

const assignValue = (search: TextSearch, leaf: SoughtValue, found: FoundValue): void => {
  search.values.set(leaf, found.value);
  search.text = maskValue(search.text, found);
};

const shapeOf = <K extends ValueShape["kind"]>(
  leaf: SoughtValue,
  kind: K,
): Extract<ValueShape, { kind: K }> | undefined =>
  leaf.shapes.find((shape): shape is Extract<ValueShape, { kind: K }> => shape.kind === kind);

const itemOf = (leaf: SoughtValue): ValueShape | undefined => shapeOf(leaf, "array")?.items[0];

const findByName = (search: TextSearch, leaf: SoughtValue): FoundValue | undefined => {
  for (const shape of leaf.shapes) {
    const kind = textKindOf(leaf.key, shape);
    if (shape.kind === "string" && literalKinds.has(kind)) continue;
    const isStrict = shape.kind === "string" && proseKinds.has(kind);
    const found = findNamed(search.text, { key: leaf.key, shape, isStrict });
    if (found !== undefined) return found;
  }
  return undefined;
};

const findByChoice = ({ text }: TextSearch, leaf: SoughtValue): FoundValue | undefined => {
  const choice = shapeOf(leaf, "choice");
  if (choice !== undefined) return findChoice(text, { ...leaf, values: choice.values });
  const item = itemOf(leaf);
  if (item?.kind !== "choice") return undefined;
  const all = findChoices(text, item.values);
  const [first] = all;
  return first === undefined ? undefined : { ...first, value: all.map((one) => one.value) };
};

const findByKind = ({ text }: TextSearch, leaf: SoughtValue): FoundValue | undefined => {
  const item = itemOf(leaf);
  const shape = item?.kind === "string" ? item : shapeOf(leaf, "string");
  if (shape === undefined) return undefined;
  const kind = textKindOf(leaf.key, shape);
  const isNamed =
    leaf.isRequired || (literalKinds.has(kind) && findMentions(text, splitWords(leaf.key)).length > 0);
  if (!isNamed) return undefined;
  if (item === undefined) return findKind(text, leaf.key, kind);
  const all = findAllOfKind(text, kind === "address" ? "email" : kind) ?? [];
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { value: all.map((one) => one.value), start: first.start, end: last.end };
};

/** As many as are wanted are taken in order; otherwise nobody knows which is which. */
const assignInOrder = (
  search: TextSearch,
  leaves: readonly SoughtValue[],
  found: readonly FoundValue[],
): void => {
  if (leaves.length !== found.length) return;
  for (const [index, leaf] of leaves.entries()) assignValue(search, leaf, found[index]!);
};

const assignAsList = (
  search: TextSearch,
  leaves: readonly SoughtValue[],
  found: readonly FoundValue[],
): void => {
  const [leaf] = leaves;
  if (leaf === undefined || leaves.length > 1 || found.length === 0) return;
  for (const one of found) assignValue(search, leaf, one);
  search.values.set(
    leaf,
    found.map((one) => one.value),
  );
};

const assignRest = (search: TextSearch, { leaves, toolWords, isBrief }: SoughtValues): void => {
  const open = (holds: (leaf: SoughtValue) => boolean) =>
    leaves.filter((leaf) => leaf.isRequired && !search.values.has(leaf) && holds(leaf));
  const isText = (leaf: SoughtValue) => shapeOf(leaf, "string") !== undefined && !isLiteral(leaf);
  const isNumber = (leaf: SoughtValue) => shapeOf(leaf, "number") !== undefined && !isText(leaf);
  const isTexts = (leaf: SoughtValue) => itemOf(leaf)?.kind === "string";

  const amounts = open(isNumber);
  if (amounts.length > 0) assignInOrder(search, amounts, numbers(search.text));
  else
    assignAsList(
      search,
      open((leaf) => itemOf(leaf)?.kind === "number"),
      numbers(search.text),
    );

  const texts = open(isText);
  if (texts.length > 0) assignInOrder(search, texts, quotations(search.text));
  else assignAsList(search, open(isTexts), quotations(search.text));

  const [leaf, ...others] = open((one) => isText(one) || isTexts(one));
  if (isBrief || leaf === undefined || others.length > 0) return;
  const found =
    isTexts(leaf) && !isText(leaf)
      ? findList(search.text, toolWords)
      : isProse(leaf)
        ? findProse(search.text, toolWords)
        : findDistinctiveWord(search.text, toolWords);
  if (found !== undefined) assignValue(search, leaf, found);
};

const kindOfLeaf = (leaf: SoughtValue): TextKind =>
  textKindOf(leaf.key, shapeOf(leaf, "string") ?? { kind: "boolean" });
const isLiteral = (leaf: SoughtValue): boolean => literalKinds.has(kindOfLeaf(leaf));
const isProse = (leaf: SoughtValue): boolean => kindOfLeaf(leaf) === "prose";

/**
 * Values for the leaves, each read from a part of the text of its own. The clearest come first: what is named,
 * then listed values, then forms and places, and what is left over only where no other reading is possible.
 */
export const findValues = (text: string, wanted: SoughtValues): ReadonlyMap<SoughtValue, unknown> => {
  const search: TextSearch = { text, values: new Map() };
  for (const find of [findByName, findByChoice, findByKind]) {
    for (const leaf of wanted.leaves) {
      if (search.values.has(leaf)) continue;
      const found = find(search, leaf);
      if (found !== undefined) assignValue(search, leaf, found);
    }
  }
  assignRest(search, wanted);
  return search.values;
};

const findMention = (text: string, value: unknown): FoundValue | undefined => {
  if (typeof value === "number") return numbers(text).find((one) => one.value === value);
  if (typeof value !== "string") return undefined;
  const [first] = findMentions(text, splitWords(value));
  return first === undefined ? undefined : { ...first, value };
};

/** A short word such as `in` or `on` says nothing of itself. */
const isDistinctive = ({ value }: FoundValue): boolean =>
  typeof value !== "string" || (value.length > 2 && value !== "off" && !isStopWord(value));

/** The listed values that the text mentions, in its order. */
const findChoices = (text: string, values: readonly unknown[]): readonly FoundValue[] =>
  values
    .flatMap((value) => findMention(text, value) ?? [])
    .toSorted((a, b) => a.start - b.start)
    .filter(({ value }, index, all) => all.findIndex((one) => one.value === value) === index);

const linkPattern = /^\s*(?:[:=]|(?:is|of|to|as|in)(?=\s))?\s*$/i;

/** "from German" is a choice of its own beside "to French". */
const followsName = (text: string, key: string, { start }: FoundValue): boolean =>
  findMentions(text, splitWords(key)).some(
    ({ end }) => end <= start && linkPattern.test(text.slice(end, start)),
  );

interface ChoiceQuery {
  readonly key: string;
  readonly values: readonly unknown[];
  readonly isRequired: boolean;
}

/** The one of the listed values that the text mentions; several are ambiguous. A single value leaves no choice. */
const findChoice = (text: string, { key, values, isRequired }: ChoiceQuery): FoundValue | undefined => {
  if (isRequired && values.length === 1) return { value: values[0], start: 0, end: 0 };
  const all = findChoices(text, values);
  const named = all.find((one) => followsName(text, key, one));
  if (named !== undefined) return named;
  const telling = all.filter(isDistinctive);
  const candidates = telling.length === 0 && isRequired ? all : telling;
  return candidates.length === 1 ? candidates[0] : undefined;
};
