import type { ToolSpec } from "../../types/spec.ts";
import { bindSpec } from "./bind-spec.ts";
import type { BindFailure, BindMode, BoundTool } from "./binding.ts";
import { bindingText } from "./binding-text.ts";
import { explainBinding, explainMissing } from "./explain-binding.ts";
import type { LibraryCode } from "./library-entry.ts";

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
