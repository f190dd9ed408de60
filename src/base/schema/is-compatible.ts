import { ToolError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import {
  type Claim,
  type ComparedSchema,
  expand,
  type Fact,
  type IncompatibilityReason,
  ProofLimitError,
  type ProofPosition,
  type Prover,
  proofLimits,
  reasonAt,
  resolveClaim,
  rootPosition,
  toClaim,
} from "./compatible/claim.ts";
import { certainlyDefaultedMembers, noDefaultedMembers } from "./compatible/defaulted-members.ts";
import { isEmptyFacts } from "./compatible/prove-empty.ts";
import { proveFacts } from "./compatible/prove-facts.ts";
import { syntheticNodes } from "./compatible/synthetic-nodes.ts";
import { EvaluationLimitError, evaluationContext, startEvaluationBudget } from "./evaluate/context.ts";
import { schemaEvaluator } from "./evaluate/schema-evaluator.ts";
import { type PlainNode, type PlainSchema, schemaLimits } from "./plain/plain-schema.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** Result of `isCompatible`. */
export type Compatibility =
  | { readonly ok: true }
  | { readonly ok: false; readonly reasons: readonly IncompatibilityReason[] };

/** Options of `isCompatible`. */
export interface CompatibleOptions {
  /**
   * How defaults of the narrow schema count. `filled` compares its values after validation, with defaults
   * filled. `ignored` compares them before. Unless set: `ignored`.
   */
  readonly defaults?: "filled" | "ignored";
}

/**
 * Whether every value that fits `narrow` fits `wide`. A positive result is proven. A negative result may also
 * mean that no proof was found within the step limit; the reasons say so. Formats are ignored. Never throws.
 */
export const isCompatible = (
  narrow: JsonSchema | boolean,
  wide: JsonSchema | boolean,
  options: CompatibleOptions = {},
): Compatibility => {
  const one = readCached(narrow);
  const other = readCached(wide);
  if (typeof one === "string") return undecided(`the narrow schema cannot be checked: ${one}`);
  if (typeof other === "string") return undecided(`the wide schema cannot be checked: ${other}`);
  if (canonicalJson(one.definitions) === canonicalJson(other.definitions)) return { ok: true };
  try {
    const from = toComparedSchema(one, options.defaults === "filled");
    const to = toComparedSchema(other, false);
    const given = toClaim(from, one.definitions[0]!, from.fills.size > 0);
    const reasons = startProver().prove([given], toClaim(to, other.definitions[0]!), rootPosition);
    return reasons.length === 0 ? { ok: true } : { ok: false, reasons };
  } catch (problem) {
    if (!(problem instanceof ProofLimitError || problem instanceof EvaluationLimitError)) throw problem;
    return undecided(problem.message, "budget");
  }
};

interface OpenProof {
  readonly level: number;
  readonly order: number;
}

/**
 * A proof that recurs at a deeper level holds by induction. One that recurs at the same value proves nothing.
 */
const startProver = (): Prover => {
  const ids = new WeakMap<object, number>();
  const open = new Map<string, OpenProof>();
  const proven = new Set<string>();
  let nextId = 0;
  let steps = 0;
  let lowest = Number.POSITIVE_INFINITY;

  const step = (): void => {
    if (++steps > proofLimits.steps)
      throw new ProofLimitError(`comparing them takes more than ${proofLimits.steps} steps`);
  };

  const idOf = ({ node, filled }: Claim): string => {
    if (typeof node === "boolean") return String(node);
    const id = ids.get(node) ?? nextId++;
    ids.set(node, id);
    return filled ? `${id}f` : String(id);
  };

  const keyOf = (facts: readonly Fact[]): string => facts.map(idOf).sort().join();

  /** The answer is cached only if it does not assume an open proof. */
  const ask = <Answer>(
    key: string,
    at: ProofPosition,
    yes: Answer,
    no: Answer,
    work: () => Answer,
    isYes: (answer: Answer) => boolean,
  ): Answer => {
    step();
    if (proven.has(key)) return yes;
    const before = open.get(key);
    if (before !== undefined) {
      if (at.level <= before.level) return no;
      lowest = Math.min(lowest, before.order);
      return yes;
    }
    const order = open.size;
    if (order >= proofLimits.nesting)
      throw new ProofLimitError(`they are nested deeper than ${proofLimits.nesting} levels`);
    open.set(key, { level: at.level, order });
    const outer = lowest;
    lowest = Number.POSITIVE_INFINITY;
    const answer = work();
    open.delete(key);
    const isFree = lowest >= order;
    if (isFree && isYes(answer)) proven.add(key);
    lowest = isFree ? outer : Math.min(outer, lowest);
    return answer;
  };

  const self: Prover = {
    prove: (claims, alias, at) => {
      const goal = resolveClaim(alias);
      const facts = goal.node === true ? false : expand(claims);
      if (facts === false) return [];
      const looped = [reasonAt(at, "$ref", "something that refers to itself", "something else")];
      return ask<readonly IncompatibilityReason[]>(
        `${keyOf(facts)} in ${idOf(goal)}`,
        at,
        [],
        looped,
        () => proveFacts(self, facts, goal, at),
        (reasons) => reasons.length === 0,
      );
    },
    isEmpty: (claims, at) => {
      const facts = expand(claims);
      if (facts === false) return true;
      return ask(
        keyOf(facts),
        at,
        true,
        false,
        () => isEmptyFacts(self, facts, at),
        (isEmpty) => isEmpty,
      );
    },
    holds: ({ side, node }, value) => {
      step();
      startEvaluationBudget(schemaLimits.explanations);
      return side.judge.holds(node, value);
    },
    shapeOf: numberShapes(),
    made: syntheticNodes(),
  };
  return self;
};

const annotationKeywords: ReadonlySet<string> = new Set(["default", "description", "format", "secret"]);
const listKeywords: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const mapKeywords: ReadonlySet<string> = new Set(["dependentSchemas", "patternProperties", "properties"]);
const singleKeywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Nodes with the same number mean the same, in either schema. */
const numberShapes = (): ((claim: Claim) => number) => {
  const known = new WeakMap<object, number>();
  const numbers = new Map<string, number>();
  const sides = new Map<object, number>();

  const number = (text: string): number => {
    const found = numbers.get(text) ?? numbers.size;
    numbers.set(text, found);
    return found;
  };

  const sideOf = ({ side }: Claim): number => {
    const found = sides.get(side) ?? sides.size;
    sides.set(side, found);
    return found;
  };

  const toText = (keyword: string, value: unknown, of: Claim): string => {
    const one = (node: unknown): number => shape(toClaim(of.side, node as PlainNode));
    if (singleKeywords.has(keyword)) return String(one(value));
    if (listKeywords.has(keyword)) return String((value as readonly unknown[]).map(one));
    // A reference means something else in the other schema.
    if (keyword === "$ref") return `${sideOf(of)}${value}`;
    if (!mapKeywords.has(keyword)) return canonicalJson(value);
    const members = Object.entries(value as object).map(
      ([key, node]) => `${JSON.stringify(key)}:${one(node)}`,
    );
    return String(members.sort());
  };

  const shape = (of: Claim): number => {
    if (typeof of.node === "boolean") return number(String(of.node));
    const before = known.get(of.node);
    if (before !== undefined) return before;
    const keywords = Object.entries(of.node).filter(([keyword]) => !annotationKeywords.has(keyword));
    const made = number(
      keywords
        .map(([keyword, value]) => `${keyword}=${toText(keyword, value, of)}`)
        .sort()
        .join(";"),
    );
    known.set(of.node, made);
    return made;
  };

  return shape;
};

/** Whether no value fits both schemas. False may also mean that no proof was found. */
export const areDisjoint = (
  given: JsonSchema | boolean,
  other: JsonSchema | boolean,
  options: CompatibleOptions = {},
): boolean => {
  const one = readCached(given);
  const two = readCached(other);
  if (typeof one === "string" || typeof two === "string") return false;
  try {
    const from = toComparedSchema(one, options.defaults === "filled");
    const to = toComparedSchema(two, false);
    const claims = [
      toClaim(from, one.definitions[0]!, from.fills.size > 0),
      toClaim(to, two.definitions[0]!),
    ];
    return startProver().isEmpty(claims, rootPosition);
  } catch (problem) {
    if (!(problem instanceof ProofLimitError || problem instanceof EvaluationLimitError)) throw problem;
    return false;
  }
};

const plainSchemaCache = new WeakMap<object, PlainSchema | string>();

const readCached = (schema: JsonSchema | boolean): PlainSchema | string => {
  if (typeof schema !== "object" || !Object.isFrozen(schema)) return readPlainSchema(schema);
  const plain = plainSchemaCache.get(schema) ?? readPlainSchema(schema);
  plainSchemaCache.set(schema, plain);
  return plain;
};

const readPlainSchema = (schema: JsonSchema | boolean): PlainSchema | string => {
  try {
    return toPlainSchema(schema);
  } catch (problem) {
    if (!ToolError.is(problem)) throw problem;
    return problem.message;
  }
};

const toComparedSchema = (schema: PlainSchema, fill: boolean): ComparedSchema => {
  const judge = schemaEvaluator(evaluationContext(schema, "annotate"));
  return { schema, judge, fills: fill ? certainlyDefaultedMembers(judge) : noDefaultedMembers };
};

const undecided = (message: string, keyword = "schema"): Compatibility => ({
  ok: false,
  reasons: [{ pointer: "", keyword, message, may: "is not compared", must: "is not compared" }],
});
