import * as Effect from "effect/Effect";

type Act = (...given: never[]) => Effect.Effect<unknown, unknown>;

/** A book whose pages are loaded by the first who opens it. */
export const lazyBook = <Book extends { readonly [Name in keyof Book]: Act }>(
  names: readonly (keyof Book)[],
  load: () => Promise<Book>,
): Book => {
  let loading: Promise<Book> | undefined;
  const act =
    (name: keyof Book) =>
    (...given: never[]) =>
      Effect.flatMap(
        Effect.promise(() => {
          loading ??= load();
          return loading;
        }),
        (book) => book[name](...given),
      );
  return Object.fromEntries(names.map((name) => [name, act(name)])) as unknown as Book;
};
