import { isObject, type JsonObject, toPointer } from "../../base/json/json-value.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { OpenApiOptions } from "./from-openapi.ts";

/** Untrusted and not validated yet. */
export interface OpenApiDocument {
  readonly version: "2.0" | "3.0" | "3.1";
  readonly root: JsonObject;
}

const documentLimits = {
  length: 32 * 1024 * 1024,
  /** Limits work: shared nodes stay shared. */
  aliases: 10_000,
  mergeKeys: 10_000,
  depth: 100,
} as const;

const documentError = (why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `The OpenAPI document ${why}`);

export const readDocument = async (source: unknown): Promise<OpenApiDocument> => {
  const root = typeof source === "string" ? await parse(source) : source;
  if (!isObject(root))
    throw documentError("is not an object. Pass the parsed document, or its text in JSON or YAML.");
  // Caches use the root as key, and callers may modify theirs.
  return { version: versionOf(root), root: { ...root } };
};

const versionOf = (root: JsonObject): OpenApiDocument["version"] => {
  const given = root.openapi ?? root.swagger ?? "";
  const versionText = typeof given === "object" ? "" : String(given);
  if (root.openapi === undefined && /^2(\.0)?$/.test(versionText)) return "2.0";
  if (/^3\.0(\.|$)/.test(versionText)) return "3.0";
  // 3.2 only adds to 3.1.
  if (/^3\.[12](\.|$)/.test(versionText)) return "3.1";
  const found =
    versionText === "" ? "has no version" : `has the version ${JSON.stringify(versionText.slice(0, 20))}`;
  throw documentError(
    `${found}. Supported versions are \`swagger: "2.0"\`, \`openapi: "3.0.x"\` and \`openapi: "3.1.x"\`. Is it an OpenAPI document?`,
  );
};

const parse = async (text: string): Promise<unknown> => {
  if (text.length > documentLimits.length)
    throw documentError(`has more than ${documentLimits.length} characters.`);
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw documentError(`cannot be read as JSON: ${(error as Error).message}.`);
    }
  }
  checkPackage("js-yaml", "An OpenAPI document in YAML needs");
  const { load, CORE_SCHEMA, mergeTag, YAMLException } = await import("js-yaml").catch(
    missingPackage("js-yaml", "An OpenAPI document in YAML needs"),
  );
  try {
    return load(text, {
      schema: CORE_SCHEMA.withTags(mergeTag),
      maxDepth: documentLimits.depth,
      maxAliases: documentLimits.aliases,
      maxTotalMergeKeys: documentLimits.mergeKeys,
    });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw documentError(`cannot be read as YAML: ${error.message.split("\n", 1)[0]}.`);
  }
};

type ReferenceResult = { readonly value: unknown; readonly pointer: string } | { readonly problem: string };

const maxReferenceChain = 32;

export const refOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;

/** External references are never fetched. */
export const followReferences = (root: JsonObject, value: unknown, pointer: string): ReferenceResult => {
  let found: { readonly value: unknown; readonly pointer: string } = { value, pointer };
  for (let step = 0; step < maxReferenceChain; step++) {
    const reference = refOf(found.value);
    if (reference === undefined) return found;
    const next = resolvePointer(root, reference);
    if ("problem" in next) return next;
    found = next;
  }
  return { problem: `the reference at ${pointer} is part of a cycle of references` };
};

export const resolvePointer = (root: JsonObject, reference: string): ReferenceResult => {
  const shown = JSON.stringify(reference.slice(0, 200));
  if (!reference.startsWith("#")) {
    return {
      problem: `the reference ${shown} points outside the document, and other documents are not fetched`,
    };
  }
  const path = pointerSteps(reference);
  if (path === undefined) return { problem: `the reference ${shown} is not a JSON pointer` };
  let value: unknown = root;
  for (const key of path) {
    const has = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    if (!has) return { problem: `the reference ${shown} points to nothing` };
    value = (value as Record<string, unknown>)[key];
  }
  return { value, pointer: toPointer(path) };
};

const pointerSteps = (reference: string): readonly string[] | undefined => {
  const text = reference.slice(1);
  if (text === "") return [];
  if (!text.startsWith("/")) return undefined;
  try {
    return text
      .slice(1)
      .split("/")
      .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
};

/** An OpenAPI document in a configuration, with the options of `fromOpenApi`. */
export interface OpenApiSource extends OpenApiOptions {
  /** A JSON or YAML file relative to the configuration, or the parsed document. */
  readonly document: string | Readonly<Record<string, unknown>>;
}
