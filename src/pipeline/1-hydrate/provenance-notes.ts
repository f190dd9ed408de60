import type { Change, ProvenanceNote, ValidatorNote } from "../../types/hydration.ts";
import type { AnyTool } from "../../types/tool.ts";
import type { Validator } from "../../types/validator.ts";

const noChanges: readonly Change[] = Object.freeze([]);

const passedNotes = new WeakMap<AnyTool, ProvenanceNote>();

export const toPassedNote = (tool: AnyTool): ProvenanceNote => {
  const before = passedNotes.get(tool);
  if (before !== undefined) return before;
  const note = Object.freeze({ ...baseNoteOf(tool), validated: tool.spec.noSchemaMode === undefined });
  passedNotes.set(tool, note);
  return note;
};

export const toRefusedNote = (tool: AnyTool): ProvenanceNote => ({ ...baseNoteOf(tool), validated: false });

export const toRepairedNote = (tool: AnyTool, changes: readonly Change[]): ProvenanceNote => ({
  ...toPassedNote(tool),
  repaired: true,
  changes: Object.freeze(changes),
});

export const toModelRepairNote = (note: ProvenanceNote, change: Change): ProvenanceNote => ({
  ...note,
  repaired: true,
  changes: Object.freeze([change]),
});

export const withPartAndTiming = (
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

const baseNoteOf = (tool: AnyTool): Omit<ProvenanceNote, "validated"> => {
  const { noSchemaMode } = tool.spec;
  return noSchemaMode === undefined
    ? { validator: toValidatorNote(tool.input), repaired: false, changes: noChanges }
    : { validator: null, repaired: false, changes: noChanges, noSchemaMode };
};

export const toValidatorNote = ({ engine, compiledAt = "definition" }: Validator): ValidatorNote => {
  const version = /\d[\w.-]*/.exec(engine)?.[0] ?? "";
  const name = version === "" ? engine : engine.replace(` ${version}`, "");
  return Object.freeze({ name, version, compiledAt });
};
