const maxMessageBurst = 200;
const messagesPerSecond = 100;
const floodThreshold = 1_000;
/** In characters of JSON. */
const maxAppMessageLength = 1_048_576;

/** The sandbox proxy of the MCP Apps specification. It checks the window and origin of every message. */
export const frameDocument = (studio: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>MCP App</title>
<style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;border:0;width:100%;height:100%}</style>
</head>
<body>
<script>
"use strict";
(() => {
  const studio = ${JSON.stringify(studio).replaceAll("<", "\\u003c")};
  const own = "ui/notifications/sandbox-";
  const host = window.parent;
  if (host === window) return;
  const isOwn = (message) => typeof message?.method === "string" && message.method.startsWith(own);
  const tell = (name, params) => host.postMessage({ jsonrpc: "2.0", method: own + name, params }, studio);
  let app;
  let isTaken = false;
  let loads = 0;
  let left = ${maxMessageBurst};
  setInterval(() => { left = Math.min(${maxMessageBurst}, left + ${messagesPerSecond / 10}); }, 100);
  const end = (why) => {
    app?.remove();
    app = undefined;
    tell("ended", { why });
  };
  const show = (html) => {
    if (isTaken || typeof html !== "string") return;
    isTaken = true;
    app = document.createElement("iframe");
    app.setAttribute("sandbox", "allow-scripts allow-forms");
    app.setAttribute("allow", "");
    app.referrerPolicy = "no-referrer";
    app.title = "App";
    app.srcdoc = html;
    app.addEventListener("load", () => {
      loads += 1;
      if (loads > 1) end("left");
    });
    document.body.append(app);
  };
  const passOn = (message) => {
    left -= 1;
    if (left < -${floodThreshold}) return end("flood");
    if (left < 0 || typeof message !== "object" || message === null || isOwn(message)) return;
    let text;
    try {
      text = JSON.stringify(message);
    } catch {
      return;
    }
    if (text.length <= ${maxAppMessageLength}) return host.postMessage(JSON.parse(text), studio);
    const { id } = message;
    if (typeof id !== "string" && typeof id !== "number") return;
    const error = { code: -32600, message: "The message has more than ${maxAppMessageLength} characters." };
    app.contentWindow.postMessage({ jsonrpc: "2.0", id, error }, "*");
  };
  window.addEventListener("message", ({ data, source, origin }) => {
    if (source === host && origin === studio) {
      if (data?.method === own + "resource-ready") show(data.params?.html);
      else if (!isOwn(data)) app?.contentWindow?.postMessage(data, "*");
    } else if (app !== undefined && source === app.contentWindow) passOn(data);
  });
  tell("proxy-ready", {});
})();
</script>
</body>
</html>
`;
