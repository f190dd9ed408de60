import type { AnyLayer } from "../words/layer.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool, Implementation } from "../words/tool.ts";
import type { Validator } from "../words/validator.ts";
import { checkName } from "./name.ts";

export interface Parts {
  readonly spec: ToolSpec;
  readonly implementation: Implementation<unknown>;
  readonly layers: readonly AnyLayer[];
  readonly input: Validator;
  readonly output: Validator | undefined;
}

/** A tool of its parts. Each change of one makes another tool. */
export const assemble = (parts: Parts): AnyTool => {
  const { output, ...rest } = parts;
  return Object.freeze({
    ...rest,
    ...(output === undefined ? {} : { output }),
    layer: (...more: readonly AnyLayer[]) =>
      assemble({ ...parts, layers: Object.freeze([...parts.layers, ...more]) }),
    withName: (name: string) => {
      checkName(name);
      return assemble({ ...parts, spec: Object.freeze({ ...parts.spec, name }) });
    },
  }) as AnyTool;
};
