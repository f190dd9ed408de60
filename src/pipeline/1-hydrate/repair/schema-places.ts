import {
  definitionIndexOf,
  type PlainKeywords,
  type PlainNode,
  type PlainSchema,
} from "../../../base/schema/plain/plain-schema.ts";
import { foldName } from "./compare-key-names.ts";
import { ExpectedObject } from "./expected-object.ts";
import { anyJsonKind, jsonKindBits, jsonKindOf } from "./json-kinds.ts";
import type { StepBudget } from "./repair-context.ts";

const maxDistinctItems = 64;

const intersectNodes = (nodes: readonly PlainNode[]): PlainNode => {
  const rest = [...new Set(nodes)].filter((node) => node !== true);
  if (rest.includes(false)) return false;
  return rest.length > 1 ? { allOf: rest } : (rest[0] ?? true);
};

const uniteNodes = (nodes: readonly PlainNode[]): PlainNode => {
  const rest = [...new Set(nodes)].filter((node) => node !== false);
  if (rest.includes(true)) return true;
  return rest.length > 1 ? { anyOf: rest } : (rest[0] ?? false);
};

/** An undetermined place accepts everything: repair leaves it unchanged, and the validator decides. */
export class SchemaPlaces {
  readonly #schema: PlainSchema;
  readonly #steps: StepBudget;
  readonly #kinds = new Map<PlainKeywords, number>();
  readonly #members = new Map<PlainKeywords, Map<string, PlainNode>>();
  readonly #names = new Map<PlainKeywords, ReadonlySet<string>>();
  readonly #foldedNames = new Map<ReadonlySet<string>, ReadonlySet<string>>();
  readonly #shapes = new Map<PlainKeywords, ExpectedObject | undefined>();

  constructor(schema: PlainSchema, steps: StepBudget) {
    this.#schema = schema;
    this.#steps = steps;
  }

  get root(): PlainNode {
    return this.#schema.definitions[0] ?? true;
  }

  kinds(node: PlainNode): number {
    if (typeof node === "boolean") return node ? anyJsonKind : 0;
    const known = this.#kinds.get(node);
    if (known !== undefined) return known;
    this.#kinds.set(node, anyJsonKind);
    this.#steps.take(1);
    let found = anyJsonKind;
    const choices = node.enum ?? node.values;
    if (node.type !== undefined) found &= node.type.reduce((sum, type) => sum | jsonKindBits[type], 0);
    if (choices !== undefined) found &= choices.reduce((sum: number, value) => sum | jsonKindOf(value), 0);
    for (const each of this.#conditions(node)) found &= this.kinds(each);
    for (const each of [node.anyOf, node.oneOf]) {
      if (each !== undefined) found &= each.reduce((sum, branch) => sum | this.kinds(branch), 0);
    }
    this.#kinds.set(node, found);
    return found;
  }

  member(node: PlainNode, key: string): PlainNode {
    return this.#schemaInside(node, jsonKindBits.object, `.${key}`, (at) => {
      if (at.properties !== undefined && Object.hasOwn(at.properties, key)) return at.properties[key]!;
      return at.patternProperties === undefined ? (at.additionalProperties ?? true) : true;
    });
  }

  item(node: PlainNode, index: number): PlainNode {
    const place = Math.min(index, maxDistinctItems);
    return this.#schemaInside(node, jsonKindBits.array, `[${place}`, ({ prefixItems = [], items = true }) =>
      place < maxDistinctItems || prefixItems.length <= maxDistinctItems
        ? (prefixItems[place] ?? items)
        : true,
    );
  }

  names(node: PlainNode): ReadonlySet<string> {
    if (typeof node === "boolean") return noNames;
    const known = this.#names.get(node);
    if (known !== undefined) return known;
    this.#names.set(node, noNames);
    const found = new Set(Object.keys(node.properties ?? {}));
    this.#steps.take(1 + found.size);
    for (const each of [...this.#conditions(node), ...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
      for (const name of this.names(each)) found.add(name);
    }
    this.#names.set(node, found);
    return found;
  }

  foldedNames(node: PlainNode): ReadonlySet<string> {
    const names = this.names(node);
    const known = this.#foldedNames.get(names);
    if (known !== undefined) return known;
    const found = new Set([...names].map(foldName).filter((name) => name !== ""));
    this.#steps.take(names.size);
    this.#foldedNames.set(names, found);
    return found;
  }

  /** Undefined if several shapes are possible, or if names are bound by patterns. */
  shape(node: PlainNode): ExpectedObject | undefined {
    if (typeof node === "boolean") return undefined;
    if (!this.#shapes.has(node)) this.#shapes.set(node, this.#toShape(node));
    return this.#shapes.get(node);
  }

  #toShape(node: PlainKeywords): ExpectedObject | undefined {
    const parts: PlainKeywords[] = [];
    if (!this.#collect(node, parts)) return undefined;
    const names = new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})));
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    this.#steps.take(names.size + required.size);
    const others = parts.flatMap((part) => [part.additionalProperties, part.unevaluatedProperties]);
    if (others.includes(false)) return new ExpectedObject(names, required, "refused");
    return new ExpectedObject(
      names,
      required,
      others.some((each) => each !== undefined) ? "taken" : "unsaid",
    );
  }

  #collect(node: PlainNode, parts: PlainKeywords[]): boolean {
    if (typeof node === "boolean") return node;
    this.#steps.take(1);
    if (parts.includes(node)) return true;
    if (node.patternProperties !== undefined || node.propertyNames !== undefined) return false;
    parts.push(node);
    const choices = [node.anyOf, node.oneOf].flatMap((branches) => {
      const possible = branches?.filter((branch) => (this.kinds(branch) & jsonKindBits.object) !== 0);
      return possible === undefined ? [] : [possible];
    });
    if (choices.some((possible) => possible.length !== 1)) return false;
    return [...this.#conditions(node), ...choices.flat()].every((each) => this.#collect(each, parts));
  }

  #schemaInside(
    node: PlainNode,
    kind: number,
    name: string,
    own: (node: PlainKeywords) => PlainNode,
  ): PlainNode {
    if (typeof node === "boolean") return node;
    const known = this.#members.get(node) ?? new Map<string, PlainNode>();
    this.#members.set(node, known);
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, true);
    const within = (each: PlainNode) => this.#schemaInside(each, kind, name, own);
    const parts = [own(node), ...this.#conditions(node).map(within)];
    for (const branches of [node.anyOf, node.oneOf]) {
      if (branches === undefined) continue;
      parts.push(uniteNodes(branches.filter((branch) => (this.kinds(branch) & kind) !== 0).map(within)));
    }
    this.#steps.take(parts.length);
    const found = intersectNodes(parts);
    known.set(name, found);
    return found;
  }

  #conditions(node: PlainKeywords): readonly PlainNode[] {
    if (node.$ref === undefined) return node.allOf ?? [];
    return [this.#schema.definitions[definitionIndexOf(node.$ref)] ?? true, ...(node.allOf ?? [])];
  }
}

const noNames: ReadonlySet<string> = new Set();
