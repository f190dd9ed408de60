import { compileSchema } from "../../schema/compile-schema.ts";
import type { HydrationError, ValidatorNote } from "../../words/hydration.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { Validator } from "../../words/validator.ts";
import { toValidatorNote } from "./note.ts";

/** A spec made ready to hold arguments against, once. */
export interface Ready {
  readonly validate: Validator;
  readonly note: ValidatorNote | null;
  readonly fillsDefaults: boolean;
  /** Its calls need nothing but reading and judging. */
  readonly isPlain: boolean;
  /** Why nothing can be held against this spec. */
  readonly problem: HydrationError | undefined;
}

const made = new WeakMap<ToolSpec, Ready>();

export const readyOf = (spec: ToolSpec): Ready => {
  const before = made.get(spec);
  if (before !== undefined) return before;
  const ready = toReady(spec);
  made.set(spec, ready);
  return ready;
};

const toReady = (spec: ToolSpec): Ready => {
  try {
    const validate = Object.assign(compileSchema(spec.input), { compiledAt: "hydration" } as const);
    const note = spec.noSchemaMode === undefined ? toValidatorNote(validate) : null;
    const fillsDefaults = JSON.stringify(spec.input).includes('"default"');
    return { validate, note, fillsDefaults, isPlain: !fillsDefaults && note !== null, problem: undefined };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The arguments of "${spec.name}" cannot be judged: ${why}`;
    return {
      validate: refuseAll,
      note: null,
      fillsDefaults: false,
      isPlain: false,
      problem: { stage: "validate", message },
    };
  }
};

const refuseAll: Validator = Object.assign(() => ({ ok: false, issues: [] }) as const, { engine: "none" });
