import { z } from "zod";

export const toolName = "get_weather";
export const toolDescription = "Current weather for a place";
export const prompt = "How is the weather?";
export const finalText = "It is mild.";

export const input = z.object({
  location: z.string(),
  format: z.enum(["celsius", "fahrenheit"]),
  days: z.number().int(),
  detailed: z.boolean(),
});
export const output = z.object({ degrees: z.number(), text: z.string() });

export type Input = z.infer<typeof input>;
export type Output = z.infer<typeof output>;

export const run = (given: Input): Output => ({ degrees: 18 + given.days, text: given.location });

const given: Input = { location: "San Francisco, CA", format: "celsius", days: 3, detailed: true };
const givenText = JSON.stringify(given);

/** The expected result of every call. */
export const expected: Output = run(given);

export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
}

export type ModelReply =
  | { readonly kind: "calls"; readonly calls: readonly ModelCall[] }
  | { readonly kind: "text"; readonly text: string };

/** Makes its calls in the first request of a turn and answers with text in the second. */
export const fakeModel = (calls: number): (() => Promise<ModelReply>) => {
  let begun = false;
  return async () => {
    begun = !begun;
    if (!begun) return { kind: "text", text: finalText };
    const asked = Array.from({ length: calls }, (_, index) => ({
      id: `call_${index}`,
      tool: toolName,
      input: givenText,
    }));
    return { kind: "calls", calls: asked };
  };
};
