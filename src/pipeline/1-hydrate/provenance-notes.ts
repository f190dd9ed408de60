import type { Change, ProvenanceNote, ValidatorNote } from "../../words/hydration.ts";
import type { AnyTool } from "../../words/tool.ts";
import type { Validator } from "../../words/validator.ts";

const none: readonly Change[] = Object.freeze([]);

/** A tool's calls mostly differ in nothing that is noted here, so each tool has one note for the rule. */
const passed = new WeakMap<AnyTool, ProvenanceNote>();

/** What is noted of arguments that were used as they came. */
export const notePassed = (tool: AnyTool): ProvenanceNote => {
  const before = passed.get(tool);
  if (before !== undefined) return before;
  const note = Object.freeze({ ...noteOf(tool), validated: tool.spec.noSchemaMode === undefined });
  passed.set(tool, note);
  return note;
};

/** What is noted of arguments that broke the schema, or could not be read. */
export const noteRefused = (tool: AnyTool): ProvenanceNote => ({ ...noteOf(tool), validated: false });

export const noteRepaired = (tool: AnyTool, changes: readonly Change[]): ProvenanceNote => ({
  ...notePassed(tool),
  repaired: true,
  changes: Object.freeze(changes),
});

/** What a repairer answered is no less repaired for being valid. */
export const noteModelRepair = (note: ProvenanceNote, change: Change): ProvenanceNote => ({
  ...note,
  repaired: true,
  changes: Object.freeze([change]),
});

/** Most calls have neither: they keep the one note of their tool. */
export const withOrigin = (
  note: ProvenanceNote,
  part: string | undefined,
  validationMs: number | undefined,
): ProvenanceNote =>
  part === undefined && validationMs === undefined
    ? note
    : {
        ...note,
        ...(part === undefined ? {} : { part }),
        ...(validationMs === undefined ? {} : { validationMs }),
      };

const noteOf = (tool: AnyTool): Omit<ProvenanceNote, "validated"> => {
  const { noSchemaMode } = tool.spec;
  return noSchemaMode === undefined
    ? { validator: toValidatorNote(tool.input), repaired: false, changes: none }
    : { validator: null, repaired: false, changes: none, noSchemaMode };
};

/** An engine says its name and version in one text, such as `haft schema 1 + zod`. */
export const toValidatorNote = ({ engine, compiledAt = "definition" }: Validator): ValidatorNote => {
  const version = /\d[\w.-]*/.exec(engine)?.[0] ?? "";
  const name = version === "" ? engine : engine.replace(` ${version}`, "");
  return Object.freeze({ name, version, compiledAt });
};
