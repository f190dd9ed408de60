import { canonicalJson } from "../../base/json/canonical-json.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { withoutDefaults } from "../../base/schema/keywords.ts";
import { assembleTool } from "../../tools/assemble-tool.ts";
import type { AnyTool, Implementation, ToolSpec, Validator } from "../../types/tool.ts";
import { explainBinding, explainMissing } from "./explain-binding.ts";
import {
  type BindFailure,
  type BindMode,
  type BoundTool,
  bindingText,
  isTool,
  type LibraryCode,
  stricterSpec,
  warningTags,
} from "./library-entry.ts";

type BindResults = Map<BindMode, BoundTool | BindFailure>;

const bindCache = new WeakMap<LibraryCode, WeakMap<ToolSpec, BindResults>>();

/** Cached for frozen specs, so that the tool is the same object in every run. */
export const bindCode = (spec: ToolSpec, code: LibraryCode, mode: BindMode): BoundTool | BindFailure => {
  if (!Object.isFrozen(spec) || !Object.isFrozen(spec.input)) return bindUncached(spec, code, mode);
  const ofCode = bindCache.get(code) ?? new WeakMap<ToolSpec, BindResults>();
  bindCache.set(code, ofCode);
  const results: BindResults = ofCode.get(spec) ?? new Map();
  ofCode.set(spec, results);
  const made = results.get(mode) ?? bindUncached(spec, code, mode);
  results.set(mode, made);
  return made;
};

const bindUncached = (spec: ToolSpec, code: LibraryCode, mode: BindMode): BoundTool | BindFailure => {
  const explanation = explainBinding(spec, code, mode);
  const { name } = spec;
  if (explanation.ok) return Object.freeze({ ok: true, name, tool: bindSpec(spec, code), explanation });
  return Object.freeze({ ok: false, name, explanation, message: bindingText(explanation) });
};

export const notFoundFailure = (spec: ToolSpec, mode: BindMode, instead: string | undefined): BindFailure => {
  const explanation = explainMissing(spec, mode, instead);
  return Object.freeze({ ok: false, name: spec.name, explanation, message: bindingText(explanation) });
};

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

const validateBoth = (first: Validator, second: Validator): Validator =>
  Object.assign(
    (value: unknown) => {
      const judged = first(value);
      return judged.ok ? second(judged.value) : judged;
    },
    { engine: `${first.engine} + ${second.engine}` },
  );
