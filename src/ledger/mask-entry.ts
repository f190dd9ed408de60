import { hashText } from "../base/json/canonical-json.ts";
import { defaultMaxLength } from "../base/json/json-problem.ts";
import { readJson } from "../base/json/read-json.ts";
import { redactedMark } from "../base/json/secrets/span.ts";
import type { ProvenanceNote } from "../types/hydration.ts";
import type { EntryClosing, EntryOpening, Masking, StartIntent } from "../types/ledger.ts";
import { maskSettlement } from "./settled-closing.ts";

/** Avoids parsing texts that cannot be JSON. */
const isPossiblyJson = (text: string): boolean => /^\s*(?:[{["\d-]|(?:true|false|null)\s*$)/.test(text);

/** JSON is masked as a value, so that key names count. What the strict reader refuses is masked in place. */
export const maskLedgerText = (text: string, masking: Masking): string => {
  if (!isPossiblyJson(text)) return String(masking.value(text));
  const reading = readJson(text, unlimitedLength);
  if (reading.ok) return JSON.stringify(masking.value(reading.value));
  return isJson(text) ? maskJsonText(text, masking) : String(masking.value(text));
};

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

const unlimitedLength = { maxLength: Number.POSITIVE_INFINITY };

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const maskOrKeepExact = (text: string, masking: Masking): string => {
  const safe = maskLedgerText(text, masking);
  if (safe === text || !isPossiblyJson(text)) return safe;
  try {
    return JSON.stringify(JSON.parse(text)) === safe ? text : safe;
  } catch {
    return safe;
  }
};

export const maskProvenance = (provenance: ProvenanceNote, mask: (text: string) => string): ProvenanceNote =>
  provenance.changes.length === 0
    ? provenance
    : {
        ...provenance,
        changes: provenance.changes.map((change) => ({
          ...change,
          from: mask(change.from),
          to: mask(change.to),
        })),
      };

export const maskNames = (opening: EntryOpening, { text }: Masking) => {
  const maybe = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : text(name);
  return {
    callId: text(opening.callId),
    tool: text(opening.tool),
    session: maybe(opening.session),
    correlationId: maybe(opening.correlationId),
    ...(opening.user === undefined ? {} : { user: text(opening.user) }),
    ...(opening.tenant === undefined ? {} : { tenant: text(opening.tenant) }),
    ...(opening.key === undefined ? {} : { key: text(opening.key) }),
    ...(opening.operator === undefined ? {} : { operator: text(opening.operator) }),
  };
};

export const maskOpening = (opening: EntryOpening, masking: Masking): EntryOpening => ({
  ...opening,
  ...maskNames(opening, masking),
  input: maskOrKeepExact(opening.input, masking),
  inputHash: opening.inputHash ?? hashText(opening.input),
});

export const maskIntent = (intent: StartIntent, masking: Masking): StartIntent =>
  intent.decision === undefined ? intent : { ...intent, decision: maskLedgerText(intent.decision, masking) };

/** An approval keeps its exact arguments, because the call continues with them. */
export const maskClosing = (closing: EntryClosing, masking: Masking): EntryClosing => {
  const mask = (text: string): string => maskOrKeepExact(text, masking);
  const maybe = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : mask(text);
  const { provenance, parts: _, ...rest } = closing;
  return {
    ...rest,
    decision: maybe(closing.decision),
    message: maybe(closing.message),
    result: maybe(closing.result),
    original: maybe(closing.original),
    notes: closing.notes.map(mask),
    ...(closing.ranWith === undefined ? {} : { ranWith: mask(closing.ranWith) }),
    ...(closing.settlement === undefined ? {} : { settlement: maskSettlement(closing.settlement, mask) }),
    ...(provenance === undefined ? {} : { provenance: maskProvenance(provenance, mask) }),
  };
};

interface JointMasking {
  readonly masking: Masking;
  /** Adds a masking until the returned function is called. */
  readonly add: (more: Masking) => () => void;
}

/** For runtimes that share a ledger. */
export const createJointMasking = (first: Masking): JointMasking => {
  let all: readonly Masking[] = [first];
  return {
    masking: {
      text: (text) => {
        let safe = first.text(text);
        for (let i = 1; i < all.length; i++) safe = all[i]!.text(safe);
        return safe;
      },
      value: (value) => {
        let safe = first.value(value);
        for (let i = 1; i < all.length; i++) safe = all[i]!.value(safe);
        return safe;
      },
    },
    add: (more) => {
      all = [...all, more];
      return () => {
        all = all.filter((each) => each !== more);
      };
    },
  };
};
