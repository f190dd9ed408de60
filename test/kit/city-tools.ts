import { tool } from "../../src/exports/index.ts";

const cityTool = (name: string, description: string) =>
  tool({
    name,
    description,
    input: { type: "object", properties: { city: { type: "string" } } },
    run: () => `${name} ran`,
  });

/** Three tools that a provider's search can choose from. */
export const cityTools = [
  cityTool("get_weather", "The weather of a city"),
  cityTool("book_hotel", "Books a hotel in a city"),
  cityTool("ask_person", "Asks a person"),
];
