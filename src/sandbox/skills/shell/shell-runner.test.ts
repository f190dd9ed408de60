import * as Effect from "effect/Effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileSandbox } from "../../../../test/kit/file-sandbox.ts";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { type CommandRequest, Commands, type ShellInput, shellRunner } from "./shell-runner.ts";

const settings = skillSettings({
  commands: { git: { args: ["--oneline", "-n", "--format="] }, echo: {}, rm: { args: ["-r", "-f", "-rf"] } },
});

const run = async (input: ShellInput) => {
  const started: CommandRequest[] = [];
  const answer = await Effect.runPromise(
    shellRunner(settings)(input).pipe(
      Effect.provideService(Commands, {
        run: (request) => {
          started.push(request);
          return Effect.succeed({ exitCode: 0, stdout: "out", stderr: "", isCut: false, isLate: false });
        },
      }),
      Effect.result,
    ),
  );
  return { answer, started };
};

describe("shell", () => {
  it.each([
    ["git", ["log", "--oneline", "-n", "3"]],
    ["git", ["log", "--format=%H"]],
    ["echo", ["a; echo PWNED; $(id) `id` | cat > /x & \n *"]],
    ["rm", ["-r", "notes"]],
    ["echo", []],
  ])("starts %s with unchanged arguments: %j", async (command, args) => {
    const { answer, started } = await run({ command, args });
    expect(answer).toMatchObject({ success: { exitCode: 0, stdout: "out" } });
    expect(started).toMatchObject([{ command, args }]);
  });

  it.each([
    ["git", ["log", "--output=/x"], "--output=/x"],
    ["git", ["-c", "core.pager=sh"], "-c"],
    ["git", ["--upload-pack=sh", "clone"], "--upload-pack=sh"],
    ["git", ["-n3"], "-n3"],
    ["git", ["--oneline=x"], "--oneline=x"],
    ["git", ["--formatx"], "--formatx"],
    ["git", ["--"], '"--"'],
    ["git", ["-"], '"-"'],
    ["echo", ["-e", "x"], "-e"],
    ["sh", ["-c", "id"], '"sh" is not granted'],
    ["/usr/bin/git", ["log"], "is not granted"],
    ["./git", ["log"], "is not granted"],
    ["GIT", ["log"], "is not granted"],
    ["git ", ["log"], "is not granted"],
    ["git log", [], "is not granted"],
    ["git;id", [], "is not granted"],
    ["constructor", [], "is not granted"],
    ["__proto__", [], "is not granted"],
    ["git", ["a\0--output=/x"], "NUL"],
    ["rm", ["-rf", "/"], "blockedCommands"],
    ["rm", ["-rf /"], "blockedCommands"],
    ["rm", ["-rf", " ", "/"], "blockedCommands"],
    ["rm", ["  -rf\t/"], "blockedCommands"],
    ["echo", ["sudo", "id"], "blockedCommands"],
    ["echo", ["/usr/bin/sudo"], "blockedCommands"],
    ["echo", ["a sudo b"], "blockedCommands"],
    ["sudo", ["id"], "blockedCommands"],
    ["echo", [":(){ :|:& };:"], "blockedCommands"],
    ["echo", [":(){:|:&};:"], "blockedCommands"],
  ])("does not start %j with %j", async (command, args, said) => {
    const { answer, started } = await run({ command, args });
    expect(answer).toMatchObject({
      failure: { message: expect.stringContaining(said), failure: { ran: false } },
    });
    expect(started).toEqual([]);
  });

  it("starts in the first allowed folder and makes only allowed folders writable", async () => {
    using world = fileSandbox();
    const { root } = world;
    const started: CommandRequest[] = [];
    const files = { read: [root, `${root}/none`], write: [`${root}/sub`] };
    await Effect.runPromise(
      shellRunner({ ...settings, files: { ...settings.files, ...files } })({
        command: "echo",
        stdin: "in",
      }).pipe(
        Effect.provideService(Commands, {
          run: (request) => {
            started.push(request);
            return Effect.succeed({ exitCode: undefined, stdout: "", stderr: "", isCut: true, isLate: true });
          },
        }),
      ),
    );
    expect(started).toMatchObject([
      { readOnly: [root], writable: [`${root}/sub`], folder: root, stdin: "in" },
    ]);
  });

  it("does not block a word that only contains a blocked one", async () => {
    expect((await run({ command: "echo", args: ["pseudo-sudoku", "visudo.txt"] })).started).toHaveLength(1);
  });

  it("starts none of a thousand random commands with an option that is not allowed", async () => {
    const word = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom("-n", "--oneline", "--format=x", "-", "--", "-x", "--o", "log", "–x", " -x"),
    );
    const input = fc.record({
      command: fc.constantFrom("git", "echo", "rm", "sh"),
      args: fc.array(word, { maxLength: 5 }),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(input, async (made) => {
        for (const { command, args } of (await run(made)).started) {
          count++;
          const granted = settings.commands[command]?.args ?? [];
          const odd = args.filter(
            (arg) =>
              arg.startsWith("-") &&
              !granted.includes(arg) &&
              !(command === "git" && arg.startsWith("--format=")),
          );
          expect([command, odd]).toEqual([expect.stringMatching(/^(git|echo|rm)$/), []]);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(count).toBeGreaterThan(100);
  });
});
