import type { JsonSchema } from "../../words/json.ts";
import type { Export } from "../export.ts";
import { exporter } from "../exporter.ts";
import { frozen } from "../frozen.ts";
import type { OfferedTool } from "../listed.ts";
import { byLimit, cutDescription, type OpenAIDialectOptions } from "./description.ts";
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

const exporterFor = byLimit((limit) =>
  exporter<OpenAITool>(({ wireName, spec }, note) => {
    const { parameters, strict } = parametersOf(spec, note);
    const description = cutDescription(spec.description, limit, note);
    const named = { name: wireName, description, parameters: frozen(parameters) };
    const inner = Object.freeze(strict ? { ...named, strict } : named);
    return Object.freeze({ type: "function", function: inner });
  }),
);

/** For chat completions, and the many servers that speak them. */
export const toOpenAI = (tools: readonly OfferedTool[], options?: OpenAIDialectOptions): Export<OpenAITool> =>
  exporterFor(options)(tools);
