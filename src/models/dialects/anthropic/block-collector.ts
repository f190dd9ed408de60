import { readField, toItems, toTextOrEmpty } from "../model-reply.ts";

type Block = Record<string, unknown>;

export interface BlockCollector {
  readonly push: (event: unknown) => { readonly text: string; readonly thought: string };
  readonly text: () => string;
  readonly blocks: () => readonly Readonly<Block>[];
}

const isFirstPiece = (block: Block | undefined, piece: string): boolean => block?.thinking === piece;

const parseInput = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
};

/** The input of the model's own calls is collected elsewhere. */
export const blockCollector = (): BlockCollector => {
  const blocks: Block[] = [];
  /** Indexes restart with each message. */
  let open = new Map<unknown, Block>();
  const inputs = new Map<Block, string[]>();
  let text = "";
  let thought = "";
  let hasThought = false;

  const start = (event: unknown): string => {
    const block = { ...(readField(event, "content_block") as Block | undefined) };
    open.set(readField(event, "index"), block);
    blocks.push(block);
    if (block.type === "thinking") thought = toTextOrEmpty(block.thinking);
    return block.type === "text" ? toTextOrEmpty(block.text) : "";
  };

  const add = (event: unknown): string => {
    const block = open.get(readField(event, "index"));
    const delta = readField(event, "delta");
    if (block === undefined) return "";
    const grow = (key: string): string => {
      const more = toTextOrEmpty(readField(delta, key));
      block[key] = toTextOrEmpty(block[key]) + more;
      return more;
    };
    const type = readField(delta, "type");
    if (type === "text_delta") return grow("text");
    if (type === "citations_delta") {
      block.citations = [...toItems(block.citations), readField(delta, "citation")];
    } else if (type === "thinking_delta") thought = grow("thinking");
    else if (type === "signature_delta") grow("signature");
    else if (type === "input_json_delta" && block.type !== "tool_use") {
      const pieces = inputs.get(block) ?? [];
      pieces.push(toTextOrEmpty(readField(delta, "partial_json")));
      inputs.set(block, pieces);
    }
    return "";
  };

  const stop = (event: unknown): void => {
    const block = open.get(readField(event, "index"));
    const pieces = block && inputs.get(block);
    if (block !== undefined && pieces !== undefined) block.input = parseInput(pieces.join("") || "{}");
  };

  const push: BlockCollector["push"] = (event) => {
    const type = readField(event, "type");
    let more = "";
    thought = "";
    if (type === "message_start") open = new Map();
    else if (type === "content_block_start") more = start(event);
    else if (type === "content_block_delta") more = add(event);
    else if (type === "content_block_stop") stop(event);
    text += more;
    if (thought === "") return { text: more, thought };
    // Each further thinking block starts a paragraph.
    const isNext = hasThought && isFirstPiece(open.get(readField(event, "index")), thought);
    hasThought = true;
    return { text: more, thought: isNext ? `\n\n${thought}` : thought };
  };

  return { push, text: () => text, blocks: () => blocks };
};
