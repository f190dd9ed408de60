import { compileSchema } from "../../base/schema/compile-schema.ts";
import { customValidatorOf } from "../../tools/custom-validator.ts";
import type { HydrationError, ValidatorNote } from "../../types/hydration.ts";
import type { ToolSpec } from "../../types/spec.ts";
import type { Validator } from "../../types/validator.ts";
import { toValidatorNote } from "./provenance-notes.ts";

export interface CompiledSpec {
  readonly validate: Validator;
  readonly note: ValidatorNote | null;
  readonly fillsDefaults: boolean;
  readonly isPlain: boolean;
  readonly problem: HydrationError | undefined;
}

const compiledSpecs = new WeakMap<ToolSpec, CompiledSpec>();

export const compiledSpecOf = (spec: ToolSpec): CompiledSpec => {
  const before = compiledSpecs.get(spec);
  if (before !== undefined) return before;
  const ready = compileSpec(spec);
  compiledSpecs.set(spec, ready);
  return ready;
};

const compileSpec = (spec: ToolSpec): CompiledSpec => {
  try {
    const validate =
      customValidatorOf(spec) ??
      Object.assign(compileSchema(spec.input), { compiledAt: "hydration" } as const);
    const note = spec.noSchemaMode === undefined ? toValidatorNote(validate) : null;
    const fillsDefaults = JSON.stringify(spec.input).includes('"default"');
    return { validate, note, fillsDefaults, isPlain: !fillsDefaults && note !== null, problem: undefined };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The arguments of "${spec.name}" cannot be judged: ${why}`;
    return {
      validate: rejectAll,
      note: null,
      fillsDefaults: false,
      isPlain: false,
      problem: { stage: "validate", message },
    };
  }
};

const rejectAll: Validator = Object.assign(() => ({ ok: false, issues: [] }) as const, { engine: "none" });
