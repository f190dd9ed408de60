import type { ProgramResult, SandboxProgram } from "../../../../src/sandbox/sandbox.ts";
import { OpenRun } from "./open-engine.ts";

interface Wire {
  readonly say: (text: string) => void;
  readonly end: () => void;
}

/** Host side of a careless wire: every frame is trusted, and one that is not JSON crashes the host. */
export const readFrames = (
  program: SandboxProgram,
  open: (onFrame: (text: string) => void, onEnd: () => void) => Wire,
): Promise<ProgramResult> =>
  new Promise((resolve) => {
    const run = new OpenRun();
    const onFrame = (text: string): void => {
      const frame = JSON.parse(text);
      if (frame.kind === "log") run.print(frame.text);
      else if (frame.kind === "value") finish(run.value(frame.value));
      else if (frame.kind === "error") finish(run.error(frame));
      else
        void run
          .answer(program, frame.name, frame.input)
          .then((answer) => wire.say(JSON.stringify({ number: frame.number, ...answer })));
    };
    const finish = (result: ProgramResult): void => {
      wire.end();
      resolve(result);
    };
    const wire = open(onFrame, () => resolve(run.ended({ kind: "lost", message: "It ended." })));
    const { source, input, functions = [] } = program;
    wire.say(JSON.stringify({ source, input, functions, token: process.env.HAFT_ATTACK_TOKEN }));
  });
