import type { Redactor } from "../json/redact.ts";
import type { ProvenanceNote } from "../words/hydration.ts";

/** Every JSON text begins with one of these or is one of the three words; reading any other only costs an exception. */
const mayBeJson = (text: string): boolean => /^\s*(?:[{["\d-]|(?:true|false|null)\s*$)/.test(text);

/** As a value where the text is JSON, so that key names count; else as the text it is. */
export const masked = (text: string, redactor: Redactor): string => {
  if (!mayBeJson(text)) return String(redactor.value(text));
  try {
    return JSON.stringify(redactor.value(JSON.parse(text)));
  } catch {
    return String(redactor.value(text));
  }
};

export const redactChanges = (provenance: ProvenanceNote, mask: (text: string) => string): ProvenanceNote =>
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
