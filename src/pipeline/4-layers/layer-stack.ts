import type { AnyLayer, Handler, LayerScopes } from "../../types/layer.ts";
import type { ToolSpec } from "../../types/spec.ts";
import type { AnyTool } from "../../types/tool.ts";

export interface LayerStack {
  readonly handler: Handler;
  readonly approvers: readonly AnyLayer[];
  readonly labels: readonly string[];
  /** Whether a layer runs user code, which may make calls. */
  readonly runsCode: boolean;
}

export type GateFactory = (mode: ToolSpec["validate"] | undefined) => Handler;

/** The last layer is outermost. */
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
