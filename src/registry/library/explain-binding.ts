import { canonicalJson } from "../../json/canonical-json.ts";
import { toPointer } from "../../json/pointer.ts";
import { isCompatible } from "../../schema/compatible.ts";
import { shortened } from "../../schema/issues.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { BindingCheck, BindingExplanation, BindMode, Difference } from "./binding.ts";
import { isTool, type LibraryCode } from "./entry.ts";

/** Which checks a spec and some code pass, in every mode in the same order. Nothing is bound. */
export const explainBinding = (spec: ToolSpec, code: LibraryCode, mode: BindMode): BindingExplanation => {
  const own = isTool(code) ? code.spec : undefined;
  const checks = [
    checkName(spec, own, mode),
    checkDescription(spec, own, mode),
    checkInput(spec, own, mode),
    checkOutput(spec, own, mode),
  ];
  return explanation(spec.name, mode, checks);
};

/** The same where the library has nothing of this name. */
export const explainMissing = (
  spec: ToolSpec,
  mode: BindMode,
  instead: string | undefined,
): BindingExplanation => {
  const library =
    instead === undefined ? "nothing of this name" : `nothing of this name; there is "${instead}"`;
  const missing = check("name", "failed", [{ pointer: "", spec: show(spec.name), library }]);
  const others = (["description", "input", "output"] as const).map((each) => check(each, "skipped"));
  return explanation(spec.name, mode, [missing, ...others]);
};

const explanation = (name: string, mode: BindMode, checks: readonly BindingCheck[]): BindingExplanation =>
  Object.freeze({
    name,
    mode,
    ok: checks.every(({ status }) => status !== "failed"),
    checks: Object.freeze(checks),
  });

const check = (
  which: BindingCheck["check"],
  status: BindingCheck["status"],
  found: readonly Difference[] = [],
): BindingCheck => ({ check: which, status, differences: found });

type Own = ToolSpec | undefined;

/** What a name is registered under is what counts; only `exact` minds what the tool calls itself. */
const checkName = (spec: ToolSpec, own: Own, mode: BindMode): BindingCheck => {
  if (own === undefined || own.name === spec.name) return check("name", "passed");
  const found = differences(spec.name, own.name);
  return check("name", mode === "exact" ? "failed" : "noted", found);
};

const checkDescription = (spec: ToolSpec, own: Own, mode: BindMode): BindingCheck => {
  if (own?.description === spec.description) return check("description", "passed");
  if (own === undefined && mode !== "exact") return check("description", "skipped");
  const found = differences(spec.description, own?.description);
  return check("description", mode === "exact" ? "failed" : "noted", found);
};

const checkInput = (spec: ToolSpec, own: Own, mode: BindMode): BindingCheck => {
  if (mode === "name") return check("input", "skipped");
  if (mode === "exact") return checkEqual("input", spec.input, own?.input);
  // Bare code does not say that it would refuse anything.
  if (own === undefined) return check("input", "passed");
  const verdict = isCompatible(spec.input, own.input, { defaults: "filled" });
  if (verdict.ok) return check("input", "passed");
  const found = verdict.reasons.map(({ pointer, may, must }) => ({ pointer, spec: may, library: must }));
  return check("input", "failed", found);
};

const checkOutput = (spec: ToolSpec, own: Own, mode: BindMode): BindingCheck => {
  if (mode === "name") return check("output", "skipped");
  if (mode === "exact") return checkEqual("output", spec.output, own?.output);
  if (spec.output === undefined) return check("output", "passed");
  const verdict = isCompatible(own?.output ?? true, spec.output);
  if (verdict.ok) return check("output", "passed");
  if (own?.output === undefined) {
    // Code that promises nothing takes the spec's promise as its own, and stage 6 holds every result to it.
    const library = "promises nothing: each result is checked when it runs";
    return check("output", "noted", [{ pointer: "", spec: show(spec.output), library }]);
  }
  const found = verdict.reasons.map(({ pointer, may, must }) => ({ pointer, spec: must, library: may }));
  return check("output", "failed", found);
};

const checkEqual = (
  which: "input" | "output",
  spec: JsonSchema | undefined,
  own: JsonSchema | undefined,
): BindingCheck => {
  const texts = [spec, own].map((each) => (each === undefined ? "" : canonicalJson(each)));
  return texts[0] === texts[1] ? check(which, "passed") : check(which, "failed", differences(spec, own));
};

const most = 20;
const longest = 80;

/** Where two JSON values differ, the smallest parts that do. */
const differences = (spec: unknown, library: unknown): readonly Difference[] => {
  const found: Difference[] = [];
  compare(spec, library, [], found);
  return found;
};

const compare = (one: unknown, other: unknown, path: readonly string[], found: Difference[]): void => {
  if (found.length >= most || isSame(one, other)) return;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push({ pointer: toPointer(path), spec: show(one), library: show(other) });
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    compare(own(one, key), own(other, key), [...path, key], found);
  }
};

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const own = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const isSame = (one: unknown, other: unknown): boolean => {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
};

/** A side that says nothing here is shown as such. */
const show = (value: unknown): string =>
  value === undefined ? "(nothing)" : shortened(JSON.stringify(value), longest);
