import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import type { ModelEvent } from "../../types/model.ts";
import { deltaOf } from "../dialects/model-reply.ts";
import type { AiSdkResult } from "./echo.ts";

type Block = Record<string, unknown>;

/** Pieces are joined once, at the end of the block. */
interface OpenBlock {
  readonly block: Block;
  readonly field: "text" | "input";
  readonly pieces: string[];
}

const blockStarters: Readonly<Record<string, (part: JsonObject) => Block>> = {
  "text-start": () => ({ type: "text" }),
  "reasoning-start": () => ({ type: "reasoning" }),
  "tool-input-start": ({ id, toolName }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName,
    incomplete: true,
  }),
};

const deltaTypes: ReadonlySet<string> = new Set(["text-delta", "reasoning-delta", "tool-input-delta"]);
const endTypes: ReadonlySet<string> = new Set(["text-end", "reasoning-end"]);
/** All other parts are content, even if unknown. */
const controlTypes: ReadonlySet<string> = new Set([
  "stream-start",
  "response-metadata",
  "tool-input-end",
  "finish",
  "error",
  "raw",
  ...endTypes,
]);

/** Ids are unique only within text, reasoning and calls. */
const blockKey = (type: string, id: unknown): string => `${type.split("-", 1)[0]} ${String(id)}`;

/** The last metadata of a block contains the signature. */
const addSignature = (block: Block, { providerMetadata }: JsonObject): void => {
  if (providerMetadata !== undefined) block.providerMetadata = providerMetadata;
};

export const streamCollector = () => {
  const content: Block[] = [];
  const open = new Map<string, OpenBlock>();
  const announced = new Set<unknown>();
  let finish: JsonObject | undefined;

  const close = (key: string): Block | undefined => {
    const ended = open.get(key);
    if (ended === undefined) return undefined;
    open.delete(key);
    ended.block[ended.field] = ended.pieces.join("");
    return ended.block;
  };

  const announce = (id: unknown, tool: unknown): ModelEvent[] => {
    if (announced.has(id)) return [];
    announced.add(id);
    return [{ kind: "call", id: String(id), tool: String(tool) }];
  };

  const start = (key: string, block: Block, part: JsonObject): ModelEvent[] => {
    close(key);
    addSignature(block, part);
    content.push(block);
    const isCall = block.type === "tool-call";
    open.set(key, { block, field: isCall ? "input" : "text", pieces: [] });
    return isCall ? announce(part.id, part.toolName) : [];
  };

  const add = (key: string, part: JsonObject): ModelEvent[] => {
    const at = open.get(key);
    if (at === undefined || typeof part.delta !== "string") return [];
    at.pieces.push(part.delta);
    addSignature(at.block, part);
    const { type } = at.block;
    return type === "text" || type === "reasoning" ? [...deltaOf(type, part.delta)] : [];
  };

  const settle = (part: JsonObject): ModelEvent[] => {
    const startedBlock = close(blockKey("tool", part.toolCallId));
    if (startedBlock === undefined) content.push({ ...part });
    else Object.assign(startedBlock, part, { incomplete: false });
    return announce(part.toolCallId, part.toolName);
  };

  return {
    push: (part: unknown): ModelEvent[] => {
      if (!isObject(part) || typeof part.type !== "string") return [];
      const { type } = part;
      const key = blockKey(type, part.id);
      const begin = Object.hasOwn(blockStarters, type) ? blockStarters[type] : undefined;
      if (begin !== undefined) return start(key, begin(part), part);
      if (deltaTypes.has(type)) return add(key, part);
      if (type === "tool-call") return settle(part);
      if (type === "finish") finish = part;
      if (!controlTypes.has(type)) content.push({ ...part });
      const ended = endTypes.has(type) ? close(key) : undefined;
      if (ended !== undefined) addSignature(ended, part);
      return [];
    },
    result: (): AiSdkResult | undefined => {
      for (const key of [...open.keys()]) close(key);
      return (
        finish && {
          content,
          finishReason: finish.finishReason,
          usage: finish.usage,
          providerMetadata: finish.providerMetadata,
        }
      );
    },
  };
};
