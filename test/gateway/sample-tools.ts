import { tool } from "../../src/tools/tool.ts";
import type { AnyTool } from "../../src/types/tool.ts";

const verbs = ["list", "read", "create", "update", "archive", "export", "count", "compare"];
const nouns = ["invoice", "customer", "ticket", "sensor", "recipe", "playlist", "voucher", "shipment"];

/** Filler tools with different descriptions. */
export const createFillerTools = (count: number): readonly AnyTool[] =>
  Array.from({ length: count }, (_, at) => {
    const [verb, noun] = [verbs[at % 8]!, nouns[Math.floor(at / 8) % 8]!];
    const shelf = Math.floor(at / 64);
    return tool({
      name: `${verb}_${noun}_${shelf}`,
      description: `${verb} one ${noun} of department ${shelf}. The department keeps its own records, and answers within a day.`,
      input: {
        type: "object",
        properties: {
          id: { type: "string", description: `Which ${noun} is meant, as the department names it` },
          reason: { type: "string", description: "Why, in a few words for the records" },
        },
        required: ["id"],
      },
      run: ({ id }) => ({ done: `${verb} ${noun} ${id}` }),
    }) as AnyTool;
  });

export const bookFlightTool = tool({
  name: "book_flight",
  description: "Book a flight between two cities. Answers with the number of the booking.",
  input: {
    type: "object",
    properties: { from: { type: "string" }, to: { type: "string" }, seats: { type: "integer" } },
    required: ["from", "to"],
    additionalProperties: false,
  },
  output: { type: "object", properties: { booking: { type: "string" } }, required: ["booking"] },
  run: ({ from, to, seats = 1 }) => ({ booking: `${from}-${to}-${seats}` }),
}) as AnyTool;

/** Each call of it requires approval. */
export const payFineTool = tool({
  name: "pay_parking_fine",
  description: "Pays a parking fine",
  input: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
  risk: "high",
  run: ({ amount }) => ({ paid: amount }),
}) as AnyTool;

export const launchRocketTool = tool({
  name: "launch_rocket",
  description: "Launches the rocket of the secret program",
  input: { type: "object", properties: { code: { type: "string" } } },
  run: () => ({ launched: true }),
}) as AnyTool;

export const brewCoffeeTool = tool({
  name: "brew_coffee",
  description: "Brews coffee and reports its progress",
  input: [],
  run: (_, { progress, signal }) => {
    progress({ progress: 1, total: 2, message: "grinding" });
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  },
}) as AnyTool;
