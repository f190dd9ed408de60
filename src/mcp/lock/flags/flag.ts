import { lookalikeOf } from "../../../tools/tool-name.ts";

/** Stable: lockfiles contain accepted codes. */
export type FlagCode =
  | "tag_characters"
  | "invisible_characters"
  | "bidi_controls"
  | "private_use"
  | "control_characters"
  | "terminal_escapes"
  | "look_alike_name"
  | "look_alike_parameter"
  | "cross_tool_instruction"
  | "hides_from_user"
  | "overrides_instructions"
  | "instruction_markup"
  | "reads_secrets"
  | "asks_for_secrets"
  | "asks_for_conversation"
  | "encoded_blob"
  | "long_text"
  | "padded_text"
  | "link_with_data"
  | "hidden_comment"
  | "unsearchable";

export type FlagSeverity = "danger" | "notice";

export interface DefinitionFlag {
  readonly code: FlagCode;
  readonly severity: FlagSeverity;
  /** JSON pointer into the definition. */
  readonly pointer: string;
  /** Shortened, with invisible characters escaped. */
  readonly excerpt: string;
}

export interface FlagMatch {
  readonly code: FlagCode;
  readonly severity: FlagSeverity;
  readonly excerpt: string;
}

const asciiPattern = /^[\t\n\r\x20-\x7e]*$/;
const invisibleCharacters = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Approximates how a model reads the text. */
export const foldLookalikes = (text: string): string => {
  if (asciiPattern.test(text)) return text;
  let plain = "";
  for (const character of text.replace(invisibleCharacters, "").normalize("NFKC"))
    plain += lookalikeOf(character) ?? character;
  return plain;
};
