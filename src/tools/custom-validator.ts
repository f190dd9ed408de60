import type { ToolSpec } from "../types/spec.ts";
import type { Validator } from "../types/validator.ts";

const custom = new WeakSet<Validator>();
const bySpec = new WeakMap<ToolSpec, Validator>();

export const markCustom = (validator: Validator): Validator => {
  custom.add(validator);
  return validator;
};

export const keepCustom = (spec: ToolSpec, validator: Validator): void => {
  if (custom.has(validator)) bySpec.set(spec, validator);
};

/** Undefined for specs that were read or copied. */
export const customValidatorOf = (spec: ToolSpec): Validator | undefined => bySpec.get(spec);
