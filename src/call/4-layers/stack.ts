import type { AnyLayer, Handler } from "../../words/layer.ts";
import type { AnyTool } from "../../words/tool.ts";

/** The layers a run and its agent bring. The object's identity keys the stacks built for it. */
export interface Scopes {
  readonly run: readonly AnyLayer[];
  readonly agent: readonly AnyLayer[];
}

/** One and the same, so that stacks for no scopes are built once. */
export const noScopes: Scopes = Object.freeze({ run: Object.freeze([]), agent: Object.freeze([]) });

export interface Stack {
  readonly handler: Handler;
  /** Layers that have a say before anything runs, outermost first. */
  readonly approvers: readonly AnyLayer[];
  /** What they are called, outermost first, for the ledger. */
  readonly labels: readonly string[];
}

/**
 * Run outside agent outside tool outside base. Within a scope each layer wraps those named before
 * it, so the last named is outermost.
 */
export const stack = (layers: readonly AnyLayer[], base: Handler): Stack => {
  let handler = base;
  for (const layer of layers) handler = layer(handler) as Handler;
  const outward = layers.toReversed();
  return {
    handler,
    approvers: outward.filter((layer) => layer.approve !== undefined),
    labels: Object.freeze(outward.map(({ label }) => label ?? "layer")),
  };
};

/** Stacks are built once per tool and scopes, never per call. */
export const stacks = (
  operator: readonly AnyLayer[],
  base: Handler,
): ((tool: AnyTool, scopes: Scopes) => Stack) => {
  const built = new WeakMap<Scopes, WeakMap<AnyTool, Stack>>();
  return (tool, scopes) => {
    let ofScopes = built.get(scopes);
    if (ofScopes === undefined) {
      ofScopes = new WeakMap();
      built.set(scopes, ofScopes);
    }
    let made = ofScopes.get(tool);
    if (made === undefined) {
      made = stack([...tool.layers, ...scopes.agent, ...scopes.run, ...operator], base);
      ofScopes.set(tool, made);
    }
    return made;
  };
};
