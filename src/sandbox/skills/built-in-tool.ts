import { freezeJson } from "../../base/json/json-value.ts";
import { compileOnFirstUse, schemaEngine } from "../../base/schema/compile-schema.ts";
import { withoutDefaults } from "../../base/schema/keywords.ts";
import { assembleTool } from "../../tools/assemble-tool.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Annotations, AnyTool, Category, Implementation, Risk } from "../../types/tool.ts";

interface BuiltInDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly category: Category;
  readonly risk: Risk;
  readonly timeout: number;
  readonly tags?: readonly string[];
  readonly annotations: Annotations;
  readonly implementation: Implementation<unknown>;
}

/** Tests validate the schemas; they compile with the first call. */
export const builtInTool = (definition: BuiltInDefinition): AnyTool => {
  const { name, description, category, risk, timeout, tags = [], annotations, implementation } = definition;
  const [input, output] = [freezeJson(definition.input), freezeJson(definition.output)];
  return assembleTool({
    spec: Object.freeze({
      name,
      description,
      input,
      output,
      category,
      risk,
      timeoutMs: timeout,
      requiresApproval: false,
      source: "builtin",
      tags: Object.freeze([...tags]),
      annotations: Object.freeze({ ...annotations }),
      validate: "strict",
      strict: false,
    }),
    implementation,
    layers: Object.freeze([]),
    input: Object.assign(compileOnFirstUse(input), { engine: schemaEngine }),
    output: Object.assign(compileOnFirstUse(withoutDefaults(output)), { engine: schemaEngine }),
  });
};
