import type { JsonSchema } from "../../../types/json.ts";
import { type OfferedTool, toFrozen } from "../exporter.ts";
import { parametersOf } from "./to-openai.ts";

export interface OpenAIOutputFormat {
  readonly type: "json_schema";
  readonly name: string;
  readonly schema: JsonSchema;
  readonly strict: boolean;
}

export const toOutputFormat = ({ wireName, spec }: OfferedTool): OpenAIOutputFormat => {
  const { parameters, strict } = parametersOf(spec, () => {});
  return { type: "json_schema", name: wireName, schema: toFrozen(parameters), strict };
};
