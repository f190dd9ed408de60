import { field, itemsOf, textIn } from "../reply.ts";

type Block = Record<string, unknown>;

export interface BlockCollector {
  /** The pieces of text and of thoughts that this event adds. */
  readonly push: (event: unknown) => { readonly text: string; readonly thought: string };
  readonly text: () => string;
  readonly blocks: () => readonly Readonly<Block>[];
}

const isFirstPiece = (block: Block | undefined, piece: string): boolean => block?.thinking === piece;

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
};

/** Blocks by the events that they come in. The input of the model's own calls is not gathered here. */
export const blockCollector = (): BlockCollector => {
  const blocks: Block[] = [];
  /** By index, which starts again with each message. */
  let open = new Map<unknown, Block>();
  const inputs = new Map<Block, string[]>();
  let text = "";
  let thought = "";
  let hasThought = false;

  const start = (event: unknown): string => {
    const block = { ...(field(event, "content_block") as Block | undefined) };
    open.set(field(event, "index"), block);
    blocks.push(block);
    if (block.type === "thinking") thought = textIn(block.thinking);
    return block.type === "text" ? textIn(block.text) : "";
  };

  const add = (event: unknown): string => {
    const block = open.get(field(event, "index"));
    const delta = field(event, "delta");
    if (block === undefined) return "";
    const grow = (key: string): string => {
      const more = textIn(field(delta, key));
      block[key] = textIn(block[key]) + more;
      return more;
    };
    const type = field(delta, "type");
    if (type === "text_delta") return grow("text");
    if (type === "citations_delta") {
      block.citations = [...itemsOf(block.citations), field(delta, "citation")];
    } else if (type === "thinking_delta") thought = grow("thinking");
    else if (type === "signature_delta") grow("signature");
    else if (type === "input_json_delta" && block.type !== "tool_use") {
      const pieces = inputs.get(block) ?? [];
      pieces.push(textIn(field(delta, "partial_json")));
      inputs.set(block, pieces);
    }
    return "";
  };

  const stop = (event: unknown): void => {
    const block = open.get(field(event, "index"));
    const pieces = block && inputs.get(block);
    if (block !== undefined && pieces !== undefined) block.input = parsed(pieces.join("") || "{}");
  };

  const push: BlockCollector["push"] = (event) => {
    const type = field(event, "type");
    let more = "";
    thought = "";
    if (type === "message_start") open = new Map();
    else if (type === "content_block_start") more = start(event);
    else if (type === "content_block_delta") more = add(event);
    else if (type === "content_block_stop") stop(event);
    text += more;
    if (thought === "") return { text: more, thought };
    // A block of thoughts after another begins a paragraph of its own.
    const isNext = hasThought && isFirstPiece(open.get(field(event, "index")), thought);
    hasThought = true;
    return { text: more, thought: isNext ? `\n\n${thought}` : thought };
  };

  return { push, text: () => text, blocks: () => blocks };
};
