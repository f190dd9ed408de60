import type { RepairMode } from "../types/hydration.ts";
import type { ToolSpec, Validator } from "../types/tool.ts";
import { type AcceptedArguments, type RefusedArguments, readArguments } from "./1-hydrate/read-arguments.ts";

export interface SpecText {
  readonly spec: ToolSpec;
  readonly validate: Validator;
  readonly text: string;
  readonly nulls?: readonly string[] | undefined;
  readonly repair: RepairMode;
}

/** Reads a model's answer by the rules of stage 1. */
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
