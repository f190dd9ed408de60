import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import { SandboxError } from "../types/errors.ts";
import { engines } from "./engines.ts";
import type { EngineName, Language, Sandbox, SandboxProgram } from "./sandbox.ts";
import type { SandboxPool } from "./sandboxes.ts";
import { type BindContext, withAsyncContext } from "./with-async-context.ts";

const defaultEngines: Readonly<Record<Language, EngineName>> = {
  javascript: "quickjs",
  typescript: "quickjs",
  python: "pyodide",
};

/** Engines open on first use and close with the scope. */
export const openSandboxes: Effect.Effect<SandboxPool, never, Scope.Scope> = Effect.map(
  Effect.scope,
  (scope): SandboxPool => {
    const opened = new Map<EngineName, Deferred.Deferred<Sandbox, SandboxError>>();

    /** Opened in a fiber of the scope, because the requesting fiber may be interrupted while others wait. */
    const sandbox = (name: EngineName): Effect.Effect<Sandbox, SandboxError> =>
      Effect.suspend(() => {
        const known = opened.get(name);
        if (known !== undefined) return Deferred.await(known);
        const opening = Deferred.makeUnsafe<Sandbox, SandboxError>();
        opened.set(name, opening);
        const open = openEngine(name).pipe(
          Scope.provide(scope),
          Effect.onError(() => Effect.sync(() => opened.delete(name))),
          Deferred.into(opening),
          Effect.forkIn(scope),
        );
        return Effect.andThen(open, Deferred.await(opening));
      });

    return {
      scope,
      run: (program, engine = defaultEngines[program.language]) =>
        withAsyncContext((bind) =>
          Effect.flatMap(sandbox(engine), (found) =>
            found.languages.includes(program.language)
              ? found.run({ ...program, ...bindCallbacks(bind, program) })
              : Effect.fail(wrongLanguageError(found, program.language)),
          ),
        ),
    };
  },
);

const bindCallbacks = (
  bind: BindContext,
  { answer, onIdle }: SandboxProgram,
): Pick<SandboxProgram, "answer" | "onIdle"> => ({
  ...(answer === undefined ? {} : { answer: bind(answer) }),
  ...(onIdle === undefined ? {} : { onIdle: bind(onIdle) }),
});

const openEngine = (name: EngineName): Effect.Effect<Sandbox, SandboxError, Scope.Scope> => {
  const load = Object.hasOwn(engines, name) ? engines[name] : undefined;
  if (load === undefined) {
    const known = Object.keys(engines).join(", ");
    return Effect.fail(
      cannotRunError(`This version of haft has no engine "${name}". Its engines are: ${known}.`),
    );
  }
  const loading = Effect.tryPromise({
    try: () => load(),
    catch: (error) => cannotRunError(`The engine "${name}" cannot be loaded: ${(error as Error).message}`),
  });
  return Effect.flatMap(loading, (module) => module.openEngine());
};

const wrongLanguageError = ({ engine, languages }: Sandbox, language: Language): SandboxError =>
  cannotRunError(`The engine "${engine}" does not run ${language}. It runs ${languages.join(" and ")}.`);

const cannotRunError = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false });
