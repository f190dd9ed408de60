import fc from "fast-check";
import { expect, it } from "vitest";
import { partMarkers, randomMediaConversation } from "../../../../test/kit/random-media.ts";
import { validateConversation } from "../../../agent/validate-conversation.ts";
import { isMedia, type MediaPart, type Message } from "../../../types/message.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import { toPrompt } from "../../from-ai-sdk.ts";
import { anthropicMedia, toAnthropicMessages } from "../anthropic/to-anthropic-messages.ts";
import { geminiMedia, toContents } from "../gemini/to-contents.ts";
import { toOllamaMessages } from "../ollama/to-messages.ts";
import { chatMedia, toOpenAIMessages } from "../openai/to-openai-messages.ts";
import { responsesMedia, toResponsesInput } from "../openai/to-responses-input.ts";
import { fitMedia } from "./fit-media.ts";

type Spell = (messages: readonly Message[]) => unknown;

const dialects: readonly (readonly [name: string, takes: AcceptedMedia | undefined, spell: Spell])[] = [
  ["OpenAI chat", chatMedia, toOpenAIMessages],
  ["OpenAI responses", responsesMedia, (messages) => toResponsesInput(messages)],
  ["Anthropic", anthropicMedia, (messages) => toAnthropicMessages(messages)],
  ["Gemini", geminiMedia, (messages) => toContents(messages)],
  ["Gemini with media in replies", geminiMedia, (messages) => toContents(messages, { mediaInReplies: true })],
  ["Ollama with images", { data: ["image/*"] }, toOllamaMessages],
  ["Ollama without images", undefined, toOllamaMessages],
  ["AI SDK v2", { data: ["*"] }, (messages) => toPrompt("w", messages, "v2")],
  ["AI SDK v3", { data: ["*"], url: ["*"] }, (messages) => toPrompt("w", messages, "v3")],
  ["AI SDK v4", { data: ["*"], url: ["*"] }, (messages) => toPrompt("w", messages, "v4")],
];

/** Returns every media part with its message and position. */
const placed = (messages: readonly Message[]) =>
  messages.flatMap((message, at) => {
    const parts = message.role === "user" ? message.content : message.role === "system" ? [] : message.parts;
    return (Array.isArray(parts) ? parts : []).flatMap((part, place) =>
      isMedia(part) ? [{ part: part as MediaPart, message: at, place }] : [],
    );
  });

const timesIn = (text: string, mark: string): number =>
  text.split(JSON.stringify(mark).slice(1, -1)).length - 1;

it.each(dialects)(
  "%s renders every media part once and in order or reports it as a loss",
  (_, takes, spell) => {
    let spelledParts = 0;
    let lostParts = 0;
    fc.assert(
      fc.property(randomMediaConversation, (messages) => {
        expect(validateConversation(messages)).toEqual([]);
        // The conversation survives serialization.
        expect(JSON.parse(JSON.stringify(messages))).toEqual(messages);
        const { messages: fitted, losses } = fitMedia(messages, takes);
        const text = JSON.stringify(spell(fitted));
        let last = { message: -1, at: -1 };
        for (const { part, message, place } of placed(messages)) {
          const isLost = losses.some((loss) => loss.message === message && loss.part === place);
          const [times, at] = partMarkers(part).reduce(
            ([sum, first], mark) => {
              const found = text.indexOf(JSON.stringify(mark).slice(1, -1));
              return [sum + timesIn(text, mark), found < 0 ? first : found] as const;
            },
            [0, -1] as readonly [number, number],
          );
          // The text that replaces a lost part contains its URL.
          expect(times).toBe(isLost && part.url === undefined ? 0 : 1);
          if (isLost) lostParts++;
          else {
            spelledParts++;
            // Text comes after a result and media may follow it, so order is kept separately within one
            // message.
            if (last.message === message && part.kind !== "file") expect(at).toBeGreaterThan(last.at);
            if (part.kind !== "file") last = { message, at };
          }
        }
        expect(losses.every(({ reason }) => reason.includes("takes"))).toBe(true);
      }),
      { numRuns: 200 },
    );
    expect(spelledParts + lostParts).toBeGreaterThan(100);
  },
);
