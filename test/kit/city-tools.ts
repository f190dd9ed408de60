import { tool } from "../../src/index.ts";

const toolOf = (name: string, description: string) =>
  tool({
    name,
    description,
    input: { type: "object", properties: { city: { type: "string" } } },
    run: () => `${name} ran`,
  });

/** Three tools that a provider's search can choose from. */
export const cityTools = [
  toolOf("get_weather", "The weather of a city"),
  toolOf("book_hotel", "Books a hotel in a city"),
  toolOf("ask_person", "Asks a person"),
];
