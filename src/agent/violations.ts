/** All violation codes with their meanings. */
export const violations = Object.freeze({
  not_a_conversation: "The value is not a list of messages.",
  not_a_message: "The entry is not an object that can be read.",
  unknown_role: "The role is not system, user, assistant or tool.",
  wrong_field: "A field of the message has another type than its role wants.",
  system_not_first: "A system message is not the first message.",
  empty_user: "A user message is empty.",
  empty_assistant: "An assistant message has no text, calls or media.",
  bad_part: "A part of a message is not a valid text, image, audio or file part.",
  too_many_parts: "A message has too many parts.",
  not_a_call: "An entry of an assistant message's calls is not an object that can be read.",
  empty_call_id: "A call, or the reply to one, has no id.",
  duplicate_call_id: "Two calls have the same id, in one message or in two.",
  empty_tool_name: "A call names no tool.",
  missing_reply: "A call has no reply; this includes the end of the conversation.",
  duplicate_reply: "A call has a second reply.",
  unknown_reply: "A reply belongs to no call before it.",
  unwanted_reply: "A reply belongs to a call that the provider ran itself.",
  out_of_order_reply: "A reply comes after the reply to a later call of the same message.",
  interrupted_replies: "Another message is between calls and their replies.",
  wrong_tool_name: "A reply names another tool than its call.",
} as const satisfies Record<string, string>);

/** Code of a violation. */
export type ViolationCode = keyof typeof violations;

/** A violation of the conversation rules. Plain JSON. */
export interface Violation {
  readonly code: ViolationCode;
  /** Index of the message; for a missing reply, that of the call. */
  readonly index: number;
  readonly callId?: string;
  /** The problem and its remedy. */
  readonly message: string;
}
