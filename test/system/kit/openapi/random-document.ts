import type { JsonObject } from "../../../../src/base/json/json-value.ts";
import { type Dice, dice } from "../../../kit/random-schema.ts";

type Version = "2.0" | "3.0.3" | "3.1.0";

const names = ["id", "limit", "filter", "X-Trace", "sort by", "näme", "a[b]", "body", "type"];
const descriptions = ["a hint", "Zwei Wörter", "<b>bold</b>"];

const scalar = (roll: Dice): JsonObject =>
  roll.pick<JsonObject>([
    { type: "string" },
    { type: "string", enum: ["red", "green", "light blue"] },
    { type: "string", minLength: 2, maxLength: 6 },
    { type: "string", format: "date" },
    { type: "string", pattern: "^[a-z]{2,5}-[0-9]+$" },
    { type: "integer", minimum: 1, maximum: 9 },
    { type: "integer", format: "int64", default: 10 },
    { type: "number", multipleOf: 0.5, minimum: 0 },
    { type: "boolean" },
  ]);

/** A body property in the syntax of the version. */
const property = (roll: Dice, version: Version, depth: number): JsonObject => {
  const luck = roll.below(10);
  if (depth > 0 && luck === 0) return objectSchema(roll, version, depth - 1);
  if (depth > 0 && luck === 1)
    return { type: "array", items: property(roll, version, depth - 1), maxItems: 3 };
  if (luck === 2)
    return {
      $ref: `${version === "2.0" ? "#/definitions" : "#/components/schemas"}/${roll.pick(["Node", "Part"])}`,
    };
  const made = scalar(roll);
  if (luck === 3 && version === "3.0.3") return { ...made, nullable: true };
  if (luck === 3 && version === "3.1.0")
    return {
      ...made,
      type: [made.type, "null"],
      ...("enum" in made ? { enum: [...(made.enum as []), null] } : {}),
    };
  if (luck === 4 && made.type === "integer" && version !== "3.1.0")
    return { type: "integer", minimum: 0, exclusiveMinimum: true };
  if (luck === 4 && made.type === "integer") return { type: "integer", exclusiveMinimum: 0 };
  if (luck === 5) return { ...made, readOnly: true };
  return { ...made, description: roll.pick(descriptions), example: roll.pick(["x", 1]) };
};

