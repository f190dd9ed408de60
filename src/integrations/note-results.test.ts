import { expect, it } from "vitest";
import { mailCall, sessionScene } from "../../test/kit/session-scene.ts";
import { createResultNoter } from "./settle-requests.ts";

it("notes a result of a foreign tool that has the name of a tool of the session", async () => {
  const { open, sent } = sessionScene();
  const session = (await open()).session();
  const note = createResultNoter(session);
  await session.turn([{ id: "1", tool: "look", input: {} }]);
  await note([{ callId: "1", tool: "look" }]);
  expect(note([{ callId: "1", tool: "look" }])).toBeUndefined();
  expect((await session.turn([mailCall("2", "ada")]))[0]?.ok).toBe(true);
  await note([{ callId: "theirs", tool: "look" }]);
  expect((await session.turn([mailCall("3", "bob")]))[0]?.pending?.reason).toContain("look");
  expect(sent).toEqual(["ada"]);
});
