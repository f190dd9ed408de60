import { canonicalJson } from "../../json/canonical-json.ts";
import type { PlainNode } from "../plain/plain-schema.ts";
import { type Claim, toClaim } from "./claim.ts";

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
export const numberShapes = (): ((claim: Claim) => number) => {
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
