import { isPlainObject, toPointer } from "../../json/json-value.ts";
import { keywordRules } from "./keyword-rules.ts";
import {
  childSubschemas,
  definitionIndexOf,
  inPlaceSubschemas,
  type PlainNode,
  type PlainSchema,
  schemaLimits,
  toReference,
} from "./plain-schema.ts";
import { refuseComplexity, refuseSchema } from "./refuse-schema.ts";
import type { SchemaDialect } from "./schema-dialect.ts";
import {
  addDocument,
  isSchemaObject,
  refuseUnsupported,
  resolveReference,
  rootLocationOf,
  type SchemaLocation,
  type SchemaObject,
  type SchemaResource,
  type SchemaResources,
  toAddress,
} from "./schema-resources.ts";

/** Possible targets of a `$dynamicRef`: the outermost anchor of each name. */
interface AnchorScope {
  readonly anchors: ReadonlyMap<string, SchemaLocation>;
  readonly key: string;
}

const identifiers = ["$id", "$anchor", "$dynamicAnchor"];

/**
 * Throws a `ToolDefinitionError` with the location. A schema that depends on its dynamic scope is expanded
 * once per scope.
 */
export const toPlainSchema = (
  schema: unknown,
  documents: Readonly<Record<string, unknown>> = {},
): PlainSchema => {
  const resources: SchemaResources = { byUri: new Map(), places: new Map(), subschemas: 0 };
  const root = addDocument(resources, copySchema(schema), "schema:/", "");
  for (const [uri, document] of Object.entries(documents)) {
    const address = toAddress(uri.replace(/#$/, ""), root.uri, "");
    addDocument(resources, copySchema(document), address, `${address}#`, root.dialect);
  }
  const definitions: PlainNode[] = [];
  const pointers: string[] = [];
  const numbers = new Map<string, number>();
  const names = new Map<unknown, number>();
  const waiting: (() => void)[] = [];
  let nodes = 0;
  let depth = 0;

  const nameOf = (place: SchemaLocation): string => {
    if (!isSchemaObject(place.schema)) return `${place.resource.uri}#${place.pointer}`;
    if (!names.has(place.schema)) names.set(place.schema, names.size);
    return String(names.get(place.schema));
  };

  const enter = (scope: AnchorScope, resource: SchemaResource): AnchorScope => {
    if (resource.dynamicAnchors.size === 0) return scope;
    if ([...resource.dynamicAnchors.keys()].every((name) => scope.anchors.has(name))) return scope;
    const anchors = new Map([...resource.dynamicAnchors, ...scope.anchors]);
    const key = [...anchors].map(([name, place]) => `${name}=${nameOf(place)}`).sort();
    return { anchors, key: key.join() };
  };

  const define = (place: SchemaLocation, from: AnchorScope): number => {
    const scope = enter(from, place.resource);
    const key = `${nameOf(place)} ${scope.key}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = definitions.push(true) - 1;
    pointers.push(place.pointer);
    numbers.set(key, number);
    const deeper = depth + 1;
    if (deeper > schemaLimits.referenceDepth + 1) refuseReferenceDepth(place.pointer);
    waiting.push(() => {
      depth = deeper;
      definitions[number] = toNode(place, scope);
    });
    return number;
  };

  const toNode = (given: SchemaLocation, from: AnchorScope): PlainNode => {
    const { schema } = given;
    if (typeof schema === "boolean") return schema;
    if (!isSchemaObject(schema)) return refuseSchema(given.pointer, "it is not a schema");
    if (++nodes > schemaLimits.visits) {
      refuseComplexity(given.pointer, `written out it has more than ${schemaLimits.visits} subschemas`);
    }
    const place = resources.places.get(schema) ?? given;
    const { pointer, resource } = place;
    const scope = enter(from, resource);
    const dialect: SchemaDialect = resource.dialect;
    const alone = dialect.refAlone && Object.hasOwn(schema, "$ref");
    if (!alone && !resources.places.has(schema)) {
      refuseUnsupported(schema, dialect, pointer);
      refuseIdentifiers(schema, dialect, pointer);
    }
    const plain: Record<string, unknown> = {};
    const site = {
      schema,
      dialect,
      plain,
      child: (value: unknown, at: string) => toNode({ schema: value, pointer: at, resource }, scope),
      refer: (reference: unknown, at: string, dynamic: boolean) => {
        const target = resolveReference(resources, reference, resource, at);
        const found = dynamic && target.dynamicName !== undefined && scope.anchors.get(target.dynamicName);
        return toReference(define(found || target.place, scope));
      },
    };
    for (const keyword of alone ? ["$ref"] : Object.keys(schema)) {
      if (!dialect.keywords.has(keyword)) continue;
      keywordRules.get(keyword)?.(site, schema[keyword], `${pointer}/${keyword}`, keyword);
    }
    return plain;
  };

  define(rootLocationOf(root), { anchors: new Map(), key: "" });
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
  return { definitions, recursive: measureSchema(definitions, pointers) };
};

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

const refuseReferenceDepth = (pointer = ""): never =>
  refuseComplexity(pointer, `it has chains of more than ${schemaLimits.referenceDepth} references`);

/**
 * Limits the subschemas with all references expanded. Returns the recursive definitions, whose cost is
 * counted during validation.
 */
const measureSchema = (
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

/** The specification leaves their meaning open. */
const refuseIdentifiers = (schema: SchemaObject, dialect: SchemaDialect, pointer: string): void => {
  const found = identifiers.find((each) => dialect.keywords.has(each) && Object.hasOwn(schema, each));
  if (found === undefined) return;
  refuseSchema(`${pointer}/${found}`, "an identifier inside an unknown keyword has no effect");
};

/** In the copy every object occurs once. Stops at the first exceeded limit. */
const copySchema = (schema: unknown): unknown => {
  const path: (string | number)[] = [];
  let budget = schemaLimits.length;

  const take = (length: number): void => {
    budget -= length;
    if (budget < 0) refuseComplexity(toPointer(path), `it is longer than ${schemaLimits.length} characters`);
  };

  const step = (key: string | number, value: unknown): unknown => {
    path.push(key);
    const copy = visit(value);
    path.pop();
    return copy;
  };

  const copyObject = (value: object): unknown => {
    if (!isPlainObject(value))
      refuseSchema(toPointer(path), "it contains an instance of a class, not plain JSON");
    const copy: Record<string, unknown> = {};
    const keys = Object.keys(value);
    take(keys.length * 4);
    for (const key of keys) {
      const member = (value as Record<string, unknown>)[key];
      if (member === undefined) continue;
      take(key.length);
      const own = step(key, member);
      if (key !== "__proto__") copy[key] = own;
      else
        Object.defineProperty(copy, key, {
          value: own,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    return copy;
  };

  const visit = (value: unknown): unknown => {
    if (typeof value === "string") take(value.length + 2);
    else if (typeof value === "number") {
      take(1);
      if (!Number.isFinite(value)) refuseSchema(toPointer(path), `${value} is not a JSON number`);
    } else if (typeof value === "object" && value !== null) {
      take(2);
      if (path.length >= schemaLimits.depth) {
        refuseComplexity(toPointer(path), `it is nested deeper than ${schemaLimits.depth} levels`);
      }
      if (!Array.isArray(value)) return copyObject(value);
      take(value.length);
      return value.map((item, index) => step(index, item));
    } else if (value !== null && typeof value !== "boolean") {
      refuseSchema(toPointer(path), `a ${typeof value} is not JSON`);
    }
    return value;
  };

  return visit(schema);
};
