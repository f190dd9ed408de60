import type { RepairMode } from "../words/hydration.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { Validator } from "../words/validator.ts";
import { type ReadArguments, type RefusedArguments, readArguments } from "./1-hydrate/read-arguments.ts";

/** A text that is held against a spec as if it were the arguments of a call to it. */
export interface TextForSpec {
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
}: TextForSpec): ReadArguments | RefusedArguments =>
  readArguments(
    { spec, validate },
    { id: spec.name, tool: spec.name, input: text, ...(nulls === undefined ? {} : { nulls }) },
    { limits: undefined, repair },
  );
