import { loadMetaschemas } from "../on-demand.cjs";
import { refuseSchema } from "./refuse-schema.ts";
import {
  addDocument,
  isSchemaObject,
  rootLocationOf,
  type SchemaLocation,
  type SchemaResource,
  type SchemaResources,
  toAddress,
} from "./schema-resources.ts";

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

export interface ReferenceTarget {
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
