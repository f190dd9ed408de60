import type { JsonSchema } from "../../words/json.ts";
import type { Export } from "../export.ts";
import { exporter } from "../exporter.ts";
import { frozen } from "../frozen.ts";
import type { OfferedTool } from "../listed.ts";
import { byLimit, cutDescription, type OpenAIDialectOptions } from "./description.ts";
import { parametersOf } from "./parameters.ts";

export interface OpenAIResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Always said: where it is left out this interface asks for it. */
  readonly strict: boolean;
}

const exporterFor = byLimit((limit) =>
  exporter<OpenAIResponsesTool>(({ wireName, spec }, note) => {
    const { parameters, strict } = parametersOf(spec, note);
    const description = cutDescription(spec.description, limit, note);
    return Object.freeze({
      type: "function",
      name: wireName,
      description,
      parameters: frozen(parameters),
      strict,
    });
  }),
);

/** For the responses interface, where a function lies flat in the tool. */
export const toOpenAIResponses = (
  tools: readonly OfferedTool[],
  options?: OpenAIDialectOptions,
): Export<OpenAIResponsesTool> => exporterFor(options)(tools);
