import { canonicalJson, hashText } from "../../base/json/canonical-json.ts";
import { headOf } from "../../base/text/cut-text.ts";
import type { EntryClosing, EntryOpening, Masking, StartIntent } from "../../types/ledger.ts";
import { toPlainAttempts } from "../ledger-errors.ts";
import { maskLedgerText, maskProvenance } from "../mask-entry.ts";

/** The payloads keep the exact texts. */
const maxTextLength = 32_768;
const maxNameLength = 1_000;

/** `exact` is undefined if the body contains everything. */
export interface StoredText {
  readonly body: string;
  readonly exact: string | undefined;
}

export interface RowTexts {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => { readonly shown: unknown; readonly isExact: boolean };
  readonly name: (name: string) => string;
  /** Masks only known secrets, in data that must stay readable. */
  readonly known: <A>(data: A) => A;
  readonly opened: (opening: EntryOpening) => StoredText;
  readonly started: (intent: StartIntent) => string;
  readonly closed: (closing: EntryClosing) => StoredText;
}

/** A database that altered these characters would break the hash. */
export const toStorableName = (name: string): string =>
  /[\0\ud800-\udfff]/.test(name) ? name.toWellFormed().replaceAll("\0", "\ufffd") : name;

/** JSON cannot represent NaN and Infinity. */
const finiteOrUndefined = (count: number | undefined): number | undefined =>
  Number.isFinite(count) ? count : undefined;

export const createRowTexts = (redactor: Masking): RowTexts => {
  // A secret at the cut would otherwise remain in part.
  const text = (whole: string): string => {
    const safe = maskLedgerText(whole, redactor);
    return safe.length > maxTextLength ? `${headOf(safe, maxTextLength)}…[cut]` : safe;
  };
  const maybe = (whole: string | undefined): string | undefined =>
    whole === undefined ? undefined : text(whole);
  const name = (whole: string): string => toStorableName(redactor.text(whole).slice(0, maxNameLength));
  const maybeName = (whole: string | undefined): string | undefined =>
    whole === undefined ? undefined : name(whole);

  return {
    text,
    name,
    known: (data) => JSON.parse(redactor.text(JSON.stringify(data))),
    value: (value) => {
      const shown = redactor.value(value);
      const safe = JSON.stringify(shown) ?? "null";
      if (safe.length > maxTextLength)
        return { shown: `${headOf(safe, maxTextLength)}…[cut]`, isExact: false };
      return { shown: JSON.parse(safe), isExact: safe === JSON.stringify(value) };
    },
    opened: (opening) => {
      const { input, agent, session, user, tenant, parentId } = opening;
      const shown = text(input);
      const isExact = shown === input;
      // Hashed as text, so the members only need a fixed order.
      const body = JSON.stringify({
        agent,
        callId: name(opening.callId),
        correlationId: maybeName(opening.correlationId),
        epoch: opening.epoch,
        input: shown,
        inputHash: hashText(input),
        isExact,
        key: maybeName(opening.key),
        operator: maybeName(opening.operator),
        parentId,
        session: maybeName(session),
        tenant: maybeName(tenant),
        tool: name(opening.tool),
        user: maybeName(user),
      });
      return { body, exact: isExact ? undefined : input };
    },
    started: ({ tool, decision, ruleIds, definition, implementation, layers }) =>
      canonicalJson({ tool, decision: maybe(decision), ruleIds, definition, implementation, layers }),
    closed: (closing) => {
      const { result, notes, provenance } = closing;
      const shown = maybe(result);
      const isExact = shown === result;
      const body = JSON.stringify({
        attempts: toPlainAttempts(closing.attempts),
        claimsNotRun: closing.claimsNotRun,
        code: closing.code,
        cost: finiteOrUndefined(closing.cost),
        decision: maybe(closing.decision),
        definition: closing.definition,
        durationMs: finiteOrUndefined(closing.durationMs),
        ending: closing.ending,
        flow: closing.flow,
        implementation: closing.implementation,
        isExact,
        layers: closing.layers,
        media: closing.media,
        message: maybe(closing.message),
        notes: notes.length === 0 ? undefined : notes.map(text),
        original: maybe(closing.original),
        handoff: closing.handoff,
        provenance: provenance === undefined ? undefined : maskProvenance(provenance, text),
        ran: closing.ran,
        ranWith: maybe(closing.ranWith),
        result: shown,
        ruleIds: closing.ruleIds,
        taints: closing.taints,
        tool: closing.tool,
      });
      return { body, exact: isExact ? undefined : result };
    },
  };
};
