// A class as a tool: its constructor takes the validated arguments, and `run` returns the result.
// Node does not run decorators yet, so they are compiled first: by tsc, tsx or a bundler. With esbuild:
// npx esbuild examples/06-class-tool/main.ts --format=esm --target=node22 | node --input-type=module -
//#region define
import assert from "node:assert/strict";
import { definitionOf, Haft, Tool, tool } from "haft";

@Tool({
  name: "send_note",
  description: "Sends a note to a colleague",
  parameters: {
    to: { type: "string", description: "Who gets it" },
    text: { type: "string", minLength: 1 },
    required: ["to", "text"],
  },
})
class SendNote {
  readonly #to: string;
  readonly text: string;

  constructor({ to, text }: { to: string; text: string }) {
    if (to === "everybody") throw new Error("name one person");
    this.#to = to;
    this.text = text;
  }

  get preview(): string {
    return `${this.#to}: ${this.text.slice(0, 20)}`;
  }

  async run(): Promise<string> {
    return `sent to ${this.#to}`;
  }
}
//#endregion

//#region open
const now = tool({ name: "now", description: "The time", input: [], run: () => "12:00" });
const haft = await Haft.open({ tools: [SendNote, now], principal: { agent: "demo", allow: ["*"] } });
//#endregion
//#region call
const sent: string = await haft.call(SendNote, { to: "Ada", text: "Lunch?" }); // typed by the class
const same: unknown = await haft.call("send_note", { to: "Ada", text: "Lunch?" }); // by name, untyped
//#endregion
assert.deepEqual([sent, same], ["sent to Ada", "sent to Ada"]);
await assert.rejects(haft.call("send_note", { to: "Ada" }), { code: "invalid_input" });
assert.equal(definitionOf(SendNote)?.name, "send_note");

//#region hydrate
const [result, refused] = await haft.hydrate([
  { id: "call_1", tool: "send_note", input: '{"to":"Grace","text":"The compiler works."}' },
  { id: "call_2", tool: "send_note", input: '{"to":"everybody","text":"Hello"}' },
]);
const note = result?.tool;
assert.ok(note instanceof SendNote); // so it can be inspected before it runs
assert.equal(note.preview, "Grace: The compiler works.");
assert.equal(await note.run(), "sent to Grace"); // through policy, layers and the ledger
//#endregion
assert.equal(await note.run(), "sent to Grace", "however often it is asked, it runs once");
assert.equal(refused?.errors[0]?.stage, "instantiate", "what a constructor throws is a value too");
assert.match(refused.errors[0].message, /name one person/);

const stranger = haft.as({ agent: "stranger", allow: ["now"] });
const [hidden] = await stranger.hydrate([{ id: "call_3", tool: "send_note", input: "{}" }]);
assert.equal(
  hidden?.errors[0]?.stage,
  "find",
  "no instance is constructed for a caller that may not see the tool",
);
assert.deepEqual(
  (await haft.log()).map(({ ending }) => ending),
  ["executed", "executed", "failed", "executed", "failed", "failed"],
);
await haft.close();
console.log(note.preview);
