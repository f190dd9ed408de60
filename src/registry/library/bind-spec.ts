import { canonicalJson } from "../../base/json/canonical-json.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { withoutDefaults } from "../../base/schema/without-defaults.ts";
import { assembleTool } from "../../tools/assemble-tool.ts";
import type { ToolSpec } from "../../types/spec.ts";
import type { AnyTool, Implementation } from "../../types/tool.ts";
import type { Validator } from "../../types/validator.ts";
import { isTool, type LibraryCode } from "./library-entry.ts";
import { stricterSpec, warningTags } from "./stricter-spec.ts";

export const bindSpec = (spec: ToolSpec, code: LibraryCode): AnyTool => {
  const promised = spec.output === undefined ? undefined : compileSchema(withoutDefaults(spec.output));
  if (!isTool(code)) {
    return assembleTool({
      spec: asUntrustedSpec(spec, code),
      implementation: code,
      input: compileSchema(spec.input),
      output: promised,
      layers: [],
    });
  }
  const isSame = canonicalJson(spec.input) === canonicalJson(code.spec.input);
  return assembleTool({
    spec: stricterSpec(spec, code.spec),
    implementation: code.implementation,
    input: isSame ? code.input : validateBoth(compileSchema(spec.input), code.input),
    output:
      code.output === undefined || promised === undefined
        ? (code.output ?? promised)
        : validateBoth(code.output, promised),
    layers: code.layers,
    key: code.key,
    reconcile: code.reconcile,
  });
};

/** Bare code declares nothing itself, so only warnings of the spec are kept. */
const asUntrustedSpec = (spec: ToolSpec, { _tag, kinds = [] }: Implementation<unknown>): ToolSpec => {
  const source = [_tag, ...kinds].find((kind) => kind === "http" || kind === "mcp") ?? spec.source;
  if (spec.tags.length === 0 && source === spec.source) return spec;
  return Object.freeze({ ...spec, source, tags: Object.freeze(warningTags(spec.tags)) });
};

export const validateBoth = (first: Validator, second: Validator): Validator =>
  Object.assign(
    (value: unknown) => {
      const judged = first(value);
      return judged.ok ? second(judged.value) : judged;
    },
    { engine: `${first.engine} + ${second.engine}` },
  );
