import type { AnyLayer, Handler, LayerScopes } from "../../types/layer.ts";
import type { ToolSpec } from "../../types/spec.ts";
import type { AnyTool } from "../../types/tool.ts";

/** The layers of one tool in one place, put around the gate. */
export interface LayerStack {
  readonly handler: Handler;
  /** Layers that have a say before anything runs, outermost first. */
  readonly approvers: readonly AnyLayer[];
  /** What they are called, outermost first, for the ledger. */
  readonly labels: readonly string[];
  /** Whether one of them runs code of its author's, which may make calls of its own. */
  readonly runsCode: boolean;
}

/** Makes the innermost handler, by how an input that a layer changed is held against the schema. */
export type GateFactory = (mode: ToolSpec["validate"] | undefined) => Handler;

/**
 * Run outside agent outside tool outside the gate. Within a scope each layer wraps those named before
 * it, so the last named is outermost.
 */
export const buildLayerStack = (layers: readonly AnyLayer[], makeGate: GateFactory): LayerStack => {
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

export type LayerStackLookup = (tool: AnyTool, scopes: LayerScopes) => LayerStack;

/** Stacks are built once per tool and scopes, never per call. */
export const createLayerStackCache = (
  operator: readonly AnyLayer[],
  makeGate: GateFactory,
): LayerStackLookup => {
  const built = new WeakMap<LayerScopes, WeakMap<AnyTool, LayerStack>>();
  return (tool, scopes) => {
    let ofScopes = built.get(scopes);
    if (ofScopes === undefined) {
      ofScopes = new WeakMap();
      built.set(scopes, ofScopes);
    }
    let layerStack = ofScopes.get(tool);
    if (layerStack === undefined) {
      layerStack = buildLayerStack([...tool.layers, ...scopes.agent, ...scopes.run, ...operator], makeGate);
      ofScopes.set(tool, layerStack);
    }
    return layerStack;
  };
};
