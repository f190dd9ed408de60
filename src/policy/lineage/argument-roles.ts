import { isObject } from "../../base/json/json-value.ts";
import type { JsonSchema } from "../../types/json.ts";
import { type ArgumentRole, type ArgumentRoles, argumentRoles } from "../../types/lineage.ts";
import type { AnyTool } from "../../types/tool.ts";
import { isRemoteTool } from "../taint.ts";

/** A schema keyword for the role of a property. */
export const roleKeyword = "x-haft-role";

export interface NamedRole {
  readonly role: ArgumentRole;
  /** `inferred`: from the name and the format of the argument. */
  readonly from: "declared" | "inferred";
}

/**
 * The roles of a tool's arguments. A role that is not declared is inferred from name and format. The names of
 * a remote tool come from its server and lower no protection: its strings are targets unless roles are
 * declared.
 */
export const rolesOf = (tool: AnyTool): ReadonlyMap<string, NamedRole> => {
  let roles = rolesByTool.get(tool);
  if (roles === undefined) {
    roles = readRoles(tool);
    rolesByTool.set(tool, roles);
  }
  return roles;
};

const rolesByTool = new WeakMap<AnyTool, ReadonlyMap<string, NamedRole>>();

const readRoles = (tool: AnyTool): ReadonlyMap<string, NamedRole> => {
  const { spec } = tool;
  const properties = isObject(spec.input.properties) ? spec.input.properties : {};
  const isRemote = isRemoteTool(tool);
  const names = new Set([...Object.keys(properties), ...Object.keys(spec.roles ?? {})]);
  return new Map(
    [...names].map((name): readonly [string, NamedRole] => {
      const schema = properties[name] as JsonSchema | undefined;
      const declared = declaredRole(name, spec.roles, isRemote ? undefined : schema);
      if (declared !== undefined) return [name, { role: declared, from: "declared" }];
      return [name, { role: inferRole(name, schema, isRemote), from: "inferred" }];
    }),
  );
};

const namesByTool = new WeakMap<AnyTool, ReadonlySet<string>>();

/** All member names that the input schema declares. */
export const argumentNamesOf = (tool: AnyTool): ReadonlySet<string> => {
  let names = namesByTool.get(tool);
  if (names === undefined) {
    names = new Set(propertyNames(tool.spec.input, 0));
    namesByTool.set(tool, names);
  }
  return names;
};

const maxSchemaDepth = 30;

const propertyNames = (schema: unknown, depth: number): readonly string[] => {
  if (depth > maxSchemaDepth) return [];
  if (Array.isArray(schema)) return schema.flatMap((each) => propertyNames(each, depth + 1));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => [
    ...(keyword === "properties" && isObject(value) ? Object.keys(value) : []),
    ...propertyNames(value, depth + 1),
  ]);
};

const declaredRole = (
  name: string,
  roles: ArgumentRoles | undefined,
  schema: JsonSchema | undefined,
): ArgumentRole | undefined => {
  if (roles !== undefined && Object.hasOwn(roles, name)) return roles[name];
  const keyword = isObject(schema) ? (schema as Record<string, unknown>)[roleKeyword] : undefined;
  return argumentRoles.find((role) => role === keyword);
};

const targetFormats: ReadonlySet<unknown> = new Set([
  "email",
  "idn-email",
  "uri",
  "iri",
  "uri-reference",
  "url",
  "hostname",
  "idn-hostname",
  "ipv4",
  "ipv6",
]);
const valueFormats: ReadonlySet<unknown> = new Set(["date", "date-time", "time", "duration"]);

const contentName =
  /(^|_)(body|content|contents|text|message|description|note|notes|comment|summary|html|markdown)$/;
const subjectName = /(^|_)(subject|title|headline)$/;
const idName = /(^|_)(id|ids|uuid|guid)$/;

const inferRole = (name: string, schema: JsonSchema | undefined, isRemote: boolean): ArgumentRole => {
  const item = isObject(schema) && isObject(schema.items) ? schema.items : schema;
  const { format, type, enum: options } = (isObject(item) ? item : {}) as Record<string, unknown>;
  const snake = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  if (idName.test(snake)) return "id";
  if (type === "number" || type === "integer" || type === "boolean") return "value";
  if (isRemote || targetFormats.has(format)) return "target";
  if (options !== undefined || valueFormats.has(format)) return "value";
  if (type === "object") return "target";
  if (subjectName.test(snake)) return "subject";
  return contentName.test(snake) ? "content" : "target";
};
