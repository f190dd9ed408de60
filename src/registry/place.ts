import { checkToolName, confusableKey } from "../tools/tool-name.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Registration, ToolOrigin } from "../types/tool.ts";
import { checkNamespace } from "./toolbox.ts";

/** Where a tool is registered. Internal tools have no namespace; all others need one. */
export interface ToolPlace {
  readonly origin: ToolOrigin;
  readonly namespace?: string;
  /** First segment of an organization's tools; default `org`. */
  readonly org?: string;
  /**
   * Takes the short name from an internal tool that has it. Default false, so that tools of a server cannot
   * replace existing ones.
   */
  readonly overrides?: boolean;
}

export const internalPlace: ToolPlace = Object.freeze({ origin: "internal" });

export const toFullName = (name: string, { origin, namespace, org }: ToolPlace): string => {
  checkToolName(name);
  if (origin === "internal") {
    if (namespace === undefined && org === undefined) return name;
    throw new ConfigurationError(
      "invalid_config",
      `The internal tool "${name}" has no namespace; set the origin "project" or "org" to put it in one.`,
    );
  }
  checkNamespace(namespace ?? "");
  if (origin === "project") {
    if (org === undefined) return `${namespace}/${name}`;
    throw new ConfigurationError(
      "invalid_config",
      `The project tool "${name}" has no org; its origin would be "org".`,
    );
  }
  const first = org ?? "org";
  checkNamespace(first);
  return `${first}/${namespace}/${name}`;
};

export const toLookalikeKey = (key: string): string => key.split("/").map(confusableKey).join("/");

export const namespaceOf = ({ key, origin }: Registration): string | undefined =>
  origin === "internal" ? undefined : key.split("/").at(-2);
