import { toPointer } from "../../json/json-value.ts";
import { loadMetaschemas } from "../on-demand.cjs";
import { schemaLimits } from "./plain-schema.ts";
import { refuseComplexity, refuseSchema } from "./refuse-schema.ts";
import { latestDialect, readDialect, type SchemaDialect, subschemas } from "./schema-dialect.ts";

export type SchemaObject = { readonly [keyword: string]: unknown };

export interface SchemaResource {
  readonly uri: string;
  readonly schema: unknown;
  readonly pointer: string;
  readonly dialect: SchemaDialect;
  readonly anchors: Map<string, SchemaLocation>;
  readonly dynamicAnchors: Map<string, SchemaLocation>;
}

/** `pointer` starts at the root of the document. */
export interface SchemaLocation {
  readonly schema: unknown;
  readonly pointer: string;
  readonly resource: SchemaResource;
}

export interface SchemaResources {
  readonly byUri: Map<string, SchemaResource>;
  /** Identifiers elsewhere are data. */
  readonly places: Map<object, SchemaLocation>;
  subschemas: number;
}

export const rootLocationOf = (resource: SchemaResource): SchemaLocation => ({
  schema: resource.schema,
  pointer: resource.pointer,
  resource,
});

export const isSchemaObject = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Excludes characters that a URL parser drops, because two identifiers could become equal. */
const addressShape = /^[\w\-.~:/?[\]@!$&'()*+,;=%]*$/;

export const toAddress = (reference: string, base: string, pointer: string): string => {
  if (addressShape.test(reference) && URL.canParse(reference, base)) return new URL(reference, base).href;
  return refuseSchema(pointer, `${JSON.stringify(reference)} is not a URI relative to ${base}`);
};

const anchorShape = /^[A-Za-z_][-A-Za-z0-9._]*$/;

const addAnchor = (anchors: Map<string, SchemaLocation>, name: unknown, location: SchemaLocation): void => {
  if (typeof name !== "string" || !anchorShape.test(name)) {
    refuseSchema(location.pointer, `${JSON.stringify(name)} is not a name for an anchor`);
  } else if (anchors.has(name)) {
    refuseSchema(location.pointer, `the anchor ${JSON.stringify(name)} exists twice`);
  } else {
    anchors.set(name, location);
  }
};

/** Its own resource if it has an identifier, otherwise its parent's. */
const openResource = (
  resources: SchemaResources,
  schema: SchemaObject,
  pointer: string,
  parent: SchemaResource,
): SchemaResource => {
  if (schema.$schema === undefined && schema.$id === undefined) return parent;
  const dialect = schema.$schema === undefined ? parent.dialect : readDialect(schema.$schema, pointer);
  const silenced = dialect.refAlone && schema.$ref !== undefined;
  const id = silenced || !dialect.keywords.has("$id") ? undefined : schema.$id;
  if (id !== undefined && typeof id !== "string") return refuseSchema(`${pointer}/$id`, "it is not a string");
  const [address = "", fragment = ""] = id?.split("#", 2) ?? [];
  const uri = address === "" ? parent.uri : toAddress(address, parent.uri, `${pointer}/$id`);
  if (fragment !== "" && !dialect.refAlone) {
    return refuseSchema(`${pointer}/$id`, "an identifier must not have a fragment; use $anchor instead");
  }
  const isInside = uri === parent.uri && parent.schema !== schema;
  if (isInside && dialect !== parent.dialect) {
    return refuseSchema(`${pointer}/$schema`, "only a schema with an $id can use another dialect");
  }
  const isSame = address === "" || (isInside && fragment !== "");
  const resource = isSame ? parent : addResource(resources, schema, pointer, uri, dialect);
  if (fragment !== "") addAnchor(resource.anchors, fragment, { schema, pointer, resource });
  return resource;
};

const addResource = (
  resources: SchemaResources,
  schema: unknown,
  pointer: string,
  uri: string,
  dialect: SchemaDialect,
): SchemaResource => {
  const resource: SchemaResource = {
    uri,
    schema,
    pointer,
    dialect,
    anchors: new Map(),
    dynamicAnchors: new Map(),
  };
  const other = resources.byUri.get(uri);
  if (other !== undefined && other.schema !== schema) {
    refuseSchema(pointer, `the identifier ${JSON.stringify(uri)} exists twice`);
  }
  resources.byUri.set(uri, resource);
  return resource;
};

export const refuseUnsupported = (
  schema: SchemaObject,
  { name, refused }: SchemaDialect,
  pointer: string,
): void => {
  for (const keyword of refused) {
    if (!Object.hasOwn(schema, keyword)) continue;
    refuseSchema(`${pointer}/${keyword}`, `its meaning in ${name} is not evaluated`);
  }
};

const addLocations = (
  resources: SchemaResources,
  schema: unknown,
  pointer: string,
  parent: SchemaResource,
): void => {
  if (!isSchemaObject(schema)) return;
  if (++resources.subschemas > schemaLimits.subschemas) {
    refuseComplexity(pointer, `it has more than ${schemaLimits.subschemas} subschemas`);
  }
  const resource = openResource(resources, schema, pointer, parent);
  const place: SchemaLocation = { schema, pointer, resource };
  resources.places.set(schema, place);
  refuseUnsupported(schema, resource.dialect, pointer);
  const { keywords, refAlone } = resource.dialect;
  const alone = refAlone && schema.$ref !== undefined;
  if (schema.$anchor !== undefined && keywords.has("$anchor"))
    addAnchor(resource.anchors, schema.$anchor, place);
  if (schema.$dynamicAnchor !== undefined && keywords.has("$dynamicAnchor")) {
    addAnchor(resource.anchors, schema.$dynamicAnchor, place);
    resource.dynamicAnchors.set(schema.$dynamicAnchor as string, place);
  }
  for (const keyword of Object.keys(schema)) {
    const kind =
      keywords.has(keyword) && !(alone && keyword !== "definitions") ? subschemas.get(keyword) : undefined;
    const value = schema[keyword];
    if (kind === undefined || typeof value !== "object" || value === null) continue;
    if (kind === "one" && !Array.isArray(value))
      addLocations(resources, value, `${pointer}/${keyword}`, resource);
    else {
      for (const [key, each] of Object.entries(value)) {
        addLocations(resources, each, pointer + toPointer([keyword, key]), resource);
      }
    }
  }
};

/** Registers a document under `uri` and under its own identifier. */
export const addDocument = (
  resources: SchemaResources,
  document: unknown,
  uri: string,
  pointer: string,
  fallback: SchemaDialect = latestDialect,
): SchemaResource => {
  const namesDialect = isSchemaObject(document) && document.$schema !== undefined;
  const dialect = namesDialect ? readDialect(document.$schema, pointer) : fallback;
  const outer = addResource(resources, document, pointer, uri, dialect);
  addLocations(resources, document, pointer, outer);
  const named = (isSchemaObject(document) ? resources.places.get(document)?.resource : undefined) ?? outer;
  resources.byUri.set(uri, named);
  return named;
};

const metaschemaFamilies = [
  { prefix: "http://json-schema.org/draft-07/", name: "draft-07" },
  { prefix: "https://json-schema.org/draft/2020-12/", name: "2020-12" },
] as const;

/** Added when a reference first uses them. */
const addMetaschema = (resources: SchemaResources, uri: string): SchemaResource | undefined => {
  const family = metaschemaFamilies.find(({ prefix }) => uri.startsWith(prefix));
  if (family === undefined || resources.byUri.has(`${family.prefix}schema`)) return undefined;
  for (const shared of loadMetaschemas()[family.name]) {
    const document = structuredClone(shared);
    const address = document.$id.replace(/#$/, "");
    addDocument(resources, document, address, `${address}#`);
  }
  return resources.byUri.get(uri);
};

const followPointer = (
  resources: SchemaResources,
  from: SchemaLocation,
  path: string,
  pointer: string,
): SchemaLocation => {
  let schema: unknown = from.schema;
  let place = from;
  for (const token of path.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const holder: unknown = schema;
    schema =
      typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
        ? (holder as Record<string, unknown>)[key]
        : refuseSchema(pointer, `it points to ${JSON.stringify(path)}, which does not exist`);
    const known = isSchemaObject(schema) ? resources.places.get(schema) : undefined;
    place = known ?? { schema, pointer: `${place.pointer}/${token}`, resource: place.resource };
  }
  return place;
};

interface ReferenceTarget {
  readonly place: SchemaLocation;
  /** Set if a `$dynamicRef` may resolve elsewhere. */
  readonly dynamicName: string | undefined;
}

const decodeFragment = (fragment: string, pointer: string): string => {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return refuseSchema(pointer, `${JSON.stringify(fragment)} is not a percent-encoded fragment`);
  }
};

/** Nothing is fetched. */
export const resolveReference = (
  resources: SchemaResources,
  reference: unknown,
  from: SchemaResource,
  pointer: string,
): ReferenceTarget => {
  if (typeof reference !== "string") return refuseSchema(pointer, "a reference must be a string");
  const hash = reference.indexOf("#");
  const address = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? "" : decodeFragment(reference.slice(hash + 1), pointer);
  const uri = address === "" ? from.uri : toAddress(address, from.uri, pointer);
  const resource =
    (address === "" ? from : (resources.byUri.get(uri) ?? addMetaschema(resources, uri))) ??
    refuseSchema(
      pointer,
      `${JSON.stringify(reference)} is outside the schema, and references are not fetched; put the schema in $defs`,
    );
  if (fragment === "") return { place: rootLocationOf(resource), dynamicName: undefined };
  if (fragment.startsWith("/")) {
    return {
      place: followPointer(resources, rootLocationOf(resource), fragment, pointer),
      dynamicName: undefined,
    };
  }
  const place =
    resource.anchors.get(fragment) ??
    refuseSchema(pointer, `${resource.uri} has no anchor ${JSON.stringify(fragment)}`);
  return { place, dynamicName: resource.dynamicAnchors.has(fragment) ? fragment : undefined };
};
