import { ConfigurationError } from "../types/errors.ts";

/** `what` is the subject of the message, such as `The tool "refund"`. */
export const checkLayers = (what: string, layers: readonly unknown[]): void => {
  const position = layers.findIndex((layer) => typeof layer !== "function");
  if (position === -1) return;
  throw new ConfigurationError(
    "invalid_config",
    `${what} has a layer that is ${layers[position] === undefined ? "undefined" : `of type ${typeof layers[position]}`}; layers must be functions. Use one from haft/layers, such as retry(), or create one with asyncLayer(…).`,
  );
};
