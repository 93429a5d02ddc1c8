// The smallest IDE that the documents show: it answers `tools/call` and knows nothing else, not
// even `initialize` or `tools/list`. Run by tests/ide/test_client.py with a real Node.
const { WebSocketServer } = require('ws');
const { v4: newToken } = require('uuid');
const fs = require('fs');
const path = require('path');

const token = newToken();
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
let lock;

server.on('listening', () => {
  const folder = path.join(process.env.HOME, '.claude', 'ide');
  fs.mkdirSync(folder, { recursive: true });
  lock = path.join(folder, `${server.address().port}.lock`);
  const said = {
    pid: process.pid,
    workspaceFolders: [process.cwd()],
    ideName: 'Custom IDE',
    transport: 'ws',
    authToken: token,
  };
  fs.writeFileSync(lock, JSON.stringify(said));
  console.log('ready');
});

server.on('connection', (socket, request) => {
  if (request.headers['x-claude-code-ide-authorization'] !== token) {
    socket.close(1008, 'Invalid auth token');
    return;
  }
  socket.on('message', (data) => {
    const { id, method, params } = JSON.parse(data);
    if (method === undefined) return;
    const body =
      method === 'tools/call'
        ? { result: answer(params.name) }
        : { error: { code: -32601, message: 'Method not found' } };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  });
});

function answer(name) {
  const text =
    name === 'getWorkspaceFolders'
      ? JSON.stringify({ folders: [process.cwd()], rootPath: process.cwd() })
      : `Unknown tool: ${name}`;
  return { content: [{ type: 'text', text }] };
}

process.on('exit', () => fs.unlinkSync(lock));
process.on('SIGINT', () => process.exit());
