import { freezeJson } from "../../../base/json/json-value.ts";
import { readSchema, type SchemaSide } from "../../../base/schema/read-schema.ts";
import { suggestName } from "../../../base/text/nearest.ts";
import { ToolError } from "../../../types/errors.ts";
import type { Json, JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { checkDefinitionFields, checkDescription } from "../../check-definition-fields.ts";
import { checkToolName } from "../../tool-name.ts";
import type { RecordFields } from "./agent-spec.ts";

/** In writing order. */
export const toolFields: readonly (keyof ToolSpec)[] = [
  "name",
  "description",
  "signature",
  "input",
  "output",
  "returnType",
  "category",
  "risk",
  "timeoutMs",
  "requiresApproval",
  "maxCost",
  "source",
  "tags",
  "annotations",
  "meta",
  "validate",
  "strict",
  "noSchemaMode",
];

/** Not written. */
export const toolDefaults = freezeJson({
  category: "custom",
  risk: "low",
  requiresApproval: false,
  source: "function",
  tags: [],
  annotations: {},
  validate: "strict",
  strict: false,
}) satisfies Partial<ToolSpec>;

/** Undefined if problems were reported. */
export const toToolSpec = ({ values, complain }: RecordFields): ToolSpec | undefined => {
  let isFine = true;
  const refuse = (code: string, key: string, message: string, hint: string) => {
    isFine = false;
    complain(code, key, message.replace(/\.$/, ""), hint);
  };
  const guard = <A>(code: string, key: string, check: () => A): A | undefined => {
    try {
      return check();
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      refuse(code, key, error.message, `Change the ${key} of this tool.`);
      return undefined;
    }
  };
  const name = typeof values.name === "string" ? values.name : "";
  guard("refused-name", "name", () => checkToolName(values.name as string));
  guard("wrong-description", "description", () => checkDescription(values.description, name));
  const others: Record<string, Json> = {};
  for (const [key, value] of Object.entries(values)) {
    if (separateFields.has(key)) continue;
    if (!(toolFields as readonly string[]).includes(key)) {
      refuse(
        "unknown-key",
        key,
        `Unknown key "${key}" of a tool`,
        `${suggestName(key, toolFields)} The keys are ${toolFields.join(", ")}.`.trimStart(),
      );
    } else if (key !== "timeoutMs")
      guard("wrong-value", key, () => checkDefinitionFields({ [key]: value }, name));
    else if (typeof value !== "number" || value <= 0) {
      refuse(
        "wrong-value",
        key,
        "The timeout must be a number of milliseconds",
        "Write milliseconds: timeoutMs: 5000.",
      );
    }
    others[key] = value;
  }
  const input = guard("refused-schema", "input", () => schemaOf(values.input, "input"));
  const output =
    values.output === undefined
      ? undefined
      : guard("refused-schema", "output", () => schemaOf(values.output, "output"));
  if (!isFine || input === undefined) return undefined;
  const { description, signature } = values;
  return freezeJson({
    name,
    description,
    ...(signature === undefined ? {} : { signature }),
    input,
    ...(output === undefined ? {} : { output }),
    ...toolDefaults,
    ...others,
  } as unknown as ToolSpec);
};

const separateFields: ReadonlySet<string> = new Set(["name", "description", "input", "output"]);

/** Keeps a `$schema` that `tool()` would omit. */
const schemaOf = (given: Json | undefined, side: SchemaSide): JsonSchema => {
  const { schema } = readSchema(given, side);
  const { $schema } = given as JsonSchema;
  return $schema === undefined || schema.$schema !== undefined ? schema : { $schema, ...schema };
};
