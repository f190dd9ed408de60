import type { Scene } from "./scene.ts";

/** API client of a signed-in user, to prepare a scene. */
export const signedIn = async ({ origin, link }: Scene, name: string) => {
  const own = { "content-type": "application/json", "x-haft-studio": "1" };
  const send = (path: string, init: RequestInit): Promise<Response> => fetch(`${origin}/api/v1${path}`, init);
  const token = new URL(link(name)).hash.slice("#token=".length);
  const response = await send("/sign-in", { method: "POST", headers: own, body: JSON.stringify({ token }) });
  const cookie = response.headers.get("set-cookie")!.split(";")[0]!;
  const read = async <Answer>(answer: Response): Promise<Answer> => {
    const body = (await answer.json()) as Answer;
    if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    get: async <Answer>(path: string): Promise<Answer> => read(await send(path, { headers: { cookie } })),
    post: async <Answer>(path: string, body: object = {}): Promise<Answer> =>
      read(await send(path, { method: "POST", headers: { ...own, cookie }, body: JSON.stringify(body) })),
  };
};
