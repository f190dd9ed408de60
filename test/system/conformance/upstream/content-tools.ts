import type { ContentBlock } from "@modelcontextprotocol/server";
import { strings, type ToolFixture, text } from "./fixture.ts";
import { png, wav } from "./pictures.ts";

const image: ContentBlock = { type: "image", data: png, mimeType: "image/png" };
const audio: ContentBlock = { type: "audio", data: wav, mimeType: "audio/wav" };
const resource = (uri: string, words: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: words },
});

const address = {
  $anchor: "addressDef",
  type: "object",
  properties: { street: { type: "string" }, city: { type: "string" } },
};

/** Schema keywords that a careless gateway loses. */
const everyKeyword = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

export const headerSchema = {
  type: "object" as const,
  properties: {
    region: { type: "string" as const, "x-mcp-header": "Region" },
    query: { type: "string" as const },
  },
  required: ["region"],
};

/** Tools that answer at once. The suite calls the first one without arguments. */
export const contentTools: readonly ToolFixture[] = [
  {
    name: "test_simple_text",
    description: "Answers with one text.",
    call: () => text("This is a simple text response for testing."),
  },
  {
    name: "test_image_content",
    description: "Answers with a picture of one pixel.",
    call: () => ({ content: [image] }),
  },
  {
    name: "test_audio_content",
    description: "Answers with a short silence.",
    call: () => ({ content: [audio] }),
  },
  {
    name: "test_embedded_resource",
    description: "Answers with a resource inside.",
    call: () => ({
      content: [resource("test://embedded-resource", "This is an embedded resource content.")],
    }),
  },
  {
    name: "test_multiple_content_types",
    description: "Answers with a text, a picture and a resource.",
    call: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        resource("test://mixed-content-resource", '{"test":"data","value":123}'),
      ],
    }),
  },
  {
    name: "test_error_handling",
    description: "Always fails.",
    call: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  },
  {
    name: "json_schema_2020_12_tool",
    description: "Has an input schema with many keywords.",
    inputSchema: everyKeyword,
    call: (input) => text(`Received: ${JSON.stringify(input)}`),
  },
  {
    name: "test_custom_header",
    description: "Has an argument that is also sent as a header.",
    inputSchema: headerSchema,
    call: ({ region }) => text(`Region: ${region}`),
  },
  {
    name: "greet",
    description: "Greets by name.",
    inputSchema: strings("name"),
    call: ({ name }) => text(`Hello, ${name}!`),
  },
];
