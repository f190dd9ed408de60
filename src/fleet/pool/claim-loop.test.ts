import { expect, it } from "vitest";
import { ClaimLoop } from "./claim-loop.ts";

/** A queue whose jobs run until they are released. */
const scene = (concurrency: number, jobs: string[]) => {
  const begun: string[] = [];
  const release: (() => void)[] = [];
  let onEmpty = (): void => {};
  const loop = new ClaimLoop<string>({
    concurrency,
    claim: async () => {
      const job = jobs.shift();
      if (job === undefined) onEmpty();
      return job;
    },
    run: (job) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(job);
      release.push(resolve);
      return promise;
    },
  });
  return {
    loop,
    begun,
    release,
    onEmpty: (then: () => void) => {
      onEmpty = then;
    },
  };
};

it.each(Array.from({ length: 12 }, (_, steps) => steps))(
  "does not miss a job that arrives %i microtasks after an empty claim",
  async (steps) => {
    const jobs: string[] = [];
    const { loop, begun, onEmpty } = scene(1, jobs);
    const looked = Promise.withResolvers<void>();
    onEmpty(async () => {
      onEmpty(() => {});
      for (let step = 0; step < steps; step++) await undefined;
      jobs.push("late");
      await loop.look();
      looked.resolve();
    });
    await loop.look();
    await looked.promise;
    expect(begun).toEqual(["late"]);
  },
);

it("counts a job that is claimed twice as two", async () => {
  const jobs = ["same", "same", "other"];
  const { loop, begun, release } = scene(2, jobs);
  await loop.look();
  expect(begun).toEqual(["same", "same"]);
  release[0]!();
  await loop.look();
  await loop.look();
  expect(begun).toEqual(["same", "same", "other"]);
  jobs.push("one too many");
  await loop.look();
  expect(begun).toHaveLength(3);
});

it("waits for every claimed job when it stops, and claims no more", async () => {
  const jobs = ["same", "same"];
  const { loop, begun, release } = scene(2, jobs);
  await loop.look();
  let isOver = false;
  const stopped = loop.stop().then(() => {
    isOver = true;
  });
  jobs.push("next");
  release[1]!();
  await loop.look();
  expect(isOver).toBe(false);
  release[0]!();
  await stopped;
  expect(begun).toEqual(["same", "same"]);
});

it("repeats a failed claim at the next look", async () => {
  let attempts = 0;
  const loop = new ClaimLoop<string>({
    concurrency: 1,
    claim: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("The database is away.");
      return undefined;
    },
    run: async () => {},
  });
  await loop.look();
  await loop.look();
  expect(attempts).toBe(2);
});
