import { isObject, type JsonObject, toPointer } from "../../base/json/json-value.ts";
import { checkPattern } from "../../base/schema/pattern-matcher.ts";
import { subschemas } from "../../base/schema/plain/schema-dialect.ts";
import { tool } from "../../tools/tool.ts";
import { ToolDefinitionError, ToolError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { ArgumentRoles } from "../../types/lineage.ts";
import type { McpToolOverrides, NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import type { Annotations, AnyTool, Implementation } from "../../types/tool.ts";
import { restoreParts } from "./content/media-blocks.ts";
import { toToolValue } from "./content/to-tool-value.ts";
import { argumentReader } from "./to-tool/argument-reader.ts";
import { createRemoteCall } from "./to-tool/call-remote.ts";
import { modernizeSchema } from "./to-tool/modern-schema.ts";
import { toSafeName } from "./to-tool/safe-name.ts";
import { serverToolRules } from "./to-tool/server-overrides.ts";
import { connectionLayer, isVisibleToModels, type ToolLink } from "./to-tool/tool-link.ts";
import { sanitizeUntrustedText } from "./transport/sanitize-foreign-text.ts";

interface RemoteToolOrigin {
  readonly remote: RemoteTool;
  readonly notes: readonly string[];
}

const remoteOrigins = new WeakMap<Implementation<unknown>, RemoteToolOrigin>();

export const remoteToolOf = (of: AnyTool): RemoteTool | undefined =>
  remoteOrigins.get(of.implementation)?.remote;

/** Schema constraints that only the server checks. */
export const schemaLossesOf = (of: AnyTool): readonly string[] =>
  remoteOrigins.get(of.implementation)?.notes ?? [];

/** Risk, approval and trust come from the operator's configuration, never from the server. */
export const createRemoteTool = (remote: RemoteTool, server: NamedMcpServer, link: ToolLink): AnyTool => {
  const name = toSafeName(remote.name);
  const terms = serverToolRules(server).overridesOf(name);
  const timeoutMs = terms.timeoutMs ?? server.callTimeoutMs ?? link.callTimeoutMs;
  const { outputSchema } = remote;
  const input = readRemoteSchema(
    { ...remote.inputSchema, type: remote.inputSchema.type ?? "object" },
    "/inputSchema",
  );
  const output = outputSchema === undefined ? undefined : readRemoteSchema(outputSchema, "/outputSchema");
  const hasOutput = outputSchema !== undefined;
  const isOffered = isVisibleToModels(remote);
  const run = createRemoteCall({
    method: "tools/call",
    params: (input) => ({ name: remote.name, arguments: input }),
    read: (result) => toToolValue(result, { hasOutput, media: link.media }),
    canTruncate: !hasOutput,
    timeoutMs,
    link,
  });
  const implementation: Implementation = Object.freeze({
    _tag: "mcp",
    provesNotRun: true,
    bind: () => run,
    withParts: restoreParts,
  });
  const notes = Object.freeze([...input.notes, ...(output?.notes ?? [])]);
  remoteOrigins.set(implementation as Implementation<unknown>, { remote, notes });
  return tool({
    name,
    description: descriptionOf(remote, server),
    input: input.schema,
    ...(output === undefined ? {} : { output: output.schema }),
    category: "custom",
    risk: terms.risk ?? server.risk ?? "medium",
    requiresApproval: terms.requiresApproval ?? false,
    source: "mcp",
    tags: terms.trusted === true ? ["trusted"] : [],
    timeout: timeoutMs,
    ...(terms.key === undefined ? {} : { key: argumentReader(terms.key) }),
    annotations: annotationsOf(remote, terms),
    ...(terms.roles === undefined ? {} : { roles: knownRoles(terms.roles, input.schema) }),
    implementation,
    layers: [connectionLayer(() => isOffered && link.isUp() && link.quarantine() === undefined)],
  }) as AnyTool;
};

/** Overrides can cover several tools, so a role counts only where the argument exists. */
const knownRoles = (roles: ArgumentRoles, { properties }: JsonSchema): ArgumentRoles =>
  Object.fromEntries(
    Object.entries(roles).filter(([argument]) => isObject(properties) && Object.hasOwn(properties, argument)),
  );

interface ReadRemoteSchema {
  readonly schema: JsonSchema;
  readonly notes: readonly string[];
}

const readRemoteSchema = (given: JsonSchema, pointer: string): ReadRemoteSchema => {
  const { schema, droppedPatterns } = dropUnsafePatterns(modernizeSchema(given));
  return {
    schema:
      schema.$schema === undefined
        ? { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }
        : schema,
    notes: droppedPatterns.map(
      (at) => `the pattern at ${sanitizeUntrustedText(pointer + at, 120)} is checked only by its server`,
    ),
  };
};

interface LinearSchema {
  readonly schema: JsonSchema;
  /** Pointers of dropped patterns. */
  readonly droppedPatterns: readonly string[];
}

const maxSchemaDepthForPatterns = 64;
type SchemaPath = readonly (string | number)[];

/**
 * Drops patterns that cannot be matched in linear time, and keywords that would then reject more: the result
 * accepts everything that the original accepts.
 */
export const dropUnsafePatterns = (schema: JsonSchema): LinearSchema => {
  const dropped: string[] = [];
  // A reference counts as loosened, because its target may be.
  const { value } = loosenSchema(schema, [], dropped);
  return dropped.length === 0
    ? { schema, droppedPatterns: dropped }
    : { schema: value, droppedPatterns: dropped };
};

interface LoosenedSchema {
  readonly value: JsonObject;
  readonly isLoose: boolean;
}

const loosenSchema = (schema: JsonObject, path: SchemaPath, dropped: string[]): LoosenedSchema => {
  if (path.length > maxSchemaDepthForPatterns) return { value: schema, isLoose: false };
  const copy: Record<string, unknown> = {};
  const loose = new Set<string>();
  let hasDroppedProperties = false;
  for (const [key, value] of Object.entries(schema)) {
    const at = [...path, key];
    if (key === "pattern" && typeof value === "string" && !isLinearPattern(value)) {
      dropped.push(toPointer(at));
      loose.add(key);
      continue;
    }
    const inner = loosenKeyword(key, value, at, dropped);
    copy[key] = inner.value;
    if (inner.isLoose) loose.add(key);
    hasDroppedProperties ||= inner.hasDroppedProperties === true;
  }
  if (hasDroppedProperties) delete copy.additionalProperties;
  const isLoose = [...loose].some((key) => key !== "$defs" && key !== "definitions");
  return { value: withoutContradictions(copy, loose), isLoose };
};

interface LoosenedKeyword {
  readonly value: unknown;
  readonly isLoose: boolean;
  /** A dropped property pattern: `additionalProperties` would reject its names. */
  readonly hasDroppedProperties?: boolean;
}

const loosenKeyword = (key: string, value: unknown, at: SchemaPath, dropped: string[]): LoosenedKeyword => {
  if (key === "$ref" || key === "$dynamicRef") return { value, isLoose: true };
  const kind = subschemas.get(key);
  if (kind === undefined || typeof value !== "object" || value === null) return { value, isLoose: false };
  const one = (each: unknown, path: SchemaPath): LoosenedKeyword =>
    isObject(each) ? loosenSchema(each, path, dropped) : { value: each, isLoose: false };
  if (Array.isArray(value)) {
    const all = value.map((each, index) => one(each, [...at, index]));
    return { value: all.map((each) => each.value), isLoose: all.some((each) => each.isLoose) };
  }
  if (kind !== "map") return one(value, at);
  const members = Object.entries(value);
  const kept = members.filter(([name]) => {
    if (key !== "patternProperties" || isLinearPattern(name)) return true;
    dropped.push(toPointer([...at, name]));
    return false;
  });
  const all = kept.map(([name, each]) => [name, one(each, [...at, name])] as const);
  return {
    value: Object.fromEntries(all.map(([name, each]) => [name, each.value])),
    isLoose: kept.length < members.length || all.some(([, each]) => each.isLoose),
    hasDroppedProperties: kept.length < members.length,
  };
};

/** Drops keywords that reject more when their subschemas accept more. */
const withoutContradictions = (
  schema: Record<string, unknown>,
  loose: ReadonlySet<string>,
): Record<string, unknown> => {
  const droppedKeywords = new Set<string>();
  if (loose.has("not")) droppedKeywords.add("not");
  if (loose.has("if")) for (const key of ["if", "then", "else"]) droppedKeywords.add(key);
  if (loose.has("contains")) droppedKeywords.add("maxContains");
  // Properties that a dropped keyword evaluated count as unevaluated.
  if (loose.size > 0)
    for (const key of ["unevaluatedProperties", "unevaluatedItems"]) droppedKeywords.add(key);
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !droppedKeywords.has(key)));
  if (!loose.has("oneOf")) return kept;
  const { oneOf, ...rest } = kept;
  // Several branches may match now.
  return rest.anyOf === undefined
    ? { ...rest, anyOf: oneOf }
    : { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { anyOf: oneOf }] };
};

