import { schemaLimits } from "../limits.ts";
import { childSubschemas, definitionIndexOf, inPlaceSubschemas, type PlainNode } from "./plain-schema.ts";
import { refuseComplexity, refuseSchema } from "./refuse-schema.ts";

const referencesOf = (node: PlainNode): number[] => {
  if (typeof node === "boolean") return [];
  const own = node.$ref === undefined ? [] : [definitionIndexOf(node.$ref)];
  return [...own, ...inPlaceSubschemas(node).flatMap(referencesOf)];
};

/** A definition that refers to itself at the same value would never terminate. */
const refuseLoops = (definitions: readonly PlainNode[], pointers: readonly string[]): void => {
  const done = new Set<number>();
  const open = new Set<number>();
  const visit = (number: number): void => {
    if (done.has(number)) return;
    if (open.has(number)) refuseSchema(pointers[number] ?? "", "it refers to itself without end");
    if (open.size >= schemaLimits.referenceDepth) refuseReferenceDepth(pointers[number]);
    open.add(number);
    for (const next of referencesOf(definitions[number]!)) visit(next);
    open.delete(number);
    done.add(number);
  };
  for (const number of definitions.keys()) visit(number);
};

export const refuseReferenceDepth = (pointer = ""): never =>
  refuseComplexity(pointer, `it has chains of more than ${schemaLimits.referenceDepth} references`);

/**
 * Limits the subschemas with all references expanded. Returns the recursive definitions, whose cost is
 * counted during validation.
 */
export const measureSchema = (
  definitions: readonly PlainNode[],
  pointers: readonly string[],
): ReadonlySet<number> => {
  refuseLoops(definitions, pointers);
  const recursive = new Set<number>();
  const sizes = new Map<number, number>();
  const open = new Set<number>();

  const sizeOf = (number: number): number => {
    const known = sizes.get(number);
    if (known !== undefined) return known;
    if (open.has(number)) {
      recursive.add(number);
      return 1;
    }
    if (open.size >= schemaLimits.referenceDepth) refuseReferenceDepth(pointers[number]);
    open.add(number);
    const size = visits(definitions[number]!);
    open.delete(number);
    if (size > schemaLimits.visits) {
      refuseComplexity(
        pointers[number] ?? "",
        `written out it has more than ${schemaLimits.visits} subschemas`,
      );
    }
    sizes.set(number, size);
    return size;
  };

  const visits = (node: PlainNode): number => {
    if (typeof node === "boolean") return 1;
    const looksTwice = node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined;
    const own = node.$ref === undefined ? 0 : sizeOf(definitionIndexOf(node.$ref));
    const same = inPlaceSubschemas(node).reduce((sum, each) => sum + visits(each), own);
    return childSubschemas(node).reduce((sum, each) => sum + visits(each), 1 + same * (looksTwice ? 2 : 1));
  };

  sizeOf(0);
  return recursive;
};
