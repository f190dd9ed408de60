import { canonicalJson } from "../../base/json/canonical-json.ts";
import { toPointer } from "../../base/json/json-value.ts";
import { isCompatible } from "../../base/schema/is-compatible.ts";
import { shortened } from "../../base/schema/issues.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { ToolSpec } from "../../types/tool.ts";
import {
  type BindingCheck,
  type BindingDifference,
  type BindingExplanation,
  type BindMode,
  isTool,
  type LibraryCode,
} from "./library-entry.ts";

/** Checks a spec against code, in the same order for every mode. Binds nothing. */
export const explainBinding = (spec: ToolSpec, code: LibraryCode, mode: BindMode): BindingExplanation => {
  const own = isTool(code) ? code.spec : undefined;
  const checks = [
    checkSpecName(spec, own, mode),
    checkSpecDescription(spec, own, mode),
    checkInput(spec, own, mode),
    checkOutput(spec, own, mode),
  ];
  return toExplanation(spec.name, mode, checks);
};

export const explainMissing = (
  spec: ToolSpec,
  mode: BindMode,
  instead: string | undefined,
): BindingExplanation => {
  const library =
    instead === undefined ? "no entry of this name" : `no entry of this name; similar: "${instead}"`;
  const missing = bindingCheck("name", "failed", [{ pointer: "", spec: formatValue(spec.name), library }]);
  const others = (["description", "input", "output"] as const).map((each) => bindingCheck(each, "skipped"));
  return toExplanation(spec.name, mode, [missing, ...others]);
};

const toExplanation = (name: string, mode: BindMode, checks: readonly BindingCheck[]): BindingExplanation =>
  Object.freeze({
    name,
    mode,
    ok: checks.every(({ status }) => status !== "failed"),
    checks: Object.freeze(checks),
  });

const bindingCheck = (
  which: BindingCheck["check"],
  status: BindingCheck["status"],
  found: readonly BindingDifference[] = [],
): BindingCheck => ({ check: which, status, differences: found });

type LibrarySpec = ToolSpec | undefined;

/** The registered name decides. Only `exact` compares the tool's own name. */
const checkSpecName = (spec: ToolSpec, own: LibrarySpec, mode: BindMode): BindingCheck => {
  if (own === undefined || own.name === spec.name) return bindingCheck("name", "passed");
  const found = findDifferences(spec.name, own.name);
  return bindingCheck("name", mode === "exact" ? "failed" : "noted", found);
};

const checkSpecDescription = (spec: ToolSpec, own: LibrarySpec, mode: BindMode): BindingCheck => {
  if (own?.description === spec.description) return bindingCheck("description", "passed");
  if (own === undefined && mode !== "exact") return bindingCheck("description", "skipped");
  const found = findDifferences(spec.description, own?.description);
  return bindingCheck("description", mode === "exact" ? "failed" : "noted", found);
};

const checkInput = (spec: ToolSpec, own: LibrarySpec, mode: BindMode): BindingCheck => {
  if (mode === "name") return bindingCheck("input", "skipped");
  if (mode === "exact") return checkEqual("input", spec.input, own?.input);
  if (own === undefined) return bindingCheck("input", "passed");
  const verdict = isCompatible(spec.input, own.input, { defaults: "filled" });
  if (verdict.ok) return bindingCheck("input", "passed");
  const found = verdict.reasons.map(({ pointer, may, must }) => ({ pointer, spec: may, library: must }));
  return bindingCheck("input", "failed", found);
};

const checkOutput = (spec: ToolSpec, own: LibrarySpec, mode: BindMode): BindingCheck => {
  if (mode === "name") return bindingCheck("output", "skipped");
  if (mode === "exact") return checkEqual("output", spec.output, own?.output);
  if (spec.output === undefined) return bindingCheck("output", "passed");
  const verdict = isCompatible(own?.output ?? true, spec.output);
  if (verdict.ok) return bindingCheck("output", "passed");
  if (own?.output === undefined) {
    // The code adopts the output schema of the spec, and stage 6 checks every result against it.
    const library = "has no output schema: each result is checked when it runs";
    return bindingCheck("output", "noted", [{ pointer: "", spec: formatValue(spec.output), library }]);
  }
  const found = verdict.reasons.map(({ pointer, may, must }) => ({ pointer, spec: must, library: may }));
  return bindingCheck("output", "failed", found);
};

const checkEqual = (
  which: "input" | "output",
  spec: JsonSchema | undefined,
  own: JsonSchema | undefined,
): BindingCheck => {
  const texts = [spec, own].map((each) => (each === undefined ? "" : canonicalJson(each)));
  return texts[0] === texts[1]
    ? bindingCheck(which, "passed")
    : bindingCheck(which, "failed", findDifferences(spec, own));
};

const maxDifferences = 20;
const maxDifferenceLength = 80;

const findDifferences = (spec: unknown, library: unknown): readonly BindingDifference[] => {
  const found: BindingDifference[] = [];
  collectDifferences(spec, library, [], found);
  return found;
};

const collectDifferences = (
  one: unknown,
  other: unknown,
  path: readonly string[],
  found: BindingDifference[],
): void => {
  if (found.length >= maxDifferences || isSame(one, other)) return;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push({ pointer: toPointer(path), spec: formatValue(one), library: formatValue(other) });
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    collectDifferences(ownMember(one, key), ownMember(other, key), [...path, key], found);
  }
};

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const ownMember = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const isSame = (one: unknown, other: unknown): boolean => {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
};

const formatValue = (value: unknown): string =>
  value === undefined ? "(nothing)" : shortened(JSON.stringify(value), maxDifferenceLength);