const isLinearPattern = (pattern: string): boolean => {
  try {
    checkPattern(pattern, "");
    return true;
  } catch (error) {
    if (ToolError.is(error)) return false;
    throw error;
  }
};

const maxDescriptionLength = 16_384;

const descriptionOf = ({ name, title, description = title }: RemoteTool, server: NamedMcpServer): string => {
  if (description === undefined || description.trim() === "") {
    return `The tool "${sanitizeUntrustedText(name)}" of the server "${server.id}". The server gives no description.`;
  }
  // A truncated description could change its meaning.
  if (description.length <= maxDescriptionLength) return description;
  throw new ToolDefinitionError(
    "invalid_definition",
    `Its description has ${description.length} characters; the maximum is ${maxDescriptionLength}.`,
  );
};

/** Annotations of a server can raise the risk, but lower it only with `trustAnnotations`. */
const annotationsOf = (remote: RemoteTool, { trustAnnotations }: McpToolOverrides): Annotations => {
  const hints = remote.annotations ?? {};
  const isTrusted = trustAnnotations === true;
  const isDestructive = hints.destructiveHint === true;
  const title = remoteTitleOf(remote);
  return {
    ...(title === undefined ? {} : { title }),
    ...(isTrusted && hints.readOnlyHint === true && !isDestructive ? { readOnly: true } : {}),
    ...(isTrusted && hints.idempotentHint === true ? { idempotent: true } : {}),
    ...(isDestructive ? { destructive: true } : {}),
    ...(isTrusted && hints.destructiveHint === false ? { destructive: false } : {}),
    openWorld: !(isTrusted && hints.openWorldHint === false),
  };
};

const remoteTitleOf = (remote: RemoteTool): string | undefined => {
  const said = [remote.title, remote.annotations?.title].find((each) => typeof each === "string");
  const title = said === undefined ? "" : sanitizeUntrustedText(said);
  return title === "" ? undefined : title;
};
