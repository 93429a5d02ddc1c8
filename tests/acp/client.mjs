// The TypeScript SDK's own client: starts an agent, asks once, prints what it saw as JSON.
// node client.mjs SDK FOLDER PROMPT COMMAND...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [sdk, folder, prompt, command, ...words] = process.argv.slice(2);
const acp = await import(pathToFileURL(sdk));
const agent = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const seen = { updates: [], asked: 0 };

const client = acp
  .client({ name: "test" })
  .onNotification(acp.methods.client.session.update, ({ params }) => {
    seen.updates.push(params.update);
  })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    seen.asked += 1;
    const [option] = params.options.filter((each) => each.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  });

await client.connectWith(stream, async (ctx) => {
  seen.hello = await ctx.request(acp.methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: {},
  });
  const session = await ctx.request(acp.methods.agent.session.new, { cwd: folder, mcpServers: [] });
  const blocks = [{ type: "text", text: prompt }];
  const asked = { sessionId: session.sessionId, prompt: blocks };
  seen.answer = await ctx.request(acp.methods.agent.session.prompt, asked);
});
agent.stdin.end();
console.log(JSON.stringify(seen));
