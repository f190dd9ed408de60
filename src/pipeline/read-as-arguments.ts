import type { RepairMode } from "../types/hydration.ts";
import type { ToolSpec } from "../types/spec.ts";
import type { Validator } from "../types/validator.ts";
import { type AcceptedArguments, type RefusedArguments, readArguments } from "./1-hydrate/read-arguments.ts";

/** A text that is held against a spec as if it were the arguments of a call to it. */
export interface SpecText {
  readonly spec: ToolSpec;
  readonly validate: Validator;
  readonly text: string;
  /** Where it says null for what it leaves out. */
  readonly nulls?: readonly string[] | undefined;
  readonly repair: RepairMode;
}

/** Reads by the rules of stage 1 what is no call: an answer. Nothing runs on it. */
export const readAsArguments = ({
  spec,
  validate,
  text,
  nulls,
  repair,
}: SpecText): AcceptedArguments | RefusedArguments =>
  readArguments(
    { spec, validate },
    { id: spec.name, tool: spec.name, input: text, ...(nulls === undefined ? {} : { nulls }) },
    { limits: undefined, repair },
  );
