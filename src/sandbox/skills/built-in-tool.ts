import { freezeJson } from "../json/freeze-json.ts";
import { compileOnFirstUse, engine } from "../schema/compile-schema.ts";
import { withoutDefaults } from "../schema/without-defaults.ts";
import { assemble } from "../tool/assemble.ts";
import type { JsonSchema } from "../words/json.ts";
import type { Annotations, Category, Risk } from "../words/spec.ts";
import type { AnyTool, Implementation } from "../words/tool.ts";

interface BuiltIn {
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

/** A tool of our own. Its schemas are tried by tests and need no check at its definition: the first call compiles them. */
export const builtIn = (definition: BuiltIn): AnyTool => {
  const { name, description, category, risk, timeout, tags = [], annotations, implementation } = definition;
  const [input, output] = [freezeJson(definition.input), freezeJson(definition.output)];
  return assemble({
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
    input: Object.assign(compileOnFirstUse(input), { engine }),
    output: Object.assign(compileOnFirstUse(withoutDefaults(output)), { engine }),
  });
};
