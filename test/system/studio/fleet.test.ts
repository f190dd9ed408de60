import type { AnswerResult, Approval, FleetView, Page, Run } from "haft/studio";
import { studio } from "haft/studio";
import { expect, it, onTestFinished } from "vitest";
import { lookAt } from "../../../src/fleet/look-at.ts";
import { openQueue } from "../../../src/fleet/queue.ts";
import { clientOf } from "../../kit/studio-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { askingTool, clerk, fleetScene } from "../kit/fleet-scene.ts";

const { two, work } = fleetScene();

it("a Studio beside a fleet shows its workers, and what it answers wakes the worker that goes on", async () => {
  const worked: string[] = [];
  const asking = askingTool((name) => {
    worked.push(name);
    return "well";
  });
  const { url, front, back } = await two(asking);
  await work(back, { agents: [clerk()] });
  const page = studio(front, {
    fleet: async () => {
      const queue = await openQueue({ url, makesTables: false });
      return await lookAt(queue).finally(() => queue.close());
    },
  });
  onTestFinished(() => page.close());
  const { get, post } = clientOf(page);
  const { runId } = await front.submit(clerk(), "a letter");
  const waiting = async () => (await get<Page<Approval>>("/approvals", "ApprovalPage")).items;
  await waitFor(async () => expect(await waiting()).toHaveLength(1));
  const view = await get<FleetView>("/fleet");
  expect(view.workers).toHaveLength(1);
  const [asked] = await waiting();
  const answered = await post<AnswerResult>(`/approvals/${asked!.id}/answer`, { decision: "allow" });
  expect(answered).toMatchObject({ status: 200, goesOn: "worker" });
  const status = async () => (await get<Run>(`/runs/${runId}`, "Run")).line.status;
  await waitFor(async () => expect(await status()).toBe("done"));
  expect(worked).toEqual(["a letter"]);
  expect((await get<Run>(`/runs/${runId}`, "Run")).line.kind).toBe("job");
});
