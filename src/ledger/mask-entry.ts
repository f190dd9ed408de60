import { hashText } from "../base/json/hash.ts";
import { readJson } from "../base/json/read-json.ts";
import type { ProvenanceNote } from "../types/hydration.ts";
import type { EntryClosing, EntryOpening, Masking, StartIntent } from "../types/ledger.ts";
import { maskJsonText } from "./mask-json-text.ts";
import { maskSettlement } from "./mask-settlement.ts";

/** Avoids parsing texts that cannot be JSON. */
const isPossiblyJson = (text: string): boolean => /^\s*(?:[{["\d-]|(?:true|false|null)\s*$)/.test(text);

/** JSON is masked as a value, so that key names count. What the strict reader refuses is masked in place. */
export const maskLedgerText = (text: string, masking: Masking): string => {
  if (!isPossiblyJson(text)) return String(masking.value(text));
  const reading = readJson(text, unlimitedLength);
  if (reading.ok) return JSON.stringify(masking.value(reading.value));
  return isJson(text) ? maskJsonText(text, masking) : String(masking.value(text));
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
