import { isObject, toPointer } from "../base/json/json-value.ts";
import { type ParsedSchema, readSchema } from "../base/schema/read-schema.ts";
import { toValidator } from "../base/schema/to-validator.ts";
import { readDefinition } from "../tools/read-definition.ts";
import type { OutputFormat } from "../types/agent.ts";
import { ConfigurationError, ToolDefinitionError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import type { Validation, Validator } from "../types/tool.ts";

export const answerToolName = "final_answer";
const description = "Gives your final answer. Call it once and alone, when you need no further tools.";
const wrapperKey = "answer";

export const readOutputFormat = (agentName: string, source: unknown): OutputFormat => {
  if (isOutputFormat(source)) return source;
  try {
    return outputFormatOf(source);
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    throw invalidOutputError(agentName, error.message, error);
  }
};

const isOutputFormat = (source: unknown): source is OutputFormat =>
  isObject(source) && isObject(source.spec) && typeof source.validate === "function";

const outputFormatOf = (source: unknown): OutputFormat => {
  // The model produces the input side of a schema that transforms.
  const read = readOutputSchema(source);
  const isNamed = read.schema.type === "object";
  const input = isNamed ? read.schema : wrapSchema(read.schema);
  const { spec } = readDefinition({ name: answerToolName, description, input, strict: true });
  const validate = toValidator({ ...read, side: "input" });
  const { schema } = read;
  if (isNamed) return Object.freeze({ schema, spec, validate });
  return Object.freeze({ schema, spec, validate: unwrapValidator(validate), wrappedAs: wrapperKey });
};

/** Answers may have any root type. */
const readOutputSchema = (source: unknown): ParsedSchema => readSchema(source, "input", { anyRoot: true });

/** Definitions stay at the root, so that references remain valid. */
const wrapSchema = (schema: JsonSchema): JsonSchema => {
  const { $schema, $defs, definitions, ...rest } = schema;
  if (/"\$ref":"#(?!\/(\$defs|definitions)\/)/.test(JSON.stringify(schema))) {
    throw new ToolDefinitionError(
      "refused_schema",
      "an output that is not an object cannot reference its root; put it into an object, or into `$defs`.",
    );
  }
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [wrapperKey]: rest },
    required: [wrapperKey],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
};

const unwrapValidator = (validate: Validator): Validator =>
  Object.assign(
    (value: unknown): Validation => {
      if (!isObject(value) || !Object.hasOwn(value, wrapperKey) || Object.keys(value).length !== 1) {
        const message = `Expected an object with the one property "${wrapperKey}"`;
        return { ok: false, issues: [{ pointer: "", message, expected: "object" }] };
      }
      const judged = validate(value[wrapperKey]);
      if (judged.ok) return { ...judged, value: { [wrapperKey]: judged.value } };
      const at = toPointer([wrapperKey]);
      return { ok: false, issues: judged.issues.map((issue) => ({ ...issue, pointer: at + issue.pointer })) };
    },
    { engine: validate.engine },
  );

const invalidOutputError = (agentName: string, why: string, cause: unknown): ConfigurationError =>
  new ConfigurationError("invalid_config", `The \`output\` of the agent "${agentName}": ${why}`, { cause });
