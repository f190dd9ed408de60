import type { FlagCode } from "../../../mcp/lock/flags/flag.ts";

/** Explanations for reviewers. */
export const flagMeanings: Readonly<Record<FlagCode, string>> = {
  tag_characters:
    "Characters of the Unicode tag block are invisible to people and read by models: text may be hidden in them.",
  invisible_characters:
    "Characters without width stand between visible ones. Models read them, people do not see them.",
  bidi_controls: "Characters that turn the direction of writing make a text look other than it is read.",
  private_use:
    "Characters without a meaning of their own may stand for something that only the author knows.",
  control_characters: "Control characters have no place in a description.",
  terminal_escapes: "Escape sequences can repaint a terminal on which the text is shown.",
  look_alike_name: "The name has letters that look like others, so it can be taken for another tool.",
  look_alike_parameter: "A parameter's name has letters that look like others.",
  cross_tool_instruction: "The text tells a model how to use other tools, which is not this tool's to say.",
  hides_from_user: "The text asks a model to keep something from its user.",
  overrides_instructions: "The text tells a model to put aside what it was told before.",
  instruction_markup: "The text has marks with which instructions to models begin.",
  reads_secrets: "The text asks a model to read keys, passwords or files that hold some.",
  asks_for_secrets: "A parameter asks for a secret.",
  asks_for_conversation: "A parameter asks for the conversation or the instructions of the model.",
  encoded_blob: "A long encoded text stands in the definition; nobody can read what it says.",
  long_text: "The text is far longer than descriptions are. Something may be hidden in it.",
  padded_text: "Much empty space stands in the text, behind which more follows.",
  link_with_data: "An address in the text has room for data that a model would fill in.",
  hidden_comment: "A comment stands in the text that a page would not show.",
  unsearchable: "The text is too long or too deep to be searched for dangers.",
};
