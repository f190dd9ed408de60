/** What is used of a package that has no types of its own. */
declare module "html-to-text" {
  export const compile: (
    options: Readonly<Record<string, unknown>>,
  ) => (html: string, metadata: Readonly<Record<string, unknown>>) => string;
}
