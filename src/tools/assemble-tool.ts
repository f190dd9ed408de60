import type { AnyLayer } from "../types/layer.ts";
import type { ToolSpec } from "../types/spec.ts";
import type { AnyTool, EffectKey, Implementation, Reconcile } from "../types/tool.ts";
import type { Validator } from "../types/validator.ts";
import { checkLayers } from "./check-layers.ts";
import { keepCustom } from "./custom-validator.ts";
import { checkToolName } from "./tool-name.ts";

export interface ToolParts {
  readonly spec: ToolSpec;
  readonly implementation: Implementation<unknown>;
  readonly layers: readonly AnyLayer[];
  readonly input: Validator;
  readonly output: Validator | undefined;
  readonly key?: EffectKey | undefined;
  readonly reconcile?: Reconcile | undefined;
}

export const assembleTool = (parts: ToolParts): AnyTool => {
  const { output, key, reconcile, ...rest } = parts;
  keepCustom(parts.spec, parts.input);
  return Object.freeze({
    ...rest,
    ...(output === undefined ? {} : { output }),
    ...(key === undefined ? {} : { key }),
    ...(reconcile === undefined ? {} : { reconcile }),
    layer: (...more: readonly AnyLayer[]) => {
      checkLayers(`The tool "${parts.spec.name}"`, more);
      return assembleTool({ ...parts, layers: Object.freeze([...parts.layers, ...more]) });
    },
    withName: (name: string) => {
      checkToolName(name);
      return assembleTool({ ...parts, spec: Object.freeze({ ...parts.spec, name }) });
    },
  }) as AnyTool;
};
