import type { ToolSpec } from "../../words/spec.ts";
import { bindSpec } from "./bind-spec.ts";
import type { BindFailure, BindMode, Bound } from "./binding.ts";
import { bindingText } from "./binding-text.ts";
import type { LibraryCode } from "./entry.ts";
import { explainBinding, explainMissing } from "./explain-binding.ts";

type Results = Map<BindMode, Bound | BindFailure>;

const known = new WeakMap<LibraryCode, WeakMap<ToolSpec, Results>>();

/**
 * The spec answered by this code, if it fits. A spec that nobody can change is bound to the same code once, so that
 * its tool stays the same from run to run.
 */
export const bindCode = (spec: ToolSpec, code: LibraryCode, mode: BindMode): Bound | BindFailure => {
  if (!Object.isFrozen(spec) || !Object.isFrozen(spec.input)) return bindNow(spec, code, mode);
  const ofCode = known.get(code) ?? new WeakMap<ToolSpec, Results>();
  known.set(code, ofCode);
  const results: Results = ofCode.get(spec) ?? new Map();
  ofCode.set(spec, results);
  const made = results.get(mode) ?? bindNow(spec, code, mode);
  results.set(mode, made);
  return made;
};

const bindNow = (spec: ToolSpec, code: LibraryCode, mode: BindMode): Bound | BindFailure => {
  const explanation = explainBinding(spec, code, mode);
  const { name } = spec;
  if (explanation.ok) return Object.freeze({ ok: true, name, tool: bindSpec(spec, code), explanation });
  return Object.freeze({ ok: false, name, explanation, message: bindingText(explanation) });
};

/** Nothing has the name; something of nearly the same may have been meant. */
export const notFound = (spec: ToolSpec, mode: BindMode, instead: string | undefined): BindFailure => {
  const explanation = explainMissing(spec, mode, instead);
  return Object.freeze({ ok: false, name: spec.name, explanation, message: bindingText(explanation) });
};
