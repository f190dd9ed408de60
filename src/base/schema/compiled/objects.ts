import type { JsonObject } from "../../json/json-value.ts";
import type { SchemaEvaluator } from "../evaluate/context.ts";
import { unevaluatedKeys } from "../evaluate/unevaluated.ts";
import type { PatternMatcher } from "../pattern-matcher.ts";
import type { PlainKeywords } from "../plain/plain-schema.ts";
import type { NodeCompiler } from "./compile-plain.ts";

type MembersCheck = (members: JsonObject) => boolean;

/** JSON has no `undefined`. */
const hasMember = (members: JsonObject, key: string): boolean =>
  Object.hasOwn(members, key) && members[key] !== undefined;

export const compileObject = (
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  compile: NodeCompiler,
): CompiledCheck => {
  const checks: MembersCheck[] = [];
  const { minProperties, maxProperties, unevaluatedProperties } = node;
  if (minProperties !== undefined) checks.push((members) => Object.keys(members).length >= minProperties);
  if (maxProperties !== undefined) checks.push((members) => Object.keys(members).length <= maxProperties);
  for (const [name, keys] of Object.entries(node.dependentRequired ?? {})) {
    checks.push((members) => !hasMember(members, name) || keys.every((key) => hasMember(members, key)));
  }
  for (const [name, schema] of Object.entries(node.dependentSchemas ?? {})) {
    const check = compile(schema);
    checks.push((members) => !hasMember(members, name) || check(members));
  }
  if (unevaluatedProperties !== undefined) {
    const check = compile(unevaluatedProperties);
    checks.push((members) =>
      unevaluatedKeys(evaluator.context, evaluator.holds, node, members).every((key) => check(members[key])),
    );
  }
  const first = compileMembers(evaluator, node, compile);
  if (first === undefined && checks.length === 0) return alwaysValid;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return true;
    if (first !== undefined && !first(value as JsonObject)) return false;
    for (let index = 0; index < checks.length; index++)
      if (!checks[index]!(value as JsonObject)) return false;
    return true;
  };
};

export type CompiledCheck = (value: unknown) => boolean;

export const alwaysValid: CompiledCheck = () => true;

export const neverValid: CompiledCheck = () => false;

/** Direct calls are faster than a loop. */
export const everyCheck = (given: readonly CompiledCheck[]): CompiledCheck => {
  if (given.includes(neverValid)) return neverValid;
  const checks = given.filter((check) => check !== alwaysValid);
  const [first, second, third] = checks;
  if (first === undefined) return alwaysValid;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  if (checks.length === 3) return (value) => first(value) && second(value) && third(value);
  return (value) => {
    for (let index = 0; index < checks.length; index++) if (!checks[index]!(value)) return false;
    return true;
  };
};

interface NamedProperty {
  readonly key: string;
  readonly check: CompiledCheck;
  readonly required: boolean;
  /** `Object.prototype` has this name too. */
  readonly isInherited: boolean;
}

/** Iterates over the keys only if unnamed keys are constrained. */
const compileMembers = (
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  compile: NodeCompiler,
): MembersCheck | undefined => {
  const properties = new Map(Object.entries(node.properties ?? {}));
  const required = new Set(node.required);
  const named = [...new Set([...properties.keys(), ...required])].map(
    (key): NamedProperty => ({
      key,
      check: compile(properties.get(key) ?? true),
      required: required.has(key),
      isInherited: key in Object.prototype,
    }),
  );
  const others = compileOthers(evaluator, node, compile, new Set(properties.keys()));
  if (others === undefined) {
    const constrained = named.filter((each) => each.required || each.check !== alwaysValid);
    return constrained.length === 0 ? undefined : (members) => countNamed(constrained, members) >= 0;
  }
  // Equal counts mean that there are no other members.
  const canCount = node.patternProperties === undefined && node.propertyNames === undefined;
  const listed = named.every(({ key }) => properties.has(key));
  return (members) => {
    const found = countNamed(named, members);
    if (found < 0) return false;
    return (canCount && listed && countAll(members) === found) || others(members);
  };
};

/** Returns -1 if a member is invalid. */
const countNamed = (named: readonly NamedProperty[], members: JsonObject): number => {
  const isPlain = Object.getPrototypeOf(members) === Object.prototype;
  let found = 0;
  for (let index = 0; index < named.length; index++) {
    const each = named[index]!;
    const own = (isPlain && !each.isInherited) || Object.hasOwn(members, each.key);
    const member = own ? members[each.key] : undefined;
    if (member === undefined) {
      if (each.required) return -1;
    } else if (each.check(member)) found++;
    else return -1;
  }
  return found;
};

const countAll = (members: JsonObject): number => {
  let count = 0;
  for (const _ in members) count++;
  return count;
};

const compileOthers = (
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  compile: NodeCompiler,
  known: ReadonlySet<string>,
): MembersCheck | undefined => {
  const patterns = Object.entries(node.patternProperties ?? {}).map(
    ([pattern, schema]): readonly [PatternMatcher, CompiledCheck] => [
      evaluator.context.matcher(pattern),
      compile(schema),
    ],
  );
  const rest = node.additionalProperties === undefined ? alwaysValid : compile(node.additionalProperties);
  const names = node.propertyNames === undefined ? alwaysValid : compile(node.propertyNames);
  if (patterns.length === 0 && rest === alwaysValid && names === alwaysValid) return undefined;
  return (members) => {
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (member === undefined) continue;
      if (!names(key)) return false;
      let isEvaluated = known.has(key);
      for (const [matcher, check] of patterns) {
        if (!matcher.test(key)) continue;
        isEvaluated = true;
        if (!check(member)) return false;
      }
      if (!isEvaluated && !rest(member)) return false;
    }
    return true;
  };
};
