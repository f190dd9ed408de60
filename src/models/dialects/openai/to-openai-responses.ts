import type { JsonSchema } from "../../../types/json.ts";
import { exporter, type OfferedTool, type ToolExport, toFrozen } from "../exporter.ts";
import { cutDescription, memoizeByLimit, type OpenAIDialectOptions, parametersOf } from "./to-openai.ts";

export interface OpenAIResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Always set, because the API's default is true. */
  readonly strict: boolean;
}

const exporterFor = memoizeByLimit((limit) =>
  exporter<OpenAIResponsesTool>(({ wireName, spec }, note) => {
    const { parameters, strict } = parametersOf(spec, note);
    const description = cutDescription(spec.description, limit, note);
    return Object.freeze({
      type: "function",
      name: wireName,
      description,
      parameters: toFrozen(parameters),
      strict,
    });
  }),
);

export const toOpenAIResponses = (
  tools: readonly OfferedTool[],
  options?: OpenAIDialectOptions,
): ToolExport<OpenAIResponsesTool> => exporterFor(options)(tools);
