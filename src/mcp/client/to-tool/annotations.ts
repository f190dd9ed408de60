import type { McpToolTerms, RemoteTool } from "../../../words/mcp.ts";
import type { Annotations } from "../../../words/spec.ts";
import { foreignWords } from "../transport/foreign-words.ts";

/**
 * What a server says of its tool counts against it. It counts in its favor only where the operator believes it: a
 * server that calls its tool harmless has proved nothing.
 */
export const annotationsOf = (remote: RemoteTool, { trustAnnotations }: McpToolTerms): Annotations => {
  const hints = remote.annotations ?? {};
  const isTrusted = trustAnnotations === true;
  const isDestructive = hints.destructiveHint === true;
  const title = titleOf(remote);
  return {
    ...(title === undefined ? {} : { title }),
    ...(isTrusted && hints.readOnlyHint === true && !isDestructive ? { readOnly: true } : {}),
    ...(isTrusted && hints.idempotentHint === true ? { idempotent: true } : {}),
    ...(isDestructive ? { destructive: true } : {}),
    ...(isTrusted && hints.destructiveHint === false ? { destructive: false } : {}),
    openWorld: !(isTrusted && hints.openWorldHint === false),
  };
};

const titleOf = (remote: RemoteTool): string | undefined => {
  const said = [remote.title, remote.annotations?.title].find((each) => typeof each === "string");
  const title = said === undefined ? "" : foreignWords(said);
  return title === "" ? undefined : title;
};
