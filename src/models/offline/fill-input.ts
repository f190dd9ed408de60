import { compileSchema } from "../../base/schema/compile-schema.ts";
import { headOf } from "../../base/text/cut-text.ts";
import { stem } from "../../registry/selection/stem.ts";
import { splitWords } from "../../registry/selection/terms.ts";
import type { ToolSpec } from "../../types/spec.ts";
import { findValues, type SoughtValue } from "./find-values.ts";
import { type ObjectMember, type ObjectShape, readShape, type ValueShape } from "./read-shape.ts";
import { withoutMarks } from "./text-values.ts";

/** What a request does not say, or says in a way that the tool does not take. */
export interface MissingValue {
  readonly name: string;
  readonly about: string;
}

export type FilledInput =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly missing: readonly MissingValue[] };

const objectOf = ({ shapes }: ObjectMember): ObjectShape | undefined =>
  shapes[0]?.kind === "object" ? shapes[0] : undefined;

const leavesOf = (
  shape: ObjectShape,
  path: readonly string[],
  isRequired: boolean,
): readonly { readonly member: ObjectMember; readonly leaf: SoughtValue }[] =>
  shape.members.flatMap((member) => {
    const own = [...path, member.key];
    const inner = objectOf(member);
    const isNeeded = isRequired && member.isRequired;
    if (inner !== undefined) return leavesOf(inner, own, isNeeded);
    return [{ member, leaf: { ...member, path: own, isRequired: isNeeded } }];
  });

const aboutOf = (description: string, shapes: readonly ValueShape[]): string => {
  const choice = shapes.find((shape) => shape.kind === "choice");
  if (choice !== undefined)
    return `one of ${choice.values
      .slice(0, 8)
      .map((value) => JSON.stringify(value))
      .join(", ")}`;
  const line = description.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${headOf(line, 99)}…` : line;
};

interface FillState {
  readonly values: ReadonlyMap<ObjectMember, unknown>;
  readonly missing: MissingValue[];
}

/** Puts the values where they belong. An optional object that lacks something it needs is left out whole. */
const buildObject = (
  shape: ObjectShape,
  path: readonly string[],
  building: FillState,
): Record<string, unknown> | undefined => {
  const entries: [string, unknown][] = [];
  let isWhole = true;
  for (const member of shape.members) {
    const inner = objectOf(member);
    const own = [...path, member.key];
    const lacks: MissingValue[] = [];
    const value =
      inner === undefined
        ? building.values.get(member)
        : buildObject(inner, own, { values: building.values, missing: lacks });
    const isEmpty = inner !== undefined && !member.isRequired && Object.keys(value ?? {}).length === 0;
    if (value !== undefined && !isEmpty) entries.push([member.key, value]);
    else if (member.isRequired) {
      isWhole = false;
      const all =
        inner === undefined
          ? [{ name: own.join("."), about: aboutOf(member.description, member.shapes) }]
          : lacks;
      building.missing.push(...all);
    }
  }
  return isWhole ? Object.fromEntries(entries) : undefined;
};

const checkInput = (spec: ToolSpec, input: Readonly<Record<string, unknown>>): FilledInput => {
  const judged = compileSchema(spec.input)(structuredClone(input));
  if (judged.ok) return { ok: true, input };
  const missing = judged.issues.map(({ pointer, message }) => ({
    name: pointer.slice(1).replaceAll("/", ".") || "the arguments",
    about: message,
  }));
  return { ok: false, missing };
};

const toolWordsOf = (spec: ToolSpec): ReadonlySet<string> => {
  const [verb = ""] = splitWords(spec.description);
  return new Set([spec.name, ...spec.tags].flatMap(splitWords).concat(verb).map(stem));
};

/** A tool's arguments, read from a text. Whatever is in them stands in the text or is the only value possible. */
export const fillInput = (spec: ToolSpec, text: string, isBrief = false): FilledInput => {
  try {
    const shape = readShape(spec.input);
    if (shape === undefined) return checkInput(spec, {});
    const leaves = leavesOf(shape, [], true);
    const wanted = { leaves: leaves.map((one) => one.leaf), toolWords: toolWordsOf(spec), isBrief };
    const found = findValues(withoutMarks(text), wanted);
    const values = new Map(leaves.map(({ member, leaf }) => [member, found.get(leaf)]));
    const missing: MissingValue[] = [];
    const input = buildObject(shape, [], { values, missing });
    return input === undefined ? { ok: false, missing } : checkInput(spec, input);
  } catch {
    // A schema that cannot be compiled has no arguments that fit it.
    return { ok: false, missing: [{ name: "the arguments", about: "its schema cannot be read" }] };
  }
};
