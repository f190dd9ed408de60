import type { JsonSchema } from "../../../types/json.ts";
import { exporter } from "../exporter.ts";
import type { OfferedTool } from "../offered-tool.ts";
import { toFrozen } from "../to-frozen.ts";
import type { ToolExport } from "../tool-export.ts";
import { cutDescription, memoizeByLimit, type OpenAIDialectOptions } from "./cut-description.ts";
import { parametersOf } from "./parameters.ts";

export interface OpenAITool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    readonly strict?: true;
  };
}

const exporterFor = memoizeByLimit((limit) =>
  exporter<OpenAITool>(({ wireName, spec }, note) => {
    const { parameters, strict } = parametersOf(spec, note);
    const description = cutDescription(spec.description, limit, note);
    const named = { name: wireName, description, parameters: toFrozen(parameters) };
    const inner = Object.freeze(strict ? { ...named, strict } : named);
    return Object.freeze({ type: "function", function: inner });
  }),
);

export const toOpenAI = (
  tools: readonly OfferedTool[],
  options?: OpenAIDialectOptions,
): ToolExport<OpenAITool> => exporterFor(options)(tools);