const objectSchema = (roll: Dice, version: Version, depth: number): JsonObject => {
  const keys = ["a", "b", "c d", "kind"].filter(() => roll.chance(0.6));
  const properties = Object.fromEntries(keys.map((key) => [key, property(roll, version, depth)]));
  const required = keys.filter(() => roll.chance(0.5));
  const own = { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
  if (!roll.chance(0.2)) return own;
  const { type: _, ...more } = own;
  return {
    allOf: [
      { type: "object", properties: { base: { type: "string" } }, required: ["base"] },
      { ...more, type: "object" },
    ],
  };
};

/** Excludes space-separated arrays, which Prism cannot read. */
const listStyles = (roll: Dice, version: Version, where: string): JsonObject => {
  if (version === "2.0")
    return { collectionFormat: roll.pick(where === "query" ? ["csv", "multi", "pipes"] : ["csv"]) };
  if (where !== "query") return roll.chance(0.5) ? { style: "simple" } : {};
  return roll.pick<JsonObject>([
    {},
    { explode: false },
    { style: "pipeDelimited", explode: false },
    { style: "form", explode: true },
  ]);
};

const parameter = (roll: Dice, version: Version, name: string, where: string): JsonObject => {
  // Prism cannot read an array in a path.
  const isList = where === "query" && roll.chance(0.25);
  // The values contain no comma, space or bar, so that every array format can be parsed.
  const item = roll.pick<JsonObject>([
    { type: "integer", minimum: 0 },
    { type: "string", enum: ["one", "two"] },
  ]);
  const schema = isList ? { type: "array", items: item } : scalar(roll);
  const about = {
    name,
    in: where,
    required: where === "path" || roll.chance(0.4),
    description: roll.pick(descriptions),
  };
  const style = isList ? listStyles(roll, version, where) : {};
  return version === "2.0" ? { ...about, ...schema, ...style } : { ...about, schema, ...style };
};

const body = (
  roll: Dice,
  version: Version,
): { readonly parameters: readonly JsonObject[]; readonly rest: JsonObject } => {
  const required = roll.chance(0.7);
  if (version === "2.0") {
    if (roll.chance(0.6))
      return {
        parameters: [{ name: "payload", in: "body", required, schema: objectSchema(roll, version, 2) }],
        rest: { consumes: ["application/json"] },
      };
    const fields = ["user", "count"].map((name) => ({
      name,
      in: "formData",
      required: roll.chance(0.5),
      ...scalar(roll),
    }));
    return { parameters: fields, rest: { consumes: ["application/x-www-form-urlencoded"] } };
  }
  const form = {
    type: "object",
    properties: { user: scalar(roll), count: { type: "integer" } },
    required: ["user"],
  };
  const upload = {
    type: "object",
    properties: { file: { type: "string", format: "binary" }, note: { type: "string" } },
    required: ["file"],
  };
  const content = roll.pick<JsonObject>([
    { "application/json": { schema: objectSchema(roll, version, 2) } },
    {
      "application/vnd.made+json": { schema: objectSchema(roll, version, 1) },
      "text/plain": { schema: { type: "string" } },
    },
    { "application/x-www-form-urlencoded": { schema: form } },
    { "multipart/form-data": { schema: upload } },
    { "text/plain": { schema: { type: "string", minLength: 1 } } },
  ]);
  return { parameters: [], rest: { requestBody: { required, content } } };
};

const operation = (roll: Dice, version: Version, method: string, path: string): JsonObject => {
  const parts = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => parameter(roll, version, name!, "path"));
  const used = new Set<string>();
  const others = names.flatMap((name) => {
    const where = roll.pick(["query", "query", "header", "none", "none"]);
    // Header names are letters, digits and dashes, and case-insensitive.
    if (
      where === "none" ||
      used.has(name) ||
      (where === "header" && !/^[A-Za-z-]+$/.test(name)) ||
      (where === "header" && name === "type")
    )
      return [];
    used.add(name);
    return [parameter(roll, version, name, where)];
  });
  const sent = method === "get" || method === "delete" ? undefined : body(roll, version);
  return {
    ...(roll.chance(0.7) ? { operationId: `${method}${roll.pick([" the ", ".", "_"])}thing` } : {}),
    ...(roll.chance(0.2) ? { deprecated: true } : {}),
    summary: roll.pick(descriptions),
    tags: roll.pick([["things"], [], ["trusted"]]),
    parameters: [...parts, ...others, ...(sent?.parameters ?? [])],
    ...sent?.rest,
    responses: { "200": { description: "ok" } },
  };
};

/** A random document of one of the three versions, deterministic per seed. */
export const randomDocument = (seed: number): JsonObject => {
  const roll = dice(seed);
  const version = roll.pick<Version>(["2.0", "3.0.3", "3.1.0"]);
  const places = ["/things", "/things/{id}", "/things/{id}/parts/{part-id}", "/a.b/{id}.json"].filter(() =>
    roll.chance(0.6),
  );
  const paths = Object.fromEntries(
    places.map((path) => {
      const methods = ["get", "post", "put", "patch", "delete"].filter(() => roll.chance(0.5));
      return [
        path,
        Object.fromEntries(methods.map((method) => [method, operation(roll, version, method, path)])),
      ];
    }),
  );
  // Prism ignores readOnly in recursive schemas, so nothing requires it there.
  const node = (base: string) => ({
    Node: {
      type: "object",
      properties: {
        name: { type: "string" },
        next: { $ref: `${base}/Node` },
        made: { type: "string", readOnly: true },
      },
      required: ["name"],
    },
    Part: { type: "object", properties: { size: { type: "integer" } }, additionalProperties: false },
  });
  const info = { title: "made", version: "1" };
  if (version === "2.0") {
    return {
      swagger: version,
      info,
      host: "api.example",
      basePath: "/v1",
      schemes: ["https"],
      paths,
      definitions: node("#/definitions"),
    };
  }
  return {
    openapi: version,
    info,
    servers: [{ url: "https://api.example/v1" }],
    paths,
    components: { schemas: node("#/components/schemas") },
  };
};
