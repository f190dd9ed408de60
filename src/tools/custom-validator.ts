import type { ToolSpec } from "../types/spec.ts";
import type { Validator } from "../types/validator.ts";

const custom = new WeakSet<Validator>();
const bySpec = new WeakMap<ToolSpec, Validator>();

/** Marks a validator that a definition brought, in the place of the built-in one. */
export const markCustom = (validator: Validator): Validator => {
  custom.add(validator);
  return validator;
};

export const keepCustom = (spec: ToolSpec, validator: Validator): void => {
  if (custom.has(validator)) bySpec.set(spec, validator);
};

/** The validator that the tool of this very spec was defined with; nothing for specs that were read or copied. */
export const customValidatorOf = (spec: ToolSpec): Validator | undefined => bySpec.get(spec);
