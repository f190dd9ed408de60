import { expect, it } from "vitest";
import { mailCall, pageCall, sessionScene } from "../../../test/kit/session-scene.ts";

it("reports the state of a call by its id, tool and arguments without writing an entry", async () => {
  const { open, sent } = sessionScene();
  const haft = await open();
  const session = haft.session();
  expect(await session.stands(mailCall("2", "ada"))).toBe("none");
  await session.turn([pageCall("1", "x")]);
  expect(await session.stands(pageCall("1", "x"))).toBe("settled");
  const question = await session.asks(mailCall("2", "ada"));
  expect(await session.stands(mailCall("2", "ada"))).toBe("waiting");
  expect(await session.stands(mailCall("2", "mallory"))).toBe("none");
  expect(await haft.log()).toHaveLength(2);
  await session.answer(question!.id, { kind: "allow" });
  expect(await session.stands(mailCall("2", "ada"))).toBe("settled");
  expect(sent).toEqual(["ada"]);
});
