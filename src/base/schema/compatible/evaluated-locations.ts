import {
  definitionIndexOf,
  inPlaceSubschemas,
  type PlainKeywords,
  type PlainNode,
} from "../plain/plain-schema.ts";
import type { ComparedSchema } from "./claim.ts";

export interface EvaluatedLocations {
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
  readonly everyMember: boolean;
  readonly items: number;
  readonly everyItem: boolean;
}

/**
 * `surely` counts what always applies, `perhaps` also the branches of choices. What `unevaluated…` sees is
 * between these bounds.
 */
export const evaluatedLocations = (
  side: ComparedSchema,
  root: PlainKeywords,
  certainty: "surely" | "perhaps",
): EvaluatedLocations => {
  const names = new Set<string>();
  const patterns = new Set<string>();
  let everyMember = false;
  let items = 0;
  let everyItem = false;

  const see = (node: PlainKeywords): void => {
    for (const name of Object.keys(node.properties ?? {})) names.add(name);
    for (const pattern of Object.keys(node.patternProperties ?? {})) patterns.add(pattern);
    everyMember ||= node.additionalProperties !== undefined;
    everyItem ||= node.items !== undefined;
    items = Math.max(items, node.prefixItems?.length ?? 0);
    // Which items match depends on the value.
    if (certainty === "perhaps") everyItem ||= node.contains !== undefined;
    if (node === root) return;
    everyMember ||= node.unevaluatedProperties !== undefined;
    everyItem ||= node.unevaluatedItems !== undefined;
  };

  const visit = (node: PlainNode): void => {
    if (typeof node === "boolean") return;
    see(node);
    if (node.$ref !== undefined) visit(side.schema.definitions[definitionIndexOf(node.$ref)]!);
    for (const each of certainty === "surely" ? (node.allOf ?? []) : inPlaceSubschemas(node)) visit(each);
  };

  visit(root);
  return { names, patterns, everyMember, items, everyItem };
};
