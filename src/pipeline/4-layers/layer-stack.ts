import type { AnyLayer, Handler, LayerScopes } from "../../words/layer.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { AnyTool } from "../../words/tool.ts";

/** The layers of one tool in one place, put around the gate. */
export interface Stack {
  readonly handler: Handler;
  /** Layers that have a say before anything runs, outermost first. */
  readonly approvers: readonly AnyLayer[];
  /** What they are called, outermost first, for the ledger. */
  readonly labels: readonly string[];
  /** Whether one of them runs code of its author's, which may make calls of its own. */
  readonly runsCode: boolean;
}

/** Makes the innermost handler, by how an input that a layer changed is held against the schema. */
export type MakeGate = (mode: ToolSpec["validate"] | undefined) => Handler;

/**
 * Run outside agent outside tool outside the gate. Within a scope each layer wraps those named before
 * it, so the last named is outermost.
 */
export const stack = (layers: readonly AnyLayer[], makeGate: MakeGate): Stack => {
  let handler = makeGate(layers.find(({ validate }) => validate !== undefined)?.validate);
  for (const layer of layers) handler = layer(handler) as Handler;
  const outward = layers.toReversed();
  return {
    handler,
    approvers: outward.filter((layer) => layer.approve !== undefined),
    labels: Object.freeze(outward.map(({ label }) => label ?? "layer")),
    runsCode: layers.some(({ runsNoCode }) => runsNoCode !== true),
  };
};

export type StackOf = (tool: AnyTool, scopes: LayerScopes) => Stack;

/** Stacks are built once per tool and scopes, never per call. */
export const stacks = (operator: readonly AnyLayer[], makeGate: MakeGate): StackOf => {
  const built = new WeakMap<LayerScopes, WeakMap<AnyTool, Stack>>();
  return (tool, scopes) => {
    let ofScopes = built.get(scopes);
    if (ofScopes === undefined) {
      ofScopes = new WeakMap();
      built.set(scopes, ofScopes);
    }
    let made = ofScopes.get(tool);
    if (made === undefined) {
      made = stack([...tool.layers, ...scopes.agent, ...scopes.run, ...operator], makeGate);
      ofScopes.set(tool, made);
    }
    return made;
  };
};
