import { defaultMaxLength } from "../base/json/limits.ts";
import { redactedMark } from "../base/json/secrets/span.ts";
import type { Masking } from "../types/ledger.ts";

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

interface OpenContainer {
  readonly start: number;
  readonly isObject: boolean;
  readonly isSecret: boolean;
  key: string | undefined;
  /** As in `{ "name": "Authorization", "value": "…" }`. */
  readonly labels: string[];
  readonly values: Replacement[];
}

const maskLiteral = JSON.stringify(redactedMark);

/** Keeps all other characters, for JSON that parsing would change: duplicate keys, large numbers. */
export const maskJsonText = (text: string, masking: Masking): string => {
  const replacements: Replacement[] = [];
  const open: OpenContainer[] = [];
  const maskUnderKey = (key: string | undefined, value: unknown): unknown => {
    if (key === undefined) return masking.value(value);
    const shown = masking.value({ [key]: value });
    return typeof shown === "object" && shown !== null ? Object.values(shown)[0] : shown;
  };
  const isLabel = (name: string): boolean => {
    const shown = masking.value({ name, value: "x" }) as { readonly value?: unknown };
    return shown.value !== "x";
  };

  const closeContainer = (end: number, isCut = false): void => {
    const { start, isSecret, labels, values } = open.pop()!;
    if (values.length > 0 && (isCut || labels.some(isLabel)))
      for (const value of values) replacements.push(value);
    const whole = { start, end, by: maskLiteral };
    if (isSecret) replacements.push(whole);
    const around = open.at(-1);
    if (around?.key === "value") around.values.push(whole);
  };

  const maskLeaf = (start: number, end: number): void => {
    const raw = text.slice(start, end);
    const value: unknown = JSON.parse(raw);
    const around = open.at(-1);
    const shown = maskUnderKey(around?.key, value);
    const isSecretNumber = typeof value === "number" && masking.text(raw) !== raw;
    if (isSecretNumber) replacements.push({ start, end, by: maskLiteral });
    else if (!Object.is(shown, value)) replacements.push({ start, end, by: JSON.stringify(shown) });
    if (around === undefined) return;
    if (typeof value === "string" && (around.key === "name" || around.key === "key"))
      around.labels.push(value);
    if (around.key === "value" && value !== null && value !== "" && typeof value !== "boolean")
      around.values.push({ start, end, by: maskLiteral });
  };

  let at = 0;
  while (at < text.length && at < defaultMaxLength) {
    const end = jsonTokenEnd(text, at);
    const sign = text[at]!;
    const around = open.at(-1);
    if (sign === "{" || sign === "[") {
      const isSecret = around?.key !== undefined && maskUnderKey(around.key, "x") !== "x";
      open.push({ start: at, isObject: sign === "{", isSecret, key: undefined, labels: [], values: [] });
    } else if (sign === "}" || sign === "]") closeContainer(end);
    else if (sign === ",") {
      if (around !== undefined) around.key = undefined;
    } else if (sign === '"' && around?.isObject === true && around.key === undefined) {
      around.key = JSON.parse(text.slice(at, end)) as string;
      const shown = masking.text(around.key);
      if (shown !== around.key) replacements.push({ start: at, end, by: JSON.stringify(shown) });
    } else if (!/[\s:]/.test(sign)) maskLeaf(at, end);
    at = end;
  }
  if (at >= text.length) return applyReplacements(text, replacements);
  // A label may be behind the cut.
  while (open.length > 0) closeContainer(at, true);
  return `${applyReplacements(text.slice(0, at), replacements)}[cut]`;
};

const bareWord = /[^\s{}[\]:,"]+/y;

const jsonTokenEnd = (text: string, at: number): number => {
  if (text[at] === '"') {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    return end + 1;
  }
  bareWord.lastIndex = at;
  return bareWord.test(text) ? bareWord.lastIndex : at + 1;
};

const applyReplacements = (text: string, replacements: readonly Replacement[]): string => {
  let safe = "";
  let at = 0;
  for (const { start, end, by } of [...replacements].sort(
    (one, other) => one.start - other.start || other.end - one.end,
  )) {
    if (start < at) continue;
    safe += text.slice(at, start) + by;
    at = end;
  }
  return safe + text.slice(at);
};
