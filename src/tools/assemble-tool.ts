import { ConfigurationError } from "../types/errors.ts";
import type {
  AnyLayer,
  AnyTool,
  EffectKey,
  Implementation,
  Reconcile,
  ToolSpec,
  Validator,
} from "../types/tool.ts";
import { keepCustom } from "./read-definition.ts";
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

/** `what` is the subject of the message, such as `The tool "refund"`. */
export const checkLayers = (what: string, layers: readonly unknown[]): void => {
  const position = layers.findIndex((layer) => typeof layer !== "function");
  if (position === -1) return;
  throw new ConfigurationError(
    "invalid_config",
    `${what} has a layer that is ${layers[position] === undefined ? "undefined" : `of type ${typeof layers[position]}`}; layers must be functions. Use one from haft/layers, such as retry(), or create one with asyncLayer(…).`,
  );
};
