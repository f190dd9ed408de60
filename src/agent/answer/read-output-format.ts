import { isObject } from "../../json/is-object.ts";
import { toPointer } from "../../json/pointer.ts";
import { type ReadSchema, readSchema } from "../../schema/read-schema.ts";
import { toValidator } from "../../schema/to-validator.ts";
import { readDefinition } from "../../tool/read-definition.ts";
import type { AnswerForm } from "../../words/agent.ts";
import { ConfigurationError, ToolDefinitionError } from "../../words/errors.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { Validation, Validator } from "../../words/validator.ts";

/** The name by which a model that must call something calls its answer. */
export const answerName = "final_answer";
const description = "Gives your final answer. Call it once, alone, when you need no other tool any more.";
const wrapper = "answer";

/** What an author wrote as `output`, made ready to be shown to models and held against their answers. */
export const toAnswerForm = (agentName: string, source: unknown): AnswerForm => {
  if (isAnswerForm(source)) return source;
  try {
    return formOf(source);
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    throw refused(agentName, error.message, error);
  }
};

const isAnswerForm = (source: unknown): source is AnswerForm =>
  isObject(source) && isObject(source.spec) && typeof source.validate === "function";

const formOf = (source: unknown): AnswerForm => {
  // Read as what a model gives: of a schema that transforms, the side before it.
  const read = asGiven(source);
  const isNamed = read.schema.type === "object";
  const input = isNamed ? read.schema : wrapped(read.schema);
  const { spec } = readDefinition({ name: answerName, description, input, strict: true });
  const validate = toValidator({ ...read, side: "input" });
  const { schema } = read;
  if (isNamed) return Object.freeze({ schema, spec, validate });
  return Object.freeze({ schema, spec, validate: unwrapping(validate), wrappedAs: wrapper });
};

/** The input side of a schema, whatever its root is: an answer need not be an object. */
const asGiven = (source: unknown): ReadSchema => readSchema(source, "input", { anyRoot: true });

/** References lead to the same places as before, since definitions stay at the root. */
const wrapped = (schema: JsonSchema): JsonSchema => {
  const { $schema, $defs, definitions, ...rest } = schema;
  if (/"\$ref":"#(?!\/(\$defs|definitions)\/)/.test(JSON.stringify(schema))) {
    throw new ToolDefinitionError(
      "refused_schema",
      "an output that is no object cannot refer to itself by its root; put it into an object, or into `$defs`.",
    );
  }
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [wrapper]: rest },
    required: [wrapper],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
};

const unwrapping = (validate: Validator): Validator =>
  Object.assign(
    (value: unknown): Validation => {
      if (!isObject(value) || !Object.hasOwn(value, wrapper) || Object.keys(value).length !== 1) {
        const message = `Expected an object with the one property "${wrapper}"`;
        return { ok: false, issues: [{ pointer: "", message, expected: "object" }] };
      }
      const judged = validate(value[wrapper]);
      if (judged.ok) return { ...judged, value: { [wrapper]: judged.value } };
      const at = toPointer([wrapper]);
      return { ok: false, issues: judged.issues.map((issue) => ({ ...issue, pointer: at + issue.pointer })) };
    },
    { engine: validate.engine },
  );

const refused = (agentName: string, why: string, cause: unknown): ConfigurationError =>
  new ConfigurationError("invalid_config", `The \`output\` of the agent "${agentName}": ${why}`, { cause });
